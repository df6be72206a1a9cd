"""A room with a door can be taken away: its folder, its tests and its row in `retrieval/compose/rooms.py`. The rest is
checked and serves."""

import shutil
from pathlib import Path
from typing import Any, Final

import pytest

from tests.sources.copies import answers, assert_types_hold, copied

DOORS: Final = {"doctor": ("from retrieval.doctor.room import DOOR as DOCTOR\n", "    DOCTOR,\n")}
"""The lines of each room in the file of the rows."""

QUESTION: Final = {"messages": [{"role": "user", "content": [{"type": "text", "text": "Which roads are dark?"}]}]}
LISTING: Final = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
CALLS: Final[tuple[tuple[str, str, object], ...]] = (
    ("POST", "/agents('earth-at-night')/retrieve?api-version=2025-05-01-preview", QUESTION),
    ("POST", "/knowledgebases('earth-at-night')/retrieve?api-version=2025-11-01-preview", QUESTION),
    ("POST", "/agents/earth-at-night/answer", QUESTION),
    ("POST", "/agents/earth-at-night/mcp", LISTING),
    ("GET", "/knowledgesources?api-version=2026-04-01", None),
)
"""A call of each contract."""


def without(room: str, folder: Path) -> None:
    """A copy of the project without the folder and the row of a room."""
    retrieval = copied(folder).parent
    shutil.rmtree(retrieval / room)
    rows = retrieval / "compose" / "rooms.py"
    text = rows.read_text(encoding="utf-8")
    for line in DOORS[room]:
        assert text.count(line) == 1
        text = text.replace(line, "")
    rows.write_text(text, encoding="utf-8")


@pytest.mark.parametrize("room", [pytest.param(room, marks=pytest.mark.room(room)) for room in DOORS])
async def test_without_a_room_every_other_contract_is_served(room: str, tmp_path: Path) -> None:
    without(room, tmp_path)
    served: list[Any] = await answers(tmp_path, *CALLS, ("GET", f"/{room}", None))
    assert [status for status, _ in served] == [200] * len(CALLS) + [404]


@pytest.mark.slow
@pytest.mark.parametrize("room", [pytest.param(room, marks=pytest.mark.room(room)) for room in DOORS])
async def test_without_a_room_the_types_hold(room: str, tmp_path: Path) -> None:
    without(room, tmp_path)
    await assert_types_hold(tmp_path)
