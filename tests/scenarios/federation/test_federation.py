"""One retrieve over an Azure index and a Model Studio base: both at once, each with its own rules, either alone."""

import asyncio
import json
from typing import Final

import pytest

from retrieval.local.wire import WireService
from tests.conftest import Response
from tests.rooms import NEEDS_BASES_OF_STUDIO
from tests.scenarios.failures.answer import header, keys, ranking, searches
from tests.scenarios.federation.conftest import Retrieve
from tests.scripted_azure import (
    ScriptedAzure,
    by_search,
    cutting,
    document,
    failing,
    found,
    held,
    queries,
    stalling,
)
from tests.scripted_model_studio import ScriptedModelStudio, by_query, chunk, chunks, refusing

pytestmark = NEEDS_BASES_OF_STUDIO

ROADS: Final = found(document("road", 3.1))
PORTS: Final = chunks(chunk("port", 0.5))


def credited(answer: Response) -> dict[str, str]:
    """The target that each referenced document is credited to, by its key."""
    targets = {record["id"]: record["targetIndex"] for record in searches(answer)}
    return {reference["docKey"]: targets[reference["activitySource"]] for reference in answer.json["references"]}


async def test_both_are_searched_and_each_reference_is_credited_to_its_own_activity(
    azure: ScriptedAzure, studio: ScriptedModelStudio, retrieve: Retrieve
) -> None:
    azure.search, studio.script = ROADS, PORTS
    answer = await retrieve()
    assert answer.status == 200
    assert credited(answer) == {"road": "atlas", "port": "harbour-base"}
    assert {reference["type"] for reference in answer.json["references"]} == {"AzureSearchDoc"}
    assert [(one["targetIndex"], one["count"], one.get("error")) for one in searches(answer)] == [
        ("atlas", 1, None),
        ("harbour-base", 1, None),
    ]
    grounded = json.loads(answer.json["response"][0]["content"][0]["text"])
    assert [(item["title"], item["content"]) for item in grounded] == [
        ("Title of road", "What road tells."),
        ("Title of port", "What port tells."),
    ]


async def test_both_are_open_at_once(azure: ScriptedAzure, studio: ScriptedModelStudio, retrieve: Retrieve) -> None:
    meeting = asyncio.Barrier(2)
    azure.search, studio.script = held(meeting, ROADS), held(meeting, PORTS)
    assert sorted(keys(await retrieve())) == ["port", "road"]


async def test_every_query_of_the_plan_runs_in_every_target_at_once(
    azure: ScriptedAzure, studio: ScriptedModelStudio, retrieve: Retrieve
) -> None:
    azure.chat = queries("roads", "rivers", "harbours")
    meeting = asyncio.Barrier(6)
    azure.search, studio.script = held(meeting, ROADS), held(meeting, PORTS)
    answer = await retrieve(agent="planner")
    asked = [(one["targetIndex"], one["query"]["search"]) for one in searches(answer)]
    assert asked == [
        (target, query) for target in ("atlas", "harbour-base") for query in ("roads", "rivers", "harbours")
    ]
    assert studio.queries == ["roads", "rivers", "harbours"]
    assert [one["dropped"] for one in searches(answer)] == [{}, {"duplicate": 1}, {"duplicate": 1}] * 2


DOWN: Final[dict[str, tuple[WireService, str]]] = {
    "fails": (failing(503), "BackendUnavailable"),
    "stalls": (stalling(), "BackendTimeout"),
    "cuts the connection": (cutting(), "BackendUnavailable"),
    "throttles": (failing(429), "BackendThrottled"),
}


@pytest.mark.parametrize("way", DOWN)
async def test_the_base_answers_when_azure(
    way: str, azure: ScriptedAzure, studio: ScriptedModelStudio, retrieve: Retrieve
) -> None:
    script, code = DOWN[way]
    azure.search, studio.script = script, PORTS
    answer = await retrieve()
    assert (answer.status, credited(answer)) == (200, {"port": "harbour-base"})
    atlas, base = searches(answer)
    assert (atlas["error"]["code"], "error" in base) == (code, False)


@pytest.mark.parametrize("way", DOWN)
async def test_azure_answers_when_the_base(
    way: str, azure: ScriptedAzure, studio: ScriptedModelStudio, retrieve: Retrieve
) -> None:
    script, code = DOWN[way]
    azure.search, studio.script = ROADS, script
    answer = await retrieve()
    assert (answer.status, credited(answer)) == (200, {"road": "atlas"})
    atlas, base = searches(answer)
    assert ("error" in atlas, base["error"]["code"]) == (False, code)
    assert "Azure" not in base["error"]["message"]


async def test_a_deadline_names_the_target_that_did_not_answer(
    azure: ScriptedAzure, studio: ScriptedModelStudio, retrieve: Retrieve
) -> None:
    azure.search, studio.script = ROADS, stalling()
    atlas, base = searches(await retrieve())
    assert atlas["elapsedMs"] < 5_000 < base["elapsedMs"]
    assert base["error"]["message"].startswith("The search in 'harbour-base' did not answer within")


async def test_both_down_is_an_error_with_the_reason_of_each(
    azure: ScriptedAzure, studio: ScriptedModelStudio, retrieve: Retrieve
) -> None:
    azure.search, studio.script = failing(503), refusing("Throttling.User", retry_after=30_000)
    answer = await retrieve()
    assert answer.status == 502
    assert [one["code"] for one in answer.json["error"]["details"]] == ["BackendUnavailable", "BackendThrottled"]
    assert header(answer, "retry-after") is None


async def test_the_longest_wait_of_both_is_passed_on_when_both_throttle(
    azure: ScriptedAzure, studio: ScriptedModelStudio, retrieve: Retrieve
) -> None:
    azure.search, studio.script = failing(429, retry_after=5), refusing("Throttling.User", retry_after=30_000)
    answer = await retrieve()
    assert (answer.status, header(answer, "retry-after")) == (429, "30")


async def test_one_key_in_two_targets_is_two_documents(
    azure: ScriptedAzure, studio: ScriptedModelStudio, retrieve: Retrieve
) -> None:
    azure.search, studio.script = found(document("same", 3.0)), chunks(chunk("same", 0.5))
    answer = await retrieve()
    assert keys(answer) == ["same", "same"]
    assert [reference["activitySource"] for reference in answer.json["references"]] == [0, 1]


async def test_the_parameters_are_those_of_the_target_they_name_and_of_no_other(
    azure: ScriptedAzure, studio: ScriptedModelStudio, retrieve: Retrieve
) -> None:
    azure.search, studio.script = found(document("road", 1.5)), chunks(chunk("port", 0.5), chunk("pier", 0.25))
    answer = await retrieve(
        indexName="harbour-base",
        filterAddOn="port eq 'Rotterdam'",
        rerankerThreshold=2,
        includeReferenceSourceData=True,
    )
    atlas, base = searches(answer)
    assert [one["query"]["filter"] for one in (atlas, base)] == [None, "port eq 'Rotterdam'"]
    assert "filter" not in azure.searches[0].json
    assert studio.calls[0].json("SearchFilters") == [{"港口": "Rotterdam"}]
    assert [one["dropped"] for one in (atlas, base)] == [{}, {"threshold": 1}]
    data = {reference["docKey"]: reference["sourceData"] for reference in answer.json["references"]}
    assert data["road"] is None
    assert data["port"]["doc_name"] == "Name of port"


async def test_parameters_without_a_name_are_refused_where_there_are_several_targets(
    azure: ScriptedAzure, studio: ScriptedModelStudio, retrieve: Retrieve
) -> None:
    answer = await retrieve(filterAddOn="port eq 'Rotterdam'")
    assert (answer.status, answer.json["error"]["target"]) == (400, "targetIndexParams[0].indexName")
    assert "'atlas', 'harbour-base'" in answer.json["error"]["message"]
    assert (azure.searches, studio.calls) == ([], [])


async def test_a_target_that_the_agent_does_not_have_is_refused(retrieve: Retrieve) -> None:
    answer = await retrieve(agent="atlas", indexName="harbour-base")
    assert (answer.status, answer.json["error"]["target"]) == (400, "targetIndexParams[0].indexName")


@pytest.mark.parametrize(
    "said",
    ["geo.distance(port, geography'POINT(4 51)') le 5", "search.ismatch('quay')", "draught gt 5", "port eq null"],
)
async def test_a_filter_that_a_base_cannot_say_is_refused_and_never_dropped(
    said: str, azure: ScriptedAzure, studio: ScriptedModelStudio, retrieve: Retrieve
) -> None:
    answer = await retrieve(indexName="harbour-base", filterAddOn=said)
    assert answer.status == 400
    assert answer.json["error"]["message"].startswith("Model Studio cannot express ")
    assert studio.calls == []


async def test_a_filter_that_nothing_passes_is_not_asked_for(
    azure: ScriptedAzure, studio: ScriptedModelStudio, retrieve: Retrieve
) -> None:
    azure.search, studio.script = ROADS, PORTS
    answer = await retrieve(indexName="harbour-base", filterAddOn="false")
    assert (keys(answer), studio.calls) == (["road"], [])


async def test_a_token_for_document_permissions_is_not_ignored_by_a_base(
    azure: ScriptedAzure, studio: ScriptedModelStudio, retrieve: Retrieve
) -> None:
    azure.search, studio.script = ROADS, PORTS
    answer = await retrieve(headers={"x-ms-query-source-authorization": "token"})
    atlas, base = searches(answer)
    assert (keys(answer), studio.calls) == (["road"], [])
    assert "error" not in atlas
    assert "x-ms-query-source-authorization" in base["error"]["message"]


async def test_an_agent_may_have_a_base_alone(
    azure: ScriptedAzure, studio: ScriptedModelStudio, retrieve: Retrieve
) -> None:
    studio.script = PORTS
    answer = await retrieve(agent="base")
    assert (keys(answer), azure.searches) == (["port"], [])


async def test_parameters_need_no_name_where_there_is_one_target(
    studio: ScriptedModelStudio, retrieve: Retrieve
) -> None:
    answer = await retrieve(agent="base", filterAddOn="age ge 5")
    assert answer.status == 200
    assert studio.calls[0].json("SearchFilters") == [{"age": {"gte": 5}}]


async def test_one_query_that_fails_in_one_target_costs_nothing_else(
    azure: ScriptedAzure, studio: ScriptedModelStudio, retrieve: Retrieve
) -> None:
    azure.chat = queries("roads", "rivers")
    azure.search = by_search({"roads": ROADS}, otherwise=found(document("river", 2.0)))
    studio.script = by_query({"roads": refusing("InternalError", http=500)}, otherwise=PORTS)
    answer = await retrieve(agent="planner")
    assert sorted(keys(answer)) == ["port", "river", "road"]
    assert [one.get("error", {}).get("code") for one in searches(answer)] == [None, None, "BackendUnavailable", None]


async def test_more_documents_than_a_base_can_rank_are_said(
    azure: ScriptedAzure, studio: ScriptedModelStudio, retrieve: Retrieve
) -> None:
    azure.search = ROADS
    studio.script = chunks(*(chunk(f"port-{number}", 0.5) for number in range(20)))
    answer = await retrieve("Which roads?", indexName="harbour-base", maxDocsForReranker=50)
    assert searches(answer)[1]["count"] == 20
    assert ranking(answer)["warning"] == (
        "Ranking 50 documents of 'harbour-base' takes 3 sub-queries; 1 distinct could be planned, "
        "so at most 20 documents were ranked."
    )
