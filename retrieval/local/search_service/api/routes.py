"""The request line: which operation a path and its query name. Both key forms, `indexes('x')` and `indexes/x`."""

import re
from collections.abc import Mapping
from urllib.parse import parse_qsl, unquote, urlsplit

from retrieval.local.search_service.api import versions
from retrieval.local.search_service.errors import InvalidArgument, NotFound, SearchServiceError, Unsupported
from retrieval.local.search_service.request_line import RequestLine

_KEYED = re.compile(r"(?P<name>[A-Za-z.$]+)\('(?P<key>(?:[^']|'')*)'\)", re.DOTALL)


_EMPTY = ("indexers", "datasources", "skillsets", "knowledgebases", "knowledgesources", "agents")


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


_OF_A_LIST = frozenset("$select $top $skip $count search searchtype pagesize".split())


_PARAMETERS: Mapping[str, frozenset[str]] = {
    **{operation: _OF_A_LIST for operation in OPERATIONS.values() if operation.startswith("list_")},
    "put_index": frozenset({"allowindexdowntime"}),
    "lookup": frozenset({"$select"}),
}


_READS_ITS_QUERY = frozenset({"search", "suggest", "autocomplete"})


_LACKING = frozenset({"indexstats", "search.indexStats", "indexStats"})


def route(method: str, target: str) -> RequestLine:
    """Raises NotFound, 405 for a known path with another method, Unsupported, InvalidArgument for the query."""
    try:
        url = urlsplit("/" + target.lstrip("/"))
    except ValueError as error:
        raise NotFound("The request target is not a path.") from error
    segments, shape = _segments(url.path)
    operation, names = _operation(method, segments, shape)
    sent = parse_qsl(url.query, keep_blank_values=True)
    query = {name.lower(): value for name, value in sent}
    versions.check(query.get("api-version"))
    if not (method == "GET" and operation in _READS_ITS_QUERY):
        _check_names([name for name, _ in sent], _PARAMETERS.get(operation, frozenset()) | {"api-version"})
    return RequestLine(operation=operation, names=names, query=query)


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
    if segments and segments[0] in _EMPTY:
        raise Unsupported(f"{method[:16]} /{'/'.join(shape)[:200]}")
    if any((other, *shape) in OPERATIONS for other in ("GET", "POST", "PUT", "DELETE")):
        raise SearchServiceError(405, "MethodNotAllowed", f"{method[:16]} is not allowed here.")
    if segments and (segments[0] in _LACKING or segments[-1] in _LACKING):
        raise Unsupported(f"{method[:16]} /{'/'.join(shape)[:200]}")
    raise NotFound("There is no such resource.")


def _check_names(names: list[str], known: frozenset[str]) -> None:
    seen: set[str] = set()
    for name in names:
        if name.lower() not in known:
            raise InvalidArgument(f"The request has the unknown parameter {name[:128]!r} in its query.")
        if name.lower() in seen:
            raise InvalidArgument(f"The parameter {name[:128]!r} occurs twice.")
        seen.add(name.lower())
