"""The definition of the kind `mcpServer`, its records and its references. A search in a source of this kind calls one
of the tools of an MCP server.

This service stores no secrets. The value of a stored header is only a name. The setting MCP_HEADERS has the real value
for this name and the host. Sources: the models of azure-search-documents 12.1.0b1 and 12.1.0b2.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import Annotated, Final, Literal

from pydantic import Field, field_validator
from pydantic_core import from_json

from retrieval.contracts.azure.errors import OptionalMember
from retrieval.contracts.azure.kinds.kind import Kind, Members, Shapes
from retrieval.contracts.azure.members_by_version import KIND as OF_KIND
from retrieval.contracts.azure.members_by_version import of_kind, since
from retrieval.contracts.azure.request_body import Wire
from retrieval.contracts.azure.retrieve.record_shapes import FoundReference, Out, Search, Text
from retrieval.errors import BadRequest
from retrieval.model import tools as hub
from retrieval.model.definitions import Source
from retrieval.model.search import Page, Searched
from retrieval.model.tools import ListedTool, OutputParsing
from retrieval.sources.mcp_server import json_path
from retrieval.sources.mcp_server.hosts import header_fault

PLACE: Final = "mcpServerParameters"
MOST_TOOLS: Final = 20
MOST_HEADERS: Final = 20
NO_CONNECTIONS: Final = (
    "connections of Foundry are not served here; use 'storedHeaders', whose values the setting MCP_HEADERS has, or let "
    "callers pass their headers on"
)

BEYOND: Final = "Documents over maxOutputTokens of the tool, or over 50: {count}."
MISSED: Final = "The answer of the tool has content, but nothing at its documentsPath: {path!r}."
UNSCORED: Final = (
    "An MCP server gives no scores: its documents have none, follow the ranked ones, and are below no threshold."
)
REFUSED: Final = {
    "always_query_source": "A knowledge source of the kind mcpServer has no alwaysQuerySource.",
    "filter_add_on": "The documents of an MCP server cannot be limited by a filter.",
}
"""Members of a request that do not apply. The rule about `alwaysQuerySource` is from Azure's documentation."""

_BY_HEADER: Final = "define a source of the kind mcpServer over it, to which callers pass their Authorization on"
WAYS_OUT: Final = {
    "workIQ": f"Work IQ is an MCP server at https://workiq.svc.cloud.microsoft/mcp: {_BY_HEADER}",
    "fabricDataAgent": f"a published data agent is an MCP server, whose address Fabric shows: {_BY_HEADER}",
    "fabricOntology": f"an ontology has an MCP server, whose address Fabric shows: {_BY_HEADER}",
    "remoteSharePoint": "no MCP server for it is known here; a site that the search service ingested is of the kind "
    "indexedSharePoint",
    "web": "no MCP server for it is known here; one of a search engine is a source of the kind mcpServer",
}

Length = Annotated[int, Field(gt=0, le=100_000)]


# The fields of SplitParameters and of JsonParameters are called as in OutputParsing.
class SplitParameters(Wire):
    mode: Literal["pages", "sentences"] | None = Field(default=None, alias="textSplitMode")
    page_length: Length | None = Field(default=None, alias="maximumPageLength")
    overlap: Annotated[int, Field(ge=0, le=100_000)] | None = Field(default=None, alias="pageOverlapLength")
    most_pages: Annotated[int, Field(ge=0, le=100_000)] | None = Field(default=None, alias="maximumPagesToTake")
    language: Annotated[str, Field(max_length=20)] | None = Field(default=None, alias="defaultLanguageCode")


class JsonParameters(Wire):
    path: Annotated[str, Field(min_length=1, max_length=json_path.LONGEST, alias="documentsPath")]
    context: bool | None = Field(default=None, alias="includeContext")


class Parsing(Wire):
    kind: Literal["auto", "json", "split", "none"]
    json_parameters: JsonParameters | None = None
    split_parameters: SplitParameters | None = None


class StoredHeaders(Wire):
    headers: dict[str, str | None] | None = Field(default=None, repr=False)


class Authentication(Wire):
    kind: Literal["storedHeaders"]
    stored_headers_parameters: StoredHeaders | None = None

    @field_validator("kind", mode="before")
    @classmethod
    def _check_kind(cls, kind: object) -> object:
        if kind == "foundryConnection":
            raise ValueError(NO_CONNECTIONS)
        return kind


class McpTool(Wire):
    name: Annotated[str, Field(min_length=1, max_length=200)]
    output_parsing: Parsing | None = None
    max_output_tokens: Annotated[int, Field(gt=0, le=1_000_000)] | None = None
    inclusion_mode: Annotated[
        Literal["reranked", "always"] | None, since("2026-05-01-preview", until=("2026-05-01-preview",))
    ] = None
    results_processing: Annotated[Literal["rerank", "none"] | None, since("2026-08-01-preview")] = None


class McpParameters(Wire):
    """The parameters of an MCP server."""

    server_url: Annotated[str, Field(min_length=1, max_length=2_048)] = Field(alias="serverURL")
    authentication: Authentication | None = None
    tools: Annotated[list[McpTool], Field(min_length=1, max_length=MOST_TOOLS, fail_fast=True)]


class McpDefinition(Wire):
    mcp_server_parameters: Annotated[OptionalMember[McpParameters], of_kind("mcpServer")]


class ToolArguments(Out):
    """The tool that was called, and the arguments of the call."""

    tool_name: str
    tool_arguments: dict[str, object]


class McpServer(Search):
    """A call of a tool. If no tool was called, the record has no arguments."""

    type: Annotated[Literal["mcpServer"], OF_KIND]
    mcp_server_arguments: OptionalMember[ToolArguments]


class ToolReference(FoundReference):
    """A document from a tool. The document has no score."""

    type: Annotated[Literal["mcpServer"], OF_KIND]
    tool_name: Text
    title: Text


def _arguments(result: Searched) -> Members | None:
    call = result.subquery.call
    return None if call is None else {"tool_name": call.tool, "tool_arguments": from_json(call.arguments)}


def _warnings(page: Page) -> Iterator[str]:
    if page.beyond:
        yield BEYOND.format(count=page.beyond)
    if page.missed is not None:
        yield MISSED.format(path=page.missed)
    if page.hits and not page.scored:
        yield UNSCORED


def _members(source: Source) -> Members:
    server = source.server or hub.ToolServer(url=source.index, tools=())
    headers = {"kind": "storedHeaders", "stored_headers_parameters": {"headers": dict(server.headers)}}
    return {
        "server_url": server.url,
        "authentication": headers if server.headers else None,
        "tools": [_tool_members(tool) for tool in server.tools],
    }


def _tool_members(tool: ListedTool) -> Members:
    return {
        "name": tool.name,
        "output_parsing": None if tool.parsing is None else _parsing_members(tool.parsing),
        "inclusion_mode": None if tool.rerank is None else "reranked" if tool.rerank else "always",
        "results_processing": None if tool.rerank is None else "rerank" if tool.rerank else "none",
        "max_output_tokens": tool.max_tokens,
    }


def _parsing_members(parsing: OutputParsing) -> Members:
    split = {name: getattr(parsing, name) for name in SplitParameters.model_fields}
    return {
        "kind": parsing.kind,
        "json_parameters": None if parsing.path is None else {"path": parsing.path, "context": parsing.context},
        "split_parameters": split if any(value is not None for value in split.values()) else None,
    }


def _read(source: Source, parameters: Members) -> Source:
    url, headers = parameters.get("server_url") or "", _stored_headers(parameters)
    server = hub.ToolServer(
        url=url,
        tools=tuple(map(_tool, parameters.get("tools") or ())),
        headers=tuple((name, value or "") for name, value in headers.items()),
    )
    return replace(source, index=url, server=server)


def _stored_headers(parameters: Members) -> Members:
    authentication = parameters.get("authentication") or {}
    return (authentication.get("stored_headers_parameters") or {}).get("headers") or {}


def _tool(members: Members) -> ListedTool:
    mode, processing = members.get("inclusion_mode"), members.get("results_processing")
    parsing = members.get("output_parsing")
    return ListedTool(
        name=members["name"],
        parsing=None if parsing is None else _parsing(parsing),
        rerank=None if mode is processing is None else mode == "reranked" or processing == "rerank",
        max_tokens=members.get("max_output_tokens"),
    )


def _parsing(members: Members) -> OutputParsing:
    of_json, split = members.get("json_parameters") or {}, members.get("split_parameters") or {}
    return OutputParsing(kind=members["kind"], **of_json, **split)


def _check(parameters: Members) -> None:
    """Checks the tools, their output parsing, and the number and names of the headers. Raises BadRequest.
    `room` checks the host and the values of the headers against the settings of the deployment."""
    names = [tool["name"] for tool in parameters["tools"]]
    for number, tool in enumerate(parameters["tools"]):
        if names.index(tool["name"]) != number:
            raise BadRequest(f"The tool {tool['name']!r} is listed twice.", target=f"{PLACE}.tools[{number}].name")
        _check_parsing(tool.get("output_parsing"), f"{PLACE}.tools[{number}].outputParsing")
    place, headers = f"{PLACE}.authentication.storedHeadersParameters.headers", _stored_headers(parameters)
    if len(headers) > MOST_HEADERS:
        raise BadRequest(f"At most {MOST_HEADERS} headers may be stored.", target=place)
    for fault in filter(None, map(header_fault, headers)):
        raise BadRequest(fault, target=place)


def _check_parsing(parsing: Members | None, place: str) -> None:
    if parsing is None:
        return
    of_json = parsing.get("json_parameters")
    if parsing["kind"] == "json" and of_json is None:
        raise BadRequest("The property 'jsonParameters' is required.", target=f"{place}.jsonParameters")
    if of_json is not None:
        try:
            json_path.steps(of_json["path"])
        except ValueError as error:
            reason = f"The path cannot be read: {error}."
            raise BadRequest(reason, target=f"{place}.jsonParameters.documentsPath") from None


KIND: Final = Kind(
    members=_members,
    read=_read,
    check=_check,
    shapes=Shapes(definition=McpDefinition, record=McpServer, reference=ToolReference, origin="tool_name"),
    arguments=_arguments,
    warnings=_warnings,
    sampled_as="searchIndex",  # as Microsoft's samples state it
    refused=REFUSED,
    free=frozenset({"headers"}),
    ways_out=WAYS_OUT,
)
