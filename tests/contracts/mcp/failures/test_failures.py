"""The tools when a service behind them fails: the tool's answer reports it, and the logs hold no content."""

import asyncio
import json
import logging
from functools import partial
from typing import Final

import pytest

from retrieval import compose
from retrieval.contracts.mcp.exchange import Bench, Run
from retrieval.contracts.mcp.exchange import answer as exchange
from retrieval.contracts.mcp.room import tools_refusal
from retrieval.errors import BackendTimeout, Fault
from retrieval.http.call import Call
from retrieval.model.definitions import Agent, Target
from retrieval.model.retrieval import Outcome, RetrievalRequest
from retrieval.ports import Tell
from retrieval.text import near_duplicates
from retrieval.text.languages.language import language
from tests.answer.scripts import by_step, planned, reading, routed
from tests.conftest import Post
from tests.mcp_messages import ACCEPT, calling, modern, request
from tests.scenarios.failures.answer import header
from tests.scenarios.failures.conftest import CALLER_KEY, RUNTIME_SECONDS, Tools, result
from tests.scenarios.failures.test_subqueries import WRONG
from tests.scripted_azure import ScriptedAzure, by_search, delayed, document, failing, found, held, queries, stalling
from tests.scripted_azure.streams import Part, cut, ending, pieces, streaming
from tests.working import calls

TEXT: Final = " ".join(f"word{letter}" for letter in "abcdefghijklmnopqrstuvwxyz")
NEARLY: Final = TEXT.replace("wordz", "wordy")


def rag(**more: object) -> dict[str, object]:
    return calling("rag_retrieve", {"query": "roads", **more})


@pytest.mark.parametrize("way", WRONG)
async def test_it_is_the_tools_answer_when_the_search(way: str, azure: ScriptedAzure, tools: Tools) -> None:
    azure.search, code = WRONG[way]
    told = result(await tools(rag()))
    assert told["isError"] is True
    assert told["content"][0]["text"].startswith(f"{code}: ")


@pytest.mark.parametrize("way", WRONG)
async def test_what_the_others_found_is_told_when_one_query(way: str, azure: ScriptedAzure, tools: Tools) -> None:
    script, code = WRONG[way]
    azure.search = by_search({"roads": found(document("road", 3.1))}, otherwise=script)
    told = result(await tools(calling("knowledge_base_retrieve", {"queries": ["roads", "rivers"]})))
    structured = told["structuredContent"]
    assert (told["isError"], [one["docKey"] for one in structured["references"]]) == (False, ["road"])
    assert [(one["error"] or {}).get("code") for one in structured["activity"][:2]] == [None, code]


async def test_a_conversation_is_planned_by_the_agents_model(azure: ScriptedAzure, tools: Tools) -> None:
    azure.chat, azure.search = queries("roads", "rivers"), found(document("road", 3.1))
    turns = [
        {"role": "system", "content": "Only maps."},
        {"role": "user", "content": "Which roads?"},
        {"role": "assistant", "content": "Those of the valley."},
        {"role": "user", "content": "And where do they end?"},
    ]
    told = result(await tools(calling("knowledge_base_retrieve", {"messages": turns}), agent="planner"))
    planning, *searches, _ = told["structuredContent"]["activity"]
    assert (planning["type"], planning["inputTokens"], planning["error"]) == ("ModelQueryPlanning", 100, None)
    assert [one["search"] for one in searches] == ["And where do they end? roads valley", "roads", "rivers"]
    asked = json.loads(azure.chats[0].json["messages"][-1]["content"])
    assert [one["text"] for one in asked["guidance"]] == ["Only maps."]
    assert [one["role"] for one in asked["conversation"]] == ["user", "assistant"]
    assert asked["question"] == "And where do they end?"


async def test_an_answer_tells_who_wrote_it_and_what_failed(azure: ScriptedAzure, tools: Tools) -> None:
    """The model is away after its plan, and of its two searches one fails."""
    azure.chat = by_step({"plan": planned("where roads end", "deep rivers")})
    road = document("road", 3.1, content="The road to the valley ends at the river.")
    azure.search = by_search({"where roads end": found(road)}, otherwise=failing(500))
    question = "Where does the road end? Which rivers are deep?"
    told = result(await tools(calling("answer", {"question": question}), agent="planner"))["structuredContent"]
    assert told["answeredBy"] == "rules"
    steps = [(one["step"], one["error"]["code"]) for one in told["failed"]]
    assert {step for step, _ in steps} >= {"answer", "search"}, steps
    assert all(one["error"]["message"] for one in told["failed"])


@pytest.mark.parametrize("way", [(cut,), (ending("length"),)])
async def test_an_answer_that_breaks_off_tells_so(way: tuple[Part, ...], azure: ScriptedAzure, tools: Tools) -> None:
    """The model is away in its second block, in its answer to a question in German."""
    road = document("road", 3.1, content="Die Straße endet am Fluss. Der Fluss ist tief.")
    reply = reading("Die Straße endet am Fluss [c1]. Der Fluss ist tief [c1].", "c1")
    broken = reply[: reply.index("ist tief")]
    azure.search = found(road)
    azure.chat = by_step(
        {
            "route": routed(),
            "plan": planned("Straße"),
            "answer": streaming(*pieces(broken, 7), partial(asyncio.sleep, 1), *way),
        }
    )
    told = result(await tools(calling("answer", {"question": "Wo endet die Straße?"}), agent="planner"))
    structured = told["structuredContent"]
    assert (structured["endedBy"], structured["isSufficient"]) == (["reply"], None) and "confidence" not in structured
    assert [one["docKey"] for one in structured["citations"]] == ["road"]
    text, _, below = structured["answerMarkdown"].partition(language("de").frames.cut)
    assert text.startswith("Die Straße endet am Fluss") and "tief" not in text and below
    assert told["content"][0]["text"] == structured["answerMarkdown"]


async def test_no_model_is_asked_where_the_caller_has_planned(azure: ScriptedAzure, tools: Tools) -> None:
    azure.search = found(document("road", 3.1))
    await tools(rag(goal="Where they end"), agent="planner")
    await tools(calling("knowledge_base_retrieve", {"queries": ["roads", "rivers"]}), agent="planner")
    assert azure.chats == []
    assert [one.json["search"] for one in azure.searches] == [
        "roads end",
        "roads",
        "rivers",
    ]


async def test_chunks_that_say_the_same_are_handed_over_once(azure: ScriptedAzure, tools: Tools) -> None:
    texts = [TEXT, NEARLY, f"{TEXT} 2024", f"{TEXT} 2023", TEXT.upper()]
    azure.search = found(*(document(f"d{n}", 3.9 - n / 10, title="T", content=text) for n, text in enumerate(texts)))
    told = result(await tools(rag()))
    assert told["structuredContent"]["chunk_ids"] == ["d0", "d2", "d3"]
    assert told["structuredContent"]["chunk_sources"] == ["T - d0", "T - d2", "T - d3"]
    assert told["_meta"]["dropped"] == {"nearDuplicate": 2}


async def test_every_document_that_was_found_is_a_chunk_or_counted(azure: ScriptedAzure, tools: Tools) -> None:
    documents = [document(f"d{n}", 3.9 if n < 48 else 0.5, title=None, content=f"Chunk number {n}") for n in range(50)]
    azure.search = found(*documents)
    told = result(await tools(rag()))
    chunks = told["structuredContent"]
    assert chunks["chunk_ids"] == chunks["chunk_sources"] == [f"d{n}" for n in range(20)]
    assert told["_meta"]["dropped"] == {"threshold": 2, "limit": 28}


async def test_chunks_stay_within_the_agents_output_tokens(azure: ScriptedAzure, tools: Tools) -> None:
    azure.search = found(*(document(f"d{n}", 3, title="T", content=f"{n} " + "x " * 15_000) for n in range(5)))
    told = result(await tools(rag()))
    assert told["structuredContent"]["chunk_ids"] == ["d0", "d1"]
    assert told["_meta"]["dropped"] == {"budget": 3}


async def test_small_documents_after_ones_that_never_fit_are_handed_over(azure: ScriptedAzure, tools: Tools) -> None:
    large = [document(f"large{n}", 3, title="T", content=f"{n} " + "x " * 40_500) for n in range(2)]
    small = [document(f"small{n}", 2, title="T", content=f"Small {n}") for n in range(5)]
    azure.search = found(*large, *small)
    with calls(near_duplicates) as made:
        told = result(await tools(rag()))
    assert told["structuredContent"]["chunk_ids"] == [f"small{n}" for n in range(5)]
    assert told["_meta"]["dropped"] == {"budget": 2}
    assert made["look"] == 5


async def test_a_document_that_says_nothing_is_no_chunk(azure: ScriptedAzure, tools: Tools) -> None:
    azure.search = found(document("blank", 3, content=" "), document("title", 2, title="Cairo at night", content=""))
    told = result(await tools(rag()))
    assert told["structuredContent"]["chunk_texts"] == ["Cairo at night"]
    assert told["_meta"]["dropped"] == {"empty": 1}


async def test_one_call_too_many_is_refused_at_once(
    azure: ScriptedAzure, tools: Tools, settings: dict[str, str]
) -> None:
    settings["MAX_CONCURRENT_REQUESTS"] = "2"
    release = asyncio.Event()
    azure.search = held(release, found(document("road", 3.1)))
    async with asyncio.TaskGroup() as group:
        served = [group.create_task(tools(rag())) for _ in range(2)]
        await azure.asked("search", 2)
        refused = await tools(rag())
        assert (refused.status, header(refused, "retry-after")) == (429, "12")
        assert "already serves 2 requests" in refused.json["error"]["message"]
        release.set()
    assert [result(task.result())["isError"] for task in served] == [False, False]
    assert result(await tools(rag()))["isError"] is False


def now() -> float:
    return asyncio.get_running_loop().time()


async def test_calls_of_one_batch_come_one_after_the_other(azure: ScriptedAzure, tools: Tools) -> None:
    azure.search = found(document("road", 3.1))
    answer = await tools([{**rag(), "id": n} for n in range(3)])
    assert [one["id"] for one in answer.json] == [0, 1, 2]


async def test_the_calls_of_one_batch_share_the_time_of_one(azure: ScriptedAzure, tools: Tools) -> None:
    azure.search = stalling()
    start = asyncio.get_running_loop().time()
    answer = await tools([{**rag(), "id": n} for n in range(10)])
    assert RUNTIME_SECONDS - 1 < asyncio.get_running_loop().time() - start < RUNTIME_SECONDS + 1
    told = [(one["id"], one["result"]["isError"], one["result"]["content"][0]["text"]) for one in answer.json]
    assert [(id, failed) for id, failed, _ in told] == [(n, True) for n in range(10)]
    assert told[0][2].startswith("BackendTimeout: ")
    assert all(text.startswith("NoTimeLeft: ") and f"used the {RUNTIME_SECONDS} s" in text for _, _, text in told[1:])
    assert len(azure.searches) == 1


async def test_a_call_of_a_batch_has_what_those_before_it_left(azure: ScriptedAzure, tools: Tools) -> None:
    azure.search = by_search({"slow": delayed(RUNTIME_SECONDS * 0.7, found(document("a", 3.1)))}, otherwise=stalling())
    start = asyncio.get_running_loop().time()
    answer = await tools([{**rag(query=query), "id": query} for query in ("slow", "stalled", "late")])
    slow, stalled, late = (one["result"]["content"][0]["text"] for one in answer.json)
    assert json.loads(slow)["chunk_ids"] == ["a"]
    assert stalled.startswith("BackendTimeout: ") and late.startswith("NoTimeLeft: ")
    assert asyncio.get_running_loop().time() - start < RUNTIME_SECONDS * 1.5, "the second had less than all of it"


async def no_fields() -> None:
    """The fields of an index that may not be read."""


def bench(agent: Agent, run: Run) -> Bench:
    return Bench(agent=agent, fields=no_fields, user_token=None, run=run, check=lambda: None)


async def test_an_agent_without_a_limit_has_sixty_seconds_for_a_batch() -> None:
    had: list[int] = []

    async def slow(request: RetrievalRequest, tell: Tell | None) -> Outcome:
        had.append(round(request.limits.runtime))
        await asyncio.sleep(45)
        raise BackendTimeout("The search", seconds=45)

    body = json.dumps([{**rag(), "id": n} for n in range(3)]).encode()
    agent = Agent(name="a", targets=(Target(index="atlas"),))
    headers = {"accept": ACCEPT, "content-type": "application/json"}
    told = await exchange(body, headers, bench(agent, slow), start=now())
    assert had == [60, 15]
    assert "used the 60 s" in json.loads(told.content)[2]["result"]["content"][0]["text"]


async def test_a_deployment_without_settings_says_so_to_clients(post: Post, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOCAL", "0")
    compose.service.cache_clear()
    answer = await post(request("ping"), "/agents/plain/mcp", headers={"accept": ACCEPT})
    compose.service.cache_clear()
    assert answer.status == 503
    assert answer.json["error"]["message"] == "This service is not configured. Its log names the settings it lacks."


class Broken(Exception):
    """A fault of ours: nothing that a retrieval raises on purpose."""


@pytest.mark.parametrize("version", ["legacy", "modern"])
async def test_a_fault_of_ours_comes_back_as_it_was_raised(version: str) -> None:
    async def broken(request: RetrievalRequest, tell: Tell | None) -> Outcome:
        raise Broken("content-1")

    agent = Agent(name="a", targets=(Target(index="atlas"),))
    message, more = modern(rag()) if version == "modern" else (rag(), {})
    headers = {"accept": ACCEPT, "content-type": "application/json", **more}
    with pytest.raises(Broken):
        await exchange(json.dumps(message).encode(), headers, bench(agent, broken), start=now())


def test_a_fault_is_told_under_the_id_of_the_message() -> None:
    call = Call(headers={}, query={}, body=json.dumps(rag()).encode())
    told = tools_refusal(call, Fault())
    error = json.loads(told.content)["error"]
    assert (told.status, json.loads(told.content)["id"], error["code"]) == (200, 1, -32603)
    assert error["message"].startswith("A fault occurred in this service.")


async def test_a_call_of_a_base_that_is_not_there_has_its_line_in_the_log(
    tools: Tools, post: Post, caplog: pytest.LogCaptureFixture
) -> None:
    await tools(rag())
    caplog.set_level(logging.DEBUG, logger="retrieval")
    for message in (request("tools/list"), calling("knowledge_base_retrieve", {"queries": ["roads"]})):
        caplog.clear()
        path, headers = "/knowledgebases/nobody/mcp", {"accept": "text/event-stream"}
        answer = await post(message, path, headers=headers, key=CALLER_KEY)
        (line,) = [record.getMessage() for record in caplog.records if record.name.startswith("retrieval")]
        assert line.startswith("mcp POST agent=nobody caller=")
        assert f" status=200 request_bytes={len(json.dumps(message))} answer_bytes={len(answer.body)} " in line


@pytest.mark.parametrize("content", ["", "1"])
async def test_logs_hold_content_only_where_they_may(
    content: str, tools: Tools, settings: dict[str, str], azure: ScriptedAzure, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG, logger="retrieval")
    settings["LOG_CONTENT"] = content
    azure.search = by_search({"content-1": found(document("content-2", 3.1))}, otherwise=failing(500, "content-3"))
    for query in ("content-1", "content-4"):
        await tools(rag(query=query, goal="", filter="field5 eq 'content-6'"))
        await tools(calling("content-7", {}))
    written = "\n".join(record.getMessage() for record in caplog.records)
    assert "mcp POST agent=plain" in written and "RetrievalFailed" in written
    assert ("content-" in written) is bool(content)
    assert ("content-1" in written and "content-2" in written) is bool(content)
