"""What the host does to a request before the worker sees it, and to the worker's answer.

Source: azure-functions-host, `GrpcMessageConversionExtensions.ToRpcHttp`, with the capabilities that the Python worker
declares (RawHttpBodyBytes, RpcHttpBodyOnly; not UseNullableValueDictionaryForHttp):

- header names are lower-cased; repeated headers and repeated query keys (compared without case) are joined with a
  comma, by `StringValues`, which leaves out empty ones; a query key whose value is then empty is dropped, a header is
  kept;
- the body is passed on, as bytes, when Content-Length is above zero. The real host passes on an empty one where the
  length is not said (azure-functions-host #4926), and only its `transfer-encoding` header shows it; this host takes a
  chunked body, as Azure was seen to do (azure-functions-python-worker #574), and `front` logs it;
- `req.url` is absolute, with the path escaped again and the query as sent.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from http.cookies import SimpleCookie
from typing import Any, Protocol

from retrieval.local.host.paths import decode_query, escape, split_target
from retrieval.local.wire import WireRequest, WireResponse


@dataclass(frozen=True, slots=True, kw_only=True)
class Invocation:
    """One call of a function, as the worker gets it."""

    method: str
    url: str
    headers: Mapping[str, str] = field(default_factory=dict)
    query: Mapping[str, str] = field(default_factory=dict)
    route_values: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""


def invocation(request: WireRequest, path: str, route_values: Mapping[str, str]) -> Invocation:
    """`path` is the decoded one."""
    query = split_target(request.target)[1]
    address = f"http://{request.header('host') or 'localhost'}{escape(path)}"
    return Invocation(
        method=request.method,
        url=f"{address}?{query}" if query else address,
        headers=fold_headers(request.headers),
        query=fold_query(query),
        route_values=route_values,
        body=request.body if is_chunked(request) or (content_length(request) or 0) > 0 else b"",
    )


def content_length(request: WireRequest) -> int | None:
    """The header's number; None when it is not there or is none."""
    text = request.header("content-length")
    return int(text) if text is not None and text.isascii() and text.isdigit() and len(text) < 19 else None


def is_chunked(request: WireRequest) -> bool:
    """Whether the body came without its length."""
    return "chunked" in (request.header("transfer-encoding") or "").lower()


def fold_headers(headers: Iterable[tuple[str, str]]) -> dict[str, str]:
    folded: dict[str, list[str]] = {}
    for name, value in headers:
        folded.setdefault(name.lower(), []).append(value)
    return {name: _joined(values) for name, values in folded.items()}


def fold_query(query: str) -> dict[str, str]:
    """The first spelling of a key stays."""
    spelling: dict[str, str] = {}
    folded: dict[str, list[str]] = {}
    for pair in query.split("&"):
        raw_name, _, raw_value = pair.partition("=")
        name = decode_query(raw_name)
        folded.setdefault(spelling.setdefault(name.lower(), name), []).append(decode_query(raw_value))
    joined = {name: _joined(values) for name, values in folded.items()}
    return {name: value for name, value in joined.items() if value}


def _joined(values: list[str]) -> str:
    return ",".join(value for value in values if value)


class Datum(Protocol):
    """The worker's intermediate type; `azure.functions.meta` and the runtime each have a class of this shape."""

    value: Any
    type: str | None


UNENCODED = frozenset({"connection", "content-length", "transfer-encoding"})
"""Headers of a function's answer that are not passed on: the transport counts and frames the bytes."""


def answer(datum: Datum | None) -> WireResponse:
    """The worker's answer as the host sends it; ValueError for one that cannot be sent.

    A function that returned a plain string is answered as `text/plain`. Cookies are written again, one header each.
    """
    if datum is not None and datum.type == "string":
        text = (("content-type", "text/plain; charset=utf-8"),)
        return WireResponse(status=200, headers=text, body=str(datum.value).encode())
    if datum is None or datum.type != "http":
        raise ValueError("the function returned nothing that can be sent as an HTTP response")
    parts: Mapping[str, Any] = datum.value
    status = int(parts["status_code"].value)
    if not 200 <= status <= 599:
        raise ValueError(f"status {status} cannot be sent")
    headers = tuple((name, header.value) for name, header in parts["headers"].items() if name.lower() not in UNENCODED)
    return WireResponse(status=status, headers=headers + _cookies(parts.get("cookies")), body=parts["body"].value)


def _cookies(jars: Iterable[SimpleCookie] | None) -> tuple[tuple[str, str], ...]:
    morsels = (morsel for jar in jars or () for morsel in jar.values())
    return tuple(("set-cookie", morsel.OutputString()) for morsel in morsels)
