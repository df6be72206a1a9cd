"""The parameters of routes: in the path, the headers and the query. `document` adds the members of bodies that may be
sent in the query instead."""

from collections.abc import Iterable
from typing import Final

from retrieval.contracts.versions import PROVISIONAL
from tools.openapi.description import JsonObject


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


def api_version(versions: Iterable[str]) -> JsonObject:
    names = sorted(versions)
    provisional = "".join(
        f" {name} is provisional: its specification is not public." for name in names if name in PROVISIONAL
    )
    return {
        "name": "api-version",
        "in": "query",
        "required": True,
        "description": f"The version of the contract, compared without case.{provisional}",
        "schema": {"type": "string", "enum": names},
    }


FILE: Final = _path("name", "Name of the file.")
NAME: Final = _path("name", "Name of the agent.")
BASE_NAME: Final = _path("name", "Name of the knowledge base.")
SOURCE_NAME: Final = _path("name", "Name of the knowledge source.")
WORKSPACE: Final = _path("workspaceId", "The id of the workspace without its first letters, `llm-` or `ws_`.")
USER_TOKEN: Final = _header(
    "x-ms-query-source-authorization", "The user's token, for document permissions; some agents require it."
)
REQUEST_ID: Final = _header("x-ms-client-request-id", "An id that the caller chooses and the answer repeats.")
IF_MATCH: Final = _header("If-Match", "Write only if the stored etag is one of these; `*` is any.")
IF_NONE_MATCH: Final = _header("If-None-Match", "Write only if the stored etag is none of these; `*` only creates.")
PREFER: Final = _header("Prefer", "`return=representation` asks for the definition, `return=minimal` for no body.")
MCP_VERSION: Final = _header("MCP-Protocol-Version", "The protocol version that was negotiated.")
SELECT: Final[JsonObject] = {
    "name": "$select",
    "in": "query",
    "description": "The members of each definition, with commas between. Its etag comes too, and no other member.",
    "schema": {"type": "string"},
}
PAGES: Final = tuple(
    {"name": name, "in": "query", "description": description, "schema": {"type": kind}}
    for name, kind, description in (
        ("search", "string", "The beginning of the listed names. Lists have it, and pages, since 2026-08-01-preview."),
        ("searchType", "string", "`prefix`, which is all there is."),
        ("pageSize", "integer", "The most definitions of a page."),
        ("$skiptoken", "string", "Where a page begins, as `@odata.nextLink` has it."),
    )
)
DETAIL: Final[JsonObject] = {
    "name": "detail",
    "in": "query",
    "description": "The form of the answer.",
    "schema": {"type": "string", "enum": ["answer", "explained", "workflow"], "default": "answer"},
}
