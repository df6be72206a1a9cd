"""The request line: which operation a path and its query name. Both key forms, `indexes('x')` and `indexes/x`."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import parse_qsl, unquote, urlsplit

from retrieval.local.search_service.errors import InvalidArgument, NotFound, SearchServiceError, Unsupported

API_VERSIONS = ("2024-07-01", "2025-09-01", "2026-04-01", "2025-05-01-preview")

_KEYED = re.compile(r"(?P<name>[A-Za-z.$]+)\('(?P<key>(?:[^']|'')*)'\)", re.DOTALL)

# What is never here, and what clean-up code lists all the same.
_EMPTY = ("indexers", "datasources", "skillsets", "knowledgebases", "knowledgesources", "agents")

# Method and path; a star is a name that the caller chose.
OPERATIONS: Mapping[tuple[str, ...], str] = {
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
    ("GET", "indexes", "*", "docs"): "search",
    ("GET", "indexes", "*", "docs", "$count"): "count",
    ("GET", "indexes", "*", "docs", "*"): "lookup",
    ("POST", "indexes", "*", "docs", "search.post.suggest"): "suggest",
    ("POST", "indexes", "*", "docs", "suggest"): "suggest",
    ("GET", "indexes", "*", "docs", "search.suggest"): "suggest",
    ("GET", "indexes", "*", "docs", "suggest"): "suggest",
    ("POST", "indexes", "*", "docs", "search.post.autocomplete"): "autocomplete",
    ("POST", "indexes", "*", "docs", "autocomplete"): "autocomplete",
    ("GET", "indexes", "*", "docs", "search.autocomplete"): "autocomplete",
    ("GET", "indexes", "*", "docs", "autocomplete"): "autocomplete",
    ("POST", "indexes", "*", "search.analyze"): "analyze",
    ("POST", "indexes", "*", "analyze"): "analyze",
    **{
        (method, kind, *star): f"{verb}_{kind}"
        for kind in ("synonymmaps", "aliases")
        for method, star, verb in (
            ("GET", (), "list"),
            ("POST", (), "create"),
            ("PUT", ("*",), "put"),
            ("GET", ("*",), "get"),
            ("DELETE", ("*",), "delete"),
        )
    },
    **{("GET", kind): "list_nothing" for kind in _EMPTY},
}

_READS_DOCUMENTS = frozenset({"search", "count", "lookup", "suggest", "autocomplete"})

# What Azure AI Search answers at these paths and this service does not.
_LACKING = frozenset(("indexstats", "search.indexStats", "indexStats", *_EMPTY))


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
    segments, shape = _segments(url.path)
    operation, names = _operation(method, segments, shape)
    query = {name.lower(): value for name, value in parse_qsl(url.query, keep_blank_values=True)}
    _check_version(query.get("api-version"))
    return Route(operation=operation, names=names, query=query)


def _segments(path: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The segments, and their shape: the same with a star for each key; one that is not in parentheses may be a key."""
    found: list[str] = []
    shape: list[str] = []
    for raw in path.split("/"):
        segment = unquote(raw)
        if keyed := _KEYED.fullmatch(segment):
            found += [keyed["name"], keyed["key"].replace("''", "'")]
            shape += [keyed["name"], "*"]
        elif segment:
            found.append(segment)
            shape.append("*" if len(found) == 2 else segment)
    return tuple(found), tuple(shape)


def _operation(method: str, segments: tuple[str, ...], shape: tuple[str, ...]) -> tuple[str, tuple[str, ...]]:
    if operation := OPERATIONS.get((method, *shape)):
        return operation, segments[1::2]
    if len(segments) == 4 and (operation := OPERATIONS.get((method, *shape[:3], "*"))):
        return operation, segments[1::2]
    if any((other, *shape) in OPERATIONS for other in ("GET", "POST", "PUT", "DELETE")):
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
