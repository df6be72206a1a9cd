"""Writes documents as one text for a model: whole documents, within a number and a budget of tokens."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from pydantic_core import to_json

from retrieval.model.activity import DropReason
from retrieval.model.retrieval import Reference
from retrieval.model.search import Hit
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
