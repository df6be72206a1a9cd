"""The README tells the truth: its request gives its answer, its Python runs."""

import json
import re
import subprocess
from pathlib import Path
from typing import Any

from tests.clients.test_microsoft_sdk import CLIENT
from tests.conftest import Post
from tests.environments import environment
from tests.running import served

README = (Path(__file__).resolve().parent.parent / "README.md").read_text(encoding="utf-8")


def block(language: str) -> str:
    found = re.search(rf"^```{language}\n(.*?)^```", README, re.MULTILINE | re.DOTALL)
    assert found is not None
    return found[1]


def without_times(answer: dict[str, Any]) -> dict[str, Any]:
    activity = [{**record, "queryTime": "", "elapsedMs": 0} for record in answer["activity"]]
    return {**answer, "activity": activity}


async def test_the_request_gives_the_answer_that_is_shown(post: Post) -> None:
    request = block("bash").split("<<'JSON'\n")[1].split("\nJSON")[0]
    assert without_times((await post(request.encode())).json) == without_times(json.loads(block("json")))


def test_the_python_of_the_readme_runs_against_make_run() -> None:
    python = environment("knowledge-agent-client", [CLIENT, "aiohttp"])
    with served() as address:
        code = block("python").replace("http://localhost:7071", address)
        done = subprocess.run([python, "-c", code], capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 0, done.stderr
    assert "earth_at_night_508_page_" in done.stdout


def test_the_first_screen_has_what_a_reader_needs() -> None:
    screen = "\n".join(README.splitlines()[:32])
    assert all(needed in screen for needed in ("does **not**", "make run", "curl", '"references"'))
