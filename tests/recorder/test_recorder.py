"""A record is the same each time, and what is unlike it is named with its place."""

from typing import Final

from tests.recorder.__main__ import unlike
from tests.recorder.calls import scenes
from tests.recorder.recording import recorded
from tests.rooms import NEEDS_BASES_OF_STUDIO, NEEDS_MCP_SERVERS

FEW: Final = {
    "2026-10-01/plain",
    "2026-08-01-preview/events",
    "answer/streamed",
    "mcp-fails",
    "doctor",
    "2026-08-01-preview/kind-mcpServer",
}


def record() -> dict[str, str]:
    return dict(recorded(scene for scene in scenes() if scene.name in FEW))


@NEEDS_MCP_SERVERS
@NEEDS_BASES_OF_STUDIO
def test_two_records_of_the_same_code_are_the_same_bytes() -> None:
    first = record()
    assert unlike(first, record()) == []
    assert {name.rpartition("/")[0] for name in first} == FEW
    streamed = first["answer/streamed/call.txt"]
    assert "event: block" in streamed and "POST /openai/" in streamed and "INFO answer agent=planner" in streamed


def test_what_is_unlike_a_record_is_named_with_its_place() -> None:
    before, after = (
        {"a.txt": "x" * 100 + "1", "b.txt": "same", "c.txt": "gone"},
        {"a.txt": "x" * 100 + "2", "b.txt": "same"},
    )
    changed, gone = unlike(before, after)
    assert changed == f"a.txt: {'x' * 60 + '1'!r} is now {'x' * 60 + '2'!r}"
    assert gone == "c.txt: 'gone' is now ''"
