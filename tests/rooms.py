"""Tests that go with a room: they carry its mark, and are not run where it was taken away (`tests/conftest.py`)."""

from collections.abc import Iterable
from functools import cache
from typing import Any, Final

import pytest

from tests.environments import ROOT

MCP: Final = "contracts/mcp"
MODEL_STUDIO: Final = "contracts/model_studio"
DOCTOR: Final = "doctor"
BASES_OF_STUDIO: Final = "sources/model_studio"
MCP_SERVERS: Final = "sources/mcp_server"
ROOMS: Final = (DOCTOR, MCP, MODEL_STUDIO, BASES_OF_STUDIO, MCP_SERVERS)
NEEDS_DOCTOR: Final = pytest.mark.room(DOCTOR)
NEEDS_MCP: Final = pytest.mark.room(MCP)
NEEDS_MODEL_STUDIO: Final = pytest.mark.room(MODEL_STUDIO)
NEEDS_BASES_OF_STUDIO: Final = pytest.mark.room(BASES_OF_STUDIO)
NEEDS_MCP_SERVERS: Final = pytest.mark.room(MCP_SERVERS)


@cache
def has_room(room: str) -> bool:
    """Whether a room such as `contracts/mcp` is there."""
    return (ROOT / "retrieval" / room / "__init__.py").is_file()


def is_of_a_room_taken_away(path: str) -> bool:
    """Whether a path such as `retrieval/doctor/` lies in the folder or the tests of a room that is not there."""
    inside = path.split("/", 1)[-1] + "/"
    return any(inside.startswith(f"{room}/") and not has_room(room) for room in ROOMS)


def cases(names: Iterable[str], rooms: dict[str, str]) -> list[Any]:
    """Cases by their names, as parameters. `rooms` are the rooms of those that need one."""
    return [pytest.param(name, marks=pytest.mark.room(rooms[name])) if name in rooms else name for name in names]
