"""How seldom dependencies are asked, on a clock that is the test's."""

from typing import Final

import pytest

from retrieval.errors import BackendMisconfigured, BackendThrottled, BackendUnavailable, Lack, NotConfigured
from retrieval.telemetry.readiness import KEPT_SECONDS, Probes, Readiness

AWAY: Final = BackendUnavailable("The search service", "failed (503).")


class Clock:
    """Stands until it is told to go on."""

    def __init__(self) -> None:
        self.now = 1_000.0

    def __call__(self) -> float:
        return self.now


class Search:
    """Counts how often it is asked, and fails as it is told."""

    def __init__(self) -> None:
        self.asked = 0
        self.error: Exception | None = None

    async def reach(self) -> None:
        self.asked += 1
        if self.error is not None:
            raise self.error

    def probes(self) -> Probes:
        return {"search": [self.reach]}


async def test_an_answer_is_kept_for_five_seconds_good_or_bad() -> None:
    clock, search = Clock(), Search()
    readiness = Readiness(search.probes, ticks=clock)
    assert (await readiness.report()).ready
    search.error = AWAY
    clock.now += KEPT_SECONDS - 0.1
    assert (await readiness.report()).ready
    clock.now += 0.1
    assert not (await readiness.report()).ready
    search.error = None
    clock.now += KEPT_SECONDS - 0.1
    assert not (await readiness.report()).ready
    assert search.asked == 2
    clock.now += 0.1
    assert (await readiness.report()).ready


async def test_settings_that_come_later_are_seen() -> None:
    clock, search = Clock(), Search()
    missing = True

    def probes() -> Probes:
        if missing:
            raise NotConfigured(["API_KEYS is missing."])
        return search.probes()

    readiness = Readiness(probes, ticks=clock)
    assert not (await readiness.report()).configured
    missing = False
    clock.now += KEPT_SECONDS
    assert (await readiness.report()).ready


async def test_of_several_models_the_one_that_is_away_counts() -> None:
    throttled, away, well = Search(), Search(), Search()
    throttled.error, away.error = BackendThrottled("The chat model"), AWAY
    models = [well.reach, throttled.reach, away.reach]
    report = await Readiness(lambda: {"model": models}, ticks=Clock()).report()
    assert (report.ready, report.states["model"], report.states["search"]) == (False, "unavailable", "notConfigured")


async def test_a_fault_is_told_for_five_seconds_too_and_nobody_is_asked_meanwhile() -> None:
    search, clock = Search(), Clock()
    readiness = Readiness(search.probes, ticks=clock)
    search.error = RuntimeError("a fault of this service")
    for _ in range(3):
        with pytest.raises(ExceptionGroup):
            await readiness.report()
    assert search.asked == 1
    search.error = None
    clock.now += 5
    assert (await readiness.report()).ready


@pytest.mark.parametrize(
    ("lack", "state"),
    [
        ("deployment", "deploymentMissing"),
        ("model", "deploymentMissing"),
        ("address", "addressUnknown"),
        ("quota", "misconfigured"),
    ],
)
async def test_a_deployment_that_is_gone_is_told_apart_from_the_address(lack: Lack, state: str) -> None:
    search = Search()
    search.error = BackendMisconfigured("The chat model", status=404, lack=lack, hint="Do something.")
    report = await Readiness(lambda: {"model": [search.reach]}, ticks=Clock()).report()
    assert (report.ready, report.states["model"]) == (False, state)
