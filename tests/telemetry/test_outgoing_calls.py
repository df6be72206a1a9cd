"""Which knowledge sources are failing, and whether every search of one failed for one cause."""

from dataclasses import replace

import pytest

from retrieval.errors import (
    BackendFailing,
    BackendMissing,
    BackendRefused,
    BackendSuspended,
    BackendThrottled,
    BackendTimeout,
    BackendUnavailable,
)
from retrieval.filters.tree import Compare, Null, Path
from retrieval.model.search import SearchTarget
from retrieval.telemetry.outgoing_calls import LEAST_FAILURES, WATCHED_SECONDS, Outcomes

ATLAS = SearchTarget(index="atlas", threshold=0)
RIVERS = SearchTarget(index="rivers", threshold=0)
AWAY = BackendUnavailable("Azure AI Search", "failed (503).", status=503)


class Clock:
    def __init__(self) -> None:
        self.now = 1_000.0

    def __call__(self) -> float:
        return self.now


async def failing(outcomes: Outcomes) -> bool:
    try:
        await outcomes.check()
    except BackendFailing:
        return True
    return False


async def test_a_few_failures_of_one_cause_are_a_failing_service_for_a_minute() -> None:
    clock = Clock()
    outcomes = Outcomes(ticks=clock)
    for times in range(1, LEAST_FAILURES + 1):
        outcomes.ended(ATLAS, AWAY, found=0)
        assert await failing(outcomes) is (times == LEAST_FAILURES)
    clock.now += WATCHED_SECONDS
    assert await failing(outcomes)
    clock.now += 0.1
    assert not await failing(outcomes)


async def test_a_search_that_was_answered_within_the_minute_is_not_forgotten() -> None:
    clock = Clock()
    outcomes = Outcomes(ticks=clock)
    outcomes.ended(ATLAS, None, found=1)
    for _ in range(LEAST_FAILURES):
        clock.now += WATCHED_SECONDS / LEAST_FAILURES
        outcomes.ended(ATLAS, AWAY, found=0)
    assert not await failing(outcomes)
    clock.now += 0.1
    assert await failing(outcomes)
    outcomes.ended(ATLAS, None, found=1)
    assert not await failing(outcomes)


@pytest.mark.parametrize("other", [BackendThrottled("s"), BackendUnavailable("s", "failed (500).", status=500)])
async def test_failures_of_several_causes_are_none_of_one(other: BackendUnavailable) -> None:
    clock = Clock()
    outcomes = Outcomes(ticks=clock)
    outcomes.ended(ATLAS, AWAY, found=0)
    for _ in range(LEAST_FAILURES):
        outcomes.ended(ATLAS, other, found=0)
    assert not await failing(outcomes)
    assert outcomes.failing() == ("atlas",)
    clock.now += WATCHED_SECONDS + 0.1
    for _ in range(LEAST_FAILURES):
        outcomes.ended(ATLAS, other, found=0)
    assert await failing(outcomes)


async def test_one_source_fails_while_another_answers() -> None:
    outcomes = Outcomes(ticks=Clock())
    for _ in range(LEAST_FAILURES):
        outcomes.ended(RIVERS, AWAY, found=0)
        outcomes.ended(ATLAS, None, found=1)
    assert outcomes.failing() == ("rivers",)
    assert await failing(outcomes)


@pytest.mark.parametrize(("answered", "names"), [(LEAST_FAILURES, ("rivers",)), (LEAST_FAILURES + 1, ())])
async def test_a_source_that_fails_half_of_its_searches_is_named(answered: int, names: tuple[str, ...]) -> None:
    outcomes = Outcomes(ticks=Clock())
    for error in [AWAY] * LEAST_FAILURES + [None] * answered:
        outcomes.ended(RIVERS, error, found=0)
    assert outcomes.failing() == names
    assert not await failing(outcomes)


async def test_a_target_that_is_suspended_is_one_that_does_not_answer() -> None:
    outcomes = Outcomes(ticks=Clock())
    outcomes.ended(RIVERS, BackendTimeout("s", seconds=9), found=0)
    outcomes.ended(RIVERS, BackendSuspended("s", times=5, seconds=9), found=0)
    outcomes.ended(RIVERS, BackendSuspended("s", times=5, seconds=8), found=0)
    assert await failing(outcomes)


async def test_what_callers_ask_wrongly_says_nothing() -> None:
    outcomes = Outcomes(ticks=Clock())
    filtered = replace(ATLAS, filter=Compare(Path(("year",)), "eq", Null()))
    for _ in range(10):
        outcomes.ended(filtered, BackendRefused("s", status=400, message="no"), found=0)
    assert not await failing(outcomes)
    assert outcomes.failing() == ()
    for _ in range(LEAST_FAILURES):
        outcomes.ended(ATLAS, BackendMissing("s", kind="index"), found=0)
    assert await failing(outcomes)
