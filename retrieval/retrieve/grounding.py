"""Documents as text for a model, within a number and a budget of tokens: whole documents as the grounding text of a
retrieve, or chunks without near duplicates for a step of this service.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from pydantic_core import to_json

from retrieval.call import fences
from retrieval.model.activity import DropReason, OmitReason
from retrieval.model.answer import Chunk, Gathered
from retrieval.model.retrieval import Key, Reference
from retrieval.model.search import Hit
from retrieval.ports import ModelServer
from retrieval.text import near_duplicates
from retrieval.text.source_labels import source_texts
from retrieval.text.tokens import BYTES_PER_TOKEN


@dataclass(frozen=True, slots=True, kw_only=True)
class GroundingChoice:
    """The documents of a grounding text: their JSON by their positions among the references. `left_out` has the reason
    of each other position."""

    documents: Mapping[int, bytes]
    left_out: Mapping[int, DropReason]


def choose(
    references: Sequence[Reference],
    *,
    max_tokens: int,
    most: int | None = None,
    beyond: DropReason = "limit",
    first: Sequence[Reference] | None = None,
) -> GroundingChoice:
    """The documents that fit into a grounding text, at most `most`. `beyond` is the reason of the documents beyond.

    A token counts as four UTF-8 bytes, since a tokenizer would have to download its vocabulary. The first document that
    does not fit into the rest of the budget ends the text. A document larger than the whole budget is skipped. `first`
    has the references in the order in which they use the budget; None means their own order.
    """
    budget = max_tokens * BYTES_PER_TOKEN - len("[]")
    documents: dict[int, bytes] = {}
    places = range(len(references)) if first is None else _places(references, first)
    left_out: dict[int, DropReason] = dict.fromkeys(places, "budget")
    budget_left = budget
    for place, position in enumerate(places):
        if most is not None and len(documents) >= most:
            left_out.update(dict.fromkeys(places[place:], beyond))
            break
        hit = references[position].hit
        if _least(hit) > budget:
            continue
        document = _document(hit)
        size = len(_item(position, document)) + len(",")
        if size > budget:
            continue
        if size > budget_left:
            break
        documents[position] = document
        budget_left -= size
        del left_out[position]
    return GroundingChoice(documents=documents, left_out=left_out)


def text_of(documents: Iterable[tuple[int, bytes]]) -> str:
    """A JSON array of objects with `ref_id`, `title`, `terms` and `content`, like the knowledge agent's content string,
    of documents with their ids."""
    return f"[{b','.join(_item(id, document) for id, document in documents).decode()}]"


def _places(references: Sequence[Reference], first: Sequence[Reference]) -> Sequence[int]:
    places = {reference.key: place for place, reference in enumerate(references)}
    return [places[reference.key] for reference in first]


def _least(hit: Hit) -> int:
    """The least number of bytes of a hit: the characters of its title, terms and content. Each character has at least
    one byte."""
    return len(hit.title or "") + len(hit.terms or "") + len(hit.content or "")


def _document(hit: Hit) -> bytes:
    fields = {"title": hit.title, "terms": hit.terms, "content": hit.content}
    return to_json({name: value for name, value in fields.items() if value is not None})


def _item(id: int, document: bytes) -> bytes:
    rest = document[1:]
    return b'{"ref_id":%d%b%b' % (id, b"" if rest == b"}" else b",", rest)


LONGEST_CHUNK: Final = 4_000

MOST_CHUNKS: Final = 16
"""The most chunks of a round. The number was chosen on half of MTRAG's questions. In the other half, all gold passages
are among 16 chunks for .802 of the questions, among 12 chunks for .771, and among 10 chunks for .735. For HotpotQA the
shares are .86, .84 and .76 (`tests.benchmarks.shown`)."""
MOST_LOCALLY: Final = 8
"""The most chunks of a round for a model of CHAT_URL, which reads as few as forty tokens a second. The chunks that a
strong model cites are among the first eight in 26 of 27 answers."""
CHUNK_TOKENS: Final = 8_000


def most_chunks(server: ModelServer | None) -> int:
    """The most chunks of a round that a model reads, which may be that of a `server` on a developer's machine."""
    return MOST_CHUNKS if server is None else MOST_LOCALLY


def gather(
    references: Sequence[Reference], *, known: Sequence[Chunk] = (), most: int, tokens: int, round: int = 0
) -> Gathered:
    """The chunks of references, in their order: at most `most` chunks with at most `tokens` tokens in all.

    `known` chunks are not returned again, and do not count against `most` and `tokens`. New chunks get the next ids. A
    text that does not fit into the rest of the budget is skipped; a smaller text after it may fit. Every reference
    becomes a chunk or is counted as omitted. Once there are `most` chunks, or 200 texts were compared, every further
    new reference counts as `limit`.
    """
    known_keys = {chunk.reference.key for chunk in known}
    new = [reference for reference in references if reference.key not in known_keys]
    distinct, left_out = near_duplicates.choose(
        new,
        read=lambda batch, room: _read(batch, round=round),
        most=most,
        room=tokens,
        earlier=[chunk.text for chunk in known],
    )
    given = {chunk.reference.key for chunk in distinct}
    lost: dict[Key, OmitReason] = {key: "limit" for reference in new if (key := reference.key) not in given}
    lost.update({chunk.reference.key: reason for chunk, reason in left_out})
    omitted: Counter[OmitReason] = Counter(reason for _, reason in left_out)
    omitted["known"] = len(references) - len(new)
    omitted["limit"] = len(references) - len(distinct) - omitted.total()
    first = 1 + max((int(chunk.id[1:]) for chunk in known), default=0)
    chunks = tuple(replace(chunk, id=f"c{number}") for number, chunk in enumerate(distinct, first))
    return Gathered(chunks=chunks, omitted=dict(+omitted), lost=lost)


def _read(references: Sequence[Reference], *, round: int) -> list[tuple[Chunk, str, int]]:
    """The chunk of each reference, with its text and its tokens."""
    texts = source_texts([reference.hit for reference in references], longest=LONGEST_CHUNK)
    chunks = [
        Chunk(
            id="",
            source=label,
            text=text,
            reference=reference,
            round=round,
            heading=heading,
            date=reference.hit.date or "",
        )
        for reference, (label, heading, text) in zip(references, texts, strict=True)
    ]
    return [(chunk, chunk.text, size) for chunk, size in zip(chunks, fences.sizes(chunks), strict=True)]
