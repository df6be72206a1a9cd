"""Grounds: writes the references as one text for a model, whole documents in their order, within a budget of tokens."""

from collections.abc import Sequence

from pydantic_core import to_json

from retrieval.model.retrieval import Grounding, Reference
from retrieval.model.search import Hit
from retrieval.text.tokens import BYTES_PER_TOKEN


def ground(references: Sequence[Reference], *, max_tokens: int) -> Grounding:
    """A JSON array of `ref_id`, `title`, `terms`, `content`, the form of the knowledge agent's content string.

    A token counts as four UTF-8 bytes, since a tokenizer would have to download its vocabulary. The first document that
    does not fit ends the text; a document larger than the whole budget is skipped.
    """
    budget = max_tokens * BYTES_PER_TOKEN - len("[]")
    items: list[bytes] = []
    included: list[int] = []
    budget_left = budget
    for position, reference in enumerate(references):
        if _least(reference.hit) > budget:
            continue
        item = _item(position, reference.hit)
        size = len(item) + len(",")
        if size > budget:
            continue
        if size > budget_left:
            break
        items.append(item)
        included.append(position)
        budget_left -= size
    return Grounding(text=f"[{b','.join(items).decode()}]", included=tuple(included))


def _least(hit: Hit) -> int:
    """The least bytes of a hit: its characters, each a byte or more."""
    return len(hit.title or "") + len(hit.terms or "") + len(hit.content or "")


def _item(position: int, hit: Hit) -> bytes:
    fields = {"ref_id": position, "title": hit.title, "terms": hit.terms, "content": hit.content}
    return to_json({name: value for name, value in fields.items() if value is not None})
