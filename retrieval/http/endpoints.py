"""The endpoint of every route that needs a caller, and which of them a call means beneath a gateway's base path.

A gateway may put a path of its own before those of this service (`BASE_PATH`). No function has such a route, so these
calls reach the function that takes what no other does, and it asks here.
"""

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any, Final

from retrieval.access.paths import parameters, routes_of
from retrieval.http import definitions
from retrieval.http.answer import ANSWER
from retrieval.http.call import Call
from retrieval.http.doctor import EXAMINE
from retrieval.http.mcp import LISTEN, USE_BASE_TOOLS, USE_TOOLS
from retrieval.http.retrieve import RETRIEVE, RETRIEVE_FROM_BASE
from retrieval.http.serving import Endpoint
from retrieval.http.workspaces import RETRIEVE_FROM_WORKSPACE

_OF_ONE: Final[Mapping[str, Endpoint[Any]]] = {
    "GET agents/{name}": definitions.GET,
    "PUT agents/{name}": definitions.PUT,
    "DELETE agents/{name}": definitions.DELETE,
    "POST agents/{name}/retrieve": RETRIEVE,
    "GET knowledgebases/{name}": definitions.GET_BASE,
    "PUT knowledgebases/{name}": definitions.PUT_BASE,
    "DELETE knowledgebases/{name}": definitions.DELETE_BASE,
    "POST knowledgebases/{name}/retrieve": RETRIEVE_FROM_BASE,
    "POST knowledgebases/{name}/mcp": USE_BASE_TOOLS,
    "GET knowledgebases/{name}/mcp": LISTEN,
    "DELETE knowledgebases/{name}/mcp": LISTEN,
    "GET knowledgesources/{name}": definitions.GET_SOURCE,
    "PUT knowledgesources/{name}": definitions.PUT_SOURCE,
    "DELETE knowledgesources/{name}": definitions.DELETE_SOURCE,
    "GET knowledgesources/{name}/status": definitions.SOURCE_STATUS,
}
"""Those whose address has an OData form too."""

ENDPOINTS: Final[Mapping[str, Endpoint[Any]]] = MappingProxyType(
    {
        "GET agents": definitions.LIST,
        "POST agents": definitions.CREATE,
        "GET knowledgebases": definitions.LIST_BASES,
        "POST knowledgebases": definitions.CREATE_BASE,
        "GET knowledgesources": definitions.LIST_SOURCES,
        "POST knowledgesources": definitions.CREATE_SOURCE,
        **_OF_ONE,
        **{route.replace("/{name}", "('{name}')"): endpoint for route, endpoint in _OF_ONE.items()},
        "GET doctor": EXAMINE,
        "POST agents/{name}/answer": ANSWER,
        "POST agents/{name}/mcp": USE_TOOLS,
        "GET agents/{name}/mcp": LISTEN,
        "DELETE agents/{name}/mcp": LISTEN,
        "POST {workspaceId:regex(^(llm|ws)[-_])}/index/retrieve": RETRIEVE_FROM_WORKSPACE,
    }
)
"""By method and route, as `access.rights.ROUTES` has them."""


def beneath(base: str, call: Call) -> tuple[str, Call] | None:
    """The route that a call to a path beneath `base` means, and the call as its function would have got it.

    `base` is compared without case, and has no slash at its ends. None where the path is not beneath it.
    """
    path = call.route.get("path", "")
    if not base or path[: len(base) + 1].lower() != f"{base.lower()}/":
        return None
    inner = path[len(base) + 1 :]
    template = dict(routes_of(inner)).get(call.method.upper())
    if template is None:
        return None
    route = parameters(template, inner)
    return f"{call.method.upper()} {template}", replace(call, route=route)
