"""For whom a full instance holds a place: a flood that does not wait, beside callers who wait as they are told."""

import json
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from heapq import heappop, heappush
from typing import Final

import pytest

from retrieval import compose
from retrieval.contracts.rendered import Rendered
from retrieval.errors import NotAuthenticated, Overloaded
from retrieval.http.answer import ANSWER
from retrieval.http.call import Call
from retrieval.http.in_flight import CALLERS, HELD_AFTER, HELD_SHARE, LONGEST_WAIT, InFlight
from retrieval.http.service import Service
from retrieval.http.serving import serve
from retrieval.local.host import Host
from retrieval.model.caller import Caller
from tests.conftest import KEY, ask
from tests.http.test_in_flight import ADMIN_KEY
from tests.sampling import sample

PLACES: Final = 16
HELD: Final = PLACES // HELD_SHARE
FLOOD: Final = 100


@dataclass
class Clock:
    now: float = 100.0

    def in_flight(self, limit: int = PLACES) -> InFlight:
        return InFlight(limit, ticks=lambda: self.now, processor=lambda: 0.0)


@contextmanager
def taken(in_flight: InFlight, count: int) -> Iterator[ExitStack]:
    with ExitStack() as held:
        for _ in range(count):
            held.enter_context(in_flight.request())
        yield held


def refused(in_flight: InFlight, caller: str | None) -> int:
    with pytest.raises(Overloaded) as told:
        in_flight.check(caller)
    return told.value.retry_after


def admitted(in_flight: InFlight, caller: str | None) -> bool:
    try:
        in_flight.check(caller)
    except Overloaded:
        return False
    return True


TAKEN: Final = 3


def freed(clock: Clock, in_flight: InFlight, *waiting: str) -> list[int]:
    """Callers are refused by an instance that is full; three seconds later all of its places become free. The seconds
    that each has to wait from then on."""
    with taken(in_flight, PLACES):
        waits = [refused(in_flight, caller) - TAKEN for caller in waiting]
        clock.now += TAKEN
    return waits


def test_a_place_is_held_until_the_turn_of_a_refused_caller_and_a_second_longer() -> None:
    clock = Clock()
    in_flight = clock.in_flight()
    (wait,) = freed(clock, in_flight, "a")
    with taken(in_flight, PLACES - 1):
        start = clock.now
        for passed in (wait - TAKEN / 3, wait, wait + HELD_AFTER):
            clock.now = start + passed
            assert not admitted(in_flight, f"another after {passed}")
        assert admitted(in_flight, "a")


def test_a_place_that_nobody_comes_for_is_given_away() -> None:
    clock = Clock()
    in_flight = clock.in_flight()
    waits = freed(clock, in_flight, *(f"caller {number}" for number in range(PLACES)))
    clock.now += max(waits) + HELD_AFTER + 0.01
    with taken(in_flight, PLACES - 1):
        assert admitted(in_flight, "somebody else")
        assert admitted(in_flight, None)


def test_no_more_than_a_quarter_of_the_places_is_held() -> None:
    clock = Clock()
    in_flight = clock.in_flight()
    waits = freed(clock, in_flight, *(f"caller {number}" for number in range(3 * PLACES)))
    clock.now += max(waits)
    with taken(in_flight, PLACES - HELD - 1):
        assert admitted(in_flight, "somebody else")
    with taken(in_flight, PLACES - HELD - 1), in_flight.request("one more"):
        assert not admitted(in_flight, "somebody else")


def test_a_caller_has_one_place_however_often_it_is_refused() -> None:
    clock = Clock()
    in_flight = clock.in_flight()
    waits = freed(clock, in_flight, *(["a"] * PLACES))
    clock.now += min(waits)
    with taken(in_flight, PLACES - 2):
        assert admitted(in_flight, "b")
    with taken(in_flight, PLACES - 2), in_flight.request("b"):
        assert not admitted(in_flight, "b")


def test_who_comes_early_gains_nothing() -> None:
    clock = Clock()
    in_flight = clock.in_flight()
    (wait,) = freed(clock, in_flight, "a")
    with taken(in_flight, PLACES - 1):
        clock.now += wait - TAKEN / 3
        assert not admitted(in_flight, "a")
        clock.now += TAKEN / 3
        assert admitted(in_flight, "a")


def test_nothing_is_held_for_strangers() -> None:
    clock = Clock()
    in_flight = clock.in_flight()
    with taken(in_flight, PLACES):
        for _ in range(PLACES):
            in_flight.stranger()
    with taken(in_flight, PLACES - 1):
        assert admitted(in_flight, "a")


@pytest.mark.parametrize("limit", [1, 2, 3])
def test_an_instance_of_few_places_holds_none(limit: int) -> None:
    clock = Clock()
    in_flight = clock.in_flight(limit)
    with taken(in_flight, limit):
        refused(in_flight, "a")
    with taken(in_flight, limit - 1):
        assert admitted(in_flight, "b")


def test_a_caller_who_never_waits_delays_nobody_and_holds_nothing() -> None:
    clock = Clock()
    in_flight = clock.in_flight()
    with taken(in_flight, PLACES), taken(other := clock.in_flight(), PLACES):
        for _ in range(1_000):
            assert 1 <= refused(in_flight, "flood") <= LONGEST_WAIT
        assert refused(in_flight, "patient") == refused(other, "patient")
        clock.now += 5 * LONGEST_WAIT
    with taken(in_flight, PLACES):
        for _ in range(1_000):
            refused(in_flight, "flood")
    with taken(in_flight, PLACES - 1):
        assert admitted(in_flight, "somebody else")


def test_however_many_callers_are_refused_the_instance_remembers_some() -> None:
    clock = Clock()
    in_flight = clock.in_flight()
    with taken(in_flight, PLACES):
        for number in range(4 * CALLERS):
            refused(in_flight, f"caller {number}")
    with taken(in_flight, PLACES - HELD - 1):
        assert admitted(in_flight, "somebody else")


async def of_token(authorization: str) -> Caller:
    """Knows one subject by its token."""
    if authorization != "Bearer of.a.subject":
        raise NotAuthenticated()
    return Caller(kind="token", id="a subject", rights=frozenset({"retrieve"}))


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def service(host: Host, clock: Clock) -> Service:
    """The service, with sixteen places, a clock that stands still, and tokens."""
    found = compose.service()
    return replace(
        found,
        process=replace(found.process, in_flight=clock.in_flight()),
        callers=replace(found.callers, access=replace(found.callers.access, tokens=of_token)),
    )


async def asked(service: Service, headers: Mapping[str, str]) -> Rendered:
    body = json.dumps(ask("roads")).encode()
    call = Call(headers=headers, query={}, body=body, route={"name": "earth-at-night"})
    return await serve(ANSWER, call, lambda: service)


@pytest.mark.parametrize(
    "headers", [{"api-key": KEY}, {"authorization": "Bearer of.a.subject"}], ids=["key", "subject"]
)
async def test_a_call_is_answered_at_its_turn_though_others_ask_without_end(
    headers: Mapping[str, str], service: Service, clock: Clock
) -> None:
    in_flight, flood = service.process.in_flight, {"api-key": ADMIN_KEY}
    assert (await asked(service, headers)).status == 200
    with taken(in_flight, PLACES):
        told = await asked(service, headers)
        assert {(await asked(service, flood)).status for _ in range(2 * FLOOD)} == {429}
        clock.now += TAKEN
    clock.now += int(told.headers["Retry-After"]) - TAKEN - 0.5
    with taken(in_flight, PLACES - 1):
        assert (told.status, (await asked(service, flood)).status) == (429, 429)
        assert (await asked(service, headers)).status == 429, "before its turn"
        clock.now += 0.5
        assert (await asked(service, {"authorization": "Bearer of.a.stranger"})).status == 429
        assert (await asked(service, headers)).status == 200


@dataclass
class Run:
    """What a simulated run came to. `returns` are whether first returns at the time told were answered, `streaks` how
    often each patient caller was refused in a row, `answers` by kind of caller."""

    returns: list[bool] = field(default_factory=list)
    streaks: list[int] = field(default_factory=list)
    answers: dict[str, int] = field(default_factory=lambda: {"flood": 0, "patient": 0})


def simulate(*, patient: int, seconds: float, flood: int = FLOOD, until: float = 40.0, back: bool = True) -> Run:
    """So many connections of one key that asks again at once, beside callers with a connection each that wait as they
    are told. A request takes between half and one and a half of `seconds`, in an order that is always the same."""
    clock, run = Clock(0.0), Run()
    in_flight = clock.in_flight()
    events: list[tuple[float, int, str]] = []
    held: dict[int, ExitStack] = {}
    streaks = dict.fromkeys(range(flood, flood + patient), 0)
    for number in range(flood + patient):
        heappush(events, (number * 1e-4, number, "asks"))
    while events and (event := heappop(events))[0] < until:
        clock.now, number, what = event
        caller = "flood" if number < flood else f"patient {number}"
        if what == "ends":
            held.pop(number).close()
            heappush(events, (clock.now + 1e-3, number, "asks"))
            continue
        stack = ExitStack()
        try:
            stack.enter_context(in_flight.request(caller))
        except Overloaded as refusal:
            if caller != "flood":
                run.returns += [False] if streaks[number] == 1 else []
                streaks[number] += 1
                run.streaks.append(streaks[number])
            pause = 0.05 if caller == "flood" else refusal.retry_after + 5e-3
            if caller == "flood" or back:
                heappush(events, (clock.now + pause, number, "asks"))
            continue
        if caller != "flood":
            run.returns += [True] if streaks[number] == 1 else []
            streaks[number] = 0
        run.answers["flood" if caller == "flood" else "patient"] += 1
        held[number] = stack
        share = (number * 7_919 + int(clock.now * 1_000)) % 100 / 100
        heappush(events, (clock.now + seconds * (0.5 + share), number, "ends"))
    return run


GRID: Final = [
    (seconds, patient) for seconds in (0.05, 0.3, 0.5, 1.0, 2.0, 3.0, 5.0, 10.0) for patient in (1, 2, 8, 30)
]


@pytest.mark.parametrize(("seconds", "patient"), sample(list(reversed(GRID)), every=3))
def test_who_waits_as_told_is_answered_beside_a_flood_however_long_a_request_takes(
    seconds: float, patient: int
) -> None:
    """The run begins with an instance that has answered nothing yet, so that it can only assume the seconds."""
    run = simulate(patient=patient, seconds=seconds)
    assert run.returns
    assert sum(run.returns) >= 0.8 * len(run.returns), run
    assert max(run.streaks) <= 2


@pytest.mark.parametrize("seconds", [0.05, 0.3, 1.0, 3.0])
def test_no_capacity_is_lost_where_nobody_comes_back(seconds: float) -> None:
    alone, beside = simulate(patient=0, seconds=seconds), simulate(patient=20, seconds=seconds, back=False)
    assert sum(beside.answers.values()) >= 0.95 * sum(alone.answers.values())
    most = PLACES * 40 / seconds
    assert sum(alone.answers.values()) >= 0.9 * most
