"""The version is one value: that of pyproject.toml, wherever this service says which it is."""

import json
import os
import re
import subprocess
import tomllib
from pathlib import Path

import pytest

from retrieval.contracts.health import render_health
from retrieval.http.monitoring import DOCUMENT
from retrieval.version import COMMIT_FILE, SERVICE, USER_AGENT, VERSION, running
from tests.environments import ROOT
from tools.release import PLACES


def test_it_is_that_of_the_project() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert (project["name"], project["version"]) == (SERVICE, VERSION)
    assert f"{SERVICE}/{VERSION}" == USER_AGENT


@pytest.mark.parametrize("path", PLACES)
def test_it_is_the_same_where_a_person_writes_it(path: str) -> None:
    written = re.findall(PLACES[path], (ROOT / path).read_text(encoding="utf-8"), re.MULTILINE)
    assert written and set(written) == {VERSION}


@pytest.mark.parametrize(
    ("written", "version"),
    [
        ("91118144\n", f"{VERSION}+g91118144"),
        ("91118144\r\n", f"{VERSION}+g91118144"),
        (None, VERSION),
        ("", VERSION),
        ("fatal: not a git repository", VERSION),
        ("\ufeff91118144", VERSION),
    ],
)
def test_a_commit_that_is_deployed_says_which_and_a_release_its_version(
    written: str | None, version: str, tmp_path: Path
) -> None:
    if written is not None:
        (tmp_path / COMMIT_FILE).write_text(written, encoding="utf-8")
    assert running(tmp_path) == version
    assert render_health().content == b'{"status":"alive","version":"%s"}' % running().encode()


@pytest.mark.skipif(os.name == "nt", reason="the hook for Windows is another")
def test_the_hook_before_packaging_writes_the_commit(tmp_path: Path) -> None:
    hook = next(line for line in (ROOT / "azure.yaml").read_text(encoding="utf-8").splitlines() if "rev-parse" in line)
    (tmp_path / "retrieval").mkdir()
    git = ("git", "-C", tmp_path, "-c", "user.name=a", "-c", "user.email=a@example.org")
    for command in (("init", "--quiet"), ("commit", "--quiet", "--allow-empty", "--message", "a")):
        subprocess.run([*git, *command], check=True)
    subprocess.run(["sh", "-c", hook.partition("run: ")[2]], cwd=tmp_path, check=True)
    assert re.fullmatch(rf"{re.escape(VERSION)}\+g[0-9a-f]{{8}}", running(tmp_path / "retrieval"))


def test_it_is_that_of_the_document() -> None:
    assert json.loads(DOCUMENT.read_bytes())["info"]["version"] == VERSION


def test_the_changelog_begins_with_it_or_with_what_is_not_released() -> None:
    headings = re.findall(r"^## (.+)$", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE)
    released = [heading for heading in headings if heading != "Unreleased"]
    assert re.fullmatch(rf"{re.escape(VERSION)} - \d{{4}}-\d\d-\d\d", released[0])
