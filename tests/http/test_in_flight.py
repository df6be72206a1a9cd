"""Which requests are refused, and when their callers may come back."""

import asyncio
import json
import math
from collections import Counter
from collections.abc import AsyncGenerator, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from threading import Thread
from time import thread_time
from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval import compose
from retrieval.contracts.rendered import pieces
from retrieval.contracts.served_versions import contract
from retrieval.errors import Overloaded
from retrieval.http.answer import ANSWER
from retrieval.http.call import LARGEST_BODY, Call
from retrieval.http.in_flight import FIRST_SECONDS, LONGEST_WAIT, PLACES_FOR_EACH, RECORDS, STRANGERS, InFlight
from retrieval.http.retrieve import RETRIEVE, RETRIEVE_FROM_BASE, stream
from retrieval.http.service import Service
from retrieval.http.serving import Admitted, Endpoint, serve
from retrieval.local.host import Host
from retrieval.model.caller import Caller
from tests.conftest import KEY, Post, ask
from tests.mcp_messages import ACCEPT, calling, endpoint
from tests.rooms import MCP, MODEL_STUDIO, NEEDS_MCP, NEEDS_MODEL_STUDIO, cases

LIMIT: Final = 64
A_SECOND: Final = {round(LIMIT / FIRST_SECONDS / PLACES_FOR_EACH + more) for more in (-0.5, 0.5)}
"""The turns of a second."""

ADMIN_KEY: Final = "local-admin-key"
ROUTES: Final = {
    "/agents/earth-at-night/retrieve?api-version=2025-05-01-preview": "error",
    "/knowledgebases/earth-at-night/retrieve?api-version=2026-08-01-preview": "error",
    "/agents/earth-at-night/answer": "error",
    "/agents/earth-at-night/mcp": "jsonrpc",
    "/agents?api-version=2025-05-01-preview": "error",
    "/llm-local/index/retrieve?IndexId=earth-at-night&Query=roads": "RequestId",
}
"""Addresses, and a member of the envelope of their contract."""

NEEDING: Final = {
    "/agents/earth-at-night/mcp": MCP,
    "/llm-local/index/retrieve?IndexId=earth-at-night&Query=roads": MODEL_STUDIO,
}


class Clocks:
    """A clock and a processor's time, which pass as a test says."""

    def __init__(self) -> None:
        self.now = 100.0
        self.worked = 5.0

    def in_flight(self, limit: int = LIMIT) -> InFlight:
        return InFlight(limit, ticks=lambda: self.now, processor=lambda: self.worked)

    def answered(self, in_flight: InFlight, count: int, *, seconds: float = 0.5, work: float = 0.01) -> None:
        """Requests that came and were answered, one after the other."""
        for _ in range(count):
            with in_flight.request():
                self.now += seconds
                self.worked += work


@contextmanager
def full(in_flight: InFlight, count: int = LIMIT) -> Iterator[None]:
    with ExitStack() as held:
        for _ in range(count):
            held.enter_context(in_flight.request())
        yield


def wait(in_flight: InFlight) -> int:
    with pytest.raises(Overloaded) as refused:
        in_flight.check()
    return refused.value.retry_after


def test_refused_callers_come_back_no_faster_than_places_become_free() -> None:
    in_flight = Clocks().in_flight()
    with full(in_flight):
        waits = [wait(in_flight) for _ in range(3 * LIMIT)]
    each_second = Counter(waits)
    assert waits == sorted(waits)
    seconds = math.ceil(3 * PLACES_FOR_EACH * FIRST_SECONDS)
    assert sorted(each_second) == list(range(1, 1 + seconds))
    assert {each_second[second] for second in range(1, seconds)} <= A_SECOND


@given(seconds=st.floats(0.001, 100), refused=st.integers(1, 500))
def test_nobody_is_told_less_than_a_second_or_more_than_half_a_minute(seconds: float, refused: int) -> None:
    clocks = Clocks()
    in_flight = clocks.in_flight()
    clocks.answered(in_flight, RECORDS, seconds=seconds)
    with full(in_flight):
        assert all(1 <= wait(in_flight) <= LONGEST_WAIT for _ in range(refused))


def test_slow_requests_make_longer_waits() -> None:
    clocks = Clocks()
    in_flight = clocks.in_flight()
    clocks.answered(in_flight, RECORDS, seconds=8)
    with full(in_flight):
        assert max(wait(in_flight) for _ in range(LIMIT)) > 10


@pytest.mark.parametrize("limit", [1, LIMIT])
def test_who_is_refused_after_the_crowd_has_gone_does_not_wait_for_it(limit: int) -> None:
    in_flight = Clocks().in_flight(limit)
    with full(in_flight, limit):
        assert max(wait(in_flight) for _ in range(1_000)) == LONGEST_WAIT
    with full(in_flight, limit):
        assert wait(in_flight) == 1


@pytest.mark.parametrize(("seconds", "is_refused"), [(2.5, True), (2.6, False)])
def test_a_request_behind_more_work_than_its_time_is_refused(seconds: float, is_refused: bool) -> None:
    """256 requests of ten milliseconds of processor time are 2.56 s."""
    clocks = Clocks()
    in_flight = clocks.in_flight(1_000)
    clocks.answered(in_flight, RECORDS, work=0.01)
    with full(in_flight, 256):
        if not is_refused:
            in_flight.check_time(seconds)
            return
        with pytest.raises(Overloaded, match=r"serves 255 requests and would not answer another one within 2\.5 s"):
            in_flight.check_time(seconds)


def test_none_is_refused_for_its_time_before_there_is_a_record() -> None:
    clocks = Clocks()
    in_flight = clocks.in_flight()
    clocks.answered(in_flight, RECORDS - 1, work=60)
    with full(in_flight):
        in_flight.check_time(0.1)


def test_idle_time_is_no_work() -> None:
    clocks = Clocks()
    in_flight = clocks.in_flight()
    for _ in range(RECORDS):
        clocks.worked += 3_600
        clocks.answered(in_flight, 1, work=0.01)
    with full(in_flight):
        in_flight.check_time(1)


def test_work_of_other_threads_is_not_booked_to_the_requests() -> None:
    in_flight = InFlight(2_000, ticks=lambda: 0)
    for _ in range(RECORDS):
        with in_flight.request():
            pass
    with in_flight.request():
        other = Thread(target=_compute, args=(0.2,))
        other.start()
        other.join()
    with full(in_flight, 1_000):
        in_flight.check_time(1)


def _compute(seconds: float) -> None:
    start = thread_time()
    while thread_time() - start < seconds:
        pass


def test_a_call_whose_own_time_is_up_is_not_refused_for_the_others() -> None:
    clocks = Clocks()
    in_flight = clocks.in_flight()
    clocks.answered(in_flight, RECORDS)
    with full(in_flight):
        in_flight.check_time(-1)


@pytest.mark.parametrize("key", [ADMIN_KEY, None], ids=["key", "token"])
@pytest.mark.parametrize("target", cases(ROUTES, NEEDING))
async def test_a_full_instance_refuses_and_reads_nothing(target: str, key: str | None, post: Post) -> None:
    """A body that is too large, and no JSON, is not looked at. Who is not known is not told the limit."""
    headers = {} if key else {"authorization": "Bearer a.b.c"}
    with full(compose.service().process.in_flight):
        answer = await post(b"{" * (LARGEST_BODY + 1), target, key=key, headers=headers)
    assert answer.status == 429
    assert ROUTES[target] in answer.json
    assert f"already serves {'64' if key else 'as many'} requests" in answer.body.decode()
    assert "retry-after" in " ".join(answer.headers).lower()


@pytest.mark.parametrize("key", [None, "no-such-key"])
@pytest.mark.parametrize("target", cases(ROUTES, NEEDING))
async def test_a_full_instance_tells_nobody_without_a_credential_that_it_is_full(
    target: str, key: str | None, post: Post
) -> None:
    in_flight = compose.service().process.in_flight
    usual = await post(b"{}", target, key=key)
    with full(in_flight):
        answers = [await post(b"{}", target, key=key) for _ in range(3)]
        assert wait(in_flight) == 1
    assert {answer.status for answer in answers} == {usual.status}


@NEEDS_MODEL_STUDIO
async def test_a_full_instance_refuses_a_key_in_the_header_of_model_studio_as_it_refuses_a_token(post: Post) -> None:
    target = "/llm-local/index/retrieve?IndexId=earth-at-night&Query=roads"
    headers = {"x-acs-bearer-token": KEY}
    assert (await post(b"", target, key=None, headers=headers)).status == 200
    with full(compose.service().process.in_flight):
        assert (await post(b"", target, key=None, headers=headers)).status == 429


@pytest.mark.usefixtures("host")
@pytest.mark.parametrize("sent", [{}, {"api-key": "no-such-key"}, {"authorization": "Bearer a.b.c"}])
async def test_a_flood_of_unknown_callers_spends_no_turn_of_a_known_one(sent: dict[str, str]) -> None:
    in_flight, service = Clocks().in_flight(), compose.service()
    service = replace(service, process=replace(service.process, in_flight=in_flight))
    with full(in_flight):
        for _ in range(3 * LIMIT):
            call = Call(headers=sent, query={}, body=b"{}", route={"name": "earth-at-night"})
            await serve(ANSWER, call, lambda: service)
        assert wait(in_flight) == 1


def test_unchecked_callers_come_back_one_after_the_other_and_a_flood_of_them_makes_no_longer_waits() -> None:
    in_flight = Clocks().in_flight()
    with full(in_flight):
        waits = [in_flight.stranger().retry_after for _ in range(10 * STRANGERS * LIMIT)]
    each_second = Counter(waits[: STRANGERS * LIMIT])
    assert set(each_second.values()) <= A_SECOND
    assert waits == waits[: STRANGERS * LIMIT] * 10
    assert max(waits) == STRANGERS * PLACES_FOR_EACH * FIRST_SECONDS


@pytest.mark.usefixtures("host")
async def test_who_is_nobody_takes_no_place() -> None:
    in_flight, service = Clocks().in_flight(), compose.service()
    service = replace(service, process=replace(service.process, in_flight=in_flight))
    call = Call(
        headers={},
        query={"api-version": "2025-05-01-preview"},
        body=json.dumps(ask("roads")).encode(),
        route={"name": "earth-at-night"},
    )
    with full(in_flight, LIMIT - 1):
        assert (await serve(RETRIEVE, call, lambda: service)).status == 401
        assert (await serve(RETRIEVE, replace(call, headers={"api-key": KEY}), lambda: service)).status == 200


@pytest.fixture
def late(host: Host) -> Iterator[Service]:
    """A service with 256 requests under way, each of which needs half a second of processor time."""
    clocks, service = Clocks(), compose.service()
    in_flight = clocks.in_flight(1_000)
    clocks.answered(in_flight, RECORDS, work=0.5)
    with full(in_flight, 256):
        yield replace(service, process=replace(service.process, in_flight=in_flight))


@pytest.mark.parametrize(
    ("endpoint", "version", "accept"),
    [
        (RETRIEVE, "2025-05-01-preview", "application/json"),
        (RETRIEVE_FROM_BASE, "2026-08-01-preview", "application/json"),
        (RETRIEVE_FROM_BASE, "2026-08-01-preview", "text/event-stream"),
        (ANSWER, "", "application/json"),
    ],
)
async def test_what_would_be_answered_too_late_is_refused_before_it_is_searched(
    endpoint: Endpoint[Any], version: str, accept: str, late: Service
) -> None:
    body = {"intents": [{"type": "semantic", "search": "roads"}]} if version > "2026" else ask("Which roads?")
    call = Call(
        headers={"api-key": KEY, "accept": accept},
        query={"api-version": version},
        body=json.dumps(body).encode(),
        route={"name": "earth-at-night"},
    )
    answer = await serve(endpoint, call, lambda: late)
    assert answer.status == 429
    assert b"256 requests and would not answer another one within" in answer.content
    assert int(answer.headers["Retry-After"]) >= 1


@pytest.mark.usefixtures("host")
async def test_a_call_whose_events_have_begun_is_not_refused_any_more() -> None:
    clocks, service = Clocks(), compose.service()
    in_flight = clocks.in_flight(1_000)
    clocks.answered(in_flight, RECORDS, work=0.5)
    admitted = Admitted(
        service=replace(service, process=replace(service.process, in_flight=in_flight)),
        call=Call(
            headers={},
            query={},
            body=json.dumps({"intents": [{"type": "semantic", "search": "roads"}]}).encode(),
            route={"name": "earth-at-night"},
        ),
        caller=Caller(kind="key", id="query key 1", rights=frozenset({"retrieve"})),
        start=asyncio.get_running_loop().time(),
    )
    route, version = "knowledgebases", "2026-08-01-preview"
    events = contract(route, version).events
    assert events is not None
    rendered = await stream(admitted, "earth-at-night", contract(route, version), events)
    body = rendered.body
    assert isinstance(body, AsyncGenerator)
    told = [await anext(body)]
    with full(in_flight, 256):
        told += [part async for part in body]
    assert b"response.completed" in b"".join(pieces(told[-1]))


@NEEDS_MCP
async def test_a_tool_that_would_answer_too_late_says_so(late: Service) -> None:
    called = calling("knowledge_base_retrieve", {"queries": ["roads"]})
    call = Call(
        headers={"api-key": KEY, "accept": ACCEPT, "content-type": "application/json"},
        query={},
        body=json.dumps(called).encode(),
        route={"name": "earth-at-night"},
    )
    told = json.loads((await serve(endpoint(), call, lambda: late)).content)["result"]
    assert told["isError"] is True
    assert "would not answer another one within" in told["content"][0]["text"]
