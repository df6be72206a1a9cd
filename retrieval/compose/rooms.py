"""The rows of the rooms with a door, in the order of the OpenAPI document. The other rows belong to every service."""

from typing import Final

from retrieval.contracts.mcp.room import DOOR as MCP
from retrieval.doctor.room import DOOR as DOCTOR
from retrieval.http import answer, definitions, monitoring, retrieve
from retrieval.http.doors import Door
from retrieval.http.routes import table
from retrieval.http.workspaces import DOOR as MODEL_STUDIO

DOORS: Final = (
    Door(routes=(*retrieve.ROUTES, *answer.ROUTES)),
    MCP,
    MODEL_STUDIO,
    Door(routes=definitions.ROUTES),
    DOCTOR,
    Door(routes=monitoring.ROUTES),
)

TABLE: Final = table(
    (route for door in DOORS for route in door.routes),
    resembling=(door.resembling for door in DOORS if door.resembling is not None),
)
"""The routes of all doors."""
