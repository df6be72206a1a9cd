"""Chunks: the texts of references as a model sees them, distinct, bounded, and fenced as data."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from html import escape
from typing import Final, TypeAlias

from retrieval.answer import Chunk, Gathered, OmitReason
from retrieval.ground import tokens as count
from retrieval.model import Reference
from retrieval.near_duplicates import distinct
from retrieval.sources import label

LONGEST_CHUNK: Final = 4_000
LONGEST_WORD: Final = 80
"""How far back a cut looks for the end of a word; a text without spaces is cut where it is too long."""

_HALF_CHARACTER: Final = re.compile(r"[\ud800-\udfff]")

Candidate: TypeAlias = tuple[Reference, str]


def gather(
    references: Sequence[Reference], *, known: Sequence[Chunk] = (), most: int, tokens: int, round: int = 0
) -> Gathered:
    """Chunks of references in their order: at most `most`, and at most `tokens` as they are fenced.

    `known` chunks are neither given again nor counted; ids go on after theirs. A text that does not fit into what is
    left is passed over, a smaller one after it may fit. Every reference becomes a chunk or is counted as omitted.
    """
    seen = {_identity(one.reference) for one in known}
    new = [reference for reference in references if _identity(reference) not in seen]
    candidates = [(reference, text) for reference in new if (text := _text(reference))]
    omitted: Counter[OmitReason] = Counter()
    omitted["known"], omitted["empty"] = len(references) - len(new), len(new) - len(candidates)
    chunks: list[Chunk] = []
    first = 1 + max((int(one.id[1:]) for one in known), default=0)
    left = tokens
    for candidate in _distinct(candidates, known, most=most):
        if len(chunks) == most:
            break
        if candidate is None:
            omitted["near_duplicate"] += 1
            continue
        reference, text = candidate
        chunk = Chunk(
            id=f"c{first + len(chunks)}", source=label(reference.hit), text=text, reference=reference, round=round
        )
        if _size(chunk) > left:
            omitted["budget"] += 1
            continue
        left -= _size(chunk)
        chunks.append(chunk)
    omitted["limit"] += len(references) - len(chunks) - omitted.total()
    return Gathered(chunks=tuple(chunks), omitted=dict(+omitted))


def fenced(chunks: Sequence[Chunk], *, nonce: str) -> str:
    """The chunks as data of a prompt. Nothing in a text or a label can open or close a fence, or name the nonce."""
    return "\n".join(
        f'<chunk-{nonce} id="{one.id}" source="{escape(_without(one.source, nonce))}">'
        f"{_escaped(_without(one.text, nonce))}</chunk-{nonce}>"
        for one in chunks
    )


def _distinct(candidates: Sequence[Candidate], known: Sequence[Chunk], *, most: int) -> Iterator[Candidate | None]:
    """The candidates in order, None for one whose text is that of a known chunk or of one before it.

    Texts are compared in batches, as usually the first few are all that is taken.
    """
    before = [one.text for one in known]
    for start in range(0, len(candidates), max(most, 1)):
        batch = candidates[start : start + max(most, 1)]
        kept = distinct([*before, *(text for _, text in batch)]).kept
        fresh = {place - len(before) for place in kept}
        before += [text for place, (_, text) in enumerate(batch) if place in fresh]
        yield from (one if place in fresh else None for place, one in enumerate(batch))


def _identity(reference: Reference) -> tuple[str, str]:
    return reference.target.index, reference.hit.key


def _text(reference: Reference) -> str:
    """The document's own text, cut at a word; halves of surrogate pairs, which UTF-8 cannot carry, are replaced."""
    text = reference.hit.content or ""
    if len(text) > LONGEST_CHUNK:
        end = LONGEST_CHUNK
        while end > LONGEST_CHUNK - LONGEST_WORD and not text[end].isspace():
            end -= 1
        text = text[: end if text[end].isspace() else LONGEST_CHUNK]
    return _HALF_CHARACTER.sub("\ufffd", text) if text.strip() else ""


def _size(chunk: Chunk) -> int:
    """Tokens of a chunk as it is fenced, but for the fence."""
    return count(_escaped(chunk.text)) + count(escape(chunk.source))


def _escaped(text: str) -> str:
    return escape(text, quote=False)


def _without(text: str, nonce: str) -> str:
    return text.replace(nonce, "\ufffd")
