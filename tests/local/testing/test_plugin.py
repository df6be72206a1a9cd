"""docs/developing/testing.md tells the truth: its test, its conftest.py and its command do in a folder of another
project what the page says."""

import json
import re
import shlex
import signal
import subprocess
import sys
from pathlib import Path
from typing import Final
from urllib.request import urlopen

import pytest

from tests.environments import ROOT
from tests.local.testing.test_services import DEFINITIONS

PAGE: Final = (ROOT / "docs" / "developing" / "testing.md").read_text(encoding="utf-8")
PLUGIN: Final = ("-p", "retrieval.local.testing.plugin")
"""As an installed package has it by its entry point."""

EVERY_FIXTURE: Final = """
def test_the_session_shares_one(retrieval_service, search_service, fresh_retrieval_service, fresh_search_service):
    assert len({one.address for one in (
        retrieval_service, search_service, fresh_retrieval_service, fresh_search_service)}) == 4
    fresh_search_service.call("DELETE", "/indexes/handbook")
    fresh_retrieval_service.call("DELETE", "/indexes/handbook")

def test_a_change_of_a_fresh_one_is_gone(retrieval_service, search_service, fresh_search_service):
    assert search_service.search("handbook", "holiday") == fresh_search_service.search("handbook", "holiday") != ()
    assert retrieval_service.retrieve("holiday")

def test_their_types(retrieval_service, search_service, retrieval_options):
    from retrieval.local.testing import Options, RunningRetrieval, RunningSearch
    kinds = [type(one) for one in (retrieval_service, search_service, retrieval_options)]
    assert kinds == [RunningRetrieval, RunningSearch, Options]
"""


def examples(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Another project with the page's configuration, and a folder of documents."""
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "leave.md").write_text("# Holidays\n\nEverybody has thirty days of holiday.\n")
    (tmp_path / "pyproject.toml").write_text(examples("toml")[0])
    return tmp_path


def run_pytest(project: Path, *arguments: str) -> tuple[int, str]:
    """The exit code of pytest in that project, and what it printed."""
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-p", "no:asyncio", *PLUGIN, *arguments]
    done = subprocess.run(
        command, cwd=project, env={"PYTHONPATH": str(ROOT)}, capture_output=True, text=True, check=False, timeout=120
    )
    return done.returncode, done.stdout + done.stderr


def test_the_three_lines_of_the_page_pass_and_fail_where_the_documents_say_something_else(project: Path) -> None:
    (project / "test_leave.py").write_text(examples("python")[0])
    assert run_pytest(project, "-W", "error")[0] == 0
    (project / "docs" / "leave.md").write_text("# Holidays\n\nEverybody has twenty days of holiday.\n")
    code, said = run_pytest(project)
    assert (code, "AssertionError" in said) == (1, True)


def test_the_conftest_of_the_page_replaces_what_the_services_have(project: Path) -> None:
    (project / "conftest.py").write_text(examples("python")[1])
    (project / "test_options.py").write_text(
        "def test_it(retrieval_service, sample):\n"
        "    assert retrieval_service.key == 'our-key' and retrieval_service.retrieve('holiday')\n"
        "    assert sample.service is not None and sample.retrieve('gas flares')\n"
    )
    assert run_pytest(project)[0] == 0, run_pytest(project)[1]


def test_each_fixture_is_there_in_each_worker_of_xdist(project: Path) -> None:
    (project / "test_one.py").write_text(EVERY_FIXTURE)
    (project / "test_two.py").write_text(EVERY_FIXTURE)
    code, said = run_pytest(project, "-n", "2", "--dist", "loadfile")
    assert code == 0, said


def test_definitions_and_no_socket_are_lines_of_the_configuration(project: Path) -> None:
    (project / "definitions.json").write_text(json.dumps(DEFINITIONS))
    (project / "test_boats.py").write_text(
        "def test_it(retrieval_service, search_service):\n"
        "    [boat] = retrieval_service.retrieve('masts', base='harbour')\n"
        "    assert boat.key == search_service.search('boats', 'masts')[0]['id'] == 'ketch'\n"
        "    assert retrieval_service.service is not None\n"
    )
    lines = ("-o", "retrieval_definitions=definitions.json", "-o", "retrieval_in_process=true")
    assert run_pytest(project, *lines)[0] == 0


@pytest.mark.parametrize(
    ("line", "sentence"),
    [("retrieval_load=docs", "'docs' must be NAME=PATH"), ("retrieval_load=a-b=dox", "there is no file or folder /")],
)
def test_a_wrong_line_of_the_configuration_is_a_sentence(project: Path, line: str, sentence: str) -> None:
    (project / "test_leave.py").write_text(examples("python")[0])
    code, said = run_pytest(project, "-o", line)
    assert code == 1
    assert re.search(f"CannotStart: .*{sentence}", said), said


def test_a_program_in_any_language_reads_the_address_of_the_command(project: Path) -> None:
    command = shlex.split(examples("bash")[0])
    with subprocess.Popen(
        [sys.executable, *command[1:]], cwd=project, env={"PYTHONPATH": str(ROOT)}, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        lines: list[str] = []
        while not lines or not lines[-1].startswith("ready "):
            lines.append(process.stdout.readline())
            assert lines[-1], lines
        assert re.fullmatch(r"ready http://127\.0\.0\.1:\d+\n", lines[-1])
        assert "key local-dev-key\n" in lines
        assert json.loads(urlopen(f"{lines[-1].split()[1]}/ready").read())["status"] == "ready"
        process.send_signal(signal.SIGTERM)
        assert (process.wait(timeout=20), process.stdout.read()) == (0, "")
