"""Reads the answer to a search into a page of hits. Reference: Documents - Search Post."""

import json
import re
import sys
from collections.abc import Callable, Sequence
from functools import partial
from operator import attrgetter
from typing import Any, Final, TypeAlias

import pydantic_core

from retrieval.errors import (
    BackendUnanswered,
    RankerAway,
)
from retrieval.model import document_paths
from retrieval.model.definitions import IndexFields
from retrieval.model.json_value import JsonValue
from retrieval.model.search import Hit, Page, SearchTarget
from retrieval.outgoing.bodies import UNREADABLE
from retrieval.sources.search_index.body import (
    SERVICE,
    best_by_text,
    date_fields,
    facet_fields,
    origin_field,
    selected_fields,
)

MOST_VALUES: Final = 5
LONGEST_VALUES: Final = 120
"""The most characters of the values of a facet beside a document."""

Document: TypeAlias = dict[str, JsonValue]

LARGEST: Final = sys.float_info.max
"""The largest score. JSON may have an integer that is larger than every `float`."""

_SCORE: Final = attrgetter("score")
_DAY: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}(?=T|$)")


def read_page(content: bytes, fields: IndexFields, target: SearchTarget) -> Page:
    """The hits of an answer, and how many of its documents cannot be read. Raises BackendUnavailable."""
    try:
        answer, documents, unreadable = _read(content)
        candidates = best_by_text(documents, fields, target)
        hits = _hits(candidates, fields, target)
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        raise BackendUnanswered(SERVICE, UNREADABLE, why="unreadable") from None
    cause = answer.get("@search.semanticPartialResponseReason")
    if cause is None and target.recall.rerank and None in map(_SCORE, hits):
        cause = "no reranker score was returned"
    reason = cause[:100] if isinstance(cause, str) else "no reason was given that can be read"
    ranker_away = None if cause is None else RankerAway(SERVICE, cause=reason)
    lost = unreadable + len(candidates) - len(hits)
    return Page(hits=tuple(hits), size=len(content), unreadable=lost, unranked=ranker_away, roles=fields)


def _read(content: bytes) -> tuple[Any, Sequence[Document], int]:
    """The answer, its readable documents, and the number of its unreadable documents. A document is unreadable if it is
    not a JSON object, or if it contains half of a surrogate pair.

    Raises ValueError, TypeError, KeyError, RecursionError.
    """
    try:
        answer, whole = pydantic_core.from_json(content), True
    except ValueError:
        answer, whole = json.loads(content.decode("utf-8", "surrogatepass")), False
    documents = answer["value"]
    if not isinstance(documents, list):
        raise TypeError
    objects: list[Document] = [document for document in documents if isinstance(document, dict)]
    if documents and not objects:
        raise TypeError
    readable = objects if whole else [document for document in objects if _can_be_written(document)]
    return answer, readable, len(documents) - len(readable)


def _can_be_written(document: Document) -> bool:
    try:
        pydantic_core.to_json(document)
    except ValueError:
        return False
    return True


def _hits(documents: Sequence[Document], fields: IndexFields, target: SearchTarget) -> list[Hit]:
    """The hits of the documents. A document is left out if its key is not a text, or if it has a reranker score that is
    negative or larger than every `float`.

    The key is the first field of the source data. A call of this service often reads 250 documents. To save CPU time (7
    to 10 % of a retrieve, tests/benchmarks/pieces.py), one loop makes all hits with the constructor of `tuple`. A
    document is copied only if its first field is not the key, or if its fields differ from the selected fields. Most
    documents have the same fields as the document before. So the fields are compared with the selected fields only when
    they change.
    """
    key_field, names, new = fields.key, selected_fields(fields, target), tuple.__new__
    origins, dates, facets = origin_field(fields, target), date_fields(fields, target), facet_fields(fields, target)
    titles, terms, contents = fields.titles, fields.terms, fields.content
    title_field, content_field = (group[0] if len(group) == 1 else "" for group in (titles, contents))
    heads = document_paths.heads
    beside = (*fields.labels, *dates, *facets)
    source_names, is_flat = {*heads(names)}, not any("/" in name for name in (*names, *beside))
    copy: Callable[[Document], Document]
    copy = partial(_copy, names=names) if is_flat else partial(document_paths.part, shape=document_paths.shape(names))
    extra_names = [name for name in heads(beside) if name not in source_names]
    hits: list[Hit] = []
    layout, is_source = list[str](), False
    for document in documents:
        key, score = document.get(key_field), document.pop("@search.rerankerScore", None)
        first_score = document.pop("@search.score", None)
        if type(key) is not str:
            continue
        if score is not None and not ((type(score) is float or type(score) is int) and 0 <= score <= LARGEST):
            continue
        title, content = document.get(title_field), document.get(content_field)
        title = title or None if type(title) is str else _text(document, titles, between=" ")
        content = content or None if type(content) is str else _text(document, contents, between="\n")
        if not ((type(first_score) is float or type(first_score) is int) and abs(first_score) <= LARGEST):
            first_score = 0.0
        terms_text = _text(document, terms, between=", ") if terms else None
        origin = _text(document, origins, between=" ") if origins else None
        label = _label(document, fields.labels) if fields.labels else origin
        date = _date(document, dates[0]) if dates else None
        values = _facets(document, facets) if facets else ()
        for name in extra_names:
            document.pop(name, None)
        if layout != (layout := [*document]):
            is_source = is_flat and layout[0] == key_field and source_names == {*layout}
        source = document if is_source else copy(document)
        texts = (title, terms_text, content, source, label, date, origin)
        hits.append(new(Hit, (key, score, first_score, *texts, None, values)))
    return hits


def _copy(document: Document, *, names: tuple[str, ...]) -> Document:
    return {name: document.get(name) for name in names}


def _label(document: Document, names: tuple[str, ...]) -> str | None:
    """The label of a citation. A text value is used unchanged. A number is written after the name of its field. None if
    one of the first two values is missing."""
    values = [(name, _first(document, name)) for name in names]
    if any(value is None for _, value in values[:2]):
        return None
    parts = (value if isinstance(value, str) else f"{name} {value}" for name, value in values if value is not None)
    return ", ".join(filter(None, parts)) or None


def _date(document: Document, name: str) -> str | None:
    """The name of the date field and the day of the document; None if the document has no date. The name of the field
    tells what happened on that day."""
    value = _first(document, name)
    return f"{name} {value[:10]}" if isinstance(value, str) and _DAY.match(value) else None


def _facets(document: Document, names: tuple[str, ...]) -> tuple[tuple[str, str], ...]:
    """The first values of each field as one text; without a field that has no text or number, or a long one."""
    found: list[tuple[str, str]] = []
    for name in names:
        values = [value for value in _values(document, name) if type(value) in (str, int)]
        text = ", ".join(map(str, values[:MOST_VALUES]))
        if 0 < len(text) <= LONGEST_VALUES:
            found.append((name, text))
    return tuple(found)


def _text(document: Document, names: tuple[str, ...], *, between: str) -> str | None:
    """The texts of the fields. A field within a complex field is read by its path."""
    texts: list[str] = []
    for name in names:
        texts += [value for value in _values(document, name) if isinstance(value, str) and value]
    return between.join(texts) if texts else None


def _first(document: Document, name: str) -> JsonValue:
    return next((value for value in _values(document, name) if value is not None), None)


def _values(document: Document, name: str) -> Sequence[JsonValue]:
    value = document.get(name)
    if value is None and "/" in name:
        return document_paths.values_at(document, name)
    return value if isinstance(value, list) else (value,)
