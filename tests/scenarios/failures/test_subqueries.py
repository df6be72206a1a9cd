"""One sub-query of three goes wrong: the answer has what the others found, and names what went wrong."""

import asyncio
import gzip
import json
from collections.abc import Mapping
from typing import Final
from uuid import UUID

import pytest

from retrieval.local.wire import WireService
from retrieval.sources.search_index.over_aiohttp import MOST_BYTES
from retrieval.version import USER_AGENT
from tests.scenarios.failures.answer import header, keys, searches
from tests.scenarios.failures.conftest import SEARCH_KEY, Retrieve
from tests.scripted_azure import (
    ScriptedAzure,
    answering,
    by_search,
    cut,
    cutting,
    document,
    failing,
    found,
    in_turn,
    queries,
    stalling,
    streaming,
)

ROADS: Final = document("road", 3.1)
HARBOURS: Final = document("harbour", 2.2)

LONG: Final = b'{"value": []}' + b" " * MOST_BYTES
GZIP_THAT_IS_NONE: Final = answering(b"not gzip at all", content_encoding="gzip")

WRONG: Final[Mapping[str, tuple[WireService, str]]] = {
    "fails": (failing(500), "BackendUnavailable"),
    "is down": (failing(503), "BackendUnavailable"),
    "has a gateway that fails": (answering(b"<html>Bad Gateway</html>", status=502), "BackendUnavailable"),
    "is not authenticated": (failing(401), "BackendForbidden"),
    "is forbidden": (failing(403), "BackendForbidden"),
    "is not found": (failing(404), "BackendUnavailable"),
    "is refused": (failing(400, "Unknown field 'x'."), "BackendRefused"),
    "is too large": (failing(413), "BackendRefused"),
    "is refused in HTML": (answering(b"<html>No</html>", status=400), "BackendRefused"),
    "is throttled": (failing(429), "BackendThrottled"),
    "is throttled for a moment, over and over": (failing(429, retry_after=1), "BackendThrottled"),
    "is throttled for long": (failing(429, retry_after=30), "BackendThrottled"),
    "is throttled until a date": (failing(429, retry_after="Fri, 20 Nov 2099 10:00:00 GMT"), "BackendThrottled"),
    "is throttled for longer than floats count": (failing(429, retry_after="9" * 400), "BackendThrottled"),
    "is throttled for nonsense": (failing(429, retry_after="soon"), "BackendThrottled"),
    "is throttled without a word": (answering(b"", status=429), "BackendThrottled"),
    "is forbidden without a word": (answering(b"", status=403), "BackendForbidden"),
    "is refused with an error too deep": (answering(b'{"error": ' * 100_000, status=400), "BackendRefused"),
    "stalls": (stalling(), "BackendTimeout"),
    "has its connection cut": (cutting(), "BackendUnavailable"),
    "answers HTML": (answering(b"<html>hello</html>", content_type="text/html"), "BackendUnavailable"),
    "answers nothing": (answering(b""), "BackendUnavailable"),
    "answers 204": (answering(b"", status=204), "BackendUnavailable"),
    "answers truncated JSON": (answering(b'{"value": [{"id": "a", "@search.re'), "BackendUnavailable"),
    "answers JSON too deep": (answering(b'{"value": ' + b"[" * 100_000), "BackendUnavailable"),
    "answers what is not UTF-8": (answering(b'{"value": ["\xff"]}'), "BackendUnavailable"),
    "answers an array": (answering([]), "BackendUnavailable"),
    "answers null": (answering(None), "BackendUnavailable"),
    "answers a number": (answering(7), "BackendUnavailable"),
    "answers no value": (answering({"values": []}), "BackendUnavailable"),
    "answers null documents": (answering({"value": None}), "BackendUnavailable"),
    "answers a text for documents": (answering({"value": ""}), "BackendUnavailable"),
    "answers an object for documents": (answering({"value": {}}), "BackendUnavailable"),
    "answers documents that are numbers": (answering({"value": [1, 2]}), "BackendUnavailable"),
    "answers documents that are null": (answering({"value": [None]}), "BackendUnavailable"),
    "answers gzip that is none": (GZIP_THAT_IS_NONE, "BackendUnavailable"),
    "answers more than is read": (answering(LONG), "BackendUnavailable"),
    "answers more than is read, packed": (
        answering(gzip.compress(LONG, 1), content_encoding="gzip"),
        "BackendUnavailable",
    ),
    "answers in an encoding nobody asked for": (answering({"value": []}, content_encoding="br"), "BackendUnavailable"),
    "answers an odd charset": (
        answering(b"\xff\xfe", content_type="text/plain; charset=none-such"),
        "BackendUnavailable",
    ),
}

UNREAD_FAILURES: Final[Mapping[str, WireService]] = {
    "in an encoding nobody asked for": answering(b"?", status=503, content_encoding="br"),
    "that breaks off": streaming(b"{", cut, status=503),
    "that does not end": streaming(b"{", lambda: asyncio.Event().wait(), status=503),
}


@pytest.mark.parametrize("way", WRONG)
async def test_what_the_others_found_is_returned_when_one_sub_query(
    way: str, azure: ScriptedAzure, retrieve: Retrieve
) -> None:
    script, code = WRONG[way]
    azure.chat = queries("roads", "rivers", "harbours")
    azure.search = by_search({"roads": found(ROADS), "harbours": found(HARBOURS)}, otherwise=script)
    answer = await retrieve()
    assert answer.status == 200
    assert [reference["docKey"] for reference in answer.json["references"]] == ["road", "harbour"]
    roads, rivers, harbours = searches(answer)
    assert (roads["count"], rivers["count"], harbours["count"]) == (1, 0, 1)
    assert "error" not in roads and "error" not in harbours
    assert rivers["error"]["code"] == code
    assert rivers["query"]["search"] == "rivers"


@pytest.mark.parametrize("way", WRONG)
async def test_a_retrieval_fails_with_the_reason_when_every_sub_query(
    way: str, azure: ScriptedAzure, retrieve: Retrieve
) -> None:
    script, code = WRONG[way]
    azure.chat, azure.search = queries("roads", "rivers", "harbours"), script
    answer = await retrieve()
    statuses = {"BackendTimeout": 504, "BackendThrottled": 429, "BackendRefused": 400}
    assert answer.status == statuses.get(code, 502)
    error = answer.json["error"]
    assert error["code"] == code
    assert [detail["code"] for detail in error["details"]] == [code] * 3


async def test_a_stalled_search_is_given_up_at_the_deadline(azure: ScriptedAzure, retrieve: Retrieve) -> None:
    azure.chat, azure.search = queries("roads", "rivers"), by_search({"roads": found(ROADS)}, otherwise=stalling())
    roads, rivers = searches(await retrieve())
    assert roads["elapsedMs"] < 5_000 < rivers["elapsedMs"] <= 10_000
    assert "did not answer within" in rivers["error"]["message"]


async def test_an_answer_that_comes_at_the_second_try_is_no_failure(azure: ScriptedAzure, retrieve: Retrieve) -> None:
    azure.search = in_turn(failing(503), found(ROADS))
    (search,) = searches(await retrieve("Which roads?", agent="plain"))
    assert search["count"] == 1
    assert "error" not in search
    assert len(azure.searches) == 2


@pytest.mark.parametrize("way", UNREAD_FAILURES)
async def test_a_failure_whose_content_cannot_be_read_is_tried_again(
    way: str, azure: ScriptedAzure, retrieve: Retrieve
) -> None:
    azure.search = in_turn(UNREAD_FAILURES[way], found(ROADS))
    (search,) = searches(await retrieve("Which roads?", agent="plain"))
    assert search["count"] == 1
    assert len(azure.searches) == 2


async def test_a_second_try_has_the_request_id_of_the_first_and_says_who_asks(
    azure: ScriptedAzure, retrieve: Retrieve
) -> None:
    azure.chat = queries("roads")
    azure.search = in_turn(failing(503), found(ROADS))
    assert (await retrieve()).status == 200
    first, second = (one.request for one in azure.searches)
    assert UUID(first.header("x-ms-client-request-id")).version == 4
    assert first.header("x-ms-client-request-id") == second.header("x-ms-client-request-id")
    for one in (first, second):
        assert str(one.header("user-agent")).startswith(f"{USER_AGENT} azsdk-python-search-documents/12")
        assert one.header("api-key") == SEARCH_KEY


async def test_throttling_for_a_moment_is_waited_out(azure: ScriptedAzure, retrieve: Retrieve) -> None:
    azure.search = in_turn(failing(429, retry_after=1), found(ROADS))
    (search,) = searches(await retrieve("Which roads?", agent="plain"))
    assert "error" not in search
    assert search["elapsedMs"] >= 1_000


async def test_throttling_for_long_is_not_waited_out(azure: ScriptedAzure, retrieve: Retrieve) -> None:
    azure.search = failing(429, retry_after=30)
    answer = await retrieve("Which roads?", agent="plain")
    assert len(azure.searches) == 1
    assert (answer.status, header(answer, "retry-after")) == (429, "30")


async def test_the_longest_wait_that_was_asked_for_is_passed_on(azure: ScriptedAzure, retrieve: Retrieve) -> None:
    azure.chat = queries("roads", "rivers", "harbours")
    scripts = {"roads": failing(429, retry_after=5), "rivers": failing(429, retry_after=40)}
    azure.search = by_search(scripts, otherwise=failing(429))
    answer = await retrieve()
    assert (answer.status, header(answer, "retry-after")) == (429, "40")


async def test_no_wait_is_named_when_the_search_service_named_none(azure: ScriptedAzure, retrieve: Retrieve) -> None:
    azure.search = failing(429)
    answer = await retrieve("Which roads?", agent="plain")
    assert (answer.status, header(answer, "retry-after")) == (429, None)


async def test_sub_queries_that_fail_in_different_ways_are_a_502_with_each_reason(
    azure: ScriptedAzure, retrieve: Retrieve
) -> None:
    azure.chat = queries("roads", "rivers", "harbours")
    scripts = {"roads": failing(429, retry_after=5), "rivers": failing(400, "No such field.")}
    azure.search = by_search(scripts, otherwise=stalling())
    answer = await retrieve()
    error = answer.json["error"]
    assert (answer.status, error["code"], header(answer, "retry-after")) == (502, "RetrievalFailed", None)
    assert [one["code"] for one in error["details"]] == ["BackendThrottled", "BackendRefused", "BackendTimeout"]
    assert "No such field." in error["details"][1]["message"]


async def test_a_search_that_stalls_longer_than_a_connection_may_is_a_504_also_before_the_deadline(
    azure: ScriptedAzure, retrieve: Retrieve
) -> None:
    azure.search = stalling()
    answer = await retrieve(agent="patient")
    assert answer.status == 504
    assert answer.json["error"]["code"] == "BackendTimeout"
    assert "30.0 s" in answer.json["error"]["message"]


async def test_a_proxy_of_the_environment_is_never_asked(
    azure: ScriptedAzure, retrieve: Retrieve, monkeypatch: pytest.MonkeyPatch
) -> None:
    azure.search = found(ROADS)
    for name in ("http_proxy", "HTTP_PROXY", "https_proxy", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    monkeypatch.delenv("no_proxy", raising=False)
    assert (await retrieve(agent="plain")).status == 200


async def test_documents_that_come_packed_are_read(azure: ScriptedAzure, retrieve: Retrieve) -> None:
    page = gzip.compress(json.dumps({"value": [ROADS]}).encode())
    azure.chat, azure.search = queries("roads"), answering(page, content_encoding="gzip")
    assert keys(await retrieve()) == ["road"]
    assert azure.searches[0].request.header("accept-encoding") == "gzip"
