"""What one leaked key can cost a day: as much as the deployment takes, or as much as LIMITS lets it. Pure."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from tests.benchmarks.sizing.figures import BASIC, HOURS, S1, Figures
from tests.benchmarks.sizing.load import Load
from tests.benchmarks.sizing.size import cost, quota, ranked

A_DAY: Final = 5_000
"""Requests that the limit of the example lets through on one instance."""
DAYS: Final = HOURS / 24
SECONDS: Final = 86_400


@dataclass(frozen=True, slots=True, kw_only=True)
class Leak:
    """Dollars a day beyond what stands anyway: without a limit, with one on one instance, and on all there may be."""

    name: str
    without: float
    within: float
    at_most: float


def leaks(load: Load, figures: Figures) -> Iterator[Leak]:
    """Of the deployment as it is created, and of a large one. No more is ranked than the ranker takes."""
    for name, tier, units in (("as created: Basic, 1 unit", BASIC, 1), ("S1, 36 units", S1, 36)):
        rate = ranked(tier, units, load)
        limited = [min(rate, A_DAY * many / SECONDS) for many in (1, load.instances)]
        within, at_most = (_dollars(one, load, figures) for one in limited)
        without = _dollars(rate, load, figures)
        yield Leak(name=name, without=without, within=within, at_most=at_most)


def _dollars(rate: float, load: Load, figures: Figures) -> float:
    """A day of that rate: the ranker, the model as far as its deployment goes, the app, logs up to the cap."""
    whole = cost(rate, 1.0, load=load, figures=figures)
    model = whole.model * min(1.0, quota(load.capacity, load.capacity * 1000, load) / rate)
    logs = min(whole.logs / DAYS, load.log_cap_gb * figures.log_gigabyte)
    return (whole.ranker + model + whole.app) / DAYS + logs
