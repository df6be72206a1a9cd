"""What the tools take and give: their schemas, their limits, their errors."""

import json
from typing import Any, Final

import pytest
from jsonschema import Draft202012Validator

from retrieval import compose
from retrieval.contracts.mcp import answer, rag_retrieve
from retrieval.contracts.mcp.exchange import TOOLS
from tests.answer.material import request as request_of
from tests.answer.material import user
from tests.conftest import Post, ask
from tests.contracts.answer.cases import SUFFICIENT
from tests.contracts.mcp.conftest import Speak, Use
from tests.mcp_messages import ACCEPT, calling, request

QUESTION: Final = "Why is the street grid of Phoenix so sharply visible from space?"
PAGE: Final = "earth_at_night_508_page_{}_verbalized"


def said(result: dict[str, Any]) -> str:
    [content] = result["content"]
    assert content["type"] == "text"
    text: str = content["text"]
    return text


def refusal(result: dict[str, Any]) -> str:
    assert result["isError"] is True
    assert "structuredContent" not in result
    return said(result)


async def test_the_listed_schemas_are_whole_schemas(speak: Speak) -> None:
    tools = (await speak(request("tools/list"))).json["result"]["tools"]
    assert [tool["name"] for tool in tools] == list(TOOLS)
    for tool in tools:
        for schema in (tool["inputSchema"], tool["outputSchema"]):
            Draft202012Validator.check_schema(schema)
            assert schema["type"] == "object" and schema["additionalProperties"] is False
            assert "$ref" not in json.dumps(schema)


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("knowledge_base_retrieve", {"queries": ["Phoenix", "gas flares"], "includeReferenceSourceData": True}),
        ("knowledge_base_retrieve", {"messages": [{"role": "user", "content": QUESTION}], "rerankerThreshold": 0}),
        ("knowledge_base_retrieve", {"queries": ["zzzzqq"], "messages": [], "filter": ""}),
        ("rag_retrieve", {"query": "Phoenix", "goal": "Find out about its grid", "filter": ""}),
        ("rag_retrieve", {"query": "zzzzqq"}),
        ("answer", {"question": QUESTION}),
        ("answer", {"question": "Which dragons eat lamps?", "filter": "page_number eq '105'"}),
    ],
)
async def test_what_the_schemas_promise_is_taken_and_given(tool: str, arguments: dict[str, object], use: Use) -> None:
    Draft202012Validator(dict(TOOLS[tool].input)).validate(arguments)
    result = await use(tool, **arguments)
    assert result["isError"] is False
    Draft202012Validator(dict(TOOLS[tool].output)).validate(result["structuredContent"])


async def test_every_argument_has_one_plain_type_and_may_be_null_where_it_is_optional(speak: Speak, use: Use) -> None:
    """Some clients read a choice of types as a string, and some demand what is not marked as nullable."""
    for tool in (await speak(request("tools/list"))).json["result"]["tools"]:
        schema = tool["inputSchema"]
        for name, argument in schema["properties"].items():
            assert isinstance(argument["type"], str), name
            assert argument.get("nullable", False) is (name not in schema.get("required", []))
    nothing = {"messages": None, "filter": None, "rerankerThreshold": None, "includeReferenceSourceData": None}
    assert (await use("knowledge_base_retrieve", queries=["gas flares"], **nothing))["isError"] is False


async def test_one_query_may_come_without_a_list(use: Use) -> None:
    alone = (await use("knowledge_base_retrieve", queries="gas flares"))["structuredContent"]
    listed = (await use("knowledge_base_retrieve", queries=["gas flares"]))["structuredContent"]
    assert alone["references"] == listed["references"] != []
    assert [one["search"] for one in alone["activity"] if one["type"] == "AzureSearchQuery"] == ["gas flares"]


async def test_a_conversation_gets_what_retrieve_gives(use: Use, post: Post) -> None:
    turns = [{"role": "user", "content": QUESTION}]
    result = await use("knowledge_base_retrieve", messages=turns, rerankerThreshold=1)
    retrieved = (await post(ask(QUESTION, rerankerThreshold=1))).json
    assert said(result) == retrieved["response"][0]["content"][0]["text"]
    structured = result["structuredContent"]
    assert structured["grounding"] == said(result)
    assert [(one["id"], one["docKey"], one["activitySource"]) for one in structured["references"]] == [
        (one["id"], one["docKey"], one["activitySource"]) for one in retrieved["references"]
    ]
    ours, theirs = structured["activity"], retrieved["activity"]
    assert [(one["type"], one["id"]) for one in ours] == [(one["type"], one["id"]) for one in theirs]
    for mine, other in zip(ours[:-1], theirs[:-1], strict=True):
        assert (mine["search"], mine["filter"]) == (other["query"]["search"], other["query"]["filter"])
        assert (mine["count"], mine["dropped"], mine["targetIndex"]) == (
            other["count"], other["dropped"], other["targetIndex"],
        )  # fmt: skip
    assert ours[-1]["inputTokens"] == theirs[-1]["inputTokens"]


async def test_queries_are_searched_as_they_are(use: Use) -> None:
    queries = ["its grid; while another clause says enough to be a part of its own, really", "gas flares"]
    result = await use("knowledge_base_retrieve", queries=queries)
    activity = result["structuredContent"]["activity"]
    assert [one["search"] for one in activity if one["type"] == "AzureSearchQuery"] == queries


async def test_a_threshold_drops_and_counts(use: Use) -> None:
    strict = (await use("knowledge_base_retrieve", queries=["Phoenix gas flares"], rerankerThreshold=4))[
        "structuredContent"
    ]
    assert all(one["rerankerScore"] == 4 for one in strict["references"])
    search = strict["activity"][0]
    assert search["dropped"]["threshold"] == search["count"] - len(strict["references"]) > 0


async def test_references_have_the_label_that_answers_cite(use: Use) -> None:
    result = await use("knowledge_base_retrieve", queries=["Phoenix street grid"], filter="page_number eq '105'")
    [reference] = result["structuredContent"]["references"]
    assert reference["source"] == f"Bright Grid, Dark Interstate - {PAGE.format(105)}"
    assert 0 <= reference["rerankerScore"] <= 4


async def test_chunks_are_aligned_and_at_most_twenty(use: Use) -> None:
    result = await use("rag_retrieve", query="night lights of cities seen from space")
    chunks = result["structuredContent"]
    assert json.loads(said(result)) == chunks
    assert len(chunks["chunk_ids"]) == len(set(chunks["chunk_ids"])) == rag_retrieve.MOST_CHUNKS
    for text, source, key in zip(chunks["chunk_texts"], chunks["chunk_sources"], chunks["chunk_ids"], strict=True):
        [grounded] = json.loads(
            said(
                await use(
                    "knowledge_base_retrieve",
                    queries=["night lights of cities seen from space"],
                    filter=f"id eq '{key}'",
                    rerankerThreshold=0,
                )
            )
        )
        assert text == grounded["content"]
        assert source == f"{grounded['title']} - {key}"
    assert result["_meta"]["dropped"]["limit"] > 0


async def test_the_goal_helps_a_query_that_says_too_little_alone(use: Use) -> None:
    goal = "How the street grid of Phoenix looks at night"
    alone = (await use("rag_retrieve", query="its diagonal"))["structuredContent"]
    helped = (await use("rag_retrieve", query="its diagonal", goal=goal))["structuredContent"]
    assert alone["query_used"] == "its diagonal"
    assert helped["query_used"].startswith("its diagonal ") and "Phoenix" in helped["query_used"]
    assert helped["chunk_ids"][0] in {PAGE.format(104), PAGE.format(105)}
    query = "Which gas flares burn brightest over the Niger Delta"
    assert (await use("rag_retrieve", query=query, goal=goal))["structuredContent"]["query_used"] == query


@pytest.mark.parametrize("tool", TOOLS)
@pytest.mark.parametrize(
    ("filter", "named"),
    [
        ("contains(title, 'x')", "contains"),
        ("page_number add 1 eq 2", "add"),
        ("startswith(title,'a')", "startswith"),
        ("page_number = '1'", "eq"),
        ("page_number eq '105", "position"),
        ("no_such_field eq 1", "no_such_field"),
        ("(" * 5_000, "filter"),
        ("not " * 3_000 + "true", "filter"),
        ("page_number eq '\x00'", "U+0000"),
    ],
)
async def test_a_bad_filter_is_a_tools_error_that_names_what_is_bad(
    tool: str, filter: str, named: str, use: Use
) -> None:
    assert named in refusal(await use(tool, filter=filter, **ASKED[tool]))


ASKED: Final[dict[str, dict[str, Any]]] = {
    "knowledge_base_retrieve": {"queries": ["Phoenix"]},
    "rag_retrieve": {"query": "Phoenix"},
    "answer": {"question": "Phoenix"},
}
TURN: Final = {"role": "user", "content": "Phoenix"}


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ({}, "either 'queries' or 'messages'"),
        ({"queries": []}, "either 'queries' or 'messages'"),
        ({"queries": ["a"], "messages": [TURN]}, "either 'queries' or 'messages'"),
        ({"queries": ["a"] * 6}, "queries"),
        ({"queries": [""]}, "queries[0]"),
        ({"queries": ["a", "  "]}, "queries[1] is blank"),
        ({"queries": ["x" * 2_001]}, "queries[0]"),
        ({"queries": [7]}, "queries[0]"),
        ({"queries": 7}, "queries"),
        ({"queries": ""}, "queries[0]"),
        ({"queries": ["a\x00"]}, "U+0000"),
        ({"messages": [{"role": "tool", "content": "x"}]}, "messages[0].role"),
        ({"messages": [{"role": "assistant", "content": "x"}]}, "user's"),
        ({"messages": [{"role": "user", "content": " "}]}, "messages[0].content is blank"),
        ({"messages": [TURN] * 1_001}, "messages"),
        ({"queries": ["a"], "rerankerThreshold": 5}, "rerankerThreshold"),
        ({"queries": ["a"], "rerankerThreshold": "1"}, "rerankerThreshold"),
        ({"queries": ["a"], "filter": ["x"]}, "filter"),
        ({"queries": ["a"], "filter": "x" * 16_385}, "filter"),
        ({"queries": ["a"], "reranker_threshold": 1}, "'reranker_threshold' does not exist"),
    ],
)
async def test_arguments_that_break_a_rule_are_a_tools_error_that_names_it(
    arguments: dict[str, object], named: str, use: Use
) -> None:
    assert named in refusal(await use("knowledge_base_retrieve", **arguments))


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ({}, "'query' is required"),
        ({"query": ""}, "query"),
        ({"query": " \t"}, "query is blank"),
        ({"query": "x" * 2_001}, "query"),
        ({"query": None}, "query"),
        ({"query": "x", "goal": "x" * 2_001}, "goal"),
        ({"query": "x", "goal": "\x01"}, "U+0001"),
        ({"query": "x", "top": 3}, "'top' does not exist"),
    ],
)
async def test_arguments_of_rag_retrieve_that_break_a_rule_are_too(
    arguments: dict[str, object], named: str, use: Use
) -> None:
    assert named in refusal(await use("rag_retrieve", **arguments))


async def test_an_answer_is_what_the_answer_route_gives(use: Use, post: Post) -> None:
    result = await use("answer", question=QUESTION)
    answered = (await post(ask(QUESTION), "/agents/earth-at-night/answer")).json
    assert said(result) == result["structuredContent"]["answerMarkdown"] == answered["answer_markdown"]
    assert result["structuredContent"]["isSufficient"] is answered["evidence"]["is_sufficient"]
    assert (result["structuredContent"]["answeredBy"], result["structuredContent"]["failed"]) == ("rules", [])
    cited = [one["source"] for one in result["structuredContent"]["citations"]]
    assert cited == [one["source"] for one in answered["citations"]]


def test_an_answer_names_the_figures_that_its_sources_lack() -> None:
    result = answer.render(SUFFICIENT, request_of(user("Which harbours?")))
    assert result.structured_content is not None
    assert result.structured_content["unfoundedFigures"] == ["12"]
    assert [part.text for part in result.content if part.type == "text"] == [SUFFICIENT.written.markdown]


@pytest.mark.parametrize("base", ["knowledgebases/earth-at-night", "knowledgebases('earth-at-night')"])
async def test_a_base_has_the_one_tool_that_azure_has(base: str, post: Post) -> None:
    headers = {"accept": "application/json, text/event-stream"}
    listed = await post(request("tools/list"), f"/{base}/mcp", headers=headers)
    (tool,) = listed.json["result"]["tools"]
    assert tool["name"] == "knowledge_base_retrieve"
    assert tool["description"].endswith("Fields that a filter may name: id, page_number.")


@pytest.mark.parametrize("asked", [{"queries": ["Gas flares"]}, {"messages": [{"role": "user", "content": QUESTION}]}])
async def test_the_number_of_documents_that_a_base_states_holds(asked: dict[str, object], post: Post) -> None:
    base = {"name": "few", "knowledgeSources": [{"name": "earth_at_night"}], "models": []}
    stated = {**base, "retrieveDefaults": {"maxOutputDocuments": 2}}
    path = "/knowledgebases('few')?api-version=2026-08-01-preview"
    assert (await post(stated, path, method="PUT", key="local-admin-key")).status in {200, 201}
    message = calling("knowledge_base_retrieve", asked)
    answer = await post(message, "/knowledgebases/few/mcp", headers={"accept": ACCEPT})
    await compose.end()
    result = answer.json["result"]["structuredContent"]
    assert len(result["references"]) == 2
    assert result["activity"][0]["dropped"]["limit"] > 0
