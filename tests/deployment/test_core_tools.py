"""The standard set-up with Core Tools: requirements.txt, the sample settings with LOCAL=1, the worker's own code."""

import json
import shutil
import subprocess
import tomllib
from pathlib import Path
from typing import Any, Final

import pytest

from retrieval.compose.search import LOCAL_PACKAGES
from tests.conftest import KEY, RETRIEVE, ask
from tests.deployment import package
from tests.deployment.test_package import DRIVER, request
from tests.environments import ROOT, needs
from tests.rooms import NEEDS_MCP
from tests.third_parties import worker, worker_of_core_tools

pytestmark = pytest.mark.slow

COMMAND: Final = 'pip install ".[local]"'
SENTENCE: Final = (
    f"LOCAL=1 needs packages that are not installed ({', '.join(LOCAL_PACKAGES)}): run {COMMAND} in this folder."
)


@pytest.fixture(scope="module")
def cloned(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The app in a developer's folder, with the sample settings copied as docs/developing/local-host.md says."""
    needs(package.PYTHON)
    folder = tmp_path_factory.mktemp("cloned")
    for name in ("function_app.py", "host.json", "requirements.txt"):
        shutil.copy(ROOT / name, folder / name)
    shutil.copytree(ROOT / "retrieval", folder / "retrieval", ignore=shutil.ignore_patterns(package.BYTECODE))
    shutil.copy(ROOT / "local.settings.sample.json", folder / "local.settings.json")
    return folder


@pytest.fixture(scope="module")
def bare() -> Path:
    """An environment with what requirements.txt installs, beside the worker that Core Tools bring."""
    needs(package.PYTHON)
    return worker_of_core_tools()


def started(python: Path, folder: Path, *requests: object) -> tuple[list[Any], str]:
    """What a worker answers over that folder, and its log."""
    done = subprocess.run(
        [python, "-P", DRIVER, folder, folder / "retrieval" / "local"],
        input="".join(json.dumps(one) + "\n" for one in requests),
        cwd=folder,
        env={},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()[1:-1]], done.stderr


def test_the_start_says_in_one_sentence_what_to_install(bare: Path, cloned: Path) -> None:
    assert started(bare, cloned) == ([], f"This service is not configured: {SENTENCE}\n")


@NEEDS_MCP
def test_every_answer_says_it_in_its_envelope(bare: Path, cloned: Path) -> None:
    answers, log = started(
        bare,
        cloned,
        request("POST", RETRIEVE, ask("gas flares"), key=KEY),
        request("POST", "/llm-local/index/retrieve", {"IndexId": "earth-at-night", "Query": "x"}, key=KEY),
        request("POST", "/agents/earth-at-night/mcp", {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}, key=KEY),
        request("GET", "/health"),
    )
    assert [answer["status"] for answer in answers] == [503, 503, 503, 200]
    azure, studio, tools, _ = (json.loads(answer["body"]) for answer in answers)
    assert azure["error"] == {"code": "ServiceNotConfigured", "message": SENTENCE}
    assert (studio["Message"], tools["error"]["message"]) == (SENTENCE, SENTENCE)
    assert log.count(SENTENCE) == 4 and "Traceback" not in log


def test_once_they_are_installed_it_answers(cloned: Path) -> None:
    (answer,), log = started(worker(), cloned, request("POST", RETRIEVE, ask("gas flares"), key=KEY))
    assert (answer["status"], "LOCAL=1" in log) == (200, False)
    assert json.loads(answer["body"])["references"]


def test_the_packages_that_are_looked_for_are_those_of_the_extra() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extra = {line.partition(">")[0] for line in project["optional-dependencies"]["local"]}
    assert {name.removesuffix("-py").removeprefix("google-").replace("-", "_") for name in extra} == {
        *LOCAL_PACKAGES,
        "uvicorn",
    }
    assert COMMAND in (ROOT / "docs" / "developing" / "local-host.md").read_text(encoding="utf-8")
