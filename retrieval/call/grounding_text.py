"""Writes the references as one text for a model: whole documents in their order, within a budget of tokens."""

from collections.abc import Sequence

from pydantic_core import to_json

from retrieval.model.retrieval import Grounding, Reference
from retrieval.model.search import Hit
from retrieval.text.tokens import BYTES_PER_TOKEN


def ground(references: Sequence[Reference], *, max_tokens: int, first: Sequence[Reference] | None = None) -> Grounding:
    """A JSON array of objects with `ref_id`, `title`, `terms` and `content`, like the knowledge agent's content string.

    A token counts as four UTF-8 bytes, since a tokenizer would have to download its vocabulary. The first document that
    does not fit into the rest of the budget ends the text. A document larger than the whole budget is skipped. `first`
    has the references in the order in which they use the budget; None means their order in the text.
    """
    budget = max_tokens * BYTES_PER_TOKEN - len("[]")
    items: dict[int, bytes] = {}
    budget_left = budget
    for position in range(len(references)) if first is None else _places(references, first):
        reference = references[position]
        if _least(reference.hit) > budget:
            continue
        item = _item(position, reference.hit)
        size = len(item) + len(",")
        if size > budget:
            continue
        if size > budget_left:
            break
        items[position] = item
        budget_left -= size
    included = tuple(sorted(items))
    return Grounding(text=f"[{b','.join(items[place] for place in included).decode()}]", included=included)


def _places(references: Sequence[Reference], first: Sequence[Reference]) -> Sequence[int]:
    places = {reference.key: place for place, reference in enumerate(references)}
    return [places[reference.key] for reference in first]


def _least(hit: Hit) -> int:
    """The least number of bytes of a hit: the characters of its title, terms and content. Each character has at least
    one byte."""
    return len(hit.title or "") + len(hit.terms or "") + len(hit.content or "")


def _item(position: int, hit: Hit) -> bytes:
    fields = {"ref_id": position, "title": hit.title, "terms": hit.terms, "content": hit.content}
    return to_json({name: value for name, value in fields.items() if value is not None})
