"""A kind of knowledge source can be taken away: its folder and its row. The rest is checked and serves, and the kind is
not served."""

import asyncio
import shutil
import sys
from pathlib import Path
from typing import Final

import pytest

from retrieval.sources import KINDS, ROOMS
from tests.sources.copies import ROOT, answers, copied

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
    shutil.copytree(ROOT / "tools", tmp_path / "tools", ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("function_app.py", "pyproject.toml"):
        shutil.copy(ROOT / name, tmp_path / name)
    checked = ("-m", "mypy", "retrieval", "tools", "function_app.py")
    pipe = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(sys.executable, *checked, cwd=tmp_path, stdout=pipe)
    told, _ = await process.communicate()
    assert process.returncode == 0, told.decode()
