"""A room with a door can be taken away: its folder, its tests and its row in `retrieval/compose/rooms.py`. The rest is
checked and serves."""

import shutil
from pathlib import Path
from typing import Any, Final

import pytest

from tests.environments import ROOT
from tests.rooms import MCP, MODEL_STUDIO, has_room
from tests.sources.copies import answers, assert_types_hold, copied
from tests.test_layers import imports, within

ROWS: Final = {
    "doctor": ("from retrieval.doctor.room import DOOR as DOCTOR\n", "    DOCTOR,\n"),
    MCP: ("from retrieval.contracts.mcp.room import DOOR as MCP\n", "    MCP,\n"),
    MODEL_STUDIO: (
        "from retrieval.contracts.model_studio.room import DOOR as MODEL_STUDIO\n",
        "    MODEL_STUDIO,\n",
    ),
}
"""The lines of each room in the file of the rows."""

ROOMS: Final = [pytest.param(room, marks=pytest.mark.room(room)) for room in ROWS]
QUESTION: Final = {"messages": [{"role": "user", "content": [{"type": "text", "text": "Which roads are dark?"}]}]}
LISTING: Final = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
CALLS: Final[tuple[tuple[str, str, object], ...]] = (
    ("POST", "/agents('earth-at-night')/retrieve?api-version=2025-05-01-preview", QUESTION),
    ("POST", "/knowledgebases('earth-at-night')/retrieve?api-version=2025-11-01-preview", QUESTION),
    ("POST", "/agents/earth-at-night/answer", QUESTION),
    ("GET", "/knowledgesources?api-version=2026-04-01", None),
)
"""A call of each contract that is no room."""

OF_ROOMS: Final[dict[str, tuple[str, str, object]]] = {
    "doctor": ("GET", "/doctor", None),
    MCP: ("POST", "/agents/earth-at-night/mcp", LISTING),
    MODEL_STUDIO: ("POST", "/llm-local/index/retrieve", {"IndexId": "earth-at-night", "Query": "dark roads"}),
}
"""A call of each room."""


def without(room: str, folder: Path) -> None:
    """A copy of the project without the folder and the row of a room."""
    retrieval = copied(folder).parent
    shutil.rmtree(retrieval / room)
    rows = retrieval / "compose" / "rooms.py"
    text = rows.read_text(encoding="utf-8")
    for line in ROWS[room]:
        assert text.count(line) == 1
        text = text.replace(line, "")
    rows.write_text(text, encoding="utf-8")


@pytest.mark.parametrize("room", ROOMS)
async def test_without_a_room_every_other_contract_is_served(room: str, tmp_path: Path) -> None:
    without(room, tmp_path)
    contracts = [other for other in OF_ROOMS if other.startswith("contracts/") and other != room and has_room(other)]
    others = (*CALLS, *(OF_ROOMS[contract] for contract in contracts))
    served: list[Any] = await answers(tmp_path, *others, OF_ROOMS[room])
    assert [status for status, _ in served] == [200] * len(others) + [404]


@pytest.mark.parametrize("room", ROOMS)
def test_no_test_imports_a_room_but_its_own(room: str) -> None:
    """Where the room is taken away, the files of other tests can still be collected."""
    name = room.replace("/", ".")
    others = [path for path in (ROOT / "tests").rglob("*.py") if not path.is_relative_to(ROOT / "tests" / room)]
    texts = {path: path.read_text(encoding="utf-8") for path in others}
    named = [path for path, text in texts.items() if name in text]
    theirs = [(path, imported) for path in named for imported in imports(path)]
    assert [
        f"{path} imports {imported}"
        for path, imported in theirs
        if within(imported, f"retrieval.{name}") or within(imported, f"tests.{name}")
    ] == []


@pytest.mark.slow
@pytest.mark.parametrize("room", ROOMS)
async def test_without_a_room_the_types_hold(room: str, tmp_path: Path) -> None:
    without(room, tmp_path)
    await assert_types_hold(tmp_path)
