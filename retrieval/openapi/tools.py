"""The route of tools. What a JSON-RPC message may say is the protocol's to tell, so its schema is an object."""

from typing import Any, Final

from retrieval.openapi.description import Answer, Body, Description, Shape
from retrieval.openapi.parameters import MCP_VERSION, NAME, USER_TOKEN

MESSAGE: Final = Shape(name="McpMessage", type=dict[str, Any])
REFUSED: Final = Body(
    shape=MESSAGE,
    examples={"refused": {"jsonrpc": "2.0", "id": None, "error": {"code": -32600, "message": "There is no session."}}},
)
NO_SESSIONS: Final = Answer(description="There are no sessions and no streams.", body=REFUSED, headers=("Allow",))

CALL_TOOLS: Final = Description(
    id="callTools",
    tag="tools",
    summary="Model Context Protocol over streamable HTTP: stateless, JSON answers.",
    parameters=(NAME, MCP_VERSION, USER_TOKEN),
    request=Body(
        shape=MESSAGE, examples={"listTools": {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}}
    ),
    answers={
        200: Answer(description="The answer to a request.", body=Body(shape=MESSAGE)),
        202: Answer(description="A notification was taken."),
    },
    error=REFUSED,
)

LISTEN: Final = Description(
    id="listenForTools",
    tag="tools",
    summary="Refused: this server sends nothing that was not asked for.",
    parameters=(NAME,),
    answers={405: NO_SESSIONS},
    error=REFUSED,
)

END_SESSION: Final = Description(
    id="endToolSession",
    tag="tools",
    summary="Refused: there is no session to end.",
    parameters=(NAME,),
    answers={405: NO_SESSIONS},
    error=REFUSED,
)
