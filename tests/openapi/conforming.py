"""Whether answers are what the document says of their operation, their status and the api-version that was asked for.

Stricter than the document in two things: an answer has no member that is not described, and where a body has one of
several versions' shapes it has that of the version.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

import jsonschema_rs

from retrieval.compose.rooms import TABLE
from retrieval.contracts.served_versions import VERSIONS, served_as
from retrieval.http.routes import Route
from tests.environments import ROOT
from tools.openapi.routes import descriptions

HERE: Final = "urn:openapi"
SCHEMAS: Final = "#/components/schemas/"
EVENTS: Final = "text/event-stream"
FIRST_METHODS: Final = frozenset({"OPTIONS", "HEAD"})
ENVELOPES: Final = frozenset({"Error", "ModelStudioError", "McpError"})
_EVENT: Final = re.compile(rb"event: (?P<name>[^\n]*)\n(?P<data>(?:data: [^\n]*\n)+)\n|: [^\n]*\n\n")


@dataclass(frozen=True, slots=True, kw_only=True)
class Exchange:
    """A request and its answer. `path` is decoded, from its first slash on, without `BASE_PATH`."""

    method: str
    path: str
    version: str = ""
    status: int
    content_type: str = ""
    body: bytes


@cache
def read() -> Any:
    """The document as JSON. A test keeps the copy in docs/ equal to what is written from the models."""
    return json.loads((ROOT / "docs" / "openapi.json").read_bytes())


def responses(operation: dict[str, Any]) -> dict[int, dict[str, Any]]:
    """What the document says of an operation's answers, by status; those that are referred to are looked up."""
    known = read()["components"]["responses"]
    return {
        int(status): known[response["$ref"].removeprefix("#/components/responses/")] if "$ref" in response else response
        for status, response in operation["responses"].items()
    }


def faults(value: object, schema: object) -> list[str]:
    """Where a value does not fit; references lead into the document."""
    return _problems(_validator(json.dumps(schema)), value)


def exchange_faults(exchange: Exchange) -> list[str]:
    """What is not as the document says of an answer, each with the operation, the status and the place in the body.

    What no operation takes is answered in one of the envelopes, or with nothing to what browsers ask before a call.
    """
    operation = _operation(exchange.method, exchange.path)
    name = "no operation" if operation is None else operation["operationId"]
    call = f"{exchange.method} {exchange.path[:100]} {exchange.version}".rstrip()
    problems = _unserved(exchange) if operation is None else _faults(operation, exchange)
    return [f"{name} ({call}), status {exchange.status}: {problem}" for problem in problems]


def _operation(method: str, path: str) -> dict[str, Any] | None:
    meant = TABLE.of_path(path[1:]).get(method)
    return None if meant is None else _operations()[meant[0].address]


def paths() -> Iterator[tuple[str, Route]]:
    """Each path of the document without its first slash, and its route."""
    for route in TABLE.routes.values():
        yield from ((path, route) for path, _ in descriptions(route))


@cache
def _operations() -> Mapping[str, dict[str, Any]]:
    """By the address of the route; of two forms of one address, the last."""
    return {route.address: read()["paths"][f"/{path}"][route.method.lower()] for path, route in paths()}


def _unserved(exchange: Exchange) -> list[str]:
    if exchange.method in FIRST_METHODS and exchange.body == b"":
        return []
    if exchange.status < 400:
        return ["an answer of an operation that is not described"]
    known = ENVELOPES & read()["components"]["schemas"].keys()
    fits = (faults(_json(exchange.body), {"$ref": f"{SCHEMAS}{name}"}) for name in known)
    return [] if any(one == [] for one in fits) else [f"no envelope of errors: {exchange.body[:200]!r}"]


def _faults(operation: dict[str, Any], exchange: Exchange) -> list[str]:
    response = responses(operation).get(exchange.status)
    if response is None:
        return [f"the status {exchange.status} is not described"]
    if "content" not in response:
        return [] if exchange.body == b"" else ["there is a body"]
    kind = exchange.content_type.partition(";")[0]
    if kind not in response["content"]:
        return [f"the content type {kind!r} is not described"]
    schema = _of_version(response["content"][kind]["schema"], exchange.version)
    if kind == EVENTS:
        return list(_event_faults(exchange.body, schema))
    return faults(_json(exchange.body) if kind == "application/json" else exchange.body.decode(), schema)


def _event_faults(body: bytes, schema: Mapping[str, Any]) -> Iterator[str]:
    """Of a stream: each of its events has the data that the schema says of that event."""
    items = _resolved(schema)["contentSchema"]["items"]
    described = items.get("oneOf", [items])
    known = {one["properties"]["event"]["const"]: one["properties"]["data"]["contentSchema"] for one in described}
    at = 0
    for event in _EVENT.finditer(body):
        if event.start() != at:
            break
        at = event.end()
        name = (event["name"] or b"").decode()
        if name and name not in known:
            yield f"the event {name!r} is not described"
        elif name:
            data = b"\n".join(line.removeprefix(b"data: ") for line in event["data"].splitlines())
            yield from (f"event {name}: {fault}" for fault in faults(_json(data), known[name]))
    if at < len(body):
        yield f"no event: {body[at : at + 100]!r}"


@cache
def _versions() -> Sequence[str]:
    """The versions that the document has. A version that was not written yet has the shapes of the newest of its
    sort."""
    schemas = read()["components"]["schemas"]
    return [one for one in VERSIONS if any(name.endswith(f"_{one.replace('-', '_')}") for name in schemas)]


def _of_version(schema: dict[str, Any], version: str) -> dict[str, Any]:
    """That of the version, or of the one that a later one is served as, where a body has a shape in each."""
    version = served_as(version, _versions()) or version
    own = f"{schema.get('$ref', '')}_{version.lower().replace('-', '_')}"
    return {"$ref": own} if own.removeprefix(SCHEMAS) in read()["components"]["schemas"] else schema


def _resolved(schema: Mapping[str, Any]) -> Mapping[str, Any]:
    while "$ref" in schema:
        schema = read()["components"]["schemas"][schema["$ref"].removeprefix(SCHEMAS)]
    return schema


def _json(body: bytes) -> object:
    try:
        return json.loads(body)
    except ValueError:
        return f"no JSON: {body[:200]!r}"


def _problems(validator: Any, value: object) -> list[str]:
    if validator.is_valid(value):
        return []
    return [f"{_place(one.instance_path)}: {one.message[:300]}" for one in validator.iter_errors(value)]


def _place(path: list[str | int]) -> str:
    return "$" + "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in path)


@cache
def _validator(schema: str) -> Any:
    return jsonschema_rs.Draft202012Validator(_absolute(json.loads(schema)), registry=_registry())


@cache
def _registry() -> Any:
    closed = {name: _closed(schema) for name, schema in read()["components"]["schemas"].items()}
    return jsonschema_rs.Registry([(HERE, {"components": {"schemas": closed}})])


def _closed(schema: Any) -> Any:
    """The schema of objects without further members."""
    if isinstance(schema, list):
        return [_closed(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    inner = {name: _closed(one) for name, one in schema.items()}
    return {"additionalProperties": False, **inner} if isinstance(schema.get("properties"), dict) else inner


def _absolute(schema: Any) -> Any:
    if isinstance(schema, list):
        return [_absolute(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    return {
        name: f"{HERE}{value}" if name == "$ref" and isinstance(value, str) else _absolute(value)
        for name, value in schema.items()
    }
