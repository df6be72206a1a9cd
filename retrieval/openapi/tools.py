"""The route of MCP. The protocol defines what a JSON-RPC message holds, so its schema here is just an object."""

from typing import Final

from retrieval.openapi.description import Body, DescribedResponse, Description
from retrieval.openapi.errors import MCP, MESSAGE, REFUSED, TOOLS_REFUSED, TOOLS_USED
from retrieval.openapi.parameters import MCP_VERSION, NAME, USER_TOKEN

NO_SESSIONS: Final = DescribedResponse(
    description="This server has no sessions and no streams.", body=REFUSED, headers=("Allow",)
)

CALL_TOOLS: Final = Description(
    id="callTools",
    tag="tools",
    summary="Model Context Protocol over streamable HTTP: stateless, JSON answers.",
    parameters=(NAME, MCP_VERSION, USER_TOKEN),
    request=Body(
        shape=MESSAGE, examples={"listTools": {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}}
    ),
    answers={
        200: DescribedResponse(description="The answer to a request.", body=Body(shape=MESSAGE)),
        202: DescribedResponse(description="A notification was accepted."),
    },
    envelope=MCP,
    failures=TOOLS_USED,
    beside=frozenset(MCP.beside),
)

LISTEN: Final = Description(
    id="listenForTools",
    tag="tools",
    summary="Refused: this server sends nothing that was not asked for.",
    parameters=(NAME,),
    answers={405: NO_SESSIONS},
    envelope=MCP,
    failures=TOOLS_REFUSED,
)

END_SESSION: Final = Description(
    id="endToolSession",
    tag="tools",
    summary="Refused: there is no session to end.",
    parameters=(NAME,),
    answers={405: NO_SESSIONS},
    envelope=MCP,
    failures=TOOLS_REFUSED,
)
