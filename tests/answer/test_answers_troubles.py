"""What goes wrong in an answer: each step of the model, the time, the tokens. There is an answer, and it says so."""

import json
import re
from collections.abc import Mapping
from html import unescape
from typing import Any, Final

import pytest

from retrieval.call.budget import REPLY_TOKENS
from retrieval.local.wire import WireService
from retrieval.text.languages.language import ENGLISH
from retrieval.text.links import plain
from tests.answer.conftest import Ask
from tests.answer.material import block
from tests.answer.scripts import STEPS, calls, judged, rounds, step, step_of, steps
from tests.answer.test_answers import RIVER, ROAD, TOLL, model
from tests.conftest import Response
from tests.scenarios.failures.conftest import RUNTIME_SECONDS
from tests.scripted_azure import (
    ScriptedAzure,
    answering,
    by_search,
    cutting,
    delayed,
    failing,
    found,
    in_turn,
    replying,
    stalling,
)

FAILS: Final[Mapping[str, tuple[WireService, str]]] = {
    "fails": (failing(500), "BackendUnavailable"),
    "is throttled": (failing(429, retry_after=60), "BackendThrottled"),
    "refuses": (failing(400, "The response was filtered."), "BackendRefused"),
    "is not authenticated": (failing(401), "BackendForbidden"),
    "has its connection cut": (cutting(), "BackendUnavailable"),
    "answers HTML": (answering(b"<html>hello</html>", content_type="text/html"), "BackendUnavailable"),
    "replies with nothing": (replying(""), "UnusableModelReply"),
    "replies with prose": (replying("Gladly! Here you are."), "UnusableModelReply"),
    "replies with broken JSON": (replying('{"queries": ["roads", '), "UnusableModelReply"),
    "replies with JSON too deep": (replying("[" * 60_000), "UnusableModelReply"),
    "replies with an array": (replying("[1, 2]"), "UnusableModelReply"),
    "replies with null": (replying("null"), "UnusableModelReply"),
    "replies in another schema": (replying('{"verdict": "yes"}'), "UnusableModelReply"),
    "stalls": (stalling(), "BackendTimeout"),
}


CLASS: Final = re.compile(r"(?:[a-z]Error|Exception|Backend\w+)\b")
"""The name of a class of exceptions."""


def both_rounds(azure: ScriptedAzure, **scripts: WireService) -> None:
    """A first round that is not enough, and a second one that finds the toll."""
    azure.search = by_search({"bridge toll": found(TOLL)}, otherwise=found(ROAD, RIVER))
    azure.chat = model(**{"answer": judged("c1", sufficient=False, confidence=0.3, more=("bridge toll",)), **scripts})


def check(answer: Response) -> None:
    """An answer to rest on: every citation is of a selected chunk, all that was found is accounted for."""
    assert answer.status == 200
    assert answer.json["answer_markdown"].strip()
    assert CLASS.search(answer.json["answer_markdown"]) is None
    assert "nobody has read" not in answer.json["answer_markdown"]
    errors = [record["error"]["message"] for record in answer.json["activity"] if record.get("error")]
    assert not any(map(CLASS.search, errors)), errors
    ids = {one["id"]: one for one in answer.json["selected"]}
    lines = [f"\n- [{number}] {source}" for number, source in enumerate(answer.json["sources"], start=1)]
    body = text = unescape(answer.json["answer_markdown"])
    if answer.json["answer_by"] == "rules":
        assert all(f"{line}\n\n> " in text for line in lines), "each passage is below its label"
    else:
        body = text.removesuffix("".join(lines))
        assert body != text or not lines
    for citation in answer.json["citations"]:
        assert ids[citation["chunk_id"]]["source"] == citation["source"]
        assert f"[{1 + answer.json['sources'].index(citation['source'])}]" in body
    assert set(answer.json["sources"]) == {citation["source"] for citation in answer.json["citations"]}
    assert len(calls(answer)) <= 4
    rounds(answer)


@pytest.mark.parametrize("name", STEPS)
@pytest.mark.parametrize("way", FAILS)
async def test_a_model_that_goes_wrong_at_one_step_costs_that_step_alone(
    name: str, way: str, azure: ScriptedAzure, ask: Ask
) -> None:
    script, code = FAILS[way]
    both_rounds(azure, **{name: script})
    answer = await ask()
    check(answer)
    record = step(answer, name)
    assert (record["by"], record["error"]["code"]) == ("rules", code)
    others = [one for one in calls(answer) if one["id"] != record["id"]]
    assert all("error" not in one for one in others)
    assert {"route", "plan", "answer"} - {name} <= {one["step"] for one in others}


@pytest.mark.parametrize("name", ["route", "plan", "answer"])
async def test_a_model_that_is_throttled_for_a_moment_does_the_step_all_the_same(
    name: str, azure: ScriptedAzure, ask: Ask
) -> None:
    azure.search, azure.chat = found(ROAD, RIVER), model(**{name: in_turn(failing(429, retry_after=1), model())})
    answer = await ask()
    check(answer)
    assert step(answer, name)["by"] == "model"
    assert steps(azure.chats).count(name) == 2
    assert all("error" not in one for one in calls(answer))


@pytest.mark.parametrize("way", FAILS)
async def test_a_model_that_goes_wrong_at_every_step_leaves_the_answer_of_the_rules(
    way: str, azure: ScriptedAzure, ask: Ask
) -> None:
    azure.search, azure.chat = found(ROAD, RIVER), FAILS[way][0]
    answer = await ask()
    check(answer)
    assert {one["by"] for one in answer.json["activity"] if one["type"] == "step"} == {"rules"}
    assert all(one["error"]["code"] == FAILS[way][1] for one in calls(answer))
    assert answer.json["citations"] != []
    why = step(answer, "answer")["error"]["message"]
    assert answer.json["answer_markdown"].startswith(
        ENGLISH.frames.failed.format(why=plain(why, longest=200).rstrip("."))
    )
    assert "confidence" not in answer.json["evidence"] and answer.json["evidence"]["is_sufficient"] is None


@pytest.mark.parametrize("name", STEPS)
async def test_a_step_that_stalls_leaves_time_for_the_answer(name: str, azure: ScriptedAzure, ask: Ask) -> None:
    both_rounds(azure, **{name: stalling()})
    answer = await ask()
    check(answer)
    assert answer.json["ended_by"] == ["runtime"]
    assert answer.json["totals"]["elapsed_ms"] <= RUNTIME_SECONDS * 1000


async def test_no_part_takes_more_than_its_share_of_the_time(azure: ScriptedAzure, ask: Ask) -> None:
    azure.search, azure.chat = stalling(), model(route=stalling(), plan=stalling())
    answer = await ask()
    for name in ("route", "plan"):
        assert step(answer, name)["started_ms"] + step(answer, name)["elapsed_ms"] == pytest.approx(3_000, abs=100)
    (retrieval,) = rounds(answer)
    assert retrieval["started_ms"] + retrieval["elapsed_ms"] == pytest.approx(6_000, abs=100)


async def test_searches_that_stall_end_with_what_is_there(azure: ScriptedAzure, ask: Ask) -> None:
    azure.search = by_search({"roads along rivers": found(ROAD)}, otherwise=stalling())
    azure.chat = model()
    answer = await ask()
    check(answer)
    assert answer.json["ended_by"] == ["runtime"]
    assert answer.json["sources"] == ["Roads - road"]
    (retrieval,) = rounds(answer)
    assert [one.get("error", {}).get("code") for one in retrieval["searches"]] == [
        None,
        "BackendTimeout",
        "BackendTimeout",
    ]


@pytest.mark.parametrize("agent", ["planner", "plain"])
async def test_where_every_search_stalls_the_answer_says_that_it_has_nothing(
    agent: str, azure: ScriptedAzure, ask: Ask
) -> None:
    azure.search, azure.chat = stalling(), model()
    answer = await ask(agent=agent)
    check(answer)
    assert answer.json["ended_by"] == ["runtime"]
    assert answer.json["evidence"]["is_sufficient"] is None


async def test_everything_stalls_and_there_is_an_answer_in_time(azure: ScriptedAzure, ask: Ask) -> None:
    azure.search, azure.chat = stalling(), stalling()
    answer = await ask()
    check(answer)
    assert answer.json["totals"]["elapsed_ms"] <= RUNTIME_SECONDS * 1000


async def test_a_follow_up_whose_search_fails_leaves_the_first_answer(azure: ScriptedAzure, ask: Ask) -> None:
    both_rounds(azure)
    azure.search = by_search({"bridge toll": failing(404)}, otherwise=found(ROAD, RIVER))
    answer = await ask()
    check(answer)
    assert answer.json["sources"] == ["Roads - road"]
    assert rounds(answer)[1]["searches"][0]["error"]["code"] == "BackendUnavailable"
    assert "again" not in steps(azure.chats)


async def test_the_budget_of_tokens_ends_the_calls_and_not_the_answer(azure: ScriptedAzure, ask: Ask) -> None:
    both_rounds(azure)
    for most in (1_000, 2_500, 4_000, 6_000, 8_000, 12_000):
        answer = await ask(limits={"maxTokens": most})
        check(answer)
        skipped = [one["step"] for one in answer.json["activity"] if one.get("skipped") == "tokens"]
        assert (answer.json["ended_by"] == ["tokens"]) == bool(skipped)
        assert bool(skipped) == (most < 4_000), most


async def test_a_model_that_takes_more_than_was_left_is_not_asked_again(azure: ScriptedAzure, ask: Ask) -> None:
    both_rounds(azure, route=delayed(1, replying(json.dumps({"should_run_rag": True}), usage=(60_000, 10))))
    answer = await ask()
    check(answer)
    assert answer.json["ended_by"] == ["tokens"]
    assert set(steps(azure.chats)) == {"route", "plan"}


async def test_tokens_are_counted_by_step_and_altogether(azure: ScriptedAzure, ask: Ask) -> None:
    azure.search, azure.chat = found(ROAD, RIVER), model()
    answer = await ask()
    assert [(one["input_tokens"], one["output_tokens"]) for one in calls(answer)] == [(100, 20)] * 3
    totals: dict[str, Any] = answer.json["totals"]
    assert (totals["input_tokens"], totals["output_tokens"], totals["model_calls"]) == (300, 60, 3)


async def test_an_answer_of_half_a_character_is_none(azure: ScriptedAzure, ask: Ask) -> None:
    half = json.dumps({"blocks": [block("\ud83d", "c1")]})
    azure.search, azure.chat = found(ROAD, RIVER), model(answer=replying(half))
    answer = await ask()
    check(answer)
    assert "\ud83d" not in answer.json["answer_markdown"]
    assert step(answer, "answer")["error"]["code"] == "UnusableModelReply"


async def test_an_answer_that_is_a_text_and_no_blocks_is_none(azure: ScriptedAzure, ask: Ask) -> None:
    whole = json.dumps({"answer": "The old road follows the river [c1]."})
    azure.search, azure.chat = found(ROAD, RIVER), model(answer=replying(whole))
    answer = await ask()
    check(answer)
    assert (step(answer, "answer")["error"]["code"], answer.json["answer_by"]) == ("UnusableModelReply", "rules")


@pytest.mark.parametrize(
    ("choice", "reason"),
    [
        ({"finish_reason": "length", "message": {"content": '{"should'}}, "cut off"),
        ({"finish_reason": "content_filter", "message": {"content": None}}, "content filter"),
        ({"finish_reason": "stop", "message": {"content": None, "refusal": "I cannot."}}, "declined"),
    ],
)
async def test_a_reply_that_is_not_whole_says_why(
    choice: dict[str, object], reason: str, azure: ScriptedAzure, ask: Ask
) -> None:
    azure.search, azure.chat = found(ROAD), model(route=answering({"choices": [choice], "usage": None}))
    answer = await ask()
    check(answer)
    assert reason in step(answer, "route")["error"]["message"]


async def test_every_reply_is_bounded_by_what_is_set_aside(azure: ScriptedAzure, ask: Ask) -> None:
    both_rounds(azure)
    for most, scale in ((50_000, 1.0), (25_000, 0.5)):
        azure.recorded.clear()
        await ask(limits={"maxTokens": most})
        asked = {step_of(one.json): one.json["max_completion_tokens"] for one in azure.chats}
        assert asked == {name: round(REPLY_TOKENS[name] * scale) for name in ("route", "plan", "answer")}
