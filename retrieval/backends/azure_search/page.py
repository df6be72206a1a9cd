"""A page of results: the answer to a search, read into hits. Reference: Documents - Search Post."""

import json
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, TypeAlias

import pydantic_core

from retrieval.backends.azure_search.body import SERVICE, recalled, selected
from retrieval.backends.bodies import UNREADABLE
from retrieval.errors import (
    BackendUnavailable,
    RankerAway,
)
from retrieval.model.definitions import IndexFields
from retrieval.model.json_value import JsonValue
from retrieval.model.search import Hit, Page, SearchTarget

Document: TypeAlias = Mapping[str, JsonValue]

_NUMBERS: Final = (int, float)


def read_page(content: bytes, fields: IndexFields, target: SearchTarget) -> Page:
    """The hits of an answer, and how many of its documents cannot be read. Raises BackendUnavailable."""
    try:
        answer, documents, unreadable = _read(content)
        hit = _reader(fields, target)
        hits = [hit(document) for document in recalled(documents, fields, target)]
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        raise BackendUnavailable(SERVICE, UNREADABLE) from None
    read = tuple(hit for hit in hits if hit is not None)
    cause = answer.get("@search.semanticPartialResponseReason")
    if cause is None and target.recall.rerank and any(hit.score is None for hit in read):
        cause = "no reranker score was returned"
    unranked = None if cause is None else RankerAway(SERVICE, cause=str(cause)[:100])
    lost = unreadable + len(hits) - len(read)
    return Page(hits=read, size=len(content), unreadable=lost, unranked=unranked)


def _read(content: bytes) -> tuple[Any, Sequence[Document], int]:
    """The answer, its documents that can be read, and how many cannot: a null, or one with half a surrogate pair.

    Raises ValueError, TypeError, KeyError, RecursionError.
    """
    try:
        answer, whole = pydantic_core.from_json(content), True
    except ValueError:
        answer, whole = json.loads(content.decode("utf-8", "surrogatepass")), False
    documents = answer["value"]
    if not isinstance(documents, list):
        raise TypeError
    objects: list[Document] = [one for one in documents if isinstance(one, dict)]
    if documents and not objects:
        raise TypeError
    readable = [one for one in objects if whole or _can_be_written(one)]
    return answer, readable, len(documents) - len(readable)


def _can_be_written(document: Document) -> bool:
    try:
        pydantic_core.to_json(document)
    except ValueError:
        return False
    return True


def _reader(fields: IndexFields, target: SearchTarget) -> Callable[[Document], Hit | None]:
    """Reads a document; None where its key is no text, or its score no number from 0."""
    name, names = fields.key, selected(fields, target)
    titles, terms, contents = fields.titles, fields.terms, fields.content
    title_field, content_field = (one[0] if len(one) == 1 else "" for one in (titles, contents))

    def hit(document: Document) -> Hit | None:
        get = document.get
        key, score, before = get(name), get("@search.rerankerScore"), get("@search.score")
        if not isinstance(key, str) or isinstance(score, bool):
            return None
        if score is not None and not (isinstance(score, _NUMBERS) and 0 <= score < math.inf):
            return None
        title, content = get(title_field), get(content_field)
        return Hit(
            key,
            score,
            before if isinstance(before, _NUMBERS) else 0.0,
            title or None if isinstance(title, str) else _text(document, titles, between=" "),
            _text(document, terms, between=", ") if terms else None,
            content or None if isinstance(content, str) else _text(document, contents, between="\n"),
            {name: get(name) for name in names},
        )

    return hit


def _text(document: Document, names: tuple[str, ...], *, between: str) -> str | None:
    texts: list[str] = []
    for name in names:
        value = document.get(name)
        parts = value if isinstance(value, list) else (value,)
        texts += [part for part in parts if isinstance(part, str) and part]
    return between.join(texts) if texts else None
