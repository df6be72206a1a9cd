"""Several sources: which are searched, and what comes of one that fails, of a model that fails, of what is late."""

import asyncio
import json
import re
from dataclasses import replace
from typing import Any

import pytest

from retrieval.answer import answers
from retrieval.call.ports import Ports
from retrieval.errors import BackendTimeout, RetrievalFailed
from retrieval.http.call import Call
from retrieval.http.retrieve import RETRIEVAL
from retrieval.http.service import Service
from retrieval.http.serving import Admitted
from retrieval.local.wire import WireService
from retrieval.model.activity import RankerActivity, RoundActivity, SearchActivity, StepActivity
from retrieval.model.caller import Caller
from retrieval.model.definitions import Agent, ModelDeployment, OutputMode
from retrieval.model.retrieval import ANSWER_LIMITS, Outcome, RetrievalRequest
from retrieval.model.search import Recall
from tests.answer.scripts import answered, by_step, planned, routed, selected, steps
from tests.call.test_observing import Watcher
from tests.scenarios.sources.conftest import REQUEST, RIVERS, ROADS, Retrieve, with_targets
from tests.scenarios.sources.table import ANSWER, PLAN, RIVER, ROAD, SCENARIOS
from tests.scripted_azure import (
    ScriptedAzure,
    by_index,
    by_search,
    document,
    found,
    in_turn,
    queries,
    replying,
    stalling,
)


def scripted(azure: ScriptedAzure, name: str) -> None:
    azure.search, azure.chat = SCENARIOS[name].search, SCENARIOS[name].chat


def searched(outcome: Outcome) -> list[tuple[str, str]]:
    """The source and the text of each search."""
    searches = [one.searched.subquery for one in outcome.activity if isinstance(one, SearchActivity)]
    return [(one.target.source_name, one.search) for one in searches]


def sources(outcome: Outcome) -> set[str]:
    return {name for name, _ in searched(outcome)}


def keys(outcome: Outcome) -> tuple[str, ...]:
    return tuple(one.hit.key for one in outcome.references)


def picking(*names: object, **members: object) -> WireService:
    return replying(json.dumps({"queries": ["coast roads"], "sources": names, **members}))


def record(outcome: Outcome, kind: type[Any]) -> Any:
    (one,) = (one for one in outcome.activity if isinstance(one, kind))
    return one


def step(outcome: Outcome, name: str) -> Any:
    (one,) = (one for one in outcome.activity if isinstance(one, StepActivity) and one.step == name)
    return one


@pytest.mark.parametrize("mode", ["extractiveData", "answerSynthesis"])
@pytest.mark.parametrize("name", SCENARIOS)
async def test_what_comes_of_it_when(name: str, mode: OutputMode, azure: ScriptedAzure, retrieve: Retrieve) -> None:
    expected = SCENARIOS[name]
    scripted(azure, name)
    request = with_targets(
        ROADS,
        replace(RIVERS, fail_on_error=expected.required),
        output="synthesis" if mode == "answerSynthesis" else "documents",
    )
    if expected.raised:
        with pytest.raises(RetrievalFailed) as failed:
            await retrieve(request)
        assert tuple(dict.fromkeys(type(error).__name__ for error in failed.value.errors)) == tuple(
            dict.fromkeys(expected.raised)
        )
        return
    outcome = await retrieve(request)
    assert keys(outcome) == expected.found
    assert tuple(dict.fromkeys(type(error).__name__ for error in outcome.failed)) == expected.failed
    assert record(outcome, RankerActivity).by == expected.planned
    planning = step(outcome, "plan").error
    assert (None if planning is None else type(planning).__name__) == expected.plan_error
    if mode == "extractiveData":
        assert outcome.answer is None and not [
            one for one in outcome.activity if isinstance(one, StepActivity) and one.step == "answer"
        ]
        return
    synthesis = outcome.activity[-1]
    assert isinstance(synthesis, StepActivity) and synthesis.step == "answer" and synthesis.by == expected.answered
    error = synthesis.error
    assert (None if error is None else type(error).__name__) == expected.answer_error
    assert outcome.answer is not None and "[ref_id:0]" in outcome.answer


async def test_the_search_leaves_the_writer_its_share_of_the_time(azure: ScriptedAzure, retrieve: Retrieve) -> None:
    scripted(azure, "a source is late")
    request = replace(REQUEST, output="synthesis")
    assert "within 9." in str((await retrieve()).failed[0])
    assert "within 9." in str((await retrieve(request, model=False)).failed[0])
    late = (await retrieve(request)).failed[0]
    assert "within 5.9 s" in str(late) or "within 5.8 s" in str(late)


async def test_a_selection_leaves_the_writer_its_share_of_the_time(azure: ScriptedAzure, retrieve: Retrieve) -> None:
    scripted(azure, "all is well")
    azure.chat = by_step({"plan": PLAN, "judge": stalling(), "answer": ANSWER})
    outcome = await retrieve(replace(REQUEST, output="synthesis", effort="medium"))
    assert isinstance(step(outcome, "judge").error, BackendTimeout)
    assert step(outcome, "judge").elapsed_ms < 6_000
    assert step(outcome, "answer").by == "model"


async def test_a_source_that_must_not_fail_says_so(azure: ScriptedAzure, retrieve: Retrieve) -> None:
    scripted(azure, "a source that must not fail fails")
    with pytest.raises(RetrievalFailed, match="1 of 2 sub-queries failed, in a knowledge source that has failOnError"):
        await retrieve(with_targets(ROADS, replace(RIVERS, fail_on_error=True)))


async def test_the_planner_picks_sources_by_name_and_description(azure: ScriptedAzure, retrieve: Retrieve) -> None:
    azure.chat, azure.search = picking("River-Source"), RIVER
    outcome = await retrieve()
    told = json.loads(azure.chats[0].json["messages"][-1]["content"])
    assert told["sources"] == [
        {"name": "road-source", "description": "Roads of the coast"},
        {"name": "river-source", "description": "Rivers and harbours"},
    ]
    schema = azure.chats[0].json["response_format"]["json_schema"]["schema"]
    assert schema["required"] == ["queries", "next", "sources"] and schema["additionalProperties"] is False
    assert searched(outcome) == [("river-source", "coast roads")]
    assert record(outcome, RankerActivity).warning is None


@pytest.mark.parametrize("names", [(), ("elsewhere",), (7, None, {}), ("road-source", "river-source")])
async def test_a_pick_of_nothing_known_is_all_sources(
    names: tuple[object, ...], azure: ScriptedAzure, retrieve: Retrieve
) -> None:
    azure.chat, azure.search = picking(*names), RIVER
    assert sources(await retrieve()) == {"road-source", "river-source"}


async def test_a_source_that_nobody_has_is_ignored_with_a_note(azure: ScriptedAzure, retrieve: Retrieve) -> None:
    azure.chat, azure.search = picking("road-source", "elsewhere"), ROAD
    outcome = await retrieve()
    assert sources(outcome) == {"road-source"}
    assert record(outcome, RankerActivity).warning == ("1 of the sources that it named are none of those it was given.")


async def test_always_and_never_hold_whatever_the_planner_picks(azure: ScriptedAzure, retrieve: Retrieve) -> None:
    third = replace(RIVERS, source="third")
    azure.chat, azure.search = picking("river-source", "third"), ROAD
    outcome = await retrieve(with_targets(replace(ROADS, always=True), RIVERS, replace(third, never=True)))
    assert sources(outcome) == {"road-source", "river-source"}
    told = json.loads(azure.chats[0].json["messages"][-1]["content"])
    assert [one["name"] for one in told["sources"]] == ["road-source", "river-source"]


@pytest.mark.parametrize(
    "targets",
    [
        (ROADS,),
        (replace(ROADS, always=True), replace(RIVERS, always=True)),
        (ROADS, replace(RIVERS, never=True)),
        (replace(ROADS, source=""), replace(RIVERS, source="")),
    ],
    ids=["one", "all always", "one left", "indexes of 2025-05-01-preview"],
)
async def test_no_sources_are_listed_where_there_is_no_choice(
    targets: Any, azure: ScriptedAzure, retrieve: Retrieve
) -> None:
    azure.chat, azure.search = picking("river-source"), ROAD
    outcome = await retrieve(with_targets(*targets))
    assert "sources" not in json.loads(azure.chats[0].json["messages"][-1]["content"])
    assert sources(outcome) == {one.source_name for one in targets if not one.never}


async def test_without_a_model_all_sources_are_searched(azure: ScriptedAzure, retrieve: Retrieve) -> None:
    azure.search = ROAD
    outcome = await retrieve(model=False)
    assert sources(outcome) == {"road-source", "river-source"}
    assert record(outcome, RankerActivity).by == "rules"


async def test_minimal_searches_each_query_in_every_source_but_those_never_asked(
    azure: ScriptedAzure, retrieve: Retrieve
) -> None:
    azure.search = ROAD
    third = replace(RIVERS, source="third", never=True)
    said = {"messages": (), "queries": ("roads", "rivers"), "effort": "minimal"}
    outcome = await retrieve(with_targets(replace(ROADS, max_subqueries=1), RIVERS, third, **said))
    assert searched(outcome) == [(name, text) for name in ("road-source", "river-source") for text in said["queries"]]
    assert azure.chats == []
    assert record(outcome, RankerActivity).effort == "minimal"


async def test_a_source_takes_as_many_sub_queries_as_it_may(azure: ScriptedAzure, retrieve: Retrieve) -> None:
    azure.chat, azure.search = queries("roads", "rivers", "harbours"), ROAD
    outcome = await retrieve(with_targets(replace(ROADS, max_subqueries=1), replace(RIVERS, max_subqueries=2)))
    assert "at most 2," in azure.chats[0].json["messages"][0]["content"]
    assert searched(outcome) == [("road-source", "roads"), ("river-source", "roads"), ("river-source", "rivers")]


@pytest.mark.parametrize("effort", ["auto", "medium"])
async def test_the_limit_of_a_source_bounds_the_plan_and_what_its_judge_asks_for_together(
    effort: Any, azure: ScriptedAzure, retrieve: Retrieve
) -> None:
    judge = selected("c1", sufficient=False, more=("bays", "fords", "tolls"))
    azure.chat, azure.search = by_step({"plan": planned("coast", "harbours", next="Bays"), "judge": judge}), ROAD
    third = replace(RIVERS, source="third")
    targets = (replace(ROADS, max_subqueries=2), replace(RIVERS, max_subqueries=3), third)
    outcome = await retrieve(with_targets(*targets, effort=effort))
    assert steps(azure.chats) == ["plan", "judge"]
    assert [(name, text) for name, text in searched(outcome) if text in ("bays", "fords", "tolls")] == [
        ("river-source", "bays"),
        *(("third", text) for text in ("bays", "fords", "tolls")),
    ]


async def test_instructions_guide_the_plan_and_are_never_searched(azure: ScriptedAzure, retrieve: Retrieve) -> None:
    azure.chat, azure.search = PLAN, ROAD
    instructed = replace(REQUEST, instructions="Prefer harbours of the north.")
    await retrieve(instructed)
    told = json.loads(azure.chats[0].json["messages"][-1]["content"])
    assert told["guidance"] == [{"role": "system", "text": "Prefer harbours of the north."}]
    outcome = await retrieve(instructed, model=False)
    assert not any("north" in text for _, text in searched(outcome))


async def test_results_that_are_not_reranked_take_turns_and_no_threshold_drops_them(
    azure: ScriptedAzure, retrieve: Retrieve
) -> None:
    azure.chat = queries("roads", "rivers")
    unranked = Recall(rerank=False)
    pages = {"roads": [*"abc"], "rivers": [*"bde"]}
    scripts = {text: found(*(document(key, None) for key in page)) for text, page in pages.items()}
    azure.search = by_search(scripts, otherwise=found())
    outcome = await retrieve(with_targets(replace(ROADS, recall=unranked, threshold=4.0)))
    assert "queryType" not in azure.searches[0].json
    assert keys(outcome) == ("a", "b", "c", "d", "e")
    assert [one.hit.score for one in outcome.references] == [None] * 5
    assert [one.subquery for one in outcome.references] == [0, 1, 0, 1, 1]


async def test_at_most_so_many_documents_over_all_and_of_a_source(azure: ScriptedAzure, retrieve: Retrieve) -> None:
    azure.chat = PLAN
    roads = found(*(document(f"road {n}", 3 - n / 10) for n in range(5)))
    rivers = found(*(document(f"river {n}", 2.95 - n / 10) for n in range(5)))
    azure.search = by_index({"roads": roads}, otherwise=rivers)
    outcome = await retrieve(
        with_targets(replace(ROADS, max_documents=1), RIVERS, limits=replace(REQUEST.limits, documents=3))
    )
    assert keys(outcome) == ("road 0", "river 0", "river 1")
    dropped = [one.dropped for one in outcome.activity if isinstance(one, SearchActivity)]
    assert dropped == [{"limit": 4}, {"limit": 3}]


async def test_two_sources_of_one_index_return_a_document_once(azure: ScriptedAzure, retrieve: Retrieve) -> None:
    azure.chat, azure.search = PLAN, ROAD
    again = replace(ROADS, source="again", threshold=0.5)
    outcome = await retrieve(with_targets(replace(ROADS, threshold=3.5), again))
    assert [(one.hit.key, one.target.source) for one in outcome.references] == [("road", "again")]


async def test_the_record_says_which_model_planned_and_when(azure: ScriptedAzure, retrieve: Retrieve) -> None:
    azure.chat, azure.search = PLAN, ROAD
    outcome = await retrieve()
    planning, ranker = step(outcome, "plan"), record(outcome, RankerActivity)
    assert (planning.model.deployment, planning.model.model_name) == ("planner-model", "gpt-scripted")
    assert planning.model.api_key is None
    first = min(one.searched.started_at for one in outcome.activity if isinstance(one, SearchActivity))
    assert planning.started_at <= ranker.started_at == first
    assert (ranker.effort, ranker.by) == ("low", "model")
    for asked in ("medium", "auto"):
        assert record(await retrieve(replace(REQUEST, effort=asked)), RankerActivity).effort == "low"


async def test_observers_are_told_of_the_writing(azure: ScriptedAzure, retrieve: Retrieve) -> None:
    watcher = Watcher()
    scripted(azure, "all is well")
    await retrieve(replace(REQUEST, output="synthesis"), watcher=watcher)
    assert watcher.told[:2] == ["plan begun", "plan ended"]
    assert watcher.told[-4:] == ["ground begun", "ground ended", "answer begun", "answer ended"]
    assert (watcher.end("answer").by, watcher.end("answer").error, watcher.under_way) == ("model", None, 0)


async def test_an_endpoint_gets_the_answer_with_a_fence_of_its_own_a_call(
    azure: ScriptedAzure, service: Service, planner: Agent
) -> None:
    scripted(azure, "all is well")
    caller = Caller(kind="key", id="key", rights=frozenset({"retrieve"}))
    call = Call(headers={}, query={}, body=b"")
    request = replace(REQUEST, output="synthesis", nonce="")
    for _ in range(2):
        start = asyncio.get_running_loop().time()
        admitted = Admitted(service=service, call=call, caller=caller, start=start)
        outcome = await RETRIEVAL.run(admitted, planner, request)
        assert outcome.answer == "The coast road follows the river to the harbour [ref_id:0]."
        assert step(outcome, "answer").model.model_name == "gpt-scripted"
        assert outcome.answer in RETRIEVAL.content(outcome)
    said = " ".join(one.json["messages"][-1]["content"] for one in azure.chats)
    fences = set(re.findall(r"<chunk-([0-9a-f]{32}) id", said))
    assert len(fences) == 2


async def test_documents_that_are_not_listed_ground_the_answer(azure: ScriptedAzure, retrieve: Retrieve) -> None:
    scripted(azure, "all is well")
    azure.chat = SCENARIOS["all is well"].chat
    hidden = replace(ROADS, include_references=False)
    outcome = await retrieve(with_targets(hidden, RIVERS, output="synthesis"))
    assert keys(outcome) == ("road", "river")
    assert "[ref_id:0]" in (outcome.answer or "")


async def test_a_second_plan_of_an_answer_searches_the_sources_too_that_the_first_did_not_pick(
    azure: ScriptedAzure, service: Service, deployment: ModelDeployment
) -> None:
    plans = in_turn(picking("river-source", retrieval_goals=["Find roads."]), planned("shore road"))
    azure.chat = by_step({"route": routed(), "plan": plans, "answer": answered("The coast is there [c1].", "c1")})
    azure.search = by_index({"rivers": found()}, otherwise=by_search({"coast roads": found()}, otherwise=ROAD))
    answer = await answers.answer(
        RetrievalRequest(
            output="answer",
            limits=ANSWER_LIMITS,
            messages=REQUEST.messages,
            targets=REQUEST.targets,
            nonce=REQUEST.nonce,
        ),
        Ports(
            index=service.indexes.search,
            schemas=service.indexes.federated,
            model=service.models.of(deployment),
            clock=service.process.clock,
        ),
    )
    first, second = (
        {one.searched.subquery.target.source_name for one in each.searches}
        for each in answer.activity
        if isinstance(each, RoundActivity)
    )
    assert (first, second) == ({"river-source"}, {"river-source", "road-source"})
    assert answer.written.by == "model" and answer.written.cited == ("c1",)
