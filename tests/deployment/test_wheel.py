"""What another project installs: the wheel of a release, or this repository by git; each in an environment that has
nothing else, in a folder that is not the project's."""

import hashlib
import json
import subprocess
import sys
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Final
from urllib.request import Request, urlopen

import pytest

from retrieval.version import SERVICE
from tests.deployment import release
from tests.environments import ROOT, environment
from tests.running import until_ready

APP: Final = ("function_app.py", "host.json", "local.settings.sample.json")
QUESTION: Final = "How many days of holiday?"
TEST: Final = f"""
def test_everybody_has_thirty_days(retrieval_service):
    passages = retrieval_service.retrieve("{QUESTION}")
    assert "thirty days" in passages[0].content
"""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return release.wheel(tmp_path_factory.mktemp("wheel"))


def test_a_wheel_has_the_package_with_its_data_and_the_app_that_the_local_host_runs(wheel: Path) -> None:
    listed = subprocess.run(["git", "ls-files", "retrieval"], cwd=ROOT, capture_output=True, text=True, check=True)
    tracked = {name: name for name in listed.stdout.splitlines() if (ROOT / name).exists()}
    files = {**tracked, **{f"retrieval/local/app/{name}": name for name in APP}}
    with zipfile.ZipFile(wheel) as archive:
        assert files.keys() <= set(archive.namelist())
        assert all(archive.read(there) == (ROOT / here).read_bytes() for there, here in files.items())
        assert {name.split("/")[0] for name in archive.namelist()} == {"retrieval", f"{wheel.name[:33]}.dist-info"}


def test_the_same_files_give_the_same_wheel(wheel: Path, tmp_path: Path) -> None:
    first, second = (hashlib.sha256(path.read_bytes()).digest() for path in (wheel, release.wheel(tmp_path)))
    assert first == second


def test_uv_installs_in_the_checkout() -> None:
    command = [sys.executable, "-m", "uv", "pip", "install", "--offline", "--dry-run", "--python", sys.executable]
    done = subprocess.run([*command, "pytest"], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.fixture(scope="module", params=["wheel", "git"])
def installed(request: pytest.FixtureRequest, wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The interpreter of an environment with the package, its extra `local`, and pytest."""
    place = f"file://{wheel}" if request.param == "wheel" else f"git+file://{ROOT}"
    wanted = [f"{SERVICE}[local,eval] @ {place}", "pytest"]
    return environment("installed", wanted, cache=tmp_path_factory.mktemp("environments"))


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A folder of another project."""
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "leave.md").write_text("# Holidays\n\nEverybody has thirty days of holiday.\n")
    (tmp_path / "pyproject.toml").write_text('[tool.pytest.ini_options]\nretrieval_load = ["handbook=docs"]\n')
    (tmp_path / "test_leave.py").write_text(TEST)
    (tmp_path / "typed.py").write_text("from retrieval.local.testing import Options\n\nOptions(key=1)\n")
    return tmp_path


def run(python: Path, project: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([python, "-m", *arguments], cwd=project, capture_output=True, text=True, check=False)


@pytest.mark.slow
def test_a_test_of_three_lines_passes_where_it_is_installed(installed: Path, project: Path) -> None:
    done = run(installed, project, "pytest", "-W", "error")
    assert (done.returncode, "1 passed" in done.stdout) == (0, True), done.stdout + done.stderr


@pytest.mark.slow
@pytest.mark.parametrize("command", ["serve", "search"])
def test_a_command_serves_where_it_is_installed(installed: Path, project: Path, command: str) -> None:
    environ = {"AGENTS_FILE": "agents.json"} if command == "serve" else {}
    (project / "agents.json").write_text('[{"name": "ours", "targetIndexes": [{"indexName": "docs"}]}]')
    arguments: list[str | Path] = [installed, "-m", "retrieval.local", command, "--port", "0", "--load", "./docs"]
    with subprocess.Popen(arguments, cwd=project, env=environ, stdout=subprocess.PIPE, text=True) as process:
        try:
            address = until_ready(process)[-1].removeprefix("ready ")
            assert names(address, "/indexes") >= {"docs"}
            if command == "serve":
                assert names(address, "/agents") == {"docs", "earth-at-night", "ours"}
                assert b"<title>" in urlopen(f"{address}/playground").read()
        finally:
            process.terminate()


@pytest.mark.slow
def test_what_it_lacks_is_named_with_a_command_that_can_be_run_there(installed: Path, project: Path) -> None:
    (project / "docs" / "plan.pdf").write_bytes(b"%PDF-1.4")
    arguments: list[str | Path] = [installed, "-m", "retrieval.local", "serve", "--port", "0", "--load", "./docs"]
    with subprocess.Popen(arguments, cwd=project, stdout=subprocess.PIPE, text=True) as process:
        said = until_ready(process)
        process.terminate()
    command = 'pip install "agentic-retrieval-functions[documents] @ …"'
    assert f"  skipped plan.pdf: .pdf needs more packages: {command}" in said


def names(address: str, path: str) -> set[str]:
    """What a list of definitions names."""
    version = "2026-04-01" if path == "/indexes" else "2025-05-01-preview"
    asked = Request(f"{address}{path}?api-version={version}", headers={"api-key": "local-admin-key"})
    listed: Mapping[str, list[Mapping[str, str]]] = json.loads(urlopen(asked).read())
    return {one["name"] for one in listed["value"]}


@pytest.mark.slow
def test_the_other_commands_run_where_it_is_installed(installed: Path, project: Path) -> None:
    (project / "questions.csv").write_text(f"question,file\n{QUESTION},leave.md\n")
    measured = run(installed, project, "retrieval.local", "eval", "--data", "./docs", "--queries", "questions.csv")
    assert measured.returncode == 0, measured.stderr
    described = run(installed, project, "retrieval.local", "index", "--help")
    assert "--to" in described.stdout


@pytest.mark.slow
def test_its_types_are_known_where_it_is_installed(installed: Path, project: Path) -> None:
    checker = (sys.executable, "-m", "mypy", "--no-incremental", "--follow-imports", "silent")
    command: list[str | Path] = [*checker, "--python-executable", installed, "typed.py"]
    done = subprocess.run(command, cwd=project, capture_output=True, text=True, check=False)
    assert 'Argument "key" to "Options" has incompatible type "int"' in done.stdout
