"""`make release TAG=…`: a checkout becomes the version of a tag, once, and as a person would write it."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.environments import ROOT
from tools import release

CHANGES = "# Changelog\n\n## Unreleased\n\n- Load folders again.\n\n## 0.1.0 - 2026-11-25\n\nThe first version.\n"


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """The files that have the version, and a changelog with something that is not released."""
    for path in release.PLACES:
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / path, tmp_path / path)
    (tmp_path / "CHANGELOG.md").write_text(CHANGES, encoding="utf-8")
    return tmp_path


def released(checkout: Path, tag: str, *options: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "tools.release", tag, *options]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.run(command, cwd=checkout, env=environment, capture_output=True, text=True, check=False)


def contents(checkout: Path) -> dict[Path, str]:
    return {path: path.read_text(encoding="utf-8") for path in checkout.rglob("*") if path.is_file()}


def next_tag() -> str:
    major, minor, _ = release.numbers(release.version_of(ROOT)) or (0, 0, 0)
    return f"v{major}.{minor + 1}.0"


def test_the_version_is_written_wherever_a_person_would_and_nothing_else_is(checkout: Path) -> None:
    before, tag = contents(checkout), next_tag()
    old, new = release.version_of(ROOT), tag.removeprefix("v")
    done = released(checkout, tag)
    assert (done.returncode, done.stderr) == (0, "")
    for path, pattern in release.PLACES.items():
        text = (checkout / path).read_text(encoding="utf-8")
        assert set(re.findall(pattern, text, re.MULTILINE)) == {new}
        assert len(text.splitlines()) == len(before[checkout / path].splitlines())
        changed = [line for line in text.splitlines() if line not in before[checkout / path].splitlines()]
        assert changed and all(new in line for line in changed)
    assert set(contents(checkout)) == set(before)
    assert old != new


def test_what_was_unreleased_is_the_section_of_the_version(checkout: Path) -> None:
    released(checkout, next_tag())
    changes = (checkout / "CHANGELOG.md").read_text(encoding="utf-8")
    headings = re.findall(r"^## (\S+) - \d{4}-\d\d-\d\d$", changes, re.MULTILINE)
    assert headings == [next_tag().removeprefix("v"), "0.1.0"]
    assert re.sub("^## .*\n", "", changes, flags=re.MULTILINE) == re.sub("^## .*\n", "", CHANGES, flags=re.MULTILINE)


def test_who_releases_is_told_what_the_owner_does(checkout: Path) -> None:
    told = released(checkout, next_tag()).stdout
    steps = ("git commit --all", f"git tag --annotate {next_tag()}", "git push --follow-tags")
    assert "whoever owns the repository" in told
    assert [told.find(step) for step in steps] == sorted(told.find(step) for step in steps)
    assert all(step in told for step in steps)


def test_the_tag_of_the_version_that_is_there_changes_nothing(checkout: Path) -> None:
    before = contents(checkout)
    done = released(checkout, f"v{release.version_of(ROOT)}", "--committed")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert contents(checkout) == before


@pytest.mark.parametrize(
    ("tag", "says"),
    [
        ("v0.0.9", "is as new"),
        ("0.9.0", "is no tag"),
        ("v9", "is no tag"),
        ("v9.0.0-rc1", "is no tag"),
        ("v9.0.0; ls", "is no tag"),
        ("v1e9.0.0", "is no tag"),
    ],
)
def test_a_tag_that_no_later_version_has_is_refused(tag: str, says: str, checkout: Path) -> None:
    before = contents(checkout)
    done = released(checkout, tag)
    assert done.returncode == 1 and says in done.stderr
    assert contents(checkout) == before


def test_in_ci_a_tag_of_another_version_is_refused(checkout: Path) -> None:
    before = contents(checkout)
    done = released(checkout, next_tag(), "--committed")
    assert done.returncode == 1 and "the version that is committed" in done.stderr
    assert contents(checkout) == before


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        (CHANGES.replace("## Unreleased\n\n- Load folders again.\n\n", ""), "nothing under Unreleased"),
        (CHANGES.replace("- Load folders again.\n", ""), "nothing under Unreleased"),
        (CHANGES + "word " * release.MOST_WORDS, "more than 1200"),
    ],
)
def test_a_changelog_that_tells_nothing_or_too_much_is_refused(changes: str, says: str, checkout: Path) -> None:
    (checkout / "CHANGELOG.md").write_text(changes, encoding="utf-8")
    before = contents(checkout)
    done = released(checkout, next_tag())
    assert done.returncode == 1 and says in done.stderr
    assert contents(checkout) == before
