"""A search in Azure AI Search: its body, made from a sub-query, and its answer, read into a page of hits. Reference:
Documents - Search Post.

A search has a text query, a vector query, or both. Its documents are ranked semantically, or stay in the order of the
search. In a hybrid search, `hybridSearch` limits the number of documents from the text query. Only preview versions of
the API have `hybridSearch`. In a text search, `best_by_text` keeps the documents with the best text scores. Boosts and
word weights are written into the query text, in full Lucene syntax.
"""

import json
import re
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from operator import attrgetter
from typing import Any, Final, TypeAlias

import pydantic_core

from retrieval.errors import (
    BackendRefused,
    BackendUnanswered,
    RankerAway,
)
from retrieval.filters import odata
from retrieval.model import json_value
from retrieval.model.definitions import IndexFields
from retrieval.model.json_value import JsonValue
from retrieval.model.search import Hit, Page, SearchTarget, Subquery
from retrieval.outgoing.bodies import UNREADABLE
from retrieval.text import lucene

SERVICE: Final = "Azure AI Search"
TOP: Final = 50
ANY_FIELD: Final = "*"
MOST_FACETS: Final = 8

Document: TypeAlias = dict[str, JsonValue]

_OPERATOR: Final = re.compile(r'[+|"()\\]|(?<!\S)-+')
_SUFFIX: Final = re.compile(r"(?<![*~])[*~]++\d*+(?!\S)")


def body(subquery: Subquery, fields: IndexFields) -> dict[str, object]:
    """The body of a search. Raises BackendRefused if the search has neither a text query nor a vector query. Raises
    UnsupportedFilter for a filter that OData cannot express."""
    target, weighed_query = subquery.target, subquery.weighed
    search = plain(subquery.search) if weighed_query is None else lucene.weighed_text(weighed_query.words)
    ranked_text = subquery.search if weighed_query is None else weighed_query.ranked
    texts, vectors = searched_fields(fields, target)
    by_text = target.recall.text != 0 and texts is not None
    if not by_text and not vectors:
        reason = f"index {target.index!r} has no vector field that the service can vectorize a query for"
        raise BackendRefused(SERVICE, status=400, message=reason)
    request: dict[str, object] = {"search": search} if by_text else {}
    if by_text and texts:
        request["searchFields"] = ",".join(texts)
    names = (*selected_fields(fields, target), *fields.labels, *date_fields(fields, target))
    names += facet_fields(fields, target)
    request |= {"select": ",".join(dict.fromkeys(names)), "top": TOP}
    if target.recall.rerank:
        request |= _semantic(fields, target) | (
            {} if by_text and weighed_query is None else {"semanticQuery": plain(ranked_text)}
        )
    if by_text and weighed_query is not None:
        request["queryType"] = "full"
    if by_text and target.boosts:
        request |= _boosted_search(subquery)
    if target.filter is not None:
        request["filter"] = odata.text(target.filter)
    if vectors:
        k = target.recall.vectors or TOP
        embedded_text = subquery.search if weighed_query is None else weighed_query.embedded
        request["vectorQueries"] = [{"kind": "text", "text": embedded_text, "fields": ",".join(vectors), "k": k}]
    if _is_hybrid(target, fields):
        request["hybridSearch"] = {"maxTextRecallSize": target.recall.text}
    return request


def named_fields(query: Mapping[str, Any]) -> tuple[str, ...]:
    """The fields that a search names outside its filter and its text."""
    vectors = (vector["fields"] for vector in query.get("vectorQueries", ()))
    facets = (facet.rpartition(",")[0] for facet in query.get("facets", ()))
    lists = (query.get("select", ""), query.get("searchFields", ""), *vectors)
    return tuple(dict.fromkeys(filter(None, (*(name for names in lists for name in names.split(",")), *facets))))


def needs_preview(target: SearchTarget, fields: IndexFields) -> bool:
    """Whether the search needs a preview version of the API. Stable versions do not accept `hybridSearch`, and do not
    hide documents that the user may not see."""
    return fields.permissions or _is_hybrid(target, fields)


def _is_hybrid(target: SearchTarget, fields: IndexFields) -> bool:
    texts, vectors = searched_fields(fields, target)
    return bool(target.recall.text) and texts is not None and bool(vectors)


def searched_fields(fields: IndexFields, target: SearchTarget) -> tuple[tuple[str, ...] | None, tuple[str, ...]]:
    """The fields that the text query searches, and the fields that the vector query searches. For the text query, an
    empty tuple stands for all fields, and None stands for no field.

    A vector field is left out if the service cannot vectorize a query text for this field.
    """
    search_fields = () if ANY_FIELD in target.search_fields else target.search_fields
    if not search_fields:
        return (), fields.vectors if target.recall.vectors != 0 else ()
    texts = tuple(name for name in search_fields if name not in fields.vectors and name not in fields.other_vectors)
    vectors = tuple(name for name in fields.vectors if name in search_fields and target.recall.vectors != 0)
    return texts or None, vectors


def selected_fields(fields: IndexFields, target: SearchTarget) -> tuple[str, ...]:
    """The fields in the source data of a document. They are the key, the semantic fields and the field with the
    document's origin. They also include `target.fields`, `target.source_fields` and the fields of
    `target.preferences`."""
    preferred_fields = (preference.field for preference in target.preferences)
    return tuple(
        dict.fromkeys(
            (
                fields.key,
                *fields.semantic,
                *origin_field(fields, target),
                *target.fields,
                *target.source_fields,
                *preferred_fields,
            )
        )
    )


def origin_field(fields: IndexFields, target: SearchTarget) -> tuple[str, ...]:
    """The field with the origin of a document; empty if the target does not ask for the origin or the index has no such
    field."""
    name = {None: None, "address": fields.address, "name": fields.file_name or fields.address}[target.origin]
    return () if name is None else (name,)


def date_fields(fields: IndexFields, target: SearchTarget) -> tuple[str, ...]:
    """The first date field of a document; empty if the target does not ask for dates or the index has no date field."""
    return fields.dates[:1] if target.dated else ()


def facet_fields(fields: IndexFields, target: SearchTarget) -> tuple[str, ...]:
    """The fields of facets whose values a model reads beside a document; empty if the target does not ask for dates."""
    return fields.facets[:MOST_FACETS] if target.dated else ()


def best_by_text(documents: Sequence[Document], fields: IndexFields, target: SearchTarget) -> Sequence[Document]:
    """The documents that are kept after a text search. They are the `target.recall.text` documents with the best
    `@search.score`, in the order of the answer. All documents are kept if the search has vector fields or
    `target.recall.text` is 0 or None."""
    most = target.recall.text
    if not most or most >= len(documents) or searched_fields(fields, target)[1]:
        return documents
    best = sorted(range(len(documents)), key=lambda place: (-search_score(documents[place]), place))[:most]
    return [documents[place] for place in sorted(best)]


def plain(search: str) -> str:
    """The text without the operators of simple query syntax; unchanged if it has only operators. A sub-query is natural
    language, so these characters are not meant as operators."""
    return " ".join(_SUFFIX.sub("", _OPERATOR.sub(" ", search)).split()) or search


def _semantic(fields: IndexFields, target: SearchTarget) -> dict[str, object]:
    configuration = target.semantic_configuration or fields.semantic_configuration
    ranking: dict[str, object] = {"queryType": "semantic", "semanticErrorHandling": "partial"}
    return {**ranking, "semanticConfiguration": configuration} if configuration else ranking


def _boosted_search(subquery: Subquery) -> dict[str, object]:
    """The body members of a search with boosts. Only full Lucene syntax has boosts, so the text for the semantic ranker
    is in a separate member."""
    target = subquery.target
    ranking = {"semanticQuery": plain(subquery.search)} if target.recall.rerank else {}
    return {"search": lucene.boosted_text(subquery.search, target.boosts), "queryType": "full", **ranking}


def search_score(document: Mapping[str, JsonValue]) -> float:
    """The `@search.score` of a document; 0 if it is not a number."""
    score = document.get("@search.score")
    return score if isinstance(score, int | float) else 0.0


MOST_VALUES: Final = 5
LONGEST_VALUES: Final = 120
"""The most characters of the values of a facet beside a document."""

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
    beside = (*fields.labels, *dates, *facets)
    source_names, names_beside = {*_heads(names)}, _heads(beside)
    is_flat = not any("/" in name for name in (*names, *beside))
    copy: Callable[[Document], Document]
    copy = partial(_copy, names=names) if is_flat else partial(json_value.part, shape=json_value.shape(names))
    extra_names = [name for name in names_beside if name not in source_names]
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


def _heads(paths: Iterable[str]) -> tuple[str, ...]:
    """The fields of a document with these paths, each once."""
    return tuple(dict.fromkeys(path.partition("/")[0] for path in paths))


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
        return json_value.values_at(document, name)
    return value if isinstance(value, list) else (value,)
