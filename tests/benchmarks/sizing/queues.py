"""A simulation of retrieves on their way through a model and a search service. Pure: the same seed, the same times.

Requests come at random (Poisson). A plan, then every sub-query at once: text search, whose time does not depend on the
others, and the semantic ranker, which takes a number of queries at once, lets some wait in turn and turns others away.
Times vary like lognormal ones whose 95th percentile is twice the mean, as Microsoft's benchmark of S1 has it.
"""

import heapq
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from random import Random
from typing import Final

from tests.benchmarks.sizing.load import Load
from tests.benchmarks.sizing.size import Searching
from tests.benchmarks.table import quantile

SEED: Final = 7
REQUESTS: Final = 6_000
WARM_UP: Final = 600
SPREAD: Final = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class Times:
    """Seconds of a retrieve without the work of this service; the share of sub-queries that the ranker turned away."""

    mean: float
    middle: float
    slow: float
    turned_away: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranker:
    """So many queries at once, so many waiting."""

    at_once: int
    queue: int

    def ends(self, arrivals: Sequence[tuple[float, float]]) -> Iterator[float | None]:
        """For each arrival, in order of time, with the seconds it needs: when it is done, or None if turned away."""
        free: list[float] = [0.0] * self.at_once
        waiting: list[float] = []
        for arrived, needs in arrivals:
            while waiting and waiting[0] <= arrived:
                heapq.heappop(waiting)
            start = max(arrived, free[0])
            if start > arrived and len(waiting) >= self.queue:
                yield None
                continue
            if start > arrived:
                heapq.heappush(waiting, start)
            heapq.heapreplace(free, start + needs)
            yield start + needs


def simulate(rate: float, found: Searching, load: Load, *, planned: float, seed: int = SEED) -> Times:
    """Retrieves at that rate over all services; one of them is simulated. `planned` is the share that a model plans."""
    came, asked = _asked(rate / found.services, load, planned=planned, chance=Random(seed))
    ranker = Ranker(at_once=found.units * found.tier.at_once, queue=found.units * found.tier.queue)
    ends = list(ranker.ends([(arrived, needs) for arrived, needs, _ in asked]))
    done = list(came)
    for (arrived, _, request), end in zip(asked, ends, strict=True):
        done[request] = max(done[request], arrived if end is None else end)
    times = [end - start for start, end in zip(came[WARM_UP:], done[WARM_UP:], strict=True)]
    turned_away = sum(end is None for end in ends) / len(ends)
    mean = math.fsum(times) / len(times)
    return Times(mean=mean, middle=quantile(times, 0.5), slow=quantile(times, 0.95), turned_away=turned_away)


def _asked(
    rate: float, load: Load, *, planned: float, chance: Random
) -> tuple[list[float], list[tuple[float, float, int]]]:
    """When each request comes; when each sub-query reaches the ranker, what it needs there, and whose it is."""
    came: list[float] = []
    asked: list[tuple[float, float, int]] = []
    now = 0.0
    for request in range(REQUESTS):
        now -= math.log(1 - chance.random()) / rate
        came.append(now)
        by_model = chance.random() < planned
        ready = now + (_varying(load.plan_seconds, chance) if by_model else load.refused_seconds)
        for _ in range(round(load.subqueries)):
            text = _varying(load.text_seconds, chance)
            asked.append((ready + text, _varying(load.rank_seconds, chance), request))
    return came, sorted(asked)


def _varying(mean: float, chance: Random) -> float:
    """Lognormal, by Box and Muller, so that nothing depends on how a version of Python does it."""
    normal = math.sqrt(-2 * math.log(1 - chance.random())) * math.cos(2 * math.pi * chance.random())
    return mean * math.exp(SPREAD * normal - SPREAD * SPREAD / 2)
