"""Microsoft's own client of 2025-05-01-preview, unmodified, in an environment of its own, against this service."""

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.clients.lazily import Lazily
from tests.running import served
from tests.third_parties import microsoft_client, microsoft_client_in_process

SCRIPT = Path(__file__).with_name("knowledge_agent.py")
WAYS = ["over the network", "in process"]


def run(python: Path, *arguments: str) -> dict[str, Any]:
    done = subprocess.run([python, SCRIPT, *arguments], capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr
    seen: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return seen


def over_the_network() -> dict[str, Any]:
    with served() as address:
        return run(microsoft_client(), address)


def in_process() -> dict[str, Any]:
    return run(microsoft_client_in_process())


@pytest.fixture(scope="module")
def seen() -> dict[str, dict[str, Any]]:
    return Lazily({"over the network": over_the_network, "in process": in_process})


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("kind", ["sync", "async"])
def test_activity_and_references_are_of_the_clients_own_types(seen: dict[str, Any], way: str, kind: str) -> None:
    for answer in (seen[way][kind]["plain"], seen[way][kind]["rich"]):
        *searches, ranker = answer["activity"]
        assert {record["class"] for record in searches} == {"KnowledgeAgentSearchActivityRecord"}
        assert {record["type"] for record in searches} == {"AzureSearchQuery"}
        assert ranker["class"] == "KnowledgeAgentSemanticRankerActivityRecord"
        assert ranker["type"] == "AzureSearchSemanticRanker"
        assert all(isinstance(record["elapsed_ms"], int) for record in answer["activity"])
        assert {reference["class"] for reference in answer["references"]} == {"KnowledgeAgentAzureSearchDocReference"}
        ids = {record["id"] for record in searches}
        assert all(reference["activity_source"] in ids for reference in answer["references"])


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("kind", ["sync", "async"])
def test_the_right_documents_come_back(seen: dict[str, Any], way: str, kind: str) -> None:
    plain, rich = seen[way][kind]["plain"], seen[way][kind]["rich"]
    assert plain["references"][0]["key"] == "earth_at_night_508_page_105_verbalized"
    assert plain["references"][0]["source_data"] is None
    assert plain["role"] == "assistant"
    assert json.loads(plain["text"])[0]["ref_id"] == 0
    assert {reference["key"] for reference in rich["references"]} == {
        "earth_at_night_508_page_104_verbalized",
        "earth_at_night_508_page_105_verbalized",
    }
    assert rich["references"][0]["source_data"] == ["content", "id", "terms", "title"]
    assert rich["activity"][0]["filter"] == "page_number eq '105' or page_number eq '104'"


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("kind", ["sync", "async"])
def test_errors_arrive_as_the_right_exceptions(seen: dict[str, Any], way: str, kind: str) -> None:
    failures = seen[way][kind]["failures"]
    assert failures["wrong key"] == {"class": "HttpResponseError", "status": 403, "code": "Forbidden"}
    assert failures["unknown agent"]["class"] == "ResourceNotFoundError"
    assert failures["bad filter"] == {"class": "HttpResponseError", "status": 400, "code": "InvalidFilter"}
    assert failures["foreign index"] == {"class": "HttpResponseError", "status": 400, "code": "InvalidRequest"}
