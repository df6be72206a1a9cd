"""Chunks: the texts of references as a model sees them, distinct, bounded, and fenced as data."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from html import escape
from typing import Final

from retrieval.model.chunk import Chunk, Gathered
from retrieval.model.retrieval import Reference
from retrieval.text import distinct_texts
from retrieval.text.links import without_targets
from retrieval.text.source_labels import heading, label, passage
from retrieval.text.tokens import tokens as count
from retrieval.text.visible import visible

LONGEST_CHUNK: Final = 4_000
LONGEST_WORD: Final = 80
"""How far back a cut looks for the end of a word; a text without spaces is cut at the limit."""


def gather(
    references: Sequence[Reference], *, known: Sequence[Chunk] = (), most: int, tokens: int, round: int = 0
) -> Gathered:
    """Chunks of references in their order: at most `most`, and at most `tokens` as they are fenced.

    `known` chunks are neither given again nor counted; new ids follow theirs. A text that does not fit into the rest of
    the budget is skipped; a smaller text after it may fit. Every reference becomes a chunk or is counted as omitted;
    when there are enough chunks, or enough texts were compared, the other references count as `limit`.
    """
    seen = {one.reference.key for one in known}
    new = [reference for reference in references if reference.key not in seen]
    taken, omitted = distinct_texts.kept(
        (_chunk(reference, round=round) for reference in new),
        text=lambda chunk: chunk.text,
        size=lambda chunk, room: _size(chunk),
        most=most,
        room=tokens,
        known=[one.text for one in known],
    )
    omitted["known"] = len(references) - len(new)
    omitted["limit"] = len(references) - len(taken) - omitted.total()
    first = 1 + max((int(one.id[1:]) for one in known), default=0)
    chunks = tuple(replace(chunk, id=f"c{number}") for number, chunk in enumerate(taken, first))
    return Gathered(chunks=chunks, omitted=dict(+omitted))


def fenced(chunks: Sequence[Chunk], *, nonce: str) -> str:
    """The chunks as data of a prompt. Nothing in a text or a label can open or close a fence, or name the nonce."""
    return "\n".join(_fence(one.text, {"id": one.id, "source": one.source}, nonce=nonce) for one in chunks)


def evidence(chunks: Sequence[Chunk], *, nonce: str, targets: bool) -> str:
    """The chunks as a judge and a writer read them: where each stands, its date, and links by label without `targets`.

    What is checked, cited and returned is the text as it is.
    """
    return "\n".join(
        _fence(
            one.text if targets else without_targets(one.text),
            {"id": one.id, "source": one.heading or one.source, **({"date": one.date} if one.date else {})},
            nonce=nonce,
        )
        for one in chunks
    )


def _fence(text: str, attributes: Mapping[str, str], *, nonce: str) -> str:
    said = "".join(f' {name}="{escape(_without(value, nonce))}"' for name, value in attributes.items())
    return f"<chunk-{nonce}{said}>{_escaped(_without(text, nonce))}</chunk-{nonce}>"


def _chunk(reference: Reference, *, round: int) -> Chunk:
    hit = reference.hit
    return Chunk(
        id="",
        source=label(hit),
        text=_text(reference),
        reference=reference,
        round=round,
        heading=heading(hit),
        date=hit.date or "",
    )


def _text(reference: Reference) -> str:
    """The document's own text, cut at a word, as its reader sees it."""
    text = passage(reference.hit)
    if len(text) > LONGEST_CHUNK:
        end = LONGEST_CHUNK
        while end > LONGEST_CHUNK - LONGEST_WORD and not text[end].isspace():
            end -= 1
        text = text[: end if text[end].isspace() else LONGEST_CHUNK]
    shown = visible(text)
    return shown if shown.strip() else ""


def _size(chunk: Chunk) -> int:
    """The most tokens that a chunk has in a prompt, without its fence."""
    beside = max(count(escape(one)) for one in (chunk.source, chunk.heading))
    return count(_escaped(chunk.text)) + beside + count(chunk.date)


def _escaped(text: str) -> str:
    return escape(text, quote=False)


def _without(text: str, nonce: str) -> str:
    return text.replace(nonce, "\ufffd")
