"""A knowledge base of Model Studio: what it is asked, what is read of its answers, every way that it fails."""

import asyncio
import gzip
import json
import logging
import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Final

import pytest

from retrieval import compose
from retrieval.call.budget import RULES_SECONDS
from retrieval.call.ports import LEAST_RECORDS, LEAST_SECONDS
from retrieval.local.wire import WireRequest, WireResponse, WireService
from tests.conftest import Response
from tests.rooms import NEEDS_BASES_OF_STUDIO
from tests.scenarios.failures.answer import header, keys, ranking, searches
from tests.scenarios.federation.conftest import ACCESS_KEY_ID, ACCESS_KEY_SECRET, CALLER_KEY, RUNTIME_SECONDS, Retrieve
from tests.scripted_azure import ScriptedAzure, answering, cutting, held, in_turn, queries, stalling
from tests.scripted_model_studio import ScriptedModelStudio, chunk, chunks, enveloped, refusing

pytestmark = NEEDS_BASES_OF_STUDIO

PORT: Final = chunks(chunk("port", 0.5))
LONG: Final = b" " * 8_388_609


def packed(script: WireService) -> WireService:
    """The same answers, packed."""

    async def answer(request: WireRequest) -> WireResponse:
        plain = await script(request)
        return replace(plain, headers=(*plain.headers, ("content-encoding", "gzip")), body=gzip.compress(plain.body, 1))

    return answer


def turn(role: str, text: str) -> dict[str, object]:
    return {"role": role, "content": [{"type": "text", "text": text}]}


def scores(answer: Response) -> dict[str, int]:
    """How many of the base's documents are returned, and how many were dropped, by reason."""
    (search,) = searches(answer)
    assert search["count"] == len(keys(answer)) + sum(search["dropped"].values())
    return {"returned": len(keys(answer)), **search["dropped"]}


async def test_a_base_is_asked_for_its_best_twenty_chunks_by_a_signed_call(
    studio: ScriptedModelStudio, retrieve: Retrieve
) -> None:
    studio.script = PORT
    await retrieve("Which roads follow rivers?", agent="base")
    (asked,) = studio.calls
    assert asked.workspace == "llm-scripted"
    assert asked.parameters == {
        "IndexId": "index-1",
        "Query": "Which roads follow rivers?",
        "EnableReranking": "True",
        "RerankTopN": "20",
        "RerankMinScore": "0.01",
    }
    signature = asked.request.header("authorization") or ""
    assert signature.startswith(f"ACS3-HMAC-SHA256 Credential={ACCESS_KEY_ID},SignedHeaders=")


async def test_a_chunk_becomes_a_reference_with_its_metadata(studio: ScriptedModelStudio, retrieve: Retrieve) -> None:
    studio.script = chunks(chunk("port", 0.5, text="Ships moor here.", 港口="鹿特丹", age="25.0", page_number=[3]))
    answer = await retrieve(agent="base", includeReferenceSourceData=True)
    (reference,) = answer.json["references"]
    assert (reference["type"], reference["docKey"]) == ("AzureSearchDoc", "port")
    assert reference["sourceData"] == {
        "_id": "port",
        "content": "Ships moor here.",
        "doc_id": "doc_port",
        "doc_name": "Name of port",
        "title": "Title of port",
        "is_displayed_chunk_content": "true",
        "workspace_id": "llm-scripted",
        "pipeline_id": "index-1",
        "港口": "鹿特丹",
        "age": "25.0",
        "page_number": [3],
    }
    assert json.loads(answer.json["response"][0]["content"][0]["text"]) == [
        {"ref_id": 0, "title": "Title of port", "content": "Ships moor here."}
    ]


async def test_the_name_of_the_document_is_the_title_where_a_chunk_has_none(
    studio: ScriptedModelStudio, retrieve: Retrieve
) -> None:
    studio.script = chunks(chunk("port", 0.5, title=""))
    answer = await retrieve(agent="base")
    assert json.loads(answer.json["response"][0]["content"][0]["text"])[0]["title"] == "Name of port"


async def test_a_threshold_is_held_against_calibrated_scores_and_counts_what_is_below(
    studio: ScriptedModelStudio, retrieve: Retrieve
) -> None:
    studio.script = chunks(*(chunk(f"at {score}", score) for score in (0.7, 0.5, 0.4, 0.39, 0.1, 0.0)))
    answer = await retrieve(agent="base", rerankerThreshold=2)
    assert keys(answer) == ["at 0.7", "at 0.5", "at 0.4"]
    assert scores(answer) == {"returned": 3, "threshold": 3}
    assert studio.calls[0].parameters["RerankMinScore"] == "0.01"
    assert "warning" not in ranking(answer)


async def test_without_a_calibration_the_base_keeps_its_own_threshold_and_that_is_said(
    studio: ScriptedModelStudio, retrieve: Retrieve, base: dict[str, object]
) -> None:
    del base["calibration"]
    studio.script = chunks(chunk("port", 0.3), chunk("pier", 0.2))
    answer = await retrieve(agent="base", rerankerThreshold=2.5)
    assert scores(answer) == {"returned": 2}
    assert "RerankMinScore" not in studio.calls[0].parameters
    assert ranking(answer)["warning"] == (
        "'harbour-base' applied its own threshold; that of the request, 2.5, was not applied to it."
    )


@pytest.mark.parametrize("flag", ["false", "False", False])
async def test_chunks_that_were_taken_out_of_retrieval_are_dropped_and_counted(
    flag: object, studio: ScriptedModelStudio, retrieve: Retrieve
) -> None:
    studio.script = chunks(chunk("hidden", 0.9, is_displayed_chunk_content=flag), chunk("port", 0.5))
    answer = await retrieve(agent="base")
    assert keys(answer) == ["port"]
    assert scores(answer) == {"returned": 1, "excluded": 1}


@pytest.mark.parametrize(
    "node",
    [
        None,
        {},
        {"Text": "no metadata", "Score": 0.5},
        {"Text": "a text for metadata", "Score": 0.5, "Metadata": ""},
        chunk("port", "0.5"),
        chunk("port", True),
        chunk("port", 1.5),
        chunk("port", -0.1),
        chunk("port", math.nan),
        chunk("port", math.inf),
        chunk("", 0.5),
        chunk(7, 0.5),
        chunk(..., 0.5),
    ],
    ids=repr,
)
async def test_a_chunk_that_cannot_be_read_is_counted(
    node: object, studio: ScriptedModelStudio, retrieve: Retrieve
) -> None:
    if isinstance(node, dict) and isinstance(node.get("Metadata"), dict):
        node = {**node, "Metadata": {**node["Metadata"], "_score": 0}}
    studio.script = chunks(node, chunk("pier", 0.5))
    answer = await retrieve(agent="base")
    assert keys(answer) == ["pier"]
    assert scores(answer) == {"returned": 1, "error": 1}


async def test_metadata_that_is_no_number_stays_readable(studio: ScriptedModelStudio, retrieve: Retrieve) -> None:
    studio.script = chunks(chunk("port", 0.5, depth=math.nan, age=[math.inf], one={"two": -math.inf}))
    answer = await retrieve(agent="base", includeReferenceSourceData=True)
    data = answer.json["references"][0]["sourceData"]
    assert b"NaN" not in answer.body and b"Infinity" not in answer.body
    assert (data["depth"], data["age"], data["one"]) == (None, [None], {"two": None})


async def test_a_chunk_without_a_score_follows_the_scored_ones_and_the_record_says_so(
    studio: ScriptedModelStudio, retrieve: Retrieve
) -> None:
    studio.script = chunks(chunk("unscored", None), chunk("port", 0.5))
    answer = await retrieve(agent="base")
    assert keys(answer) == ["port", "unscored"]
    assert searches(answer)[0]["error"]["code"] == "SemanticRankingUnavailable"


@pytest.mark.parametrize(
    "script",
    [chunks(), enveloped(), enveloped(Data={"Nodes": None}), enveloped(Data={}), enveloped(Success="true", Status=200)],
)
async def test_nothing_found_is_no_failure(
    script: WireService, studio: ScriptedModelStudio, retrieve: Retrieve
) -> None:
    studio.script = script
    answer = await retrieve(agent="base")
    assert (answer.status, answer.json["references"]) == (200, [])
    assert "error" not in searches(answer)[0]


WRONG: Final[Mapping[str, tuple[WireService, int, str]]] = {
    "throttles by status": (refusing("Throttling.User", http=429), 429, "BackendThrottled"),
    "throttles by code alone": (refusing("DataCenter.Throttling", http=400), 429, "BackendThrottled"),
    "throttles by header alone": (refusing("ServiceBusy", http=503, retry_after=9_000), 429, "BackendThrottled"),
    "throttles within a 200": (refusing("Throttling.Api", status="429"), 429, "BackendThrottled"),
    "throttles within a 200 without a status": (refusing("Throttling", status="x"), 429, "BackendThrottled"),
    "throttles for an odd time": (refusing("Throttling", http=429, retry_after="soon"), 429, "BackendThrottled"),
    "throttles for no time": (refusing("Throttling", http=429, retry_after="-1"), 429, "BackendThrottled"),
    "says no within a 200": (refusing("Index.InvalidParameter", status="400"), 400, "BackendRefused"),
    "says no within a 200 that says 200": (refusing("Index.InvalidParameter", status="200"), 400, "BackendRefused"),
    "says no": (refusing("Index.InvalidParameter", http=400), 400, "BackendRefused"),
    "finds the address too long": (refusing("RequestTooLong", http=414), 400, "BackendRefused"),
    "does not know the key": (refusing("InvalidAccessKeyId.NotFound", http=404), 502, "BackendForbidden"),
    "does not know the signature": (refusing("SignatureDoesNotMatch", http=400), 502, "BackendForbidden"),
    "finds the clock wrong": (refusing("InvalidTimeStamp.Expired", http=400), 502, "BackendForbidden"),
    "forbids the workspace": (refusing("Index.NoWorkspacePermissions", http=403), 502, "BackendForbidden"),
    "forbids it within a 200": (refusing("Index.NoWorkspacePermissions", status="403"), 502, "BackendForbidden"),
    "knows no such base": (refusing("Index.NotExist", http=404), 502, "BackendUnavailable"),
    "knows no such base within a 200": (refusing("Index.NotFound"), 502, "BackendUnavailable"),
    "fails": (refusing("InternalError", http=500), 502, "BackendUnavailable"),
    "fails within a 200": (refusing("InternalError", status="500"), 502, "BackendUnavailable"),
    "cannot rerank": (refusing("Index.IndexRerankError", http=500), 502, "BackendUnavailable"),
    "fails with a code that is no text": (enveloped(Success=False, Code=["x"]), 502, "BackendUnavailable"),
    "fails with half a character": (
        answering(b'{"Code": "X\\ud800", "Message": "\\udfff"}', status=400),
        400,
        "BackendRefused",
    ),
    "fails with a list": (answering([], status=500), 502, "BackendUnavailable"),
    "fails with a number": (answering(7, status=400), 502, "BackendUnavailable"),
    "fails in HTML": (answering(b"<html>Bad Gateway</html>", status=502), 502, "BackendUnavailable"),
    "fails in XML": (
        answering(b"<Error><Code>X</Code>", status=400, content_type="text/xml;charset=utf-8"),
        502,
        "BackendUnavailable",
    ),
    "fails without a word": (answering(b"", status=503), 502, "BackendUnavailable"),
    "stalls": (stalling(), 504, "BackendTimeout"),
    "cuts the connection": (cutting(), 502, "BackendUnavailable"),
    "answers HTML": (answering(b"<html>hello</html>"), 502, "BackendUnavailable"),
    "answers nothing": (answering(b""), 502, "BackendUnavailable"),
    "answers an empty object": (answering({}), 502, "BackendUnavailable"),
    "answers a list": (answering([1]), 502, "BackendUnavailable"),
    "answers in lower case": (answering({"code": "Success", "success": True}), 502, "BackendUnavailable"),
    "answers truncated JSON": (answering(b'{"Success": true, "Data": {"Nod'), 502, "BackendUnavailable"),
    "answers JSON too deep": (answering(b'{"Success": true, "Data": ' + b"[" * 100_000), 502, "BackendUnavailable"),
    "answers what is not UTF-8": (answering(b'{"Success": true, "Code": "\xff"}'), 502, "BackendUnavailable"),
    "answers a list for data": (enveloped(Data=[1]), 502, "BackendUnavailable"),
    "answers a text for nodes": (enveloped(Data={"Nodes": "x"}), 502, "BackendUnavailable"),
    "answers gzip that is none": (answering(b"not gzip", content_encoding="gzip"), 502, "BackendUnavailable"),
    "answers in an encoding nobody asked for": (answering(b"{}", content_encoding="br"), 502, "BackendUnavailable"),
}


@pytest.mark.parametrize("way", WRONG)
async def test_it_is_an_error_with_a_name_when_a_base(
    way: str, studio: ScriptedModelStudio, retrieve: Retrieve
) -> None:
    script, status, code = WRONG[way]
    studio.script = script
    answer = await retrieve("Which roads?", agent="base")
    error = answer.json["error"]
    assert (answer.status, error["code"]) == (status, code)
    assert "Model Studio" in error["message"] or "harbour-base" in error["message"]
    assert len(studio.calls) <= 3


@pytest.mark.parametrize("script", [answering(LONG), packed(answering(LONG))], ids=["plain", "packed"])
async def test_an_answer_that_does_not_end_is_read_up_to_a_limit(
    script: WireService, studio: ScriptedModelStudio, retrieve: Retrieve
) -> None:
    studio.script = script
    answer = await retrieve(agent="base")
    assert (answer.status, len(studio.calls)) == (502, 1)
    assert "more than 8388608 bytes" in answer.json["error"]["message"]


UNREADABLE: Final[Mapping[str, WireService]] = {
    "too long": answering(LONG, status=503),
    "in an unknown encoding": answering(b"{}", status=503, content_encoding="br"),
    "not as encoded": answering(b"not gzip", status=503, content_encoding="gzip"),
    "HTML": answering(b"<html>Bad Gateway</html>", status=502),
    "XML": answering(b"<Error><Code>Busy</Code></Error>", status=503, content_type="text/xml;charset=utf-8"),
    "empty": answering(b"", status=503),
}


@pytest.mark.parametrize("way", UNREADABLE)
async def test_a_failure_may_pass_whatever_its_content_is(
    way: str, studio: ScriptedModelStudio, retrieve: Retrieve
) -> None:
    studio.script = in_turn(UNREADABLE[way], PORT)
    answer = await retrieve(agent="base")
    assert (keys(answer), len(studio.calls)) == (["port"], 2)


async def test_it_throttles_whatever_the_content_is(studio: ScriptedModelStudio, retrieve: Retrieve) -> None:
    studio.script = answering(b"slow down", status=429, content_encoding="deflate")
    answer = await retrieve(agent="base")
    assert (answer.status, answer.json["error"]["code"], len(studio.calls)) == (429, "BackendThrottled", 3)


async def test_an_answer_may_be_packed(studio: ScriptedModelStudio, retrieve: Retrieve) -> None:
    studio.script = packed(PORT)
    assert keys(await retrieve(agent="base")) == ["port"]
    assert studio.calls[0].request.header("accept-encoding") == "gzip"


@pytest.mark.parametrize(
    "broken",
    [
        chunk("half", 0.9, text="Half a character \ud800 of it"),
        chunk("half", 0.9, title="\udfff"),
        chunk("half-\ud800", 0.9),
        chunk("deep", 0.9, inner=json.loads("[" * 300 + "]" * 300)),
        None,
        [],
    ],
    ids=["text", "metadata", "key", "too deep", "null", "list"],
)
async def test_a_chunk_that_cannot_be_read_is_counted_and_the_others_stay(
    broken: object, studio: ScriptedModelStudio, retrieve: Retrieve
) -> None:
    studio.script = chunks(chunk("port", 0.9), broken, chunk("pier", 0.8))
    answer = await retrieve(agent="base", includeReferenceSourceData=True)
    assert keys(answer) == ["port", "pier"]
    assert (searches(answer)[0]["count"], searches(answer)[0]["dropped"]) == (3, {"error": 1})


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
async def test_a_base_that_redirects_is_not_followed(
    status: int, studio: ScriptedModelStudio, retrieve: Retrieve
) -> None:
    other = ScriptedModelStudio(PORT)
    async with other.listening():
        studio.script = answering(b"", status=status, location=f"{other.address}/llm-scripted/index/retrieve")
        answer = await retrieve(agent="base")
        assert answer.status == 502
        assert "redirects to another address" in answer.json["error"]["message"]
    assert other.calls == [] and other.lost == []


async def test_a_throttle_that_passes_soon_is_waited_out(studio: ScriptedModelStudio, retrieve: Retrieve) -> None:
    studio.script = in_turn(refusing("Throttling.User", http=429, retry_after=1_500), refusing("Throttling"), PORT)
    answer = await retrieve(agent="base")
    assert keys(answer) == ["port"]
    assert searches(answer)[0]["elapsedMs"] >= 2_500
    assert len(studio.calls) == 3


async def test_the_time_of_a_throttle_is_not_booked_to_the_base(
    studio: ScriptedModelStudio, retrieve: Retrieve
) -> None:
    for _ in range(LEAST_RECORDS):
        studio.script = in_turn(refusing("Throttling.User", http=429, retry_after=1_500), PORT)
        assert keys(await retrieve(agent="base")) == ["port"]
    pace = compose.service().indexes.pace
    assert pace is not None and pace.bound("harbour-base") == LEAST_SECONDS


async def test_every_attempt_is_signed_anew(studio: ScriptedModelStudio, retrieve: Retrieve) -> None:
    studio.script = in_turn(cutting(), refusing("InternalError", http=500), PORT)
    await retrieve(agent="base")
    nonces = {asked.request.header("x-acs-signature-nonce") for asked in studio.calls}
    assert len(nonces) == 3


async def test_a_throttle_for_long_is_final_and_its_time_is_passed_on(
    studio: ScriptedModelStudio, retrieve: Retrieve
) -> None:
    studio.script = refusing("Throttling.User", status="429", retry_after=30_000)
    answer = await retrieve("Which roads?", agent="base")
    assert len(studio.calls) == 1
    assert (answer.status, header(answer, "retry-after")) == (429, "30")


async def test_a_time_beyond_counting_is_a_day(studio: ScriptedModelStudio, retrieve: Retrieve) -> None:
    studio.script = refusing("Throttling.User", retry_after="9" * 400)
    assert header(await retrieve("Which roads?", agent="base"), "retry-after") == "86400"


async def test_a_refusal_is_not_repeated(studio: ScriptedModelStudio, retrieve: Retrieve) -> None:
    studio.script = refusing("Index.InvalidParameter", http=400, message="RerankTopN is wrong.")
    answer = await retrieve("Which roads?", agent="base")
    assert len(studio.calls) == 1
    assert "RerankTopN is wrong." in answer.json["error"]["message"]


async def test_a_deadline_holds_over_all_attempts(studio: ScriptedModelStudio, retrieve: Retrieve) -> None:
    studio.script = in_turn(refusing("Throttling.User", http=429, retry_after=1_900), stalling())
    answer = await retrieve("Which roads?", agent="base")
    assert (answer.status, answer.json["error"]["code"]) == (504, "BackendTimeout")
    assert f"did not answer within {RUNTIME_SECONDS - RULES_SECONDS:.1f} s" in answer.json["error"]["message"]
    assert len(studio.calls) == 2


async def test_one_call_has_a_minute_however_long_the_request_may_take(
    studio: ScriptedModelStudio, retrieve: Retrieve
) -> None:
    studio.script = stalling()
    answer = await retrieve("Which roads?", agent="patient")
    assert (answer.status, len(studio.calls)) == (504, 1)
    assert "Model Studio did not answer within 60.0 s." in answer.json["error"]["message"]


async def test_nothing_is_left_running_after_a_deadline(studio: ScriptedModelStudio, retrieve: Retrieve) -> None:
    studio.script = PORT
    await retrieve(agent="base")
    before = asyncio.all_tasks()
    studio.script = stalling()
    await retrieve(agent="base")
    left = {repr(task.get_coro()) for task in asyncio.all_tasks() - before}
    ours = [one for one in left if "RequestResponseCycle" not in one and "Application._answer" not in one]
    assert ours == [], "only the scripted server still waits"


async def test_sub_queries_of_a_base_are_open_at_once(
    azure: ScriptedAzure, studio: ScriptedModelStudio, retrieve: Retrieve
) -> None:
    azure.chat = queries("roads", "rivers", "harbours")
    studio.script = held(asyncio.Barrier(3), PORT)
    answer = await retrieve(agent="planner")
    assert [one.get("error") for one in searches(answer)] == [None] * 6


CONVERSATION: Final = [
    turn("system", "You answer about harbours."),
    turn("user", "How deep is the harbour of Rotterdam?"),
    turn("tool", "lookup()"),
    turn("assistant", "24 metres."),
    turn("user", "And its berths?"),
]


async def test_a_follow_up_takes_its_conversation_along_to_be_rewritten(
    studio: ScriptedModelStudio, retrieve: Retrieve
) -> None:
    await retrieve(CONVERSATION, agent="base")
    asked = studio.calls[0]
    assert asked.parameters["EnableRewrite"] == "True"
    assert asked.json("QueryHistory") == [
        {"content": "How deep is the harbour of Rotterdam?", "role": "user"},
        {"content": "24 metres.", "role": "assistant"},
    ]


async def test_a_question_that_stands_alone_takes_nothing_along(
    studio: ScriptedModelStudio, retrieve: Retrieve
) -> None:
    alone = turn("user", "Which canals between northern towns carry grain barges today?")
    await retrieve([*CONVERSATION, alone], agent="base")
    assert not {"EnableRewrite", "QueryHistory"} & set(studio.calls[0].parameters)


async def test_queries_that_a_model_planned_take_nothing_along(
    azure: ScriptedAzure, studio: ScriptedModelStudio, retrieve: Retrieve
) -> None:
    azure.chat = queries("berths of Rotterdam harbour")
    await retrieve(CONVERSATION, agent="planner")
    assert not {"EnableRewrite", "QueryHistory"} & set(studio.calls[0].parameters)


async def test_a_model_that_fails_leaves_the_conversation_to_the_base(
    studio: ScriptedModelStudio, retrieve: Retrieve
) -> None:
    await retrieve(CONVERSATION, agent="planner")
    assert len(studio.calls[0].json("QueryHistory")) == 2


async def test_of_a_long_conversation_the_latest_turns_go_along(
    studio: ScriptedModelStudio, retrieve: Retrieve
) -> None:
    turns = [turn("user" if number % 2 == 0 else "assistant", f"第{number}轮" + "港" * 400) for number in range(10)]
    await retrieve([*turns, turn("user", "它呢?")], agent="base")
    history = studio.calls[0].json("QueryHistory")
    assert [one["role"] for one in history] == ["assistant", "user", "assistant"]
    assert history[-1]["content"] == f"第9轮{'港' * 400}"
    assert sum(len(one["content"]) for one in history) <= 1_000


@pytest.mark.parametrize("script", [PORT, refusing("AccessDenied", http=403), cutting(), stalling(), answering(b"<")])
async def test_no_key_is_told(
    script: WireService, studio: ScriptedModelStudio, retrieve: Retrieve, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    studio.script = script
    answer = await retrieve(agent="base")
    told = (answer.body.decode(), str(answer.headers), caplog.text)
    secrets = (ACCESS_KEY_ID, ACCESS_KEY_SECRET, CALLER_KEY)
    assert [secret for secret in secrets for text in told if secret in text] == []
