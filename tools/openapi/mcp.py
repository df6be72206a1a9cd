"""The routes of MCP. The schemas of messages and of results allow any object, because the protocol defines their
members."""

from dataclasses import replace
from typing import Any, Final

from retrieval.contracts.mcp.progress import ProgressNotification
from retrieval.contracts.mcp.rpc_errors import Answer
from retrieval.contracts.protected_resource import ProtectedResource
from retrieval.contracts.rendered import MESSAGE
from tools.openapi import examples
from tools.openapi.description import Body, DescribedResponse, Description, Shape, answer_shape
from tools.openapi.errors import AZURE, MCP, MCP_REFUSAL, SIGN_IN_METADATA, TOOL_CALLS, TOOL_REFUSALS
from tools.openapi.parameters import BASE_NAME, MCP_VERSION, NAME, USER_TOKEN
from tools.openapi.versions import stream

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
    failures=TOOL_CALLS,
    beside=frozenset(MCP.beside),
)

LISTEN: Final = Description(
    id="listenForTools",
    tag="tools",
    summary="Refused: this server sends nothing that was not asked for.",
    parameters=(NAME,),
    answers={405: NO_SESSIONS},
    envelope=MCP,
    failures=TOOL_REFUSALS,
)

END_SESSION: Final = Description(
    id="endToolSession",
    tag="tools",
    summary="Refused: there is no session to end.",
    parameters=(NAME,),
    answers={405: NO_SESSIONS},
    envelope=MCP,
    failures=TOOL_REFUSALS,
)

SIGN_IN: Final = Description(
    id="whereToSignIn",
    tag="tools",
    summary="Get the metadata of an address of MCP: which authority signs its callers in (RFC 9728).",
    parameters=(NAME,),
    answers={
        200: DescribedResponse(
            description="The metadata; the same whether or not there is such an agent or base.",
            body=Body(
                shape=answer_shape("ProtectedResource", ProtectedResource),
                examples={"tenant": examples.PROTECTED_RESOURCE},
            ),
        )
    },
    envelope=AZURE,
    failures=SIGN_IN_METADATA,
)


def _of_base(description: Description) -> Description:
    parameters = (parameter for parameter in description.parameters if parameter is not NAME)
    return replace(description, id=f"{description.id}OfBase", parameters=(BASE_NAME, *parameters))


_OF_AGENT: Final = (CALL_TOOLS, LISTEN, END_SESSION, SIGN_IN)
TOOLS: Final = (*_OF_AGENT, *map(_of_base, _OF_AGENT))
