"""A page of results: the answer to a search, read into hits. Reference: Documents - Search Post."""

import json
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, TypeAlias

import pydantic_core

from retrieval.backends.azure_search.body import SERVICE, recalled, search_score, selected
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
        raise BackendUnavailable(SERVICE, "gave an answer that cannot be read.") from None
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
    title, terms = _role(fields.titles, between=" "), _role(fields.terms, between=", ")
    content = _role(fields.content, between="\n")

    def hit(document: Document) -> Hit | None:
        get = document.get
        key, score = get(name), get("@search.rerankerScore")
        if not isinstance(key, str) or isinstance(score, bool):
            return None
        if score is not None and not (isinstance(score, _NUMBERS) and 0 <= score < math.inf):
            return None
        source = {name: get(name) for name in names}
        return Hit(key, score, search_score(document), title(document), terms(document), content(document), source)

    return hit


def _role(names: tuple[str, ...], *, between: str) -> Callable[[Document], str | None]:
    """Reads the text of a role: of one field mostly, or of none."""
    if not names:
        return lambda document: None
    if len(names) > 1:
        return lambda document: _text(document, names, between=between)
    (name,) = names

    def only(document: Document) -> str | None:
        value = document.get(name)
        return value or None if isinstance(value, str) else _text(document, names, between=between)

    return only


def _text(document: Document, names: tuple[str, ...], *, between: str) -> str | None:
    texts: list[str] = []
    for name in names:
        value = document.get(name)
        parts = value if isinstance(value, list) else (value,)
        texts += [part for part in parts if isinstance(part, str) and part]
    return between.join(texts) if texts else None
