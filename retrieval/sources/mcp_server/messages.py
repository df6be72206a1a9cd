"""The parts of MCP's JSON-RPC that this service needs: the messages that it sends, and the parts of answers that it
reads.

Every answer may be hostile. Parts with a wrong shape are refused or left out. An answer cannot make this service call
another server, or a tool that the source does not list.
"""

from collections.abc import Iterator, Mapping
from typing import Final, Literal

from pydantic_core import to_json

from retrieval.errors import BackendUnanswered, BackendUnavailable
from retrieval.model.json_value import JsonValue
from retrieval.model.tools import Tool
from retrieval.outgoing.bodies import UNREADABLE
from retrieval.text import length, strict_json

NEWEST: Final = "2025-11-25"
VERSIONS: Final = frozenset({NEWEST, "2025-06-18", "2025-03-26", "2024-11-05"})
"""The versions of the protocol that list and call tools in the same way."""

LONGEST_NAME: Final = 200
LONGEST_DESCRIPTION: Final = 2_000
LONGEST_SCHEMA: Final = 16_384
LONGEST_REASON: Final = 500

PARTS: Final = frozenset({"method", "result", "error"})
"""The members of which each message of JSON-RPC has one."""

INITIALIZED: Final = b'{"jsonrpc":"2.0","method":"notifications/initialized"}'
"""The notification that a session has begun. It gets no answer."""

Members = Mapping[str, JsonValue]
NoAnswer = Literal["another", "nothing"]


def request(method: str, params: Mapping[str, object], *, id: int) -> bytes:
    """A request."""
    return to_json({"jsonrpc": "2.0", "id": id, "method": method, "params": params})


def answer_to(text: bytes, *, id: int, service: str) -> Members | NoAnswer:
    """The result in a message; `another` if the message does not answer the request with this `id`, and `nothing` if
    the text has no message at all.

    Raises BackendUnavailable if the message is an error, and BackendUnanswered if the message cannot be read.
    """
    try:
        value = strict_json.read_body(text)
    except ValueError:
        raise BackendUnanswered(service, UNREADABLE, why="unreadable") from None
    values = value if isinstance(value, list) else [value]
    messages = [each for each in values if isinstance(each, dict) and not PARTS.isdisjoint(each)]
    message = next((each for each in messages if each.get("id") == id), None)
    if message is None or not ("result" in message or "error" in message):
        return "another" if messages else "nothing"
    if "error" in message:
        error = message["error"]
        text_of_error = error.get("message") if isinstance(error, dict) else None
        reason = _reason(text_of_error if isinstance(text_of_error, str) else "")
        raise BackendUnavailable(service, f"answered with an error: {reason}", of="error")
    result = message["result"]
    if not isinstance(result, dict):
        raise BackendUnanswered(service, UNREADABLE, why="unreadable")
    return result


def version_of(result: Members, *, service: str) -> str:
    """The version of the protocol that the server uses. Raises BackendUnavailable for a version that is not in
    VERSIONS."""
    version = result.get("protocolVersion")
    if not isinstance(version, str) or version not in VERSIONS:
        reason = f"speaks no version of MCP that is known here ({', '.join(sorted(VERSIONS))})."
        raise BackendUnavailable(service, reason, of="version")
    return version


def tools_of(result: Members) -> tuple[tuple[Tool, ...], str | None]:
    """The tools of a page, and the cursor of the next page. An entry is left out if it is not a valid tool, or if its
    name or schema is too long."""
    following = result.get("nextCursor")
    return tuple(_tools(result.get("tools"))), following if isinstance(following, str) and following else None


def failure_of(result: Members) -> str | None:
    """The reason that a failed tool gives; None if the tool did not fail."""
    return _reason(" ".join(texts_of(result))) if result.get("isError") is True else None


def texts_of(result: Members) -> tuple[str, ...]:
    """The texts in a tool's output, including the texts of resources and of links to resources."""
    content = result.get("content")
    blocks = content if isinstance(content, list) else ()
    return tuple(text for block in blocks if isinstance(block, dict) and (text := _text(block)))


def _text(block: Members) -> str:
    resource = block.get("resource")
    part = resource if block.get("type") == "resource" and isinstance(resource, dict) else block
    text = part.get("text")
    if isinstance(text, str):
        return text
    if block.get("type") == "resource_link":
        return "\n".join(
            str(block[name]) for name in ("name", "description", "uri") if isinstance(block.get(name), str)
        )
    return ""


def _tools(values: object) -> Iterator[Tool]:
    for value in values if isinstance(values, list) else ():
        if not isinstance(value, dict) or not isinstance(value.get("name"), str):
            continue
        schema, annotations = value.get("inputSchema"), value.get("annotations")
        description = value.get("description")
        if not 0 < len(value["name"]) <= LONGEST_NAME or not isinstance(schema, dict):
            continue
        if len(to_json(schema)) > LONGEST_SCHEMA:
            continue
        hints = annotations if isinstance(annotations, dict) else {}
        yield Tool(
            name=value["name"],
            description=length.clip(description, LONGEST_DESCRIPTION) if isinstance(description, str) else "",
            schema=schema,
            read_only=hints.get("readOnlyHint") is True,
            idempotent=hints.get("idempotentHint") is True,
        )


def _reason(text: str) -> str:
    """The text of a server on one line. The text is only shown as a quotation. No code interprets it."""
    return length.line(text, LONGEST_REASON) or "no reason given"
