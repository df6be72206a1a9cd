"""The version is one value: that of pyproject.toml, wherever this service says which it is."""

import json
import re
import tomllib
from typing import Final

import pytest

from retrieval.http.monitoring import DOCUMENT
from retrieval.version import SERVICE, USER_AGENT, VERSION
from tests.environments import ROOT

PLACES: Final = {
    "azure.yaml": rf"^  template: {SERVICE}@(.+)$",
    "infra/modules/app.bicep": r"'service\.version=(.+)'",
    "docs/operating/deploy.md": r"\b(?:v|functions-)(\d+\.\d+\.\d+)\b",
    "docs/operating/monitoring.md": r'"version":"(.+?)"',
}
"""Where a person writes it, and what stands around it there."""


def test_it_is_that_of_the_project() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert (project["name"], project["version"]) == (SERVICE, VERSION)
    assert f"{SERVICE}/{VERSION}" == USER_AGENT


@pytest.mark.parametrize("path", PLACES)
def test_it_is_the_same_where_a_person_writes_it(path: str) -> None:
    written = re.findall(PLACES[path], (ROOT / path).read_text(encoding="utf-8"), re.MULTILINE)
    assert written and set(written) == {VERSION}


def test_it_is_that_of_the_document() -> None:
    assert json.loads(DOCUMENT.read_bytes())["info"]["version"] == VERSION


def test_the_changelog_begins_with_it_or_with_what_is_not_released() -> None:
    headings = re.findall(r"^## (.+)$", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE)
    released = [heading for heading in headings if heading != "Unreleased"]
    assert re.fullmatch(rf"{re.escape(VERSION)} - \d{{4}}-\d\d-\d\d", released[0])
