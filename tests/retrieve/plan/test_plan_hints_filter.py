"""The plan of an answer: its goals and its filter, which of a model's filters may be used, and courtesies."""

import json
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.errors import BadModelReply
from retrieval.filters import odata
from retrieval.filters.schema import Field, Schema
from retrieval.model.conversation import Message
from retrieval.model.retrieval import PlannedQuery, QueryPlan, RetrievalRequest
from retrieval.retrieve.plan import plan_by_model, plan_by_rules, plan_hints
from tests.answer.material import replies, request, told, user

TODAY = date(2026, 11, 20)
SCHEMA: Schema = {
    one.name: one
    for one in (
        Field(name="year", type="Edm.Int32"),
        Field(name="country", type="Edm.String"),
        Field(name="secret", type="Edm.String", filterable=False),
        Field(name="tags", type="Edm.String", collection=True),
        Field(name="address", type="Edm.ComplexType", fields=(Field(name="city", type="Edm.String"),)),
        Field(name="rooms", type="Edm.ComplexType", collection=True, fields=(Field(name="rate", type="Edm.Double"),)),
        Field(name="empty", type="Edm.ComplexType", fields=(Field(name="x", type="Edm.String", filterable=False),)),
    )
}


def reply(texts: object, goals: object = (), filter: object = "") -> str:
    return json.dumps({"queries": texts, "retrieval_goals": goals, "filter": filter})


def read(text: str, *, most: int, schema: Schema | None) -> QueryPlan:
    return plan_by_model.read(text, most=most, goals=True, schema=schema)


def without_model(request: RetrievalRequest) -> QueryPlan:
    return plan_by_rules.without_model(request, courtesies=False)


@given(replies("queries", "retrieval_goals", "filter"), st.integers(1, 3), st.sampled_from([None, SCHEMA, {}]))
def test_any_reply_gives_a_plan_within_its_limits_or_is_refused(text: str, most: int, schema: Schema | None) -> None:
    try:
        planned = read(text, most=most, schema=schema)
    except BadModelReply:
        return
    assert 1 <= len(planned.queries) <= most
    assert len({one.query.casefold() for one in planned.queries}) == len(planned.queries)
    assert all(0 < len(one.query) <= 1_000 and len(one.goal) <= 500 for one in planned.queries)
    assert (planned.filter is None) == (planned.filter_text == "")


@pytest.mark.parametrize("text", ["", "{}", "[]", reply([]), reply("x"), reply([1, " ", None]), "[" * 50_000])
def test_a_reply_without_a_query_is_refused(text: str) -> None:
    with pytest.raises(BadModelReply):
        read(text, most=3, schema=SCHEMA)


def test_a_goal_stays_with_its_query() -> None:
    planned = read(reply(["a", " ", "A", "b"], ["find a", "none", "again", "find b"]), most=3, schema=None)
    assert planned.queries == (PlannedQuery(query="a", goal="find a"), PlannedQuery(query="b", goal="find b"))
    assert planned.notes == ("2 of 4 queries were kept; the others were empty, repeated or too many.",)


@pytest.mark.parametrize("goals", [[], ["find a"], ["find a", "find b", "find c"], "no list", None, {}])
def test_goals_that_are_not_aligned_are_noted_and_lose_no_query(goals: object) -> None:
    planned = read(reply(["a", "b"], goals), most=3, schema=None)
    assert [one.query for one in planned.queries] == ["a", "b"]
    assert len(planned.notes) == 1


def test_more_queries_than_allowed_are_cut() -> None:
    planned = read(reply(["a", "b", "c"], ["", "", ""]), most=1, schema=None)
    assert [one.query for one in planned.queries] == ["a"]
    assert len(planned.notes) == 1


@pytest.mark.parametrize(
    "text",
    [
        "year ge 2020",
        "country eq 'Chad' and year lt 2000",
        "tags/any(t: t eq 'lights')",
        "address/city eq 'Cairo'",
        "search.in(country, 'Chad,Mali')",
        "rooms/any(r: r/rate lt 100)",
    ],
)
def test_a_filter_that_the_index_can_answer_is_used(text: str) -> None:
    planned = read(reply(["a"], ["g"], f" {text} "), most=1, schema=SCHEMA)
    assert planned.filter is not None
    assert odata.read(planned.filter_text) is not None
    assert planned.notes == ()


@pytest.mark.parametrize(
    ("said", "because"),
    [
        ("year ge 'x'", "incompatible types"),
        ("secret eq 'x'", "not a filterable field"),
        ("tenant eq 'b'", "could not find a property"),
        ("search.ismatch('x', 'country')", "search.ismatch"),
        ("country eq 'x' or search.ismatchscoring('x')", "search.ismatch"),
        ("country eq 'x') or (true", "Invalid filter expression"),
        ("year ge", "Invalid filter expression"),
        ("true", "it names no field"),
        ("not " * 300 + "true", "Invalid filter expression"),
        ("country eq '" + "x" * 2_000 + "'", "longer than 2000 characters"),
        ("year eq \ud800", "surrogate"),
        (7, "it is not text"),
        (["year eq 1"], "it is not text"),
    ],
)
def test_a_filter_that_cannot_be_used_is_left_out_and_the_note_says_why(said: object, because: str) -> None:
    planned = read(reply(["a"], ["g"], said), most=1, schema=SCHEMA)
    assert planned.filter is None and planned.filter_text == ""
    (note,) = planned.notes
    assert note.startswith("The filter was left out: ") and because in note


@pytest.mark.parametrize("schema", [None, {}])
def test_a_filter_that_nobody_asked_for_is_left_out(schema: Schema | None) -> None:
    planned = read(reply(["a"], ["g"], "year ge 2020"), most=1, schema=schema)
    assert planned.filter is None
    assert "the index has no known field" in planned.notes[0]


@pytest.mark.parametrize("empty", ["", "  ", None])
def test_no_filter_is_no_note(empty: object) -> None:
    planned = read(reply(["a"], ["g"], empty), most=1, schema=SCHEMA)
    assert planned.filter is None and planned.notes == ()


def test_a_filter_is_asked_for_only_where_there_are_fields_for_it() -> None:
    with_fields = plan_by_model.prompt(request(), goals=True, today=TODAY, schema=SCHEMA)
    assert told(with_fields)["fields"] == [
        {"field": "year", "type": "Edm.Int32"},
        {"field": "country", "type": "Edm.String"},
        {"field": "tags", "type": "Collection(Edm.String)"},
        {"field": "address/city", "type": "Edm.String"},
        {"field": "rooms", "type": "Collection(Edm.ComplexType)"},
        {"field": "rooms/rate", "type": "Edm.Double"},
    ]
    assert with_fields.schema["required"] == ["queries", "retrieval_goals", "next", "filter"]
    for schema in (None, {}, {"secret": SCHEMA["secret"]}):
        without = plan_by_model.prompt(request(), goals=True, today=TODAY, schema=schema)
        assert "fields" not in told(without)
        assert without.schema["required"] == ["queries", "retrieval_goals", "next"]


def test_an_index_of_very_many_fields_does_not_fill_the_prompt() -> None:
    many = {f"f{number}": Field(name=f"f{number}", type="Edm.String") for number in range(3_000)}
    fields = told(plan_by_model.prompt(request(), goals=True, today=TODAY, schema=many))["fields"]
    assert isinstance(fields, list) and len(fields) == plan_hints.MOST_FIELDS


def test_a_prompt_says_the_date_and_how_many_queries_are_wanted() -> None:
    asked = request(user("What opened last year?"), queries=2)
    prompt = plan_by_model.prompt(asked, goals=True, today=TODAY, schema=None)
    assert told(prompt) == {"today": "2026-11-20", "question": "What opened last year?"}
    assert "at most 2," in prompt.instructions


def test_without_a_model_a_follow_up_keeps_the_turns_that_it_leans_on() -> None:
    turns = (user("How bright is Cairo at night?"), Message(role="assistant", text="Very."))
    planned = without_model(request(*turns, user("And its delta?")))
    assert planned.history == turns
    assert planned.queries[0].query == "And its delta? bright Cairo night"


def test_a_message_that_is_too_long_to_be_searched_whole_is_noted() -> None:
    assert len(without_model(request(user("word " * 1_000))).notes) == 1


def test_without_a_model_courtesies_are_not_searched_for() -> None:
    polite = without_model(request(user("Hello, which satellite carries the sensor VIIRS? Thanks!")))
    assert [one.query for one in polite.queries] == ["which satellite carries the sensor VIIRS?"]
    thanked = without_model(request(user("Tell me about Phoenix"), user("thanks")))
    assert [one.query for one in thanked.queries] == ["Tell me about Phoenix"]
