"""The second plan: a first round without any document is planned once more, and only the second round is read."""

import json
from collections.abc import Mapping
from datetime import date
from typing import Any, Final

import pytest
from hypothesis import given

from retrieval.answer import second_round
from retrieval.errors import BadModelReply
from retrieval.local.wire import WireService
from retrieval.model.search import Facets
from tests.answer.conftest import Ask
from tests.answer.material import replies, request, sourced, told
from tests.answer.scripts import answered, calls, planned, rounds, step_of, steps
from tests.answer.test_answers import model
from tests.answer.test_answers_filters import FIELDS, PRIORITIZED
from tests.answer.test_answers_troubles import FAILS, check
from tests.conftest import Response
from tests.scenarios.failures.conftest import RUNTIME_SECONDS
from tests.scripted_azure import (
    ScriptedAzure,
    answering,
    by_search,
    delayed,
    document,
    failing,
    found,
    in_turn,
    replying,
    stalling,
)

ASKED: Final = "Bis wann muss ein Sicherheitsvorfall gemeldet werden?"
FIRST: Final = "Sicherheitsvorfall melden Frist"
OTHER: Final = "report security incident deadline"
INCIDENT: Final = document(
    "incident", 3.1, title="Incidents", content="A security incident is reported within 24 hours of its discovery."
)
ANSWERED: Final = answered("Ein Sicherheitsvorfall ist innerhalb von 24 Stunden zu melden [c1].", "c1")
TODAY: Final = date(2026, 11, 20)


def english(azure: ScriptedAzure, **scripts: WireService) -> None:
    """An index with one document, which only an English query finds, and a model that asks in German first."""
    azure.search = by_search({OTHER: found(INCIDENT), "*": found(INCIDENT)}, otherwise=found())
    usual = {"plan": in_turn(planned(FIRST), planned(OTHER)), "answer": ANSWERED}
    azure.chat = model(**{**usual, **scripts})


def plans(answer: Response) -> list[Mapping[str, Any]]:
    return [one for one in answer.json["activity"] if one.get("step") == "plan"]


def asked_again(azure: ScriptedAzure) -> Any:
    """What the model was told for the second plan."""
    (_, second) = [one.json for one in azure.chats if step_of(one.json) == "plan"]
    return json.loads(second["messages"][1]["content"])


async def test_a_first_round_without_a_document_is_planned_once_more(azure: ScriptedAzure, ask: Ask) -> None:
    english(azure)
    answer = await ask(ASKED)
    check(answer)
    assert sorted(steps(azure.chats)) == ["answer", "plan", "plan"]
    assert [(one["by"], one["prompt"]) for one in plans(answer)] == [("model", "plan-6"), ("model", "replan-2")]
    assert [one["query"] for one in rounds(answer)[1]["searches"]] == [OTHER, ASKED]
    assert answer.json["answer_markdown"] == sourced(
        "Ein Sicherheitsvorfall ist innerhalb von 24 Stunden zu melden [1].",
        "Incidents - incident",
        heading="**Quellen**",
    )
    assert (answer.json["evidence"]["by"], answer.json["evidence"]["is_sufficient"]) == ("model", True)
    assert [one["query"] for one in answer.json["plan"]["queries"]] == [FIRST]


async def test_it_is_told_what_was_searched_and_what_the_index_has(azure: ScriptedAzure, ask: Ask) -> None:
    fields = [{**one, "analyzer": "en.microsoft"} if one["name"] == "content" else one for one in FIELDS]
    semantic = {"configurations": [{"name": "usual", "prioritizedFields": PRIORITIZED}]}
    azure.index = answering({"name": "atlas", "fields": fields, "semantic": semantic})
    english(azure)
    check(await ask(ASKED))
    data = asked_again(azure)
    assert (data["searched"], data["languages"]) == ([FIRST], ["en"])
    assert {one["field"] for one in data["fields"]} == {"id", "year", "tags"}
    assert data["question"] == ASKED


async def test_no_more_calls_wait_for_each_other_than_with_two_readings(azure: ScriptedAzure, ask: Ask) -> None:
    english(azure, plan=in_turn(delayed(1, planned(FIRST)), delayed(1, planned(OTHER))), answer=delayed(2, ANSWERED))
    answer = await ask(ASKED)
    check(answer)
    assert len(calls(answer)) == 3
    assert 4_000 <= answer.json["totals"]["elapsed_ms"] < 4_500


async def test_where_the_callers_filter_leaves_no_document_at_all_none_is_planned(
    azure: ScriptedAzure, ask: Ask
) -> None:
    english(azure)
    azure.search = found()
    answer = await ask(ASKED, filter="id ne 'x'")
    assert sorted(steps(azure.chats)) == ["plan"]
    assert [one.json["search"] for one in azure.searches] == [FIRST, "*"]
    assert {one.json["filter"] for one in azure.searches} == {"id ne 'x'"}
    assert (plans(answer)[1]["by"], plans(answer)[1]["skipped"]) == ("rules", "not needed")
    assert len(plans(answer)[1]["notes"]) == 1
    assert (len(rounds(answer)), answer.json["ended_by"]) == (1, [])
    assert answer.json["evidence"]["is_sufficient"] is None


async def test_the_second_plan_is_searched_under_the_callers_filter(azure: ScriptedAzure, ask: Ask) -> None:
    english(azure)
    check(await ask(ASKED, filter="id ne 'x'"))
    assert {one.json["filter"] for one in azure.searches} == {"id ne 'x'"}


@pytest.mark.parametrize("way", FAILS)
async def test_where_it_fails_the_users_own_words_are_searched(way: str, azure: ScriptedAzure, ask: Ask) -> None:
    english(azure, plan=in_turn(planned(FIRST), FAILS[way][0]))
    azure.search = by_search({ASKED: found(INCIDENT), "*": found(INCIDENT)}, otherwise=found())
    answer = await ask(ASKED)
    check(answer)
    assert (plans(answer)[1]["by"], plans(answer)[1]["error"]["code"]) == ("rules", FAILS[way][1])
    assert [one["query"] for one in rounds(answer)[1]["searches"]] == [ASKED]
    assert answer.json["answer_by"] == "model"
    assert answer.json["totals"]["elapsed_ms"] <= RUNTIME_SECONDS * 1000


async def test_one_that_only_repeats_what_was_searched_is_none(azure: ScriptedAzure, ask: Ask) -> None:
    english(azure, plan=in_turn(planned(FIRST), planned(FIRST.upper())))
    answer = await ask(ASKED)
    check(answer)
    assert plans(answer)[1]["error"]["code"] == "UnusableModelReply"


async def test_where_the_second_round_finds_nothing_either_that_is_said(azure: ScriptedAzure, ask: Ask) -> None:
    english(azure)
    azure.search = by_search({"*": found(INCIDENT)}, otherwise=found())
    answer = await ask(ASKED)
    check(answer)
    assert sorted(steps(azure.chats)) == ["plan", "plan"]
    assert (len(rounds(answer)), answer.json["evidence"]["is_sufficient"]) == (2, None)


@pytest.mark.parametrize(
    ("search", "limits"),
    [(stalling(), {}), (found(INCIDENT), {}), (found(), {"maxFollowUps": 0})],
    ids=["no search is answered", "a document is found", "the caller wants one round"],
)
async def test_otherwise_a_plan_is_made_once(
    search: WireService, limits: Mapping[str, int], azure: ScriptedAzure, ask: Ask
) -> None:
    english(azure, answer=answered("Within 24 hours [c1].", "c1"))
    azure.search = search
    answer = await ask(ASKED, limits=limits)
    check(answer)
    assert (len(plans(answer)), steps(azure.chats).count("plan")) == (1, 1)


async def test_a_model_that_could_not_plan_is_not_asked_to_plan_again(azure: ScriptedAzure, ask: Ask) -> None:
    english(azure, plan=failing(500))
    answer = await ask(ASKED)
    check(answer)
    assert len(plans(answer)) == 1


async def test_it_gets_its_share_of_the_time_that_is_left(azure: ScriptedAzure, ask: Ask) -> None:
    english(azure, plan=in_turn(delayed(2, planned(FIRST)), stalling()))
    answer = await ask(ASKED)
    check(answer)
    assert plans(answer)[1]["elapsed_ms"] == pytest.approx(0.3 * (RUNTIME_SECONDS - 2) * 1000, abs=100)
    assert answer.json["ended_by"] == ["runtime"]


async def test_the_budget_of_tokens_holds_for_it_too(azure: ScriptedAzure, ask: Ask) -> None:
    for most in (1_000, 2_500, 4_000, 6_000, 8_000, 12_000):
        english(azure)
        answer = await ask(ASKED, limits={"maxTokens": most})
        check(answer)
        skipped = [one["step"] for one in answer.json["activity"] if one.get("skipped") == "tokens"]
        assert (answer.json["ended_by"] == ["tokens"]) == bool(skipped)
        assert not skipped or most < 6_000, most


async def test_a_reading_that_fails_leaves_the_best_matches(azure: ScriptedAzure, ask: Ask) -> None:
    english(azure, answer=failing(500))
    answer = await ask(ASKED)
    check(answer)
    assert (answer.json["answer_by"], answer.json["evidence"]["by"]) == ("rules", None)


async def test_its_filter_and_its_sources_are_not_read(azure: ScriptedAzure, ask: Ask) -> None:
    said = {"queries": [OTHER], "retrieval_goals": ["Find it."], "filter": "id eq 'x'", "sources": ["other"]}
    english(azure, plan=in_turn(planned(FIRST), replying(json.dumps(said))))
    check(await ask(ASKED))
    assert {one.json.get("filter") for one in azure.searches} == {None}


@given(replies("queries", "retrieval_goals"))
def test_any_reply_gives_new_queries_or_is_refused(text: str) -> None:
    try:
        planned = second_round.read(text, most=2, searched=("c1", "Roads"))
    except BadModelReply:
        return
    assert 1 <= len(planned.queries) <= 2
    assert not {one.query.casefold() for one in planned.queries} & {"c1", "roads"}


def test_what_the_caller_may_not_see_is_not_told() -> None:
    shown = second_round.prompt(request(), today=TODAY, searched=("roads",), facets=(Facets(languages=("de",)),))
    assert told(shown).keys() == {"searched", "languages", "question"}
