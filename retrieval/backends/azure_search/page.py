"""A page of results: the answer to a search, read into hits. Reference: Documents - Search Post."""

import json
import math
from collections.abc import Mapping, Sequence
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
        candidates = recalled(documents, fields, target)
        hits = _hits(candidates, fields, target)
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        raise BackendUnavailable(SERVICE, UNREADABLE) from None
    cause = answer.get("@search.semanticPartialResponseReason")
    if cause is None and target.recall.rerank and any(hit.score is None for hit in hits):
        cause = "no reranker score was returned"
    unranked = None if cause is None else RankerAway(SERVICE, cause=str(cause)[:100])
    lost = unreadable + len(candidates) - len(hits)
    return Page(hits=tuple(hits), size=len(content), unreadable=lost, unranked=unranked)


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
    readable = objects if whole else [one for one in objects if _can_be_written(one)]
    return answer, readable, len(documents) - len(readable)


def _can_be_written(document: Document) -> bool:
    try:
        pydantic_core.to_json(document)
    except ValueError:
        return False
    return True


def _hits(documents: Sequence[Document], fields: IndexFields, target: SearchTarget) -> list[Hit]:
    """The documents whose key is a text, and whose score, if they have one, is a number from 0.

    One loop without calls, since a request reads 250 documents.
    """
    key_field, names = fields.key, selected(fields, target)
    titles, terms, contents = fields.titles, fields.terms, fields.content
    title_field, content_field = (one[0] if len(one) == 1 else "" for one in (titles, contents))
    hits: list[Hit] = []
    for document in documents:
        get = document.get
        key, score, before = get(key_field), get("@search.rerankerScore"), get("@search.score")
        if not isinstance(key, str) or isinstance(score, bool):
            continue
        if score is not None and not (isinstance(score, _NUMBERS) and 0 <= score < math.inf):
            continue
        title, content = get(title_field), get(content_field)
        hits.append(
            Hit(
                key,
                score,
                before if isinstance(before, _NUMBERS) else 0.0,
                title or None if isinstance(title, str) else _text(document, titles, between=" "),
                _text(document, terms, between=", ") if terms else None,
                content or None if isinstance(content, str) else _text(document, contents, between="\n"),
                {name: get(name) for name in names},
            )
        )
    return hits


def _text(document: Document, names: tuple[str, ...], *, between: str) -> str | None:
    texts: list[str] = []
    for name in names:
        value = document.get(name)
        parts = value if isinstance(value, list) else (value,)
        texts += [part for part in parts if isinstance(part, str) and part]
    return between.join(texts) if texts else None
