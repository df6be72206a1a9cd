"""The request of `POST agents/{name}/answer`: what it may say, what it leaves to the agent, what is refused."""

import json
from dataclasses import replace
from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.contracts.answer import detail, parse
from retrieval.errors import BadFilter, BadRequest
from retrieval.filters.odata.writer import write
from retrieval.model.conversation import Message, question_of
from retrieval.model.definitions import Agent, Target
from retrieval.model.retrieval import ANSWER_LIMITS, RetrievalRequest

AGENT: Final = Agent(name="atlas", targets=(Target(index="roads"),))
TWO: Final = Agent(name="both", targets=(Target(index="roads", reranker_threshold=1.5), Target(index="rivers")))


def asked(**more: object) -> dict[str, Any]:
    return {"messages": [{"role": "user", "content": [{"type": "text", "text": "Which roads?"}]}], **more}


def parsed(body: object, agent: Agent = AGENT) -> RetrievalRequest:
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    return parse(content, agent, user_token=None)


def filters(request: RetrievalRequest) -> dict[str, str | None]:
    return {one.index: None if one.filter is None else write(one.filter) for one in request.targets}


def test_a_conversation_is_enough() -> None:
    request = parse(json.dumps(asked()).encode(), AGENT, user_token="of a user")
    assert request.messages == (Message(role="user", text="Which roads?"),)
    assert request.limits == ANSWER_LIMITS
    (target,) = request.targets
    assert (target.index, target.filter, target.threshold, target.include_source_data) == ("roads", None, 0.0, False)
    assert request.user_token == "of a user"


def test_a_null_says_nothing() -> None:
    nothing = asked(filter=None, indexName=None, limits=dict.fromkeys(RANGES))
    assert parsed(nothing) == parsed(asked(limits=None)) == parsed(asked())


def test_every_limit_can_be_said_and_names_have_no_case() -> None:
    limits = {
        "MaxRuntimeInSeconds": 20, "maxtokens": 1_000, "maxQueries": 1, "maxChunks": 2, "maxFollowUps": 0,
        "RERANKERTHRESHOLD": 2,
    }  # fmt: skip
    request = parsed(asked(Limits=limits), TWO)
    assert request.limits == replace(ANSWER_LIMITS, queries=1, follow_ups=0, chunks=2, runtime=20, tokens=1_000)
    assert [one.threshold for one in request.targets] == [2, 2]


def test_what_is_not_said_is_the_agents_and_then_the_contracts() -> None:
    agent = Agent(name="slow", targets=(*TWO.targets, Target(index="seas", max_documents=7)), max_runtime=25)
    request = parsed(asked(), agent)
    assert request.limits.runtime == 25
    assert [one.threshold for one in request.targets] == [1.5, 0, 0]
    assert [one.max_documents for one in request.targets] == [None, None, 7]


def test_an_agent_that_may_take_longer_than_a_trigger_may_takes_as_long_as_that() -> None:
    assert parsed(asked(), Agent(name="slow", targets=AGENT.targets, max_runtime=600)).limits.runtime == 230


def test_no_call_runs_longer_than_its_agent_may() -> None:
    agent = Agent(name="quick", targets=AGENT.targets, max_runtime=12)
    assert parsed(asked(limits={"maxRuntimeInSeconds": 12}), agent).limits.runtime == 12
    with pytest.raises(BadRequest, match="at most 12 s") as refused:
        parsed(asked(limits={"maxRuntimeInSeconds": 13}), agent)
    assert refused.value.target == "limits.maxRuntimeInSeconds"


def test_a_filter_holds_for_every_target_or_for_the_one_that_is_named() -> None:
    assert filters(parsed(asked(filter="kind eq 'a'"), TWO)) == {"roads": "kind eq 'a'", "rivers": "kind eq 'a'"}
    named = asked(filter="kind eq 'a'", indexName="rivers")
    assert filters(parsed(named, TWO)) == {"roads": None, "rivers": "kind eq 'a'"}
    assert filters(parsed(asked(filter="  ", indexName="roads"), TWO)) == {"roads": None, "rivers": None}


BAD: Final[dict[str, tuple[object, str, str | None]]] = {
    "empty": (b"", "is empty", None),
    "not an object": ([], "must be a JSON object", None),
    "too deep": (b'{"messages": ' + b"[" * 10_000 + b"]" * 10_000 + b"}", "not valid JSON", None),
    "no messages": ({}, "is required", "messages"),
    "too many messages": ({"messages": asked()["messages"] * 1_001}, "at most 1000", "messages"),
    "content a string": (
        {"messages": [{"role": "user", "content": "hi"}]},
        '[{"type": "text", "text": "…"}]',
        "messages[0].content",
    ),
    "no user": (
        {"messages": [{"role": "assistant", "content": [{"type": "text", "text": "hi"}]}]},
        "role 'user'",
        "messages",
    ),
    "retrieve's parameters": (asked(targetIndexParams=[]), "does not exist", "targetIndexParams"),
    "a limit of another name": (asked(limits={"maxRounds": 1}), "does not exist", "limits.maxRounds"),
    "limits a list": (asked(limits=[]), "Input should be an object.", "limits"),
    "a property twice": (b'{"filter": "a", "Filter": "b"}', "given twice", "filter"),
    "a malformed filter": (asked(filter="kind eq"), "position", "filter"),
    "a way out of our parenthesis": (asked(filter="a eq '1') or (b ne '1'"), "position", "filter"),
    "a control character": (asked(filter="kind eq '\u0000'"), "U+0000", "filter"),
    "a foreign index": (asked(filter="a eq 1", indexName="seas"), "is not a target", "indexName"),
    "an index for no filter": (asked(indexName="roads"), "there is no filter", "indexName"),
}


@pytest.mark.parametrize("kind", BAD)
def test_a_bad_body_is_refused_with_its_place(kind: str) -> None:
    body, message, target = BAD[kind]
    with pytest.raises(BadRequest) as refused:
        parsed(body)
    assert message in refused.value.message
    assert refused.value.target == target


RANGES: Final = {
    "maxRuntimeInSeconds": (1, 230),
    "maxTokens": (1_000, 200_000),
    "maxQueries": (1, 3),
    "maxChunks": (1, 8),
    "maxFollowUps": (0, 1),
    "rerankerThreshold": (0, 4),
}


@pytest.mark.parametrize("name", RANGES)
def test_a_limit_has_a_range_that_it_cannot_leave(name: str) -> None:
    least, most = RANGES[name]
    for value in (least, most):
        parsed(asked(limits={name: value}))
    wrongs: list[object] = [least - 1, most + 1, str(least), True, "NaN", []]
    for wrong in wrongs:
        with pytest.raises(BadRequest) as refused:
            parsed(asked(limits={name: wrong}))
        assert refused.value.target == f"limits.{name}"


_words = st.sampled_from(["messages", "Filter", "indexName", "limits", "maxTokens", "role", "content", "type", "text"])
_values: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8) | st.sampled_from(["user", "roads"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_words | st.text(max_size=3), inner, max_size=3),
    max_leaves=8,
)


@given(st.binary(max_size=40) | st.builds(lambda more: {**asked(), **more}, st.dictionaries(_words, _values)) | _values)
def test_any_body_is_read_or_refused(body: object) -> None:
    try:
        request = parsed(body)
    except BadRequest:
        return
    assert question_of(request.messages).strip()


@pytest.mark.parametrize(("query", "meant"), [({}, "answer"), ({"detail": "answer"}, "answer")])
def test_the_typed_answer_is_the_usual_one(query: dict[str, str], meant: str) -> None:
    assert detail(query) == meant
    assert detail({"detail": "workflow"}) == "workflow"


@pytest.mark.parametrize("said", ["", "Workflow", "answer,workflow", "all"])
def test_another_detail_is_refused(said: str) -> None:
    with pytest.raises(BadRequest) as refused:
        detail({"detail": said})
    assert refused.value.target == "detail"


def test_the_position_in_a_filter_is_told() -> None:
    with pytest.raises(BadFilter) as refused:
        parsed(asked(filter="kind eq 'a' and"))
    assert refused.value.position is not None
