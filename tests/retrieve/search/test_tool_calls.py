"""Calls of tools: what of a model's reply is called, and what is called without a model."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.errors import BadModelReply
from retrieval.model.definitions import MOST_SUBQUERIES
from retrieval.model.tools import Tool, ToolCall
from retrieval.retrieve.search import tool_calls

ONE: Any = {"type": "object", "properties": {"query": {"type": "string"}}, "required": ["query"]}
TWO: Any = {
    "type": "object",
    "properties": {"a": {"type": "integer"}},
    "required": ["a"],
    "additionalProperties": False,
}
TOOLS = (Tool(name="find", schema=ONE), Tool(name="count", schema=TWO))


def read(text: str) -> tool_calls.Calls:
    return tool_calls.read(text, "docs", TOOLS)


def reply(*calls: object) -> str:
    return json.dumps({"calls": calls})


def call(source: object = "docs", tool: object = "find", arguments: object = '{"query": "roads"}') -> dict[str, object]:
    return {"source": source, "tool": tool, "arguments": arguments}


def test_each_call_is_made_once() -> None:
    calls = read(reply(call(), call(), call(tool="count", arguments='{"a": 1}')))
    assert calls.calls == (
        ToolCall(tool="find", arguments='{"query": "roads"}'),
        ToolCall(tool="count", arguments='{"a": 1}'),
    )
    assert calls.notes == ()


@pytest.mark.parametrize(
    "bad",
    [
        call("elsewhere"),
        call(tool="delete"),
        call(tool="Find"),
        call(arguments="roads"),
        call(arguments='["roads"]'),
        call(arguments='{"query": 7}'),
        call(arguments="{}"),
        call(arguments={"query": "roads"}),
        call(arguments='{"query": "' + "x" * 9_000 + '"}'),
        call(tool="count", arguments='{"a": 1, "b": 2}'),
        call(7, 7, 7),
        {},
        "find",
        None,
    ],
)
def test_what_may_not_be_called_is_left_out_and_said(bad: object) -> None:
    calls = read(reply(bad, call()))
    assert calls.calls == (ToolCall(tool="find", arguments='{"query": "roads"}'),)
    assert len(calls.notes) == 1
    with pytest.raises(BadModelReply):
        read(reply(bad))


def test_no_calls_are_no_calls_and_junk_is_an_error() -> None:
    assert read(reply()).calls == ()
    for junk in ("", "{}", "[]", '{"calls": 7}', '{"calls": {}}'):
        with pytest.raises(BadModelReply):
            read(junk)


def test_a_source_has_five_calls_at_most() -> None:
    many = [call(arguments=json.dumps({"query": f"road {number}"})) for number in range(90)]
    assert len(read(reply(*many)).calls) == MOST_SUBQUERIES


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: (
        st.lists(inner) | st.dictionaries(st.sampled_from(["calls", "source", "tool", "arguments", "query"]), inner)
    ),
)


@given(JSON)
def test_a_reply_of_any_form_gives_calls_that_may_be_made_or_an_error(value: object) -> None:
    try:
        calls = read(json.dumps({"calls": value}))
    except BadModelReply:
        return
    schemas = {tool.name: tool.schema for tool in TOOLS}
    for one in calls.calls:
        assert tool_calls.fault_of(json.loads(one.arguments), schemas[one.tool]) is None


def test_a_tool_whose_schema_is_too_long_is_not_offered() -> None:
    long = Tool(name="long", schema={"description": "x" * tool_calls.LONGEST_SCHEMA})
    assert tool_calls.offered((long, *TOOLS)) == TOOLS


def test_without_a_model_each_query_goes_to_each_tool_of_one_text() -> None:
    tools = (*TOOLS, Tool(name="look", schema=ONE))
    calls = tool_calls.calls_by_rules(["roads", "rivers"], tools)
    assert [(query, one.tool, one.arguments) for query, one in calls] == [
        ("roads", "find", '{"query": "roads"}'),
        ("roads", "look", '{"query": "roads"}'),
        ("rivers", "find", '{"query": "rivers"}'),
        ("rivers", "look", '{"query": "rivers"}'),
    ]
    assert len(tool_calls.calls_by_rules(list("abcdef"), tools)) == MOST_SUBQUERIES
    assert tool_calls.calls_by_rules(["roads"], (TOOLS[1],)) == ()
    short = Tool(name="s", schema={"properties": {"q": {"type": "string", "maxLength": 3}}, "required": ["q"]})
    assert tool_calls.calls_by_rules(["roads"], (short,)) == ()
    assert "'count' needs 'a' (integer)" in tool_calls.needed(tools[1:2])
