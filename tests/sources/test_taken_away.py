"""A kind of knowledge source can be taken away: its folder and its row. The rest is checked and serves, and the kind is
not served."""

import shutil
from pathlib import Path
from typing import Final

import pytest

from retrieval.sources import KINDS, ROOMS
from tests.sources.copies import answers, assert_types_hold, copied

QUERY: Final = "?api-version=2026-08-01-preview"


def without(kind: str, folder: Path) -> None:
    """A copy of the project without the folder and the row of a kind."""
    sources = copied(folder)
    shutil.rmtree(sources / ROOMS[kind])
    table, row = sources / "__init__.py", f'"{kind}": "{ROOMS[kind]}",'
    text = table.read_text(encoding="utf-8")
    assert text.count(row) == 1
    table.write_text(text.replace(row, ""), encoding="utf-8")


@pytest.mark.parametrize("kind", ROOMS)
async def test_a_kind_without_its_folder_and_its_row_is_not_served_and_an_index_is(kind: str, tmp_path: Path) -> None:
    without(kind, tmp_path)
    refused, agent, base = await answers(
        tmp_path,
        ("PUT", f"/knowledgesources('x'){QUERY}", {"name": "x", "kind": kind}),
        (
            "POST",
            "/agents('earth-at-night')/retrieve?api-version=2025-05-01-preview",
            {"messages": [{"role": "user", "content": [{"type": "text", "text": "roads"}]}]},
        ),
        (
            "POST",
            f"/knowledgebases('earth-at-night')/retrieve{QUERY}",
            {"intents": [{"type": "semantic", "search": "roads"}]},
        ),
    )
    others = ", ".join(other for other in KINDS if other != kind)
    assert refused[0] == 400
    assert f"{kind!r} are not served here; {others} are" in refused[1]["error"]["message"]
    assert agent[0] == base[0] == 200 and agent[1]["references"] and base[1]["references"]


@pytest.mark.slow
@pytest.mark.parametrize("kind", ROOMS)
async def test_without_a_kind_the_types_hold(kind: str, tmp_path: Path) -> None:
    without(kind, tmp_path)
    await assert_types_hold(tmp_path)
