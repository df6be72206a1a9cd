"""The descriptions of all routes, by the id of the route, and the paths that have another form in OpenAPI."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Final

from retrieval.http.routes import Route
from tools.openapi.definitions import DEFINITIONS
from tools.openapi.description import Description, odata
from tools.openapi.mcp import TOOLS
from tools.openapi.monitoring import DOCTOR, HEALTH, OPENAPI, PLAYGROUND, PLAYGROUND_FILE, READY
from tools.openapi.retrieve import ANSWER, RETRIEVE, RETRIEVE_FROM_BASE, STUDIO_RETRIEVE

DESCRIPTIONS: Final[Mapping[str, Description]] = MappingProxyType(
    {
        description.id: description
        for description in (
            RETRIEVE,
            RETRIEVE_FROM_BASE,
            ANSWER,
            *TOOLS,
            STUDIO_RETRIEVE,
            *DEFINITIONS,
            DOCTOR,
            HEALTH,
            READY,
            OPENAPI,
            PLAYGROUND,
            PLAYGROUND_FILE,
        )
    }
)

SPELLINGS: Final[Mapping[str, Mapping[str, Description]]] = MappingProxyType(
    {
        STUDIO_RETRIEVE.id: {
            "llm-{workspaceId}/index/retrieve": STUDIO_RETRIEVE,
            "ws_{workspaceId}/index/retrieve": replace(
                STUDIO_RETRIEVE,
                id=f"{STUDIO_RETRIEVE.id}Ws",
                summary=f"{STUDIO_RETRIEVE.summary} Older workspace ids.",
            ),
        }
    }
)
"""The paths of routes whose template OpenAPI cannot express. OpenAPI has no route constraints. So
`agents/{name}/retrieve` and `{workspaceId}/index/retrieve` would be ambiguous in OpenAPI. The paths here begin with the
prefix of the workspace id instead."""


def descriptions(route: Route) -> Iterator[tuple[str, Description]]:
    """Each path of a route, without its first slash, and the description of the route at this path."""
    description = DESCRIPTIONS[route.id]
    spellings = {route.template: odata(description) if route.odata else description}
    yield from SPELLINGS.get(route.id, spellings).items()
