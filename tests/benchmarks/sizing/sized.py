"""A load at each rate, simulated and counted: a row of the table of docs/operating/sizing.md. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from tests.benchmarks.sizing.figures import Figures
from tests.benchmarks.sizing.load import Load
from tests.benchmarks.sizing.queues import Times, simulate
from tests.benchmarks.sizing.size import (
    Ceiling,
    Cost,
    Searching,
    ceilings,
    cost,
    instances,
    on_core,
    planned,
    quota,
    searching,
)

RATES: Final = (1, 3, 10, 30, 100, 300, 1_000, 3_000, 10_000)


@dataclass(frozen=True, slots=True, kw_only=True)
class Sized:
    """What a rate of retrieves a second takes. `middle` and `slow` are the 50th and 95th percentile, in seconds."""

    rate: float
    instances: int
    searching: Searching
    planned_low: float
    planned_high: float
    middle: float
    slow: float
    turned_away: float
    cost: Cost

    @property
    def per_thousand(self) -> float:
        """Dollars for 1,000 retrieves."""
        return self.cost.total / (self.rate * 730 * 3.6)


def sized(rate: float, load: Load, figures: Figures) -> Sized:
    """One rate, with the higher quota of the model."""
    found = searching(rate, load, figures)
    high = planned(rate, quota(figures.high_calls, figures.high_tokens, load))
    times = simulate(rate, found, load, planned=high)
    seconds = times.mean + load.core_seconds
    count = instances(rate, seconds, load)
    core = on_core(rate, count, load)
    return Sized(
        rate=rate,
        instances=count,
        searching=found,
        planned_low=planned(rate, quota(figures.low_calls, figures.low_tokens, load)),
        planned_high=high,
        middle=times.middle + core,
        slow=times.slow + core,
        turned_away=times.turned_away,
        cost=cost(rate, seconds, load=load, figures=figures),
    )


def rows(load: Load, figures: Figures) -> Sequence[Sized]:
    return [sized(rate, load, figures) for rate in RATES]


def limits(load: Load, figures: Figures) -> tuple[Ceiling, ...]:
    """The limits, for retrieves that nothing keeps waiting."""
    return ceilings(_quiet(load, figures).mean + load.core_seconds, load, figures)


def _quiet(load: Load, figures: Figures) -> Times:
    return simulate(0.1, searching(1, load, figures), load, planned=1)
