"""The plan: what a model is asked, what is accepted of its reply, and what is planned without one."""

import contextlib
import json
import time
from dataclasses import replace
from datetime import date
from itertools import pairwise
from typing import Any, Final

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from retrieval.call import prompt_parts, replies
from retrieval.errors import BadModelReply
from retrieval.filters.schema import Field
from retrieval.model.conversation import Message, split
from retrieval.model.definitions import Effort
from retrieval.model.retrieval import Limits, RetrievalRequest
from retrieval.model.search import LONGEST_SEARCH, Facets, FilterHint, QueryHints, SearchTarget
from retrieval.retrieve.plan import plan_by_model, plan_by_rules, plan_limits
from retrieval.retrieve.plan.plan_hints import Offer
from retrieval.text.length import clip, tokens
from retrieval.text.user_message import standalone, terms
from tests.laws import law

TODAY = date(2026, 11, 20)
roles = st.sampled_from(["user", "assistant", "system"])
conversations = st.lists(st.builds(Message, role=roles, text=st.text(max_size=300)), max_size=8).map(
    lambda turns: (*turns, Message(role="user", text="What next?"))
)


def request(*messages: Message, max_documents: int | None = None) -> RetrievalRequest:
    return RetrievalRequest(
        messages=messages,
        targets=(SearchTarget(index="i", threshold=2.5, max_documents=max_documents),),
        limits=Limits(output_tokens=5000, runtime=60),
    )


def user(text: str) -> Message:
    return Message(role="user", text=text)


def queries(*texts: str) -> str:
    return json.dumps({"queries": texts})


def searched(request: RetrievalRequest) -> tuple[str, ...]:
    return tuple(one.query for one in plan_by_rules.without_model(request).queries)


@given(conversations)
def test_user_text_cannot_leave_its_place_in_the_prompt(conversation: tuple[Message, ...]) -> None:
    prompt = plan_by_model.prompt(request(*conversation), today=TODAY)
    data = json.loads(prompt.data)
    guidance, turns = split(conversation)
    assert [turn["text"] for turn in data.get("conversation", ())] == [turn.text for turn in turns[:-1]]
    assert [turn["text"] for turn in data.get("guidance", ())] == [turn.text for turn in guidance]
    assert data["question"] == turns[-1].text == list(data.values())[-1]


def test_a_long_conversation_keeps_its_latest_turns() -> None:
    conversation = [user(f"turn {n} " + "x" * 1000) for n in range(100)]
    data = json.loads(plan_by_model.prompt(request(*conversation), today=TODAY).data)
    texts = [*(turn["text"] for turn in data["conversation"]), data["question"]]
    assert texts[-2:] == [message.text for message in conversation[-2:]]
    assert sum(map(len, texts)) <= prompt_parts.LONGEST_CONVERSATION


def parts_of(asked: RetrievalRequest, **about: Any) -> str:
    return plan_by_model.prompt(asked, today=TODAY, **about).instructions


NAMED: Final = ("`next`", "`languages`", "`values`", "`today`", "`guidance`", "`conversation`", "`retrieval_goals`")
NAMED_TOO: Final = ("`filter`", "`fields`", "OData", "`sources`", "`hints`", "`boosts`", "relative date")


@pytest.mark.parametrize("effort", ["low", "auto", "medium"])
def test_a_plain_retrieve_is_told_nothing_of_what_it_does_not_have(effort: Effort) -> None:
    asked = replace(request(user("Which roads follow rivers?")), effort=effort)
    prompt = plan_by_model.prompt(asked, today=TODAY)
    assert json.loads(prompt.data) == {"question": "Which roads follow rivers?"}
    told = [name for name in (*NAMED, *NAMED_TOO) if name in prompt.instructions]
    assert told == ([] if effort == "low" else ["`next`"])
    assert tokens(prompt.instructions) + tokens(prompt.data) <= 300


def test_each_part_is_told_where_it_applies() -> None:
    turns = (Message(role="system", text="Only maps."), user("Roads?"), user("And those of last year?"))
    asked = replace(request(*turns), effort="medium", targets=(SOURCES[1], SOURCES[1], SOURCES[2]))
    offer = Offer(source="b", schema=None, filters={"year": FilterHint(field="year")}, boosts=())
    schema = {"year": Field(name="year", type="Edm.Int32", filterable=True)}
    facets = Facets(values={"paper": ("Reef Tidings",)}, languages=("de",))
    told = parts_of(asked, goals=True, schema=schema, hints=(offer,), facets=(facets,))
    assert [name for name in (*NAMED, *NAMED_TOO) if name not in told] == []


def test_no_sentence_of_low_effort_contradicts_another() -> None:
    told = parts_of(replace(request(user("Which roads follow rivers?")), effort="low"))
    assert "every part of the question" in told
    assert "do not guess" not in told and "if the question asks one thing" not in told


def test_of_a_conversation_the_question_stands_last_and_apart() -> None:
    turns = (user("How bright is Cairo?"), Message(role="assistant", text="Very."), user("And its delta?"))
    data = json.loads(plan_by_model.prompt(request(*turns), today=TODAY).data)
    assert list(data) == ["conversation", "question"]
    assert [turn["text"] for turn in data["conversation"]] == ["How bright is Cairo?", "Very."]
    assert data["question"] == "And its delta?"


@pytest.mark.parametrize(
    ("documents", "least", "most"), [(None, 1, 3), (50, 1, 3), (100, 2, 3), (150, 3, 3), (200, 4, 4)]
)
def test_fifty_documents_ask_for_a_sub_query(documents: int | None, least: int, most: int) -> None:
    assert plan_limits.bounds_of(request(max_documents=documents)) == (least, most)


@pytest.mark.parametrize(
    "reply",
    [
        "",
        "no JSON",
        "[]",
        "null",
        "{}",
        '{"queries": "x"}',
        '{"queries": []}',
        '{"queries": [1, null, " ", "\\u0000"]}',
        "[" * 100_000,
        '{"queries": ["' + "x" * 70_000 + '"]}',
    ],
)
def test_a_useless_reply_is_refused(reply: str) -> None:
    with pytest.raises(BadModelReply):
        plan_by_model.read(reply, most=3)


def test_a_reply_is_cleaned_bounded_and_distinct() -> None:
    reply = queries(" street\ngrid ", "Street Grid", "a" * 5000, "third", "fourth")
    planned = plan_by_model.read(reply, most=3)
    assert [one.query for one in planned.queries] == ["street grid", "a" * replies.LONGEST_QUERY, "third"]


@given(st.text(max_size=200))
def test_reading_a_reply_gives_queries_or_refuses(reply: str) -> None:
    with contextlib.suppress(BadModelReply):
        assert plan_by_model.read(reply, most=3).queries


@given(conversations, st.sampled_from([None, 50, 100, 200]))
def test_the_plan_without_a_model_is_bounded_and_the_same_every_time(
    conversation: tuple[Message, ...], documents: int | None
) -> None:
    asked = request(*conversation, max_documents=documents)
    planned = searched(asked)
    assert planned == searched(asked)
    assert 1 <= len(planned) <= plan_limits.bounds_of(request(max_documents=documents))[1]
    assert all(0 < len(query) <= LONGEST_SEARCH for query in planned)


def test_guidance_is_never_searched() -> None:
    guidance = Message(role="assistant", text="You answer about volcanoes.")
    assert searched(request(guidance, user("How bright is Cairo at night?"))) == ("How bright is Cairo at night?",)


def test_a_follow_up_takes_along_what_it_points_at() -> None:
    turns = (user("How bright is Cairo at night?"), Message(role="assistant", text="Very."), user("And its delta?"))
    assert standalone(turns) == "And its delta? bright Cairo night"


def test_a_question_that_stands_alone_is_searched_as_it_is() -> None:
    question = "Which gas flares are visible over the Persian Gulf?"
    assert standalone((user("How bright is Cairo at night?"), user(question))) == question


def test_only_a_follow_up_has_a_history_and_it_ends_before_the_last_question() -> None:
    guidance, answer = (Message(role="assistant", text=text) for text in ("You answer about cities.", "Very."))
    before = (user("How bright is Cairo at night?"), answer)
    alone = "Which gas flares are visible over the Persian Gulf?"
    assert plan_by_rules.without_model(request(guidance, *before, user("And its delta?"), answer)).history == before
    assert plan_by_rules.without_model(request(*before, user(alone))).history == ()
    assert plan_by_rules.without_model(request(guidance, user("It?"))).history == ()


def test_a_message_of_several_questions_is_searched_as_a_whole() -> None:
    question = "How bright is Cairo at night? How dark is the desert?"
    assert searched(request(user(question))) == (question,)


@given(st.text(max_size=100), st.integers(1, 50))
def test_clipping_never_lengthens_and_keeps_a_beginning(text: str, length: int) -> None:
    clipped = clip(text, length)
    assert len(clipped) <= length
    assert text.startswith(clipped)


@given(st.text(max_size=200))
def test_terms_are_distinct_without_regard_to_case(text: str) -> None:
    folded = [term.casefold() for term in terms(text)]
    assert len(set(folded)) == len(folded)


ALIKE: Final = (
    """spouse of the performer of Green|Spouse of the performer of Green?|Green's performer: spouse
    |the spouses of Green's performers|SPOUSE OF GREEN'S PERFORMER""",
    "Lichter der Stadt Phoenix|Stadt Phoenix, Lichter|Lichter – die Stadt Phoenix",
    "prix du billet de train|billet de train prix|Quel est le prix d'un billet de train ?",
    "capital de la provincia|provincia capital|Capital – la provincia",
    "东京的人口|东京人口|人口、东京",
    "vitamin D and children|children, vitamin d",
)


@pytest.mark.parametrize("listed", ALIKE)
def test_queries_that_repeat_another_are_left_out_before_the_cut(listed: str) -> None:
    alike = [text.strip() for text in listed.split("|")]
    planned = plan_by_model.read(queries(*alike, "tolls", "fords", "bays", "ports"), most=4)
    assert [one.query for one in planned.queries] == [alike[0], "tolls", "fords", "bays"]
    heard = plan_by_model.GrowingPlan(most=4)
    heard.feed(queries(*alike, "tolls", "fords", "bays", "ports"))
    assert heard.queries == planned.queries


@pytest.mark.parametrize(
    "apart",
    [
        ["capital gains tax in Germany", "capital gains tax in France"],
        ["Acme revenue 2019", "Acme revenue 2020", "Acme revenue"],
        ["performer of Night Crawler", "where the performer of Night Crawler died"],
        ["who built the bridge", "when was the bridge built"],
        ["vitamin D deficiency", "vitamin A deficiency", "vitamin C deficiency", "deficiency of vitamins"],
        ["visa for employees with children", "visa for employees without children"],
        ["tax law of the US", "tax law"],
        ["the", "a", "of"],
        ["人口の多い都市", "人口の少ない都市"],
        ["Steuer mit Kindern", "Steuer ohne Kinder"],
    ],
)
def test_queries_with_other_words_names_or_figures_stay(apart: list[str]) -> None:
    assert [one.query for one in plan_by_model.read(queries(*apart), most=8).queries] == apart


QUERIES: Final = st.lists(
    st.text(max_size=8) | st.sampled_from(["roads", "ROADS ", " roads", "the road", "x" * 1_200]), max_size=120
)


@given(QUERIES, st.integers(1, 5), st.lists(st.integers(0, 400), max_size=20), st.booleans())
@law(200)
def test_the_queries_that_are_heard_are_those_that_are_read(
    said: list[str], most: int, ends: list[int], cut: bool
) -> None:
    """In whatever pieces the reply comes; of a reply that is cut they are the first of them."""
    text = json.dumps({"queries": said})
    assume(len(text) <= plan_by_model.LONGEST_REPLY)
    text = text[: len(text) // 2] if cut else text
    cuts = sorted({0, len(text), *(end for end in ends if end < len(text))})
    heard = plan_by_model.GrowingPlan(most=most)
    for start, end in pairwise(cuts):
        heard.feed(text[start:end])
    try:
        read = plan_by_model.read(json.dumps({"queries": said}), most=most).queries
    except BadModelReply:
        read = ()
    assert heard.queries == (read[: len(heard.queries)] if cut else read)


def test_what_was_heard_stays_in_a_plan_that_says_something_else() -> None:
    heard = plan_by_model.GrowingPlan(most=3)
    heard.feed('{"queries": ["roads", "rivers"')
    made = plan_by_model.keeping(plan_by_model.read(queries("ports", "Rivers", "bays"), most=3), heard, most=3)
    assert [one.query for one in made.queries] == ["roads", "rivers", "ports"]
    assert made.notes == (plan_by_model.BROKEN_OFF,)
    whole = plan_by_model.read(queries("roads", "rivers", "ports"), most=3)
    assert plan_by_model.keeping(whole, heard, most=3) is whole


SOURCES: Final = (
    SearchTarget(index="a", threshold=0),
    SearchTarget(index="b", source="b", threshold=0),
    SearchTarget(index="c", source="c", threshold=0, always=True),
    SearchTarget(index="d", source="d", threshold=0, never=True),
    SearchTarget(index="e", source="e", threshold=0, always=True, hints=QueryHints()),
)


@pytest.mark.parametrize(
    ("targets", "settled"),
    [(SOURCES, "ac"), (SOURCES[:1], "a"), (SOURCES[1:2], "b"), (SOURCES[1:3], "c"), (SOURCES[3:], "")],
)
def test_a_target_that_a_plan_picks_or_narrows_waits_for_its_end(
    targets: tuple[SearchTarget, ...], settled: str
) -> None:
    asked = replace(request(user("Which roads?")), targets=targets)
    assert "".join(one.index for one in plan_limits.certain_targets(asked)) == settled


def test_a_plan_that_repeats_itself_is_read_without_keeping_the_event_loop() -> None:
    """A server may send a whole reply at once. The time is that of the processor."""
    queries = [chr(0x4E00 + 200 * number) * 900 for number in range(4)] * 16
    heard, start = plan_by_model.GrowingPlan(most=5), time.process_time()
    heard.feed(json.dumps({"queries": queries}, ensure_ascii=False))
    assert time.process_time() - start < 0.05
    assert len(heard.queries) == 4
