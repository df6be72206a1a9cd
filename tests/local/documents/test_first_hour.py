"""The first hour, as a new user has it: an empty home, a fresh copy of the project, a folder of mixed files.

The README's two commands lead to a cited answer; the same folder becomes an index of a search service over TLS, and a
second run changes what changed.
"""

import json
import os
import re
import shlex
import shutil
import signal
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import pytest

from tests.environments import ROOT
from tests.local.documents.folder import CHUNKS, FILES, READ, SKIPPED, mixed
from tests.running import until_ready

pytestmark = pytest.mark.slow

README: Final = (ROOT / "README.md").read_text(encoding="utf-8")
OFFICE: Final = {"canteen.pdf": 2, "parking.docx": 1, "plan.pptx": 2}
"""What needs `make documents`, and its chunks."""

LARGEST: Final = 150 * 1024
"""KiB that `make run` may install."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Copy:
    """A copy of the project, and the environment of someone who has nothing but it."""

    root: Path
    environ: Mapping[str, str]

    def run(self, *command: str, **more: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            command, cwd=self.root, env={**self.environ, **more}, capture_output=True, text=True, check=False
        )

    @contextmanager
    def serving(self, *command: str) -> Iterator[list[str]]:
        """The lines that a command says until it is ready, the address last; ended as Ctrl-C would."""
        with subprocess.Popen(
            command, cwd=self.root, env=self.environ, stdout=subprocess.PIPE, text=True, start_new_session=True
        ) as process:
            try:
                yield until_ready(process)
            finally:
                os.killpg(process.pid, signal.SIGINT)


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Copy:
    """What is in the repository, and nothing that was made there."""
    root, home = tmp_path_factory.mktemp("project"), tmp_path_factory.mktemp("home")
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    for name in filter(None, listed.split("\0")):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / name, root / name)
    kept = {name: value for name, value in os.environ.items() if not re.match(r"AGENTS_STORE|VIRTUAL_ENV|XDG_", name)}
    return Copy(root=root, environ={**kept, "HOME": str(home), "PIP_CACHE_DIR": str(home / "pip")})


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return mixed(tmp_path_factory.mktemp("files"))


def loaded(folder: Path) -> list[str]:
    """The README's first command, on this folder and any port."""
    command = re.findall(r"^(make run LOAD=handbook=)\./docs", README, re.MULTILINE)[0]
    return shlex.split(f"{command}{folder} PORT=0")


def installed(copy: Copy) -> int:
    """The KiB of disk that what serves takes, without the bytecode that a start writes."""
    found = copy.run("du", "--summarize", "--block-size=1K", "--exclude=__pycache__", ".venv")
    return int(found.stdout.split()[0])


def asked(copy: Copy, address: str, question: str) -> Any:
    """The README's second command, at this address and with this question: README asks what its own pages answer."""
    found = re.findall(r"^curl -s http://localhost:7071/agents/handbook/answer .*\\\n.*'", README, re.MULTILINE)[0]
    command = found.replace("http://localhost:7071", address).replace("\\\n", " ")
    command = re.sub(r'"text": "[^"]*"', f'"text": "{question}"', command)
    return json.loads(copy.run(*shlex.split(command)).stdout)


def test_two_commands_lead_from_the_folder_to_a_cited_answer(copy: Copy, folder: Path) -> None:
    """What needs more packages is skipped, with the command that brings them."""
    with copy.serving(*loaded(folder)) as said:
        answer = asked(copy, said[-1].removeprefix("ready "), "How many days of holiday does everybody have?")
    assert installed(copy) < LARGEST
    read, chunks = READ - len(OFFICE), CHUNKS - sum(OFFICE.values())
    assert f"handbook: {read} files, {chunks} chunks, {FILES - read} skipped" in said
    assert f"  handbook: {chunks} documents" in said
    skipped = [line for line in said if line.startswith("  skipped ")]
    assert len(skipped) == FILES - read
    for name in OFFICE:
        assert [line for line in skipped if name in line and "make documents" in line], skipped
    assert "thirty-two days of holiday" in answer["answer_markdown"]
    assert answer["citations"][0]["source"] == "hr/leave.md, Leave > Holidays"


def test_with_what_it_names_everything_is_read_that_can_be(copy: Copy, folder: Path) -> None:
    assert copy.run("make", "documents").returncode == 0
    with copy.serving(*loaded(folder)) as said:
        answer = asked(copy, said[-1].removeprefix("ready "), "When does the canteen open?")
    assert f"handbook: {READ} files, {CHUNKS} chunks, {FILES - READ} skipped" in said
    assert f"  handbook: {CHUNKS} documents" in said
    skipped = [line for line in said if line.startswith("  skipped ")]
    assert len(skipped) == len(SKIPPED)
    for name, reason in SKIPPED.items():
        assert [line for line in skipped if ascii(name)[1:-1] in line and reason in line], (name, skipped)
    assert "eleven" in answer["answer_markdown"]


def test_the_same_folder_becomes_an_index_over_tls_and_a_second_run_changes_what_changed(
    copy: Copy, folder: Path
) -> None:
    assert copy.run("make", "documents").returncode == 0
    with copy.serving("make", "--silent", "search", "TLS=1", "PORT=0") as said:
        address, certificate = (line.partition(" ")[2] for line in (said[-1], said[-2]))
        to = ("--to", address, "--name", "handbook")
        index = [".venv/bin/python", "-m", "retrieval.local", "index", str(folder), *to]
        trusted = {"REQUESTS_CA_BUNDLE": certificate, "AZURE_SEARCH_API_KEY": "local-admin-key"}
        runs = [copy.run(*index, **trusted), copy.run(*index, **trusted)]
        (folder / "memo-03.md").write_text("# Memo 3\n\nThe shelf is gone.\n")
        (folder / "memo-04.md").unlink()
        runs.append(copy.run(*index, **trusted))
        wrong = copy.run(*index[:4], str(folder / "none"), *to, **trusted)
    assert wrong.returncode == 1
    assert [run.returncode for run in runs] == [0, 0, 0], [run.stderr for run in runs]
    whole = f"handbook: {READ} files, {CHUNKS} chunks, {FILES - READ} skipped"
    less = f"handbook: {READ - 1} files, {CHUNKS - 1} chunks, {FILES - READ} skipped"
    assert [run.stdout.splitlines()[0] for run in runs] == [whole, whole, less]
    assert [run.stdout.splitlines()[-2] for run in runs] == [
        f"{address} handbook: {CHUNKS} uploaded, 0 unchanged, 0 deleted",
        f"{address} handbook: 0 uploaded, {CHUNKS} unchanged, 0 deleted",
        f"{address} handbook: 1 uploaded, {CHUNKS - 2} unchanged, 1 deleted",
    ]
