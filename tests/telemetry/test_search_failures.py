"""When every search of the last minute failed, and for one cause."""

import pytest

from retrieval.errors import BackendFailing, BackendMissing, BackendRefused, BackendThrottled, BackendUnavailable
from retrieval.telemetry.search_failures import LEAST, SECONDS, Outcomes

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
    for times in range(1, LEAST + 1):
        outcomes.failed(AWAY)
        assert await failing(outcomes) is (times == LEAST)
    clock.now += SECONDS
    assert await failing(outcomes)
    clock.now += 0.1
    assert not await failing(outcomes)


async def test_a_search_that_was_answered_within_the_minute_is_not_forgotten() -> None:
    clock = Clock()
    outcomes = Outcomes(ticks=clock)
    outcomes.succeeded()
    for _ in range(LEAST):
        clock.now += SECONDS / LEAST
        outcomes.failed(AWAY)
    assert not await failing(outcomes)
    clock.now += 0.1
    assert await failing(outcomes)
    outcomes.succeeded()
    assert not await failing(outcomes)


@pytest.mark.parametrize("other", [BackendThrottled("s"), BackendUnavailable("s", "failed (500).", status=500)])
async def test_failures_of_several_causes_are_none_of_one(other: BackendUnavailable) -> None:
    clock = Clock()
    outcomes = Outcomes(ticks=clock)
    outcomes.failed(AWAY)
    for _ in range(LEAST):
        outcomes.failed(other)
    assert not await failing(outcomes)
    clock.now += SECONDS + 0.1
    outcomes.failed(other)
    assert await failing(outcomes)


async def test_what_callers_ask_wrongly_says_nothing() -> None:
    outcomes = Outcomes(ticks=Clock())
    for _ in range(10):
        outcomes.failed(BackendRefused("s", status=400, message="no"))
    assert not await failing(outcomes)
    for _ in range(LEAST):
        outcomes.failed(BackendMissing("s", kind="index"))
    assert await failing(outcomes)
