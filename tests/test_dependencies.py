"""What the deployed app installs is what the project declares, and nothing of the local part."""

import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def requirements() -> list[str]:
    lines = (ROOT / "requirements.txt").read_text(encoding="utf-8").splitlines()
    return [line for line in lines if line and not line.startswith("#")]


def test_requirements_are_the_dependencies_of_the_project() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert sorted(requirements()) == sorted(project["dependencies"])


def test_the_deployed_package_leaves_the_local_part_and_the_tests_behind() -> None:
    ignored = (ROOT / ".funcignore").read_text(encoding="utf-8").splitlines()
    assert {"retrieval/local", "tests", "local.settings.json"} <= set(ignored)
