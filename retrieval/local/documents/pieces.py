"""Chunks of a part: whole blocks while they fit, a longer table by its rows, another block by its sentences, a longer
sentence at a blank.

The rules of sentences are those of `retrieval.text`, for each of its languages. Tokens are counted as the grounding
counts them.
"""

from collections.abc import Iterator, Sequence
from typing import Final

from retrieval.text import layout
from retrieval.text.length import BYTES_PER_TOKEN, tokens
from retrieval.text.sentences import sentences

MOST: Final = 512
"""Tokens of a chunk: https://learn.microsoft.com/azure/search/vector-search-how-to-chunk-documents"""

LONGEST_HEADER: Final = MOST * 3 // 4
"""Tokens of a table's header that each of the table's chunks begins with."""

_WINDOW: Final = MOST * BYTES_PER_TOKEN
"""Characters that a chunk can have."""


def pieces(blocks: Sequence[str]) -> Iterator[str]:
    """The chunks, in order; every word of the blocks is in exactly one, but for the headers of tables."""
    chunk = ""
    for block in blocks:
        for piece in _cut(block):
            joined = f"{chunk}\n\n{piece}" if chunk else piece
            if chunk and tokens(joined) > MOST:
                yield chunk
                joined = piece
            chunk = joined
    if chunk:
        yield chunk


def _cut(block: str) -> Iterator[str]:
    header = "".join(block[: first.header[1]] for first in layout.blocks(block[:_WINDOW])[:1])
    if not header or tokens(block) <= MOST:
        yield from _cut_in_sentences(block)
        return
    repeated = header if tokens(header) <= LONGEST_HEADER else ""
    table = header
    for row in block[len(header) + 1 :].splitlines():
        longer = f"{table}\n{row}"
        if tokens(longer) > MOST and table not in (header, repeated):
            yield from _cut_below(repeated, table)
            longer = f"{repeated}\n{row}"
        table = longer
    yield from _cut_below(repeated, table)


def _cut_below(header: str, table: str) -> Iterator[str]:
    """A table that fits, or the parts of its only row, each below the header."""
    if not header or tokens(table) <= MOST or not table.startswith(f"{header}\n"):
        yield from _cut_in_sentences(table)
        return
    for part in _cut_in_sentences(table[len(header) + 1 :], MOST - tokens(header) - 1):
        yield f"{header}\n{part}"


def _cut_in_sentences(block: str, most: int = MOST) -> Iterator[str]:
    start = 0
    while start < len(block):
        window = block[start : start + most * BYTES_PER_TOKEN]
        end = len(window)
        if tokens(window) > most or start + end < len(block):
            end = _end(window, most)
        if piece := window[:end].strip():
            yield piece
        start += end


def _end(window: str, most: int) -> int:
    """Where to cut a text that goes on: after the last sentence that fits, else at a blank, else anywhere."""
    fits = len(window.encode("utf-8", "replace")[: most * BYTES_PER_TOKEN].decode("utf-8", "ignore"))
    whole = [span.end for span in sentences(window)[:-1] if span.end <= fits and not span.after]
    if whole:
        return whole[-1]
    blank = max(window.rfind(sign, 1, fits) for sign in " \n\t")
    return blank + 1 if blank > 0 else fits
