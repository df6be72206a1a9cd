"""Reads the messages in the body of an MCP call. A body has one message. In protocol version 2025-03-26 it may have a
batch of messages instead.

The `mcp` package reads single messages only. It treats a request with an invalid id as a notification. This module
refuses such a request. https://modelcontextprotocol.io/specification/2025-03-26/basic#batching
"""

from dataclasses import dataclass
from typing import Final

import pydantic_core
from mcp.types import UNSUPPORTED_PROTOCOL_VERSION
from mcp.types.version import KNOWN_PROTOCOL_VERSIONS

from retrieval.contracts.mcp.rpc_errors import INVALID_REQUEST, PARSE_ERROR, Id, Versions, id_of
from retrieval.text import strict_json

MOST_IN_A_BATCH: Final = 10
BATCHES: Final = frozenset({None, "2025-03-26"})
"""The protocol version that has batches. A call without a version (None) counts as this version."""


@dataclass(frozen=True, slots=True, kw_only=True)
class InvalidMessage:
    """An invalid message. `reason` is a sentence for the client."""

    code: int = INVALID_REQUEST
    reason: str
    id: Id = None
    data: Versions | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Batch:
    """The messages of a batch, in their order."""

    messages: tuple[bytes | InvalidMessage, ...]


def read(body: bytes, *, version: str | None) -> bytes | Batch | InvalidMessage:
    """Reads a body. The result is the unchanged body of one valid message, a Batch, or an InvalidMessage with the
    reason. The JSON reader limits the nesting of the body."""
    try:
        value = strict_json.read_body(body)
    except ValueError as error:
        return InvalidMessage(code=PARSE_ERROR, reason=f"The body {error}.")
    if version not in (None, *KNOWN_PROTOCOL_VERSIONS):
        return _unknown_version(version or "", id_of(value))
    if not isinstance(value, list):
        fault = _fault(value)
        return body if fault is None else InvalidMessage(reason=fault)
    if version not in BATCHES:
        return InvalidMessage(
            reason=f"Protocol version {str(version)[:40]!r} has no batches. Send one message per call."
        )
    if not 1 <= len(value) <= MOST_IN_A_BATCH:
        return InvalidMessage(reason=f"A batch has 1 to {MOST_IN_A_BATCH} messages, not {len(value)}.")
    return Batch(messages=tuple(_message(item) for item in value))


def _unknown_version(version: str, id: Id) -> InvalidMessage:
    version_text, versions = version[:40].encode(errors="replace").decode(), KNOWN_PROTOCOL_VERSIONS
    return InvalidMessage(
        code=UNSUPPORTED_PROTOCOL_VERSION,
        reason=f"The MCP-Protocol-Version {version_text!r} is not known here; served are {', '.join(versions)}.",
        id=id,
        data=Versions(supported=versions, requested=version_text),
    )


def _message(value: object) -> bytes | InvalidMessage:
    fault = _fault(value)
    if fault is None and isinstance(value, dict) and value.get("method") == "initialize":
        fault = "The request 'initialize' must not be part of a batch."
    return pydantic_core.to_json(value) if fault is None else InvalidMessage(reason=fault)


def _fault(value: object) -> str | None:
    """The reason why a value is not a JSON-RPC message of MCP. None if the value is a message."""
    if not isinstance(value, dict):
        return "A message must be a JSON object."
    if value.get("jsonrpc") != "2.0":
        return "The member 'jsonrpc' must be '2.0'."
    if "id" in value and (isinstance(value["id"], bool) or not isinstance(value["id"], str | int)):
        return "The member 'id' must be a string or an integer."
    if "method" not in value:
        answers = "id" in value and ("result" in value or "error" in value)
        return None if answers else "A message must have a 'method', or an 'id' with a 'result' or an 'error'."
    if not isinstance(value["method"], str):
        return "The member 'method' must be a string."
    if not isinstance(value.get("params", {}), dict):
        return "The member 'params' must be an object."
    return None
