"""Ground: the references as one text for a model, whole documents in their order, within a budget of tokens."""

from collections.abc import Sequence
from typing import Final

from pydantic_core import to_json

from retrieval.model.retrieval import Grounding, Reference
from retrieval.model.search import Hit
from retrieval.text.tokens import BYTES_PER_TOKEN, tokens

SUMMARY_TOKENS: Final = 2_048
LONGEST_SUMMARY: Final = SUMMARY_TOKENS * BYTES_PER_TOKEN
"""Characters, of which each is a byte or more."""


def ground(references: Sequence[Reference], *, max_tokens: int) -> Grounding:
    """A JSON array of `ref_id`, `title`, `terms`, `content`, the form of the knowledge agent's content string.

    A token counts as four UTF-8 bytes, since a tokenizer would have to download its vocabulary. The first document that
    does not fit ends the text; a document larger than the whole budget is skipped.
    """
    budget = max_tokens * BYTES_PER_TOKEN - len("[]")
    items: list[bytes] = []
    included: list[int] = []
    left = budget
    for position, reference in enumerate(references):
        if _least(reference.hit) > budget:
            continue
        item = _item(position, reference.hit)
        size = len(item) + len(",")
        if size > budget:
            continue
        if size > left:
            break
        items.append(item)
        included.append(position)
        left -= size
    return Grounding(text=f"[{b','.join(items).decode()}]", included=tuple(included))


def ranked_tokens(search: str, hits: Sequence[Hit]) -> int:
    """An estimate of the tokens that ranking costs: the query and a summary of at most 2,048 tokens per document.

    It is one loop, in which titles and contents of ASCII are counted without a call, since a request finds 250
    documents.
    """
    ranked = len(hits) * tokens(search)
    for _, _, _, title, terms, content, _, _, _ in hits:
        summary = _tokens(terms) if terms else 0
        if title:
            summary += -(-len(title) // BYTES_PER_TOKEN) if title.isascii() else _tokens(title)
        if content and summary < SUMMARY_TOKENS:
            summary += -(-len(content) // BYTES_PER_TOKEN) if content.isascii() else _tokens(content)
        ranked += summary if summary < SUMMARY_TOKENS else SUMMARY_TOKENS
    return ranked


def _tokens(text: str) -> int:
    return tokens(text[:LONGEST_SUMMARY])


def _least(hit: Hit) -> int:
    """Characters, each a byte or more."""
    return len(hit.title or "") + len(hit.terms or "") + len(hit.content or "")


def _item(position: int, hit: Hit) -> bytes:
    fields = {"ref_id": position, "title": hit.title, "terms": hit.terms, "content": hit.content}
    return to_json({name: value for name, value in fields.items() if value is not None})
