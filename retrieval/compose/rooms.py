"""The rows of the rooms with a door, in the order of the OpenAPI document. The other rows belong to every service.
`gather` reads the settings of every deployment and of the rooms."""

from collections.abc import Iterator, Mapping
from importlib import import_module
from importlib.util import find_spec
from typing import Final

from retrieval.contracts.mcp.room import DOOR as MCP
from retrieval.contracts.model_studio.room import DOOR as MODEL_STUDIO
from retrieval.doctor.room import DOOR as DOCTOR
from retrieval.errors import Problem
from retrieval.http import answer, definitions, monitoring, retrieve
from retrieval.http.cors import exposed
from retrieval.http.rooms import Door
from retrieval.http.routes import Table
from retrieval.settings import settings
from retrieval.settings.settings import RoomSettings, Settings, variables
from retrieval.sources import ROOMS

DOORS: Final = (
    Door(routes=(*retrieve.ROUTES, *answer.ROUTES)),
    MCP,
    MODEL_STUDIO,
    Door(routes=definitions.ROUTES),
    DOCTOR,
    Door(routes=monitoring.ROUTES),
)

TABLE: Final = Table(
    (route for door in DOORS for route in door.routes),
    resembling=(door.resembling for door in DOORS if door.resembling is not None),
)
"""The routes of all doors."""

KEY_HEADERS: Final = tuple(header for door in DOORS for header in door.key_headers)
"""The headers in which callers of rooms send API keys."""

EXPOSED_HEADERS: Final = exposed(header for door in DOORS for header in door.exposed_headers)
"""The headers of answers that pages may read."""


def _of_sources() -> Iterator[type[RoomSettings]]:
    """The settings of the kinds of knowledge sources that have any."""
    for module in (f"retrieval.sources.{folder}.settings" for folder in ROOMS.values()):
        if find_spec(module) is not None:
            yield import_module(module).SETTINGS


SETTINGS: Final[tuple[type[RoomSettings], ...]] = (
    *(door.settings for door in DOORS if door.settings is not None),
    *_of_sources(),
)
"""The classes of the settings that rooms bring."""

NAMES: Final = variables(Settings, *SETTINGS).keys()
"""The variables of all settings."""


def gather(environ: Mapping[str, str]) -> tuple[Settings, tuple[Problem, ...]]:
    """The settings from an environment, and all problems with them."""
    return settings.gather(environ, *SETTINGS)
