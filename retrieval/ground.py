"""Ground: the references as one text for a model, whole documents in their order, within a budget of tokens."""

import json
from collections.abc import Sequence
from typing import Final

from retrieval.model import Grounding, Hit, Reference

BYTES_PER_TOKEN: Final = 4
SUMMARY_TOKENS: Final = 2_048


def ground(references: Sequence[Reference], *, max_tokens: int) -> Grounding:
    """A JSON array of `ref_id`, `title`, `terms`, `content`, the form of the knowledge agent's content string.

    A token counts as four UTF-8 bytes, since a tokenizer would have to download its vocabulary. The first document that
    does not fit ends the text; one that could never fit, being larger than the whole budget, is passed over.
    """
    budget = max_tokens * BYTES_PER_TOKEN - len("[]")
    items: list[str] = []
    included: list[int] = []
    left = budget
    for position, reference in enumerate(references):
        item = _item(position, reference.hit)
        size = len(item.encode("utf-8", "replace")) + len(",")
        if size > budget:
            continue
        if size > left:
            break
        items.append(item)
        included.append(position)
        left -= size
    return Grounding(text=f"[{','.join(items)}]", included=tuple(included))


def ranked_tokens(search: str, hit: Hit) -> int:
    """What ranking one document costs: the query and the document's summary of at most 2,048 tokens, as an estimate."""
    parts = (hit.title, hit.terms, hit.content)
    summary = min(sum(map(tokens, parts)), SUMMARY_TOKENS)
    return tokens(search) + summary


def tokens(text: str | None) -> int:
    """UTF-8 bytes over four, rounded up."""
    return -(-len(text.encode("utf-8", "replace")) // BYTES_PER_TOKEN) if text else 0


def _item(position: int, hit: Hit) -> str:
    fields = {"ref_id": position, "title": hit.title, "terms": hit.terms, "content": hit.content}
    return json.dumps(
        {name: value for name, value in fields.items() if value is not None}, ensure_ascii=False, separators=(",", ":")
    )
