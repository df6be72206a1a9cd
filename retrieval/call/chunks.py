"""Chunks: the texts of references as a model sees them, distinct, and within a budget of tokens."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from retrieval.model.activity import OmitReason
from retrieval.model.answer import Chunk, Gathered
from retrieval.model.retrieval import Key, Reference
from retrieval.steps import fences
from retrieval.text import near_duplicates
from retrieval.text.source_labels import label_and_heading, visible_passage

LONGEST_CHUNK: Final = 4_000

MOST_CHUNKS: Final = 16
"""The most chunks of a round, of a single question too: all gold of MTRAG's other half is among 16 for .802 of the
questions, among 12 for .771, among 10 for .735; of HotpotQA's .86, .84 and .76 (`tests.benchmarks.shown`)."""
CHUNK_TOKENS: Final = 8_000


def gather(
    references: Sequence[Reference], *, known: Sequence[Chunk] = (), most: int, tokens: int, round: int = 0
) -> Gathered:
    """Chunks of references in their order: at most `most`, and at most `tokens` as they are fenced.

    `known` chunks are neither given again nor counted; new ids follow theirs. A text that does not fit into the rest of
    the budget is skipped; a smaller text after it may fit. Every reference becomes a chunk or is counted as omitted;
    when there are enough chunks, or enough texts were compared, the other references count as `limit`.
    """
    known_keys = {chunk.reference.key for chunk in known}
    new = [reference for reference in references if reference.key not in known_keys]
    distinct, left_out = near_duplicates.choose(
        (_chunk(reference, round=round) for reference in new),
        text=lambda chunk: chunk.text,
        size=lambda chunk, room: fences.size(chunk),
        most=most,
        room=tokens,
        earlier=[chunk.text for chunk in known],
    )
    lost: dict[Key, OmitReason] = {chunk.reference.key: reason for chunk, reason in left_out}
    given = {chunk.reference.key for chunk in distinct}
    lost.update({key: "limit" for key in (reference.key for reference in new) if key not in lost and key not in given})
    omitted: Counter[OmitReason] = Counter(reason for _, reason in left_out)
    omitted["known"] = len(references) - len(new)
    omitted["limit"] = len(references) - len(distinct) - omitted.total()
    first = 1 + max((int(chunk.id[1:]) for chunk in known), default=0)
    chunks = tuple(replace(chunk, id=f"c{number}") for number, chunk in enumerate(distinct, first))
    return Gathered(chunks=chunks, omitted=dict(+omitted), lost=lost)


def _chunk(reference: Reference, *, round: int) -> Chunk:
    hit = reference.hit
    source, heading = label_and_heading(hit)
    return Chunk(
        id="",
        source=source,
        text=visible_passage(hit, longest=LONGEST_CHUNK),
        reference=reference,
        round=round,
        heading=heading,
        date=hit.date or "",
    )
