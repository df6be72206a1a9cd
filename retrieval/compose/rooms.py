"""The rows of the rooms with a door, in the order of the OpenAPI document. The other rows belong to every service.
`gather` reads the settings of every deployment and of the rooms."""

from collections.abc import Mapping
from typing import Final

from retrieval.contracts.mcp.room import DOOR as MCP
from retrieval.contracts.model_studio.room import DOOR as MODEL_STUDIO
from retrieval.doctor.room import DOOR as DOCTOR
from retrieval.errors import Problem
from retrieval.http import answer, definitions, monitoring, retrieve
from retrieval.http.doors import Door
from retrieval.http.routes import Table
from retrieval.settings import settings
from retrieval.settings.settings import Settings, variables

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

SETTINGS: Final = tuple(door.settings for door in DOORS if door.settings is not None)
"""The classes of the settings that rooms bring."""

NAMES: Final = variables(Settings, *SETTINGS).keys()
"""The variables of all settings."""


def gather(environ: Mapping[str, str]) -> tuple[Settings, tuple[Problem, ...]]:
    """The settings from an environment, and all problems with them."""
    return settings.gather(environ, *SETTINGS)
