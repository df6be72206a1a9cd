"""A plan that is read as it is written: its queries are searched at once, and whatever becomes of the rest is told."""

import asyncio
import gzip
import json
import re
import tracemalloc
from collections.abc import AsyncIterator
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.errors import BackendUnanswered
from retrieval.local.wire import WireService
from retrieval.model.conversation import LONGEST_REPLY
from retrieval.models.completion import MOST_BYTES, SERVICE, CompletionStream
from retrieval.outgoing.bodies import MOST_EMPTY, MOST_LINES, unpack
from tests.laws import law
from tests.scenarios.failures.answer import keys, planning, ranking, searched
from tests.scenarios.failures.conftest import MODEL_KEY, QUESTION, Retrieve
from tests.scripted_azure import (
    ScriptedAzure,
    answering,
    by_search,
    document,
    event,
    failing,
    found,
    in_turn,
    queries,
    stalling,
    streaming,
)
from tests.scripted_azure.streams import DONE, cut, ending, piece, pieces

PLAN: Final = json.dumps({"queries": ["roads", "rivers"]})
BEGUN: Final = '{"queries": ["roads", "riv'
WAYS: Final = by_search(
    {"roads": found(document("road", 3.1)), "rivers": found(document("river", 3.0))},
    otherwise=found(document("question", 2.0)),
)


def refusing(message: str) -> WireService:
    return failing(400, message)


@pytest.mark.parametrize("length", [1, 3, 7, 100])
async def test_a_plan_in_pieces_is_the_plan(length: int, azure: ScriptedAzure, retrieve: Retrieve) -> None:
    azure.search, azure.chat = WAYS, streaming(*pieces(PLAN, length), ending(usage=(321, 45)))
    answer = await retrieve()
    assert searched(answer) == ["roads", "rivers"]
    assert keys(answer) == ["road", "river"]
    record = planning(answer)
    assert (record["inputTokens"], record["outputTokens"]) == (321, 45)
    assert "error" not in record
    assert [azure.chats[0].json[name] for name in ("stream", "stream_options")] == [True, {"include_usage": True}]


async def test_bytes_may_end_anywhere(azure: ScriptedAzure, retrieve: Retrieve) -> None:
    whole = b"".join(pieces(json.dumps({"queries": ["Brücke", "橋"]}, ensure_ascii=False), 5)) + ending()
    whole = b": a comment\r\nid: 7\n" + whole.replace(b"\n\n", b"\r\n\r\n")
    azure.search, azure.chat = WAYS, streaming(*(whole[at : at + 1] for at in range(len(whole))))
    assert searched(await retrieve("Brücke")) == ["Brücke", "橋"]


async def test_a_query_is_searched_while_the_rest_is_written(azure: ScriptedAzure, retrieve: Retrieve) -> None:
    """The model writes on only after each search has come."""
    first, second = partial(azure.asked, "search", 1), partial(azure.asked, "search", 2)
    azure.search = WAYS
    azure.chat = streaming(piece(BEGUN), first, piece('ers"'), second, piece("]}"), ending())
    answer = await retrieve()
    assert searched(answer) == ["roads", "rivers"]
    assert len(azure.searches) == 2
    starts = [record["queryTime"] for record in answer.json["activity"][1:3]]
    assert starts == sorted(starts)


async def test_only_as_many_queries_as_wanted_are_searched_and_none_twice(
    azure: ScriptedAzure, retrieve: Retrieve
) -> None:
    said = ["a", "A ", "", "b", *(f"query {number}" for number in range(200))]
    azure.search, azure.chat = WAYS, streaming(*pieces(json.dumps({"queries": said}), 9), ending())
    assert searched(await retrieve()) == ["a", "b", "query 0"]
    assert len(azure.searches) == 3


BROKEN: Final[dict[str, tuple[WireService, str]]] = {
    "is cut": (streaming(*pieces(BEGUN, 9), cut), "BackendUnavailable"),
    "ends in the middle": (streaming(*pieces(BEGUN, 9)), "BackendUnavailable"),
    "ends without a reason": (streaming(*pieces(BEGUN, 9), DONE), "BackendUnavailable"),
    "goes on with what is no JSON": (streaming(*pieces(BEGUN, 9), b"data: {junk\n\n"), "BackendUnavailable"),
    "goes on with other JSON": (streaming(*pieces(BEGUN, 9), b'data: {"choices": 7}\n\n'), "BackendUnavailable"),
    "goes on with JSON too deep": (
        streaming(*pieces(BEGUN, 9), b"data: " + b"[" * 100_000 + b"\n\n"),
        "BackendUnavailable",
    ),
    "fails under way": (streaming(*pieces(BEGUN, 9), event(error={"message": "Overloaded."})), "BackendUnavailable"),
    "is filtered": (streaming(*pieces(BEGUN, 9), ending("content_filter")), "UnusableModelReply"),
    "is too long": (streaming(*pieces(BEGUN, 9), ending("length")), "UnusableModelReply"),
    "is no JSON at its end": (streaming(*pieces('{"queries": ["roads"], and}', 9), ending()), "UnusableModelReply"),
    "is declined": (
        streaming(*pieces(BEGUN, 9), event(choices=[{"delta": {"refusal": "No."}}]), ending()),
        "UnusableModelReply",
    ),
    "is without end": (streaming(*pieces(BEGUN, 9), piece("x" * 70_000), ending()), "UnusableModelReply"),
    "goes silent": (streaming(*pieces(BEGUN, 9), lambda: asyncio.Event().wait()), "BackendTimeout"),
}


@pytest.mark.parametrize("way", BROKEN)
async def test_what_was_searched_stays_beside_the_plan_by_rules_when_a_stream(
    way: str, azure: ScriptedAzure, retrieve: Retrieve
) -> None:
    script, code = BROKEN[way]
    azure.search, azure.chat = WAYS, script
    question = "Which roads follow rivers to harbours?"
    answer, without = await retrieve(question), await retrieve(question, agent="plain")
    assert answer.status == 200
    assert planning(answer)["error"]["code"] == code
    assert searched(answer) == ["roads", *searched(without)]
    assert keys(answer) == ["road", "question"]
    assert "at its beginning were searched too" in ranking(answer)["warning"]
    assert len(azure.chats) == 1


async def test_the_question_is_searched_though_a_broken_reply_has_as_many_queries_as_wanted(
    azure: ScriptedAzure, retrieve: Retrieve
) -> None:
    """The queries of a reply that breaks off may find nothing; the rules' question does."""
    invented = json.dumps({"queries": ["select a", "select b", "select c", "select d"]})
    azure.search, azure.chat = WAYS, streaming(*pieces(invented, 9), cut)
    question = "Which roads follow rivers to harbours?"
    answer, without = await retrieve(question), await retrieve(question, agent="plain")
    assert searched(answer) == ["select a", "select b", "select c", *searched(without)]
    assert set(keys(without)) <= set(keys(answer))


@pytest.mark.parametrize(
    ("script", "code"),
    [
        (streaming(*pieces(PLAN, 9), ending(), content_encoding="gzip"), "BackendUnavailable"),
        (streaming(b'{"error": {"code": "Scripted"}}', status=500), "BackendUnavailable"),
        (streaming(b'{"error": {"code": "Scripted"}}', status=429), "BackendThrottled"),
        (streaming(), "BackendUnavailable"),
        (streaming(cut), "BackendUnavailable"),
    ],
)
async def test_events_that_say_nothing_are_a_failed_plan(
    script: WireService, code: str, azure: ScriptedAzure, retrieve: Retrieve
) -> None:
    azure.search, azure.chat = WAYS, script
    answer, without = await retrieve(), await retrieve(agent="plain")
    assert planning(answer)["error"]["code"] == code
    assert searched(answer) == searched(without)


@given(
    st.text(max_size=40),
    st.integers(1, 9),
    st.lists(st.integers(0, 5_000), max_size=20),
    st.sampled_from(["\n", "\r\n"]),
)
@law(100)
def test_events_say_the_same_wherever_their_bytes_end(text: str, length: int, ends: list[int], line: str) -> None:
    whole = (b"".join(pieces(text, length)) + ending(usage=(7, 8))).replace(b"\n", line.encode())
    cuts = sorted({0, len(whole), *(end for end in ends if end < len(whole))})
    streamed = CompletionStream()
    heard = "".join(piece for start, end in pairwise(cuts) for piece in streamed.feed(whole[start:end]))
    reply = streamed.reply()
    assert (heard, reply.text, reply.input_tokens, reply.output_tokens) == (text, text, 7, 8)
    assert streamed.ended


THOUGHT: Final = event(choices=[{"delta": {"reasoning_content": "Hm."}}])
FEW: Final = (*pieces(PLAN, 9), ending())
EMPTY: Final = (
    b"data: {}\n\n",
    b"data:\r\n\r\n",
    b": waiting\n\n",
    b"event: ping\nid: 7\n\n",
    b"\n",
    event(),
    event(choices=[{}]),
    event(choices=[{"delta": {}}]),
    event(choices=[{"delta": {"role": "assistant", "content": ""}}], usage=None),
    event(choices=[{"delta": {"content": None, "refusal": "", "reasoning": "", "reasoning_content": None}}]),
    event(choices=[{"index": 1, "delta": {"content": "Another text."}}]),
)


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize(
    ("more", "most", "kind"),
    [
        (THOUGHT, 2 * LONGEST_REPLY - len(FEW) - 2, "events"),
        (event(choices=[{"delta": {"reasoning": "Hm."}}]), 2 * LONGEST_REPLY - len(FEW) - 2, "events"),
        *((each, MOST_EMPTY - 1, "events without content") for each in EMPTY),
        (b": waiting\n", MOST_LINES - 2 * len(FEW) - 4, "lines"),
    ],
)
async def test_a_plan_is_read_after_so_many_events_and_not_after_one_more(
    more: bytes, most: int, kind: str, packed: bool, azure: ScriptedAzure, retrieve: Retrieve
) -> None:
    """One event of a plan has no content: what the filter says of the prompt. The ending has two more events."""
    for count, code in ((most, None), (most + 1, "BackendUnavailable")):
        whole = b"".join((FEW[0], more * count, *FEW[1:]))
        sent, encoding = (gzip.compress(whole, 1), "gzip") if packed else (whole, "identity")
        azure.search, azure.chat = WAYS, streaming(sent, content_encoding=encoding)
        answer = await retrieve()
        error = planning(answer).get("error")
        assert (error and error["code"]) == code
        assert error is None or re.search(rf"answered with more than \d+ {kind}\.$", error["message"])
        assert searched(answer) == (["roads", "rivers"] if code is None or kind == "events" else [QUESTION])


def test_a_reply_of_few_tokens_has_few_events() -> None:
    streamed = CompletionStream(5)
    assert list(streamed.feed(THOUGHT * 10)) == []
    with pytest.raises(BackendUnanswered, match="more than 10 events"):
        list(streamed.feed(THOUGHT))


LONG: Final = b" " * (MOST_BYTES + 1)


@pytest.mark.parametrize(
    "script",
    [
        streaming(LONG),
        streaming(gzip.compress(LONG, 1), content_encoding="gzip"),
        answering(LONG),
        answering(gzip.compress(LONG, 1), content_encoding="gzip"),
    ],
    ids=["events", "packed events", "JSON", "packed JSON"],
)
async def test_a_reply_without_end_is_a_failed_plan(
    script: WireService, azure: ScriptedAzure, retrieve: Retrieve
) -> None:
    azure.search, azure.chat = WAYS, script
    answer = await retrieve()
    assert planning(answer)["error"]["code"] == "BackendUnavailable"
    assert f"more than {MOST_BYTES} bytes" in planning(answer)["error"]["message"]
    assert searched(answer) == [QUESTION]


@pytest.mark.parametrize("packed", [False, True])
async def test_the_loop_has_turns_while_many_events_come_at_once(packed: bool) -> None:
    """Everything of the body is there before a part of it is read."""
    turns, many = 0, THOUGHT * 20_000 + b"".join(pieces(PLAN, 9)) + ending()

    async def body() -> AsyncIterator[bytes]:
        yield gzip.compress(many, 1) if packed else many

    async def count() -> None:
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0)

    counting, streamed = asyncio.create_task(count()), CompletionStream()
    whole = unpack(body(), encoding="gzip" if packed else None, most=MOST_BYTES, service=SERVICE)
    heard = "".join([text async for part in whole for text in streamed.feed(part)])
    counting.cancel()
    assert heard == PLAN
    assert turns >= len(many) // 16_384


async def test_a_plan_that_comes_packed_is_read(azure: ScriptedAzure, retrieve: Retrieve) -> None:
    whole = b"".join(pieces(PLAN, 9)) + ending()
    azure.search, azure.chat = WAYS, streaming(gzip.compress(whole), content_encoding="gzip")
    assert searched(await retrieve()) == ["roads", "rivers"]
    assert azure.chats[0].request.header("accept-encoding") == "identity"


def test_the_words_of_a_refusal_are_not_kept() -> None:
    streamed, refusal = CompletionStream(), event(choices=[{"delta": {"refusal": "No. " * 2_000}}])
    list(streamed.feed(refusal))
    tracemalloc.start()
    try:
        for _ in range(200):
            list(streamed.feed(refusal))
        held, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert held < 100_000


async def test_a_slow_plan_gets_four_tenths_of_the_time(azure: ScriptedAzure, retrieve: Retrieve) -> None:
    parts = [part for one in pieces(PLAN, 10) for part in (one, partial(asyncio.sleep, 1.0))]
    azure.search, azure.chat = WAYS, streaming(*parts, ending())
    answer = await retrieve()
    record = planning(answer)
    assert record["error"]["code"] == "BackendTimeout"
    assert 3_900 <= record["elapsedMs"] < 5_000
    assert searched(answer)[0] == "roads"
    await azure.abandoned(1)


async def test_a_stream_that_ends_before_a_query_is_a_failed_plan(azure: ScriptedAzure, retrieve: Retrieve) -> None:
    azure.search, azure.chat = WAYS, streaming(piece('{"queries": ["ro'), cut)
    answer, without = await retrieve(), await retrieve(agent="plain")
    assert searched(answer) == searched(without)
    assert "warning" not in ranking(answer)


async def test_a_plan_without_usage_counts_no_tokens(azure: ScriptedAzure, retrieve: Retrieve) -> None:
    azure.search, azure.chat = WAYS, streaming(*pieces(PLAN, 9), ending(usage=None))
    record = planning(await retrieve())
    assert (record["inputTokens"], record["outputTokens"]) == (0, 0)
    assert "error" not in record


async def test_an_endpoint_that_answers_with_one_json_is_read(azure: ScriptedAzure, retrieve: Retrieve) -> None:
    azure.search, azure.chat = WAYS, queries("roads", "rivers")
    answer = await retrieve()
    assert azure.chats[0].json["stream"] is True
    assert searched(answer) == ["roads", "rivers"]
    assert planning(answer)["inputTokens"] == 100


@pytest.mark.parametrize("kind", ["text/plain", "application/octet-stream", "application/json; charset=utf-8"])
@pytest.mark.parametrize("before", [b"", b"\n: a comment\n\n"])
async def test_events_by_another_name_are_read_as_they_are_written(
    kind: str, before: bytes, azure: ScriptedAzure, retrieve: Retrieve
) -> None:
    first = partial(azure.asked, "search", 1)
    azure.search = WAYS
    azure.chat = streaming(before, piece(BEGUN), first, piece('ers"]}'), ending(), content_type=kind)
    answer = await retrieve()
    assert "error" not in planning(answer)
    assert searched(answer) == ["roads", "rivers"]


REFUSALS: Final = {
    "Unrecognized request argument supplied: stream_options": [(True, True), (True, False), (True, False)],
    "Unsupported value: 'stream' does not support true with this model.": [
        (True, True),
        (False, False),
        (False, False),
    ],
}


@pytest.mark.parametrize("message", REFUSALS)
async def test_what_an_endpoint_refuses_of_a_stream_is_left_out_from_then_on(
    message: str, azure: ScriptedAzure, retrieve: Retrieve
) -> None:
    azure.search, azure.chat = WAYS, in_turn(refusing(message), streaming(*pieces(PLAN, 9), ending(usage=None)))
    first, second = await retrieve(), await retrieve()
    assert searched(first) == searched(second) == ["roads", "rivers"]
    asked = [(one.json.get("stream", False), "stream_options" in one.json) for one in azure.chats]
    assert asked == REFUSALS[message]


async def test_an_endpoint_that_refuses_everything_is_asked_three_times_at_most(
    azure: ScriptedAzure, retrieve: Retrieve
) -> None:
    azure.search, azure.chat = WAYS, refusing("stream_options and stream are not known here")
    assert planning(await retrieve())["error"]["code"] == "BackendRefused"
    assert len(azure.chats) == 3


async def test_after_the_last_event_the_connection_is_not_waited_for(azure: ScriptedAzure, retrieve: Retrieve) -> None:
    azure.search, azure.chat = WAYS, streaming(*pieces(PLAN, 9), ending(), lambda: asyncio.Event().wait())
    record = planning(await retrieve())
    assert "error" not in record
    assert record["elapsedMs"] < 1_000


@pytest.mark.parametrize("last", [ending(), ending(usage=None).removesuffix(DONE)])
async def test_what_comes_after_the_last_event_keeps_no_plan(
    last: bytes, azure: ScriptedAzure, retrieve: Retrieve
) -> None:
    comments = [part for _ in range(200) for part in (partial(asyncio.sleep, 0.1), b": comment\n\n")]
    azure.search, azure.chat = WAYS, streaming(*pieces(PLAN, 9), last, *comments)
    answer = await retrieve()
    record = planning(answer)
    assert "error" not in record
    assert searched(answer) == ["roads", "rivers"]
    assert record["elapsedMs"] < 2_000


async def test_a_failed_search_that_began_early_is_a_record_as_any_other(
    azure: ScriptedAzure, retrieve: Retrieve
) -> None:
    azure.search = by_search({"roads": failing(403)}, otherwise=found(document("river", 3.0)))
    azure.chat = streaming(*pieces(PLAN, 9), ending())
    answer = await retrieve()
    assert answer.json["activity"][1]["error"]["code"] == "BackendForbidden"
    assert searched(answer) == ["roads", "rivers"]
    assert keys(answer) == ["river"]


async def test_searches_that_began_early_end_with_a_call_that_ends(azure: ScriptedAzure, retrieve: Retrieve) -> None:
    azure.search, azure.chat = stalling(), streaming(*pieces(BEGUN, 9), lambda: asyncio.Event().wait())
    asking = asyncio.create_task(retrieve())
    await azure.asked("search", 1)
    asking.cancel()
    await azure.abandoned(2)


@pytest.mark.parametrize("script", [streaming(*pieces(PLAN, 9), ending()), queries("roads", "rivers")])
async def test_the_address_without_versions_is_asked_in_the_same_way(
    script: WireService, settings: dict[str, str], azure: ScriptedAzure, retrieve: Retrieve
) -> None:
    file = Path(settings["AGENTS_FILE"])
    file.write_text(file.read_text().replace(f'"{azure.address}"', f'"{azure.address}/openai/v1/"'))
    azure.search, azure.chat = WAYS, script
    answer = await retrieve()
    assert searched(answer) == ["roads", "rivers"]
    assert planning(answer)["inputTokens"] == 100
    request = azure.chats[0].request
    assert request.target == "/openai/v1/chat/completions"
    assert request.header("authorization") == f"Bearer {MODEL_KEY}"
    assert azure.chats[0].json["model"] == "planner-model"
