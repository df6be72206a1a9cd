"""The request line: which operation a path and its query name. Both key forms, `indexes('x')` and `indexes/x`."""

import re
from collections.abc import Iterable, Mapping
from typing import Final
from urllib.parse import parse_qsl, unquote, urlsplit

from retrieval.local.search_service.api import get_search, versions
from retrieval.local.search_service.errors import InvalidArgument, NotFound, SearchServiceError, Unsupported
from retrieval.local.search_service.features.suggest_options import AutocompleteOptions, SuggestOptions
from retrieval.local.search_service.request_line import RequestLine

_KEYED = re.compile(r"(?P<name>[A-Za-z.$]+)\('(?P<key>(?:[^']|'')*)'\)", re.DOTALL)


_EMPTY = ("indexers", "datasources", "skillsets", "knowledgebases", "knowledgesources", "agents")


OPERATIONS: Mapping[tuple[str, ...], str] = {
    ("GET", "servicestats"): "service_statistics",
    ("GET", "indexes"): "list_indexes",
    ("GET", "indexstats"): "list_statistics",
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


_PARAMETERS: Mapping[tuple[str, str], frozenset[str]] = {
    **{("GET", operation): _OF_A_LIST for operation in OPERATIONS.values() if operation.startswith("list_")},
    ("PUT", "put_index"): frozenset({"allowindexdowntime"}),
    ("POST", "write_documents"): frozenset({"allowunsafekeys"}),
    ("GET", "lookup"): frozenset({"$select", "allowunsafekeys"}),
    ("GET", "search"): get_search.NAMES,
    ("GET", "suggest"): SuggestOptions.names(),
    ("GET", "autocomplete"): AutocompleteOptions.names(),
}
"""What an operation reads of its query, beside the api-version: names in lower case."""


_LACKING: Final = (("POST", "indexes", "*", "docs", "search.post.explain"),)
"""Operations of Azure's that are refused by name, in the form of OPERATIONS."""


def route(method: str, target: str, *, strict_versions: bool = False) -> RequestLine:
    """Raises NotFound, 405 for a known path with another method, Unsupported, InvalidArgument for the query.

    With `strict_versions` an api-version that is later than all known ones is refused.
    """
    try:
        url = urlsplit("/" + target.lstrip("/"))
    except ValueError as error:
        raise NotFound("The request target is not a path.") from error
    segments, shape = _segments(url.path)
    operation, names = _operation(method, segments, shape)
    sent = parse_qsl(url.query, keep_blank_values=True)
    known = _PARAMETERS.get((method, operation), frozenset()) | {"api-version"}
    query = {name.lower(): value for name, value in sent if name.lower() in known}
    asked = query.get("api-version")
    version = versions.served(asked, strict=strict_versions)
    _check_once(name for name, _ in sent if name.lower() in known)
    ignored = tuple(dict.fromkeys(name for name, _ in sent if name.lower() not in known))
    return RequestLine(
        operation=operation,
        names=names,
        query={**query, "api-version": version},
        ignored=ignored,
        unknown_version=None if version == asked else asked,
    )


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
    if (method, *shape) in _LACKING:
        raise Unsupported(f"{method} /{'/'.join(shape)}")
    if any((other, *shape) in OPERATIONS for other in ("GET", "POST", "PUT", "DELETE")):
        raise SearchServiceError(405, "MethodNotAllowed", f"{method[:16]} is not allowed here.")
    raise NotFound("There is no such resource.")


def _check_once(names: Iterable[str]) -> None:
    seen: set[str] = set()
    for name in names:
        if name.lower() in seen:
            raise InvalidArgument(f"The parameter {name[:128]!r} occurs twice.")
        if name.lower() not in get_search.REPEATED:
            seen.add(name.lower())
