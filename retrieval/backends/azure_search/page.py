"""A page of results: the answer to a search, read into hits. Reference: Documents - Search Post."""

import json
import math
from collections.abc import Mapping, Sequence
from typing import Any, Final

import pydantic_core

from retrieval.backends.azure_search.body import SERVICE, recalled, search_score, selected
from retrieval.errors import (
    BackendUnavailable,
    RankerAway,
)
from retrieval.model.definitions import IndexFields
from retrieval.model.json_value import JsonValue
from retrieval.model.search import Hit, Page, SearchTarget

_NUMBERS: Final = (int, float)


def read_page(content: bytes, fields: IndexFields, target: SearchTarget) -> Page:
    """The hits of an answer, and how many of its documents cannot be read. Raises BackendUnavailable."""
    try:
        answer, documents, unreadable = _read(content)
        names = selected(fields, target)
        titles = fields.titles
        hits = [_hit(document, fields, titles, names) for document in recalled(documents, fields, target)]
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        raise BackendUnavailable(SERVICE, "gave an answer that cannot be read.") from None
    read = tuple(hit for hit in hits if hit is not None)
    cause = answer.get("@search.semanticPartialResponseReason")
    if cause is None and target.recall.rerank and any(hit.score is None for hit in read):
        cause = "no reranker score was returned"
    unranked = None if cause is None else RankerAway(SERVICE, cause=str(cause)[:100])
    return Page(hits=read, unreadable=unreadable + len(hits) - len(read), unranked=unranked)


def _read(content: bytes) -> tuple[Any, Sequence[Mapping[str, JsonValue]], int]:
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
    objects: list[Mapping[str, JsonValue]] = [one for one in documents if isinstance(one, dict)]
    if documents and not objects:
        raise TypeError
    readable = [one for one in objects if whole or _can_be_written(one)]
    return answer, readable, len(documents) - len(readable)


def _can_be_written(document: Mapping[str, JsonValue]) -> bool:
    try:
        pydantic_core.to_json(document)
    except ValueError:
        return False
    return True


def _hit(
    document: Mapping[str, JsonValue], fields: IndexFields, titles: tuple[str, ...], names: tuple[str, ...]
) -> Hit | None:
    key, score = document.get(fields.key), document.get("@search.rerankerScore")
    if not isinstance(key, str) or not (score is None or (isinstance(score, _NUMBERS) and 0 <= score < math.inf)):
        return None
    if isinstance(score, bool):
        return None
    return Hit(
        key=key,
        score=score,
        search_score=search_score(document),
        title=_text(document, titles, between=" "),
        terms=_text(document, fields.terms, between=", "),
        content=_text(document, fields.content, between="\n"),
        source={name: document.get(name) for name in names},
    )


def _text(document: Mapping[str, JsonValue], names: tuple[str, ...], *, between: str) -> str | None:
    if not names:
        return None
    if len(names) == 1 and isinstance(only := document.get(names[0]), str):
        return only or None
    texts: list[str] = []
    for name in names:
        value = document.get(name)
        parts = value if isinstance(value, list) else (value,)
        texts += [part for part in parts if isinstance(part, str) and part]
    return between.join(texts) if texts else None
