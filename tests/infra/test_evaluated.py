"""What named scenarios evaluate to is what the golden files say: `make written` writes them."""

import difflib
from typing import Final

import pytest

from tests.infra import check, outside
from tests.infra.evaluated import golden, pipelines
from tests.infra.evaluated.golden import FOLDER
from tests.infra.evaluated.scenarios import SCENARIOS, texts

ELSEWHERE: Final = {"alertActionGroupId", "resourceNames", "zoneRedundant", "tracesPercent", "principalId"}
"""Parameters whose values `check.SCENARIOS` and test_template.py hold."""


def changes() -> list[str]:
    return [
        line
        for name, text in golden.texts().items()
        for line in difflib.unified_diff(
            (FOLDER / f"{name}.txt").read_text(encoding="utf-8").splitlines(), text.splitlines(), name, "now", n=0
        )
    ]


def test_every_scenario_evaluates_to_what_its_file_says() -> None:
    assert changes() == []


def test_every_workflow_has_a_situation() -> None:
    assert {file for file, _ in pipelines.SITUATIONS.values()} == {path.name for path in golden.WORKFLOWS.iterdir()}


@pytest.mark.parametrize(
    ("condition", "facts", "result"),
    [
        ("true", {}, True),
        ("${{ !inputs.preview && inputs.release }}", {"inputs.preview": False, "inputs.release": "v1"}, True),
        ("${{ !inputs.preview && inputs.release }}", {"inputs.preview": True, "inputs.release": "v1"}, False),
        ("vars.AUDIT != 'off'", {}, True),
        ("vars.AUDIT != 'off'", {"vars.AUDIT": "off"}, False),
    ],
)
def test_a_condition_holds_or_not(condition: str, facts: pipelines.Facts, result: bool) -> None:
    assert pipelines.holds(condition, facts) is result


def test_every_scenario_can_be_deployed() -> None:
    sources = outside.sources()
    files = check.parsed(sources)
    assert [check.deploy(files, sources, given).problems for given in SCENARIOS.values()] == [[]] * len(SCENARIOS)


def test_every_parameter_has_another_value_in_a_scenario() -> None:
    sources = outside.sources()
    usual = check.all_of(check.parsed(sources), sources, {})
    said = {name for given in SCENARIOS.values() for name, value in given.items() if value != usual.get(name)}
    declared = {one.name for one in check.parsed(sources)["main.bicep"].of("parameter")}
    assert declared - said <= ELSEWHERE


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("AZURE_CLIENT_ID: identity.outputs.clientId", "AZURE_CLIENT_ID: ''"),
        ("deployerType: principalType", "deployerType: 'User'"),
        ("    group\n    endpoints\n", "    group\n"),
    ],
)
def test_a_change_is_seen(old: str, new: str) -> None:
    sources = outside.sources()
    assert old in sources["main.bicep"]
    assert texts({**sources, "main.bicep": sources["main.bicep"].replace(old, new)}) != texts(sources)
