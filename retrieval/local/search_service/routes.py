"""The request line: which operation a path and its query name. Both key forms, `indexes('x')` and `indexes/x`."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import parse_qsl, unquote, urlsplit

from retrieval.local.search_service.errors import InvalidArgument, NotFound, SearchServiceError, Unsupported

API_VERSIONS = ("2024-07-01", "2025-09-01", "2026-04-01", "2025-05-01-preview")

_KEYED = re.compile(r"(?P<name>[A-Za-z.$]+)\('(?P<key>(?:[^']|'')*)'\)", re.DOTALL)

# Method and path; a star is a name that the caller chose.
_OPERATIONS: Mapping[tuple[str, ...], str] = {
    ("GET", "servicestats"): "service_statistics",
    ("GET", "indexes"): "list_indexes",
    ("POST", "indexes"): "create_index",
    ("PUT", "indexes", "*"): "put_index",
    ("GET", "indexes", "*"): "get_index",
    ("DELETE", "indexes", "*"): "delete_index",
    ("GET", "indexes", "*", "search.stats"): "index_statistics",
    ("GET", "indexes", "*", "stats"): "index_statistics",
    ("POST", "indexes", "*", "docs", "search.index"): "write_documents",
    ("POST", "indexes", "*", "docs", "index"): "write_documents",
    ("POST", "indexes", "*", "docs", "search.post.search"): "search",
    ("POST", "indexes", "*", "docs", "search"): "search",
    ("GET", "indexes", "*", "docs", "$count"): "count",
}

_READS_DOCUMENTS = frozenset({"search", "count", "lookup"})

# What Azure AI Search answers at these paths and this service does not.
_LACKING = frozenset(
    "search.suggest search.post.suggest suggest search.autocomplete search.post.autocomplete autocomplete "
    "search.analyze analyze synonymmaps aliases indexers datasources skillsets knowledgebases knowledgesources agents "
    "docs search.indexStats indexStats".split()
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Route:
    """`names` are the index name and, for a lookup, the document key; `query` holds lower-case names."""

    operation: str
    names: tuple[str, ...]
    query: Mapping[str, str]

    @property
    def reads_documents(self) -> bool:
        return self.operation in _READS_DOCUMENTS


def route(method: str, target: str) -> Route:
    """Raises NotFound, 405 for a known path with another method, Unsupported, InvalidArgument for the api-version."""
    try:
        url = urlsplit(target)
    except ValueError as error:
        raise NotFound("The request target is not a path.") from error
    segments = _segments(url.path)
    operation, names = _operation(method, segments)
    query = {name.lower(): value for name, value in parse_qsl(url.query, keep_blank_values=True)}
    _check_version(query.get("api-version"))
    return Route(operation=operation, names=names, query=query)


def _segments(path: str) -> tuple[str, ...]:
    found: list[str] = []
    for raw in path.split("/"):
        segment = unquote(raw)
        if keyed := _KEYED.fullmatch(segment):
            found += [keyed["name"], keyed["key"].replace("''", "'")]
        elif segment:
            found.append(segment)
    return tuple(found)


def _operation(method: str, segments: tuple[str, ...]) -> tuple[str, tuple[str, ...]]:
    shape = tuple("*" if place == 1 else segment for place, segment in enumerate(segments))
    if operation := _OPERATIONS.get((method, *shape)):
        return operation, segments[1:2]
    if method == "GET" and len(segments) == 4 and shape[:3] == ("indexes", "*", "docs") and shape[3] not in _LACKING:
        return "lookup", (segments[1], segments[3])
    if any((other, *shape) in _OPERATIONS for other in ("GET", "POST", "PUT", "DELETE")):
        raise SearchServiceError(405, "MethodNotAllowed", f"{method[:16]} is not allowed here.")
    if segments and (segments[0] in _LACKING or segments[-1] in _LACKING):
        raise Unsupported(f"{method[:16]} /{'/'.join(shape)[:200]}")
    raise NotFound("There is no such resource.")


def _check_version(version: str | None) -> None:
    if version not in API_VERSIONS:
        supported = ", ".join(API_VERSIONS)
        raise InvalidArgument(
            f"The query parameter api-version is missing; this service knows {supported}."
            if version is None
            else f"The api-version {version[:64]!r} is not supported; this service knows {supported}."
        )
