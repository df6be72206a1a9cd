"""How many rows a call costs, and how large they are: measured with the exporters' own envelopes."""

import json
import logging
from collections.abc import Iterator
from typing import Final
from uuid import UUID

import pytest

from retrieval.contracts.rendered import Rendered
from retrieval.http.call import Call
from retrieval.http.serving import is_logged
from retrieval.telemetry import spans
from tests.conftest import KEY, RETRIEVE, Post, ask
from tests.rooms import NEEDS_BASES_OF_STUDIO
from tests.scenarios.federation.conftest import Retrieve
from tests.scripted_azure import ScriptedAzure, document, failing, found, queries
from tests.scripted_model_studio import ScriptedModelStudio, chunks
from tests.telemetry.exported import bodies, export, logged
from tests.telemetry.ingestion import Ingestion, ingestion
from tests.telemetry.recording import Recording

pytestmark = NEEDS_BASES_OF_STUDIO

MOST_ROWS: Final = 2
MOST_BYTES: Final = 2_500
WELL: Final = Rendered(status=200, body=b"{}")
MANY: Final = found(*(document(f"road-{number}", 3 - number / 100) for number in range(50)))


@pytest.fixture
def seen(monkeypatch: pytest.MonkeyPatch) -> Iterator[Ingestion]:
    with ingestion() as found:
        for name, value in found.environ.items():
            monkeypatch.setenv(name, value)
        yield found


@pytest.fixture
def settings(federated: dict[str, str]) -> dict[str, str]:
    """Those of a deployment, which summarizes."""
    return federated


async def test_a_retrieve_of_two_sub_queries_writes_two_rows_of_less_than_two_and_a_half_kilobytes(
    azure: ScriptedAzure, studio: ScriptedModelStudio, retrieve: Retrieve, told: Recording, seen: Ingestion
) -> None:
    azure.chat, azure.search, studio.script = queries("Roads"), MANY, chunks()
    with logged() as lines:
        answer = await retrieve(agent="planner")
    searches = [one for one in answer.json["activity"] if one["type"] == "AzureSearchQuery"]
    assert len(searches) == 2
    export(told, lines)
    rows = [row for row in seen.envelopes if row["data"]["baseType"] != "MetricData"]
    assert sorted(row["data"]["baseType"] for row in rows) == ["MessageData", "RemoteDependencyData"]
    assert len(rows) <= MOST_ROWS
    assert sum(len(json.dumps(row)) for row in rows) <= MOST_BYTES


async def test_the_summary_has_what_the_spans_would_have(
    azure: ScriptedAzure, studio: ScriptedModelStudio, retrieve: Retrieve, told: Recording
) -> None:
    azure.chat, azure.search, studio.script = failing(429), found(document("road", None), partial="transient"), chunks()
    await retrieve("Which roads?", agent="planner")
    (span,) = told.spans
    steps = {one["step"]: one for one in json.loads(str((span.attributes or {})["retrieval.steps"]))}
    assert set(steps) == {
        "definition", "plan", "chat planner-model", "search atlas", "search harbour-base", "merge", "ground",
    }  # fmt: skip
    assert all(isinstance(one.pop("ms"), int) for one in steps.values())
    assert steps["plan"] == {"step": "plan", "by": "rules", "queries": 1, "error": "BackendThrottled"}
    assert steps["search atlas"] == {"step": "search atlas", "found": 1, "unranked": True}
    assert steps["merge"] == {"step": "merge"}


async def test_a_summary_that_would_be_too_long_says_how_much_more_there_is(told: Recording) -> None:
    with spans.request("retrieve", {}, id="1") as request:
        request.steps = []
        for number in range(300):
            with spans.step(f"search index-{number}", attributes={"retrieval.documents.found": 50}):
                pass
        request.answered(200, contract="")
    text = str((told.spans[0].attributes or {})["retrieval.steps"])
    steps = json.loads(text)
    assert len(text) < 8_192
    assert steps[-1] == {"more": 300 - (len(steps) - 1)}


def call(request_id: str) -> Call:
    return Call(headers={}, query={}, body=b"", request_id=request_id)


@pytest.mark.parametrize("percent", [100, 10])
async def test_a_share_of_the_calls_that_are_answered_well_has_a_line(
    percent: int, settings: dict[str, str], azure: ScriptedAzure, retrieve: Retrieve
) -> None:
    settings["LOG_CALLS_PERCENT"], azure.search = str(percent), found(document("road", 3.1))
    with logged() as lines:
        answers = [await retrieve("Which roads?", agent="atlas") for _ in range(40)]
    share = [answer for answer in answers if is_logged(call(answer.headers["request-id"]), WELL, percent=percent)]
    assert sum(line.startswith("retrieve agent=") for line in bodies(lines)) == len(share)


def test_the_share_of_many_calls_is_as_large_as_it_is_set() -> None:
    calls = [call(str(UUID(int=number))) for number in range(10_000)]
    shares = {percent: sum(is_logged(call, WELL, percent=percent) for call in calls) for percent in (0, 10, 50, 100)}
    assert (shares[0], shares[100]) == (0, 10_000)
    assert shares[10] == pytest.approx(1_000, rel=0.1) and shares[50] == pytest.approx(5_000, rel=0.1)


async def test_who_is_not_admitted_and_what_fails_is_never_sampled(
    settings: dict[str, str], azure: ScriptedAzure, retrieve: Retrieve, post: Post
) -> None:
    settings["LOG_CALLS_PERCENT"], azure.search = "1", failing(503)
    with logged() as lines:
        assert (await retrieve("Which roads?", agent="atlas")).status == 502
        for key in (None, "wrong"):
            for _ in range(10):
                await post(ask("roads"), RETRIEVE, key=key)
    said = bodies(lines)
    assert [sum(f"status={status}" in line for line in said) for status in (401, 403, 502)] == [10, 10, 1]
    assert KEY not in "".join(said)


async def test_an_error_says_the_status_the_index_and_the_source(
    azure: ScriptedAzure, retrieve: Retrieve, caplog: pytest.LogCaptureFixture
) -> None:
    off = failing(400, "Off.", code="FeatureNotSupportedInService", detail="SemanticQueriesNotAvailable")
    expected = {
        "BackendUnavailable 503, Azure AI Search, index 'atlas', source 'atlas'": failing(503),
        "BackendThrottled 429, Azure AI Search, index 'atlas', source 'atlas'": failing(429),
        "BackendMissing 404, Azure AI Search, index 'atlas', source 'atlas'": failing(404),
        "BackendMisconfigured 400 (ranker), Azure AI Search, index 'atlas', source 'atlas'. Switch the semantic": off,
    }
    for said, azure.search in expected.items():
        caplog.clear()
        await retrieve("Which roads?", agent="atlas")
        errors = [one.getMessage() for one in caplog.records if one.levelno >= logging.WARNING]
        assert any(f"RetrievalFailed (1 sub-query): {said}" in line for line in errors), errors
