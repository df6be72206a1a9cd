"""The parameters of routes, but for those that a contract's model has."""

from typing import Final

from retrieval.contracts import CONTRACTS, DEFINITION_CONTRACTS
from retrieval.openapi.description import JsonObject


def _header(name: str, description: str) -> JsonObject:
    return {"name": name, "in": "header", "description": description, "schema": {"type": "string"}}


def _path(name: str, description: str) -> JsonObject:
    return {
        "name": name,
        "in": "path",
        "required": True,
        "description": description,
        "schema": {"type": "string"},
    }


def _version(versions: list[str]) -> JsonObject:
    return {
        "name": "api-version",
        "in": "query",
        "required": True,
        "description": "The version of the contract, compared without case.",
        "schema": {"type": "string", "enum": versions},
    }


RETRIEVE_VERSION: Final = _version(sorted(version for route, version in CONTRACTS if route == "agents"))
AGENTS_VERSION: Final = _version(["2025-05-01-preview"])
"""Clients are made for one shape of an agent; the agents of 2025-08-01-preview have another one: docs/agents.md."""

BASES_VERSION, SOURCES_VERSION, STATUS_VERSION = (
    _version(sorted(version for route, version in DEFINITION_CONTRACTS if route == kind))
    for kind in ("knowledgebases", "knowledgesources", "knowledgesources/status")
)
NAME: Final = _path("name", "Name of the agent.")
BASE_NAME: Final = _path("name", "Name of the knowledge base.")
SOURCE_NAME: Final = _path("name", "Name of the knowledge source.")
WORKSPACE: Final = _path("workspaceId", "What follows the first letters, `llm-` or `ws_`, in the id of the workspace.")
USER_TOKEN: Final = _header(
    "x-ms-query-source-authorization", "The user's own token, for permissions of documents; some agents demand it."
)
REQUEST_ID: Final = _header("x-ms-client-request-id", "An id of the caller's, which the answer repeats.")
IF_MATCH: Final = _header("If-Match", "Write only what has one of these etags; `*` is any.")
IF_NONE_MATCH: Final = _header("If-None-Match", "Write only what has none of these etags; `*` creates only.")
PREFER: Final = _header("Prefer", "`return=minimal` asks for an answer without a body.")
MCP_VERSION: Final = _header("MCP-Protocol-Version", "The protocol version that was negotiated.")
DETAIL: Final[JsonObject] = {
    "name": "detail",
    "in": "query",
    "description": "Which form the answer has.",
    "schema": {"type": "string", "enum": ["answer", "workflow"], "default": "answer"},
}
