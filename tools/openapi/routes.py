"""The descriptions of all routes, by the id of the route. A folder of `retrieval` may describe its own routes in
`description.py`."""

from collections.abc import Iterator, Mapping
from importlib import import_module
from pathlib import Path
from types import MappingProxyType
from typing import Final

import retrieval
from retrieval.contracts.described import Description, odata
from retrieval.http.routes import Route
from tools.openapi.definitions import DEFINITIONS
from tools.openapi.monitoring import HEALTH, OPENAPI, PLAYGROUND, PLAYGROUND_FILE, READY
from tools.openapi.retrieve import RETRIEVE, RETRIEVE_FROM_BASE


def _of_folders() -> Iterator[Description]:
    """The descriptions in each `description.py` of the package."""
    root = Path(retrieval.__path__[0])
    for path in sorted(root.rglob("description.py")):
        module = ".".join(("retrieval", *path.relative_to(root).with_suffix("").parts))
        yield from import_module(module).ROUTES


DESCRIPTIONS: Final[Mapping[str, Description]] = MappingProxyType(
    {
        description.id: description
        for description in (
            RETRIEVE,
            RETRIEVE_FROM_BASE,
            *_of_folders(),
            *DEFINITIONS,
            HEALTH,
            READY,
            OPENAPI,
            PLAYGROUND,
            PLAYGROUND_FILE,
        )
    }
)

SPELLINGS: Final[Mapping[str, Mapping[str, Description]]] = MappingProxyType(
    {id: description.spellings for id, description in DESCRIPTIONS.items() if description.spellings}
)
"""The paths of routes whose template OpenAPI cannot express."""


def descriptions(route: Route) -> Iterator[tuple[str, Description]]:
    """Each path of a route, without its first slash, and the description of the route at this path."""
    description = DESCRIPTIONS[route.id]
    spellings = {route.template: odata(description) if route.odata else description}
    yield from SPELLINGS.get(route.id, spellings).items()
