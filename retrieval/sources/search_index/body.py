"""The body of a search in Azure AI Search, made from a sub-query. Reference: Documents - Search Post.

A search has a text query, a vector query, or both. Its documents are ranked semantically, or stay in the order of the
search. In a hybrid search, `hybridSearch` limits the number of documents from the text query. Only preview versions of
the API have `hybridSearch`. In a text search, `best_by_text` keeps the documents with the best text scores. Boosts and
word weights are written into the query text, in full Lucene syntax.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final, TypeVar

from retrieval.errors import BackendRefused
from retrieval.model.definitions import IndexFields
from retrieval.model.json_value import JsonValue
from retrieval.model.search import SearchTarget, Subquery, Weighed

SERVICE: Final = "Azure AI Search"
TOP: Final = 50
ANY_FIELD: Final = "*"
MOST_FACETS: Final = 8

Document = TypeVar("Document", bound=Mapping[str, JsonValue])

_OPERATOR: Final = re.compile(r'[+|"()\\]|(?<!\S)-+')
_SUFFIX: Final = re.compile(r"(?<![*~])[*~]++\d*+(?!\S)")


def body(subquery: Subquery, fields: IndexFields) -> dict[str, object]:
    """The body of a search. Raises BackendRefused if the search has neither a text query nor a vector query. Raises
    UnsupportedFilter for a filter that OData cannot express."""
    target, weighed_query = subquery.target, subquery.weighed
    search = plain(subquery.search) if weighed_query is None else _weighed_text(weighed_query)
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
        from retrieval.filters import odata

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


def _weighed_text(weighed: Weighed) -> str:
    from retrieval.text import lucene

    return lucene.weighed_text(weighed.words)


def _boosted_search(subquery: Subquery) -> dict[str, object]:
    """The body members of a search with boosts. Only full Lucene syntax has boosts, so the text for the semantic ranker
    is in a separate member."""
    from retrieval.text import lucene

    target = subquery.target
    ranking = {"semanticQuery": plain(subquery.search)} if target.recall.rerank else {}
    return {"search": lucene.boosted_text(subquery.search, target.boosts), "queryType": "full", **ranking}


def search_score(document: Mapping[str, JsonValue]) -> float:
    """The `@search.score` of a document; 0 if it is not a number."""
    score = document.get("@search.score")
    return score if isinstance(score, int | float) else 0.0
