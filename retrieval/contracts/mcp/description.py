"""What the contract says of its routes for the OpenAPI document. The schemas of messages and of results allow any
object, because the protocol defines their members."""

from dataclasses import replace
from http import HTTPStatus
from typing import Any, Final

from retrieval import errors
from retrieval.contracts.described import (
    ADMISSION,
    AZURE,
    BASE_NAME,
    NAME,
    PAGE,
    RETRIEVAL,
    USER_TOKEN,
    Body,
    DescribedResponse,
    Description,
    Envelope,
    JsonObject,
    Shape,
    answer_shape,
    answered,
    azure_statuses,
    header,
    stream,
)
from retrieval.contracts.mcp.progress import ProgressNotification
from retrieval.contracts.mcp.rpc_errors import Answer, Refusal
from retrieval.contracts.mcp.sign_in import ProtectedResource
from retrieval.contracts.rendered import MESSAGE

MCP_VERSION: Final = header("MCP-Protocol-Version", "The protocol version that was negotiated.")
PROTECTED_RESOURCE: Final[JsonObject] = {
    "resource": "https://retrieval.example.com/agents/handbook/mcp",
    "authorization_servers": ["https://login.microsoftonline.com/8d0f9a14-2f7b-4e0c-9f63-0b8f1a6c7d21/v2.0"],
    "scopes_supported": ["api://retrieval/.default"],
    "bearer_methods_supported": ["header"],
}

MCP_REFUSAL: Final = Body(
    shape=answer_shape("McpError", Refusal),
    examples={"refused": {"jsonrpc": "2.0", "id": None, "error": {"code": -32600, "message": "There is no session."}}},
)
MCP: Final = Envelope(
    name="McpError",
    body=MCP_REFUSAL,
    statuses=azure_statuses,
    kinds=RETRIEVAL,
    headers=AZURE.headers,
    own_headers={"Allow": {"description": "The methods that this path serves.", "schema": {"type": "string"}}},
    beside={
        HTTPStatus.NOT_FOUND: "The newest version of the protocol has no such method.",
        HTTPStatus.NOT_ACCEPTABLE: "The Accept header has neither JSON nor events.",
        HTTPStatus.UNSUPPORTED_MEDIA_TYPE: "The body is not sent as JSON.",
    },
)

NO_SESSIONS: Final = DescribedResponse(
    description="This server has no sessions and no streams.", body=MCP_REFUSAL, headers=("Allow",)
)

CALL_TOOLS: Final = Description(
    id="callTools",
    tag="tools",
    summary="Model Context Protocol over streamable HTTP: stateless, JSON or events.",
    parameters=(NAME, MCP_VERSION, USER_TOKEN),
    request=Body(
        shape=Shape(name="McpMessage", type=dict[str, Any]),
        examples={"listTools": {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}},
    ),
    answers={
        200: DescribedResponse(
            description=(
                "The answer to a request; before it, the progress of an answer for a client that asks for it. "
                "It is an event for a client whose Accept prefers events."
            ),
            body=Body(
                shape=answer_shape("McpAnswer", Answer),
                events=stream("McpEvents", {MESSAGE: Answer | ProgressNotification}),
            ),
        ),
        202: DescribedResponse(description="A notification was accepted."),
    },
    envelope=MCP,
    failures=RETRIEVAL,
    beside=frozenset(MCP.beside),
)

LISTEN: Final = Description(
    id="listenForTools",
    tag="tools",
    summary="Refused: this server sends nothing that was not asked for.",
    parameters=(NAME,),
    answers={405: NO_SESSIONS},
    envelope=MCP,
    failures=ADMISSION,
)

END_SESSION: Final = replace(LISTEN, id="endToolSession", summary="Refused: there is no session to end.")

SIGN_IN: Final = Description(
    id="whereToSignIn",
    tag="tools",
    summary="Get the metadata of an address of MCP: which authority signs its callers in (RFC 9728).",
    parameters=(NAME,),
    answers=answered(
        "The metadata; the same whether or not there is such an agent or base.",
        answer_shape("ProtectedResource", ProtectedResource),
        tenant=PROTECTED_RESOURCE,
    ),
    envelope=AZURE,
    failures=(*PAGE, errors.NotConfigured),
)


def _of_base(description: Description) -> Description:
    parameters = (parameter for parameter in description.parameters if parameter is not NAME)
    return replace(description, id=f"{description.id}OfBase", parameters=(BASE_NAME, *parameters))


_OF_AGENT: Final = (CALL_TOOLS, LISTEN, END_SESSION, SIGN_IN)
ROUTES: Final = (*_OF_AGENT, *map(_of_base, _OF_AGENT))
