"""Kinds of plans, from plans that small models wrote."""

import json
from typing import Final

import pytest

from retrieval.model.conversation import Message
from tests.benchmarks.with_a_local_model.kinds import CODE, of_plan, queries_of
from tests.benchmarks.with_a_local_model.remembered import ModelCall

CONVERSATION: Final = (
    Message(role="user", text="Who built the lighthouse of Alexandria?"),
    Message(role="assistant", text="Sostratus did."),
    Message(role="user", text="And which earthquake destroyed it?"),
)


def plan(text: str, fate: str = "whole") -> ModelCall:
    call = {"key": "k", "name": "plan-6", "instructions": "", "data": "", "seconds": 1.0}
    return ModelCall(text=text, fate=fate, **call)  # type: ignore[arg-type]


def kinds(*queries: str) -> list[str]:
    return of_plan(plan(json.dumps({"queries": queries})), CONVERSATION, today="2026-01-01")[1:]


@pytest.mark.parametrize(
    "query",
    [
        "state/any(x: x eq 'Rochester')",
        "select T1.citizenship from T1 join T2",
        "SELECT name, born FROM people WHERE name = 'Ada'",
        "search.in(field, 'a,b')",
        "director_of_film: Titanic",
        "country/capital/mayor",
        "getCapital('France')",
        "{film: director}",
        "page_number ge 105",
    ],
)
def test_code_is_no_natural_language(query: str) -> None:
    assert CODE.search(query)


@pytest.mark.parametrize(
    "query",
    [
        "Who is the mayor of Paris (France)?",
        "What did the select committee find in its report from 1998?",
        "$5 million in prize money",
        "the AC/DC song of 1980 and/or its singer",
        "iPhone release date",
        "Which is older, the Times or The Sun?",
        "films from Germany: list of directors",
    ],
)
def test_a_question_is_natural_language(query: str) -> None:
    assert not CODE.search(query)


def test_a_plan_of_a_conversation_is_about_the_message_whose_words_it_has() -> None:
    assert "about the last message" in kinds("earthquake that destroyed the lighthouse")
    assert "about the first message" in kinds("who built the lighthouse", "Alexandria builder")
    assert kinds("history") == ["in natural language"]


def test_a_plan_repeats_a_query_in_other_order_or_case_and_names_the_day() -> None:
    assert "with a repeated query" in kinds("Earthquake destroyed", "destroyed earthquake")
    assert "with today's date" in kinds("earthquakes on 2026-01-01")


def test_a_plan_that_is_no_plan_has_its_reason() -> None:
    assert of_plan(plan("[1]"), CONVERSATION, today="x") == ["plans", "unreadable"]
    assert of_plan(plan('{"queries": ["a', "cut"), CONVERSATION, today="x") == ["plans", "cut"]
    assert of_plan(plan('{"queries": ["a"]}', "out of time"), CONVERSATION, today="x") == ["plans", "out of time"]
    assert queries_of('{"queries": [3, "", "a"]}') == ["a"]
