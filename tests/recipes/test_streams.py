"""The recipes for an answer that streams: in Python, and in a page of Chromium, whose words appear before the end."""

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Final

import pytest

from retrieval.local.host import Host
from retrieval.local.server import serving
from tests.conftest import KEY, deploying
from tests.environments import ROOT, needs_browser
from tests.http.test_stream_extension import FIRST, SECOND, script
from tests.running import served
from tests.scenarios.failures.conftest import SEARCH_KEY, _agent
from tests.scripted_azure import ScriptedAzure
from tests.scripted_azure.streams import ending, piece
from tests.third_parties import browser

RECIPES: Final = ROOT / "docs/calling/recipes"
LONGEST: Final = 45
"""Lines: about thirty, and what stands around them."""


@pytest.fixture
async def address(
    azure: ScriptedAzure, host: Host, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[str]:
    file = tmp_path / "agents.json"
    file.write_text(json.dumps([_agent("earth-at-night", azure.address, runtime=60)]))
    settings = {
        "LOCAL": "0",
        "AZURE_SEARCH_ENDPOINT": azure.address,
        "AZURE_SEARCH_API_KEY": SEARCH_KEY,
        "AGENTS_FILE": str(file),
        "API_KEYS": KEY,
        "CORS_ORIGINS": "*",
    }
    async with deploying(settings, monkeypatch), serving(host) as address:
        yield address


async def test_a_page_shows_the_first_block_before_the_model_goes_on(azure: ScriptedAzure, address: str) -> None:
    read = asyncio.Event()
    script(azure, piece(f'{{"blocks": [{FIRST}'), read.wait, piece(f", {SECOND}]}}"), ending())
    page = (RECIPES / "stream_answer.html").as_uri()
    process = await asyncio.create_subprocess_exec(
        *(browser(), Path(__file__).with_name("stream_page.py"), needs_browser(), page, address),
        stdout=asyncio.subprocess.PIPE,
    )
    assert process.stdout is not None
    first = json.loads(await process.stdout.readline())
    assert first == "The old road follows the river [1]."
    read.set()
    last = json.loads(await process.stdout.readline())
    assert last.startswith("The old road follows the river [1].\n\nIt ends at Ostia [1].\n\n**Sources**")
    assert await process.wait() == 0


def test_a_program_prints_the_blocks_and_finds_them_to_be_the_answer() -> None:
    with served() as address:
        done = subprocess.run(
            [sys.executable, RECIPES / "stream_answer.py", "Why is the street grid of Phoenix so visible?"],
            env={**os.environ, "RETRIEVAL_ENDPOINT": address},
            capture_output=True,
            text=True,
            check=True,
            timeout=60,
        )
    assert "Phoenix" in done.stdout
    assert "searched: " in done.stderr and done.stderr.endswith(" citations were checked.\n")


@pytest.mark.parametrize("name", ["stream_answer.py", "stream_answer.html"])
def test_a_recipe_is_short(name: str) -> None:
    assert len((RECIPES / name).read_text().splitlines()) <= LONGEST
