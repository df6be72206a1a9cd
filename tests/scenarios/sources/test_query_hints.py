"""Query hints: what a model makes of them in a search, and what comes of it where they help nothing."""

import json
from dataclasses import replace
from typing import Any, Final

import pytest

from retrieval.errors import RetrievalFailed
from retrieval.filters import odata
from retrieval.local.wire import WireService
from retrieval.model.activity import RankerActivity, SearchActivity
from retrieval.model.retrieval import Outcome
from retrieval.model.search import BoostHint, FilterHint, QueryHints, Recall
from tests.scenarios.sources.conftest import RIVERS, ROADS, Retrieve, with_targets
from tests.scenarios.sources.table import PLAN, RIVER, ROAD
from tests.scripted_azure import (
    ScriptedAzure,
    answering,
    by_index,
    document,
    failing,
    found,
    in_turn,
    queries,
    replying,
    stalling,
)

HINTS: Final = QueryHints(
    filters=(FilterHint(field="region", values=("north", "south"), instructions="The region of the coast."),),
    boosts=(BoostHint(field="title", values=("Road",), factor=2.0),),
)
OWN: Final = odata.read("tenant eq 'a' or tenant eq 'b'")
HINTED: Final = replace(ROADS, filter=OWN, hints=HINTS)
REQUEST: Final = with_targets(HINTED, RIVERS)
NORTH: Final = {"field": "region", "operator": "eq", "values": ["north"]}
BOOST: Final = {"id": 0, "values": ["Road"]}
BOTH: Final = "(tenant eq 'a' or tenant eq 'b') and region eq 'north'"
GIVEN_UP: Final = "With its query hints 'road-source' gave no document, so it was searched again without them."


def making(*tests: object, boosts: tuple[object, ...] = (), texts: tuple[str, ...] = ("coast roads",)) -> WireService:
    entry = {"source": "road-source", "filters": tests, "boosts": boosts}
    return replying(json.dumps({"queries": texts, "sources": [], "hints": [entry]}))


def fields(*described: dict[str, object]) -> WireService:
    return answering({"name": "roads", "fields": [{"name": "id", "type": "Edm.String", "key": True}, *described]})


def field(name: str, type: str = "Edm.String", *, filterable: bool = True) -> dict[str, object]:
    return {"name": name, "type": type, "filterable": filterable}


@pytest.fixture(autouse=True)
def usual(azure: ScriptedAzure) -> None:
    azure.search = by_index({"roads": ROAD}, otherwise=RIVER)
    azure.index = fields(field("region"), field("title", filterable=False))


def sent(azure: ScriptedAzure, index: str = "roads") -> list[Any]:
    return [one.json for one in azure.searches if f"'{index}'" in one.request.target.replace("%27", "'")]


def records(outcome: Outcome, source: str = "road-source") -> list[SearchActivity]:
    searches = [one for one in outcome.activity if isinstance(one, SearchActivity)]
    return [one for one in searches if one.searched.subquery.target.source_name == source]


def warning(outcome: Outcome) -> str | None:
    (ranking,) = (one for one in outcome.activity if isinstance(one, RankerActivity))
    return ranking.warning


async def test_a_filter_is_joined_by_and_and_a_boost_is_in_the_text(azure: ScriptedAzure, retrieve: Retrieve) -> None:
    azure.chat = making(NORTH, boosts=(BOOST,))
    outcome = await retrieve(REQUEST)
    (body,) = sent(azure)
    assert body["filter"] == BOTH
    assert (body["search"], body["queryType"]) == ("+(coast roads) title:(Road)^2", "full")
    assert (body["semanticQuery"], body["semanticConfiguration"]) == ("coast roads", "usual")
    (other,) = sent(azure, "rivers")
    assert (other["search"], other["queryType"]) == ("coast roads", "semantic") and "filter" not in other
    (record,) = records(outcome)
    target = record.searched.subquery.target
    assert target.generated is not None and odata.write(target.generated) == "region eq 'north'"
    assert warning(outcome) is None and not record.searched.given_up


async def test_the_model_reads_the_hints_with_the_types_of_their_fields(
    azure: ScriptedAzure, retrieve: Retrieve
) -> None:
    azure.chat = making()
    await retrieve(REQUEST)
    (chat,) = azure.chats
    assert chat.json["response_format"]["json_schema"]["name"] == "plan-6"
    assert json.loads(chat.json["messages"][-1]["content"])["hints"] == [
        {
            "source": "road-source",
            "filters": [
                {
                    "values": ["north", "south"],
                    "instructions": "The region of the coast.",
                    "field": "region",
                    "type": "Edm.String",
                }
            ],
            "boosts": [{"values": ["Road"], "instructions": "", "id": 0, "field": "title"}],
        }
    ]


async def test_every_query_of_the_source_has_them(azure: ScriptedAzure, retrieve: Retrieve) -> None:
    azure.chat = making(NORTH, texts=("coast", "bridges"))
    await retrieve(REQUEST)
    assert [one["filter"] for one in sent(azure)] == [BOTH, BOTH]


@pytest.mark.parametrize("effort", ["low", "minimal"])
@pytest.mark.parametrize("model", [True, False])
async def test_without_a_plan_of_a_model_they_change_nothing(
    effort: Any, model: bool, azure: ScriptedAzure, retrieve: Retrieve
) -> None:
    azure.chat = failing(500)
    outcome = await retrieve(replace(REQUEST, effort=effort), model=model)
    for body in sent(azure):
        assert (body["filter"], body["queryType"]) == ("tenant eq 'a' or tenant eq 'b'", "semantic")
    assert not any(one.searched.subquery.target.boosts for one in records(outcome))
    if not model:
        assert azure.chats == azure.definitions_read == []


async def test_what_a_caller_planned_is_searched_as_it_is(azure: ScriptedAzure, retrieve: Retrieve) -> None:
    await retrieve(replace(REQUEST, queries=("coast roads",)))
    assert azure.chats == [] and sent(azure)[0]["filter"] == "tenant eq 'a' or tenant eq 'b'"


async def test_hints_that_leave_no_document_are_given_up_and_never_the_other_filters(
    azure: ScriptedAzure, retrieve: Retrieve
) -> None:
    azure.chat = making(NORTH, boosts=(BOOST,), texts=("coast", "bridges"))
    azure.search = by_index({"roads": in_turn(found(), found(), ROAD)}, otherwise=RIVER)
    outcome = await retrieve(REQUEST)
    own = "tenant eq 'a' or tenant eq 'b'"
    assert [one["filter"] for one in sent(azure)] == [BOTH, BOTH, own, own]
    assert [one["queryType"] for one in sent(azure)][2:] == ["semantic", "semantic"] and len(sent(azure, "rivers")) == 2
    assert warning(outcome) == GIVEN_UP
    assert {one.hit.key for one in outcome.references} == {"road", "river"}
    assert [one.searched.given_up for one in records(outcome)] == [True, True, False, False]
    made = [one.searched.subquery.target.generated is not None for one in records(outcome)]
    assert made == [True, True, False, False]


async def test_a_filter_that_leaves_one_query_a_document_stays(azure: ScriptedAzure, retrieve: Retrieve) -> None:
    azure.chat = making(NORTH, texts=("coast", "bridges"))
    azure.search = by_index({"roads": in_turn(found(), ROAD)}, otherwise=RIVER)
    outcome = await retrieve(REQUEST)
    assert len(sent(azure)) == 2 and warning(outcome) is None


async def test_what_the_service_refuses_is_searched_again_without_the_hints(
    azure: ScriptedAzure, retrieve: Retrieve
) -> None:
    azure.index = failing(403)
    azure.chat = making(boosts=(BOOST,))
    azure.search = by_index({"roads": in_turn(failing(400, "'title' is not searchable."), ROAD)}, otherwise=RIVER)
    outcome = await retrieve(REQUEST)
    assert [one["queryType"] for one in sent(azure)] == ["full", "semantic"]
    assert (outcome.failed, warning(outcome)) == ((), GIVEN_UP)


@pytest.mark.parametrize("script", [failing(503), stalling()])
async def test_a_source_that_is_away_is_not_blamed_on_the_hints(
    script: WireService, azure: ScriptedAzure, retrieve: Retrieve
) -> None:
    azure.chat = making(NORTH)
    azure.search = by_index({"roads": script}, otherwise=RIVER)
    outcome = await retrieve(REQUEST)
    assert len(outcome.failed) == 1 and warning(outcome) is None
    assert all(one["filter"] == BOTH for one in sent(azure))


async def test_a_second_search_that_fails_is_on_record(azure: ScriptedAzure, retrieve: Retrieve) -> None:
    azure.chat = making(NORTH)
    azure.search = by_index({"roads": in_turn(found(), failing(503))}, otherwise=RIVER)
    outcome = await retrieve(REQUEST)
    assert [type(error).__name__ for error in outcome.failed] == ["BackendUnavailable"]
    assert {one.hit.key for one in outcome.references} == {"river"}


@pytest.mark.parametrize("second", [ROAD, failing(400, "No.")])
async def test_a_source_that_must_not_fail_fails_with_its_second_search_alone(
    second: WireService, azure: ScriptedAzure, retrieve: Retrieve
) -> None:
    azure.chat = making(NORTH)
    azure.search = by_index({"roads": in_turn(failing(400, "No."), second)}, otherwise=RIVER)
    request = with_targets(replace(HINTED, fail_on_error=True), RIVERS)
    if second is ROAD:
        assert (await retrieve(request)).failed == ()
        return
    with pytest.raises(RetrievalFailed):
        await retrieve(request)


@pytest.mark.parametrize(
    ("test", "reason"),
    [
        ({"field": "tenant", "operator": "eq", "values": ["c"]}, "'tenant' is not a field of its filter hints"),
        ({"field": "region", "operator": "or", "values": ["a"]}, "the test of 'region' has no operator"),
    ],
)
async def test_what_cannot_be_expressed_is_told(
    test: object, reason: str, azure: ScriptedAzure, retrieve: Retrieve
) -> None:
    azure.chat = making(test)
    outcome = await retrieve(with_targets(HINTED))
    assert sent(azure)[0]["filter"] == "tenant eq 'a' or tenant eq 'b'"
    assert reason in (warning(outcome) or "")


async def test_the_fields_of_an_index_are_read_once_and_bound(azure: ScriptedAzure, retrieve: Retrieve) -> None:
    azure.index = fields(field("region", "Edm.Int32"))
    azure.chat = making({"field": "region", "operator": "ge", "values": ["7"]})
    await retrieve(REQUEST)
    await retrieve(REQUEST)
    assert [one["filter"].rpartition(" and ")[2] for one in sent(azure)] == ["region ge 7", "region ge 7"]
    assert len(azure.definitions_read) == 1


@pytest.mark.parametrize("index", [failing(403), failing(503), stalling()])
async def test_fields_that_cannot_be_read_are_compared_with_text(
    index: WireService, azure: ScriptedAzure, retrieve: Retrieve
) -> None:
    azure.index, azure.chat = index, making(NORTH)
    await retrieve(REQUEST)
    assert sent(azure)[0]["filter"] == BOTH


async def test_a_search_that_is_not_ranked_is_boosted_too(azure: ScriptedAzure, retrieve: Retrieve) -> None:
    azure.chat = making(boosts=(BOOST,))
    await retrieve(with_targets(replace(HINTED, recall=Recall(rerank=False))))
    (body,) = sent(azure)
    assert body["queryType"] == "full" and "semanticQuery" not in body and "semanticConfiguration" not in body


async def test_no_hints_leave_the_prompt_and_its_version_as_they_were(azure: ScriptedAzure, retrieve: Retrieve) -> None:
    azure.chat = PLAN
    await retrieve(with_targets(replace(ROADS, hints=None), RIVERS))
    (chat,) = azure.chats
    assert chat.json["response_format"]["json_schema"]["name"] == "plan-6"
    assert azure.definitions_read == []


async def test_hints_that_the_index_cannot_use_leave_the_prompt_and_are_told(
    azure: ScriptedAzure, retrieve: Retrieve
) -> None:
    azure.index, azure.chat = fields(), PLAN
    outcome = await retrieve(REQUEST)
    (chat,) = azure.chats
    assert chat.json["response_format"]["json_schema"]["name"] == "plan-6"
    assert "has no field that its query hints can use by the name of 'region', 'title'." in (warning(outcome) or "")


async def test_a_search_by_vectors_alone_is_not_boosted(azure: ScriptedAzure, retrieve: Retrieve) -> None:
    azure.index, azure.chat = failing(403), making(boosts=(BOOST,))
    outcome = await retrieve(with_targets(replace(HINTED, recall=Recall(text=0)), RIVERS))
    assert all(one.searched.subquery.target.boosts == () for one in records(outcome))


@pytest.mark.parametrize(
    "reply", [queries("coast roads"), replying(json.dumps({"queries": ["coast roads"], "hints": 7}))]
)
async def test_a_reply_without_hints_is_a_plan(reply: WireService, azure: ScriptedAzure, retrieve: Retrieve) -> None:
    azure.chat = reply
    outcome = await retrieve(REQUEST)
    assert sent(azure)[0]["filter"] == "tenant eq 'a' or tenant eq 'b'" and warning(outcome) is None


async def test_documents_below_the_threshold_are_no_reason_to_give_up(azure: ScriptedAzure, retrieve: Retrieve) -> None:
    azure.chat = making(NORTH)
    azure.search = by_index({"roads": found(document("low", 0.1))}, otherwise=RIVER)
    await retrieve(REQUEST)
    assert len(sent(azure)) == 1
