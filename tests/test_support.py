"""SECURITY.md: what it says is supported is what is tested."""

import re
from typing import Final, get_args

from retrieval.contracts.served_versions import PROVISIONAL, VERSIONS
from tests.environments import ROOT
from tests.infra import names, outside
from tests.third_parties import AZURE_PYTHON, MICROSOFT, KnowledgeClient, KnowledgeClientForNode

PAGE: Final = (ROOT / "SECURITY.md").read_text(encoding="utf-8")
ROWS: Final = {
    cells[0].strip().strip("`"): cells[1].strip()
    for line in PAGE.splitlines()
    if len(cells := line.strip("|").split("|")) == 3 and not line.startswith("|---")
}


def told(row: str) -> list[str]:
    return [part.strip() for part in ROWS[row].split(",")]


def test_the_versions_are_those_of_the_table_of_contracts() -> None:
    assert told("api-versions of Azure AI Search") == [one for one in VERSIONS if one not in PROVISIONAL]
    assert told("the same, provisional") == sorted(PROVISIONAL)


def test_the_pythons_are_those_that_are_tested_and_deployed() -> None:
    ci = outside.read_yaml((ROOT / ".github" / "workflows" / "ci.yml").read_text(encoding="utf-8"))
    assert told("Python of a developer") == ci["jobs"]["test"]["strategy"]["matrix"]["python"]
    assert told("Python of the deployed app") == [AZURE_PYTHON]


def test_the_clients_are_those_whose_calls_are_tested() -> None:
    assert told("azure-search-documents") == [MICROSOFT.partition("==")[2], *get_args(KnowledgeClient)]
    assert told("@azure/search-documents") == list(get_args(KnowledgeClientForNode))


def test_azd_is_the_one_that_the_project_asks_for() -> None:
    assert re.findall(r"[0-9.]+", ROWS["azd"]) == re.findall(r"[0-9.]+", names.AZD)
