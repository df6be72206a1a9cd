"""What a load of retrieves takes, and the rate at which each limit ends it. Pure."""

import math
from dataclasses import dataclass

from tests.benchmarks.sizing.figures import BASIC, MOST_UNITS, S1, S2, SECONDS, Figures, Tier
from tests.benchmarks.sizing.load import Load


@dataclass(frozen=True, slots=True, kw_only=True)
class Searching:
    """Search services of a tier, each with as many search units, all documents and an app of its own."""

    tier: Tier
    services: int
    units: int

    @property
    def dollars(self) -> float:
        """A month."""
        return self.services * self.units * self.tier.per_hour * SECONDS / 3600

    @property
    def regions(self) -> int:
        """How many regions one subscription needs for them."""
        return math.ceil(self.services / self.tier.services)


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """Dollars a month."""

    search: float
    ranker: float
    model: float
    app: float
    logs: float

    @property
    def total(self) -> float:
        return self.search + self.ranker + self.model + self.app + self.logs


@dataclass(frozen=True, slots=True, kw_only=True)
class Ceiling:
    """The rate of retrieves a second at which a limit is reached, and what raises it."""

    name: str
    rate: float
    raised_by: str


def ranked(tier: Tier, units: int, load: Load) -> float:
    """Retrieves a second for which the semantic ranker of one service has room, all of it used."""
    return units * tier.at_once / load.rank_seconds / load.subqueries


def searching(rate: float, load: Load, figures: Figures) -> Searching:
    """The cheapest search services in which the ranker has room for that many retrieves a second.

    Several are taken of tiers that grow to 36 units only: nobody runs many small ones.
    """

    def enough(tier: Tier) -> Searching:
        most = ranked(tier, tier.units[-1], load) * load.most_used
        services = max(math.ceil(rate / most), 1)
        share = rate / services
        fitting = (one for one in tier.units if ranked(tier, one, load) * load.most_used >= share)
        return Searching(tier=tier, services=services, units=next(fitting, tier.units[-1]))

    found = [enough(tier) for tier in figures.tiers]
    sensible = [one for one in found if one.services == 1 or one.tier.units[-1] == MOST_UNITS]
    return min(sensible, key=lambda one: (one.dollars, one.services))


def quota(calls: float, tokens: float, load: Load) -> float:
    """Plans a second that a quota of calls and tokens a minute allows."""
    return min(calls, tokens / load.tokens) / 60


def planned(rate: float, most: float) -> float:
    """The share of the retrieves that a model plans; the others are planned without one."""
    return min(1.0, most / rate)


def instances(rate: float, seconds: float, load: Load) -> int:
    """Instances for retrieves that take that long each: room for those in flight, and cores for their work."""
    in_flight = rate * seconds / load.concurrency
    cores = rate * load.core_seconds / (load.memory_mb / 2048)
    return max(math.ceil(max(in_flight, cores) / load.most_used), 1)


def on_core(rate: float, count: int, load: Load) -> float:
    """Seconds on a core that the retrieves of an instance share, each served in turn for a little (M/G/1-PS)."""
    busy = rate / count * load.core_seconds
    return load.core_seconds / (1 - busy) if busy < 1 else math.inf


def app_dollars(rate: float, seconds: float, count: int, *, load: Load, figures: Figures) -> float:
    """An instance is billed while it has anything to do, on demand; free grants are left out."""
    in_flight = rate * max(seconds, figures.shortest_billed)
    running = count * -math.expm1(-in_flight / count)
    held = running * load.memory_mb / 1024 * SECONDS * figures.gigabyte_second
    return held + rate * SECONDS / 1e6 * figures.million_executions


def kept_ready(load: Load, figures: Figures) -> float:
    """Dollars a month of an instance that is kept ready and has nothing to do."""
    return load.memory_mb / 1024 * SECONDS * figures.ready_gigabyte_second


def cost(rate: float, seconds: float, *, load: Load, figures: Figures) -> Cost:
    """What a month of that rate costs, with the higher quota of the model."""
    share = planned(rate, quota(figures.high_calls, figures.high_tokens, load))
    plan = load.tokens_in * figures.input_per_million + load.tokens_out * figures.output_per_million
    many = rate * SECONDS
    return Cost(
        search=searching(rate, load, figures).dollars,
        ranker=many * load.subqueries / 1000 * figures.ranker_per_thousand,
        model=many * share * plan / 1e6,
        app=app_dollars(rate, seconds, instances(rate, seconds, load), load=load, figures=figures),
        logs=many * load.logged_kb / 1e6 * figures.log_gigabyte,
    )


def ceilings(seconds: float, load: Load, figures: Figures) -> tuple[Ceiling, ...]:
    """Every limit by the rate at which it ends, for retrieves that take that long each. All of it is used."""
    a_minute = quota(load.capacity, load.capacity * 1000, load)
    most = figures.most_instances
    regional = figures.regional_megabytes / load.memory_mb
    in_flight = load.concurrency / seconds
    found = [
        ("model deployment as created", a_minute, "`MODEL_CAPACITY`"),
        ("semantic ranker, Basic as created", ranked(BASIC, 1, load), "`SEARCH_SKU`, `SEARCH_REPLICAS`"),
        (
            "model quota, tier 1",
            quota(figures.low_calls, figures.low_tokens, load),
            "more quota from Azure",
        ),
        (
            "logs, daily cap",
            load.log_cap_gb * 1e6 / load.logged_kb / 86_400,
            "`LOG_DAILY_CAP_GB`",
        ),
        ("semantic ranker, S1 with 36 units", ranked(S1, 36, load), "S2 or S3"),
        ("semantic ranker, S2 or S3 with 36 units", ranked(S2, 36, load), "a second deployment"),
        (
            "model quota, tier 6",
            quota(figures.high_calls, figures.high_tokens, load),
            "provisioned throughput",
        ),
        ("instances of the app as created", load.instances * in_flight, "`MAXIMUM_INSTANCE_COUNT`"),
        ("S1 services of a region", S1.services * ranked(S1, 36, load), "a further region"),
        ("memory of all instances in a region", regional * in_flight, "`PER_INSTANCE_CONCURRENCY`"),
        ("instances that an app can have", most * in_flight, "`PER_INSTANCE_CONCURRENCY`"),
        (
            "CPU of all instances that an app can have",
            most * load.memory_mb / 2048 / load.core_seconds,
            "a second deployment",
        ),
    ]
    made = [Ceiling(name=name, rate=rate, raised_by=by) for name, rate, by in found]
    return tuple(sorted(made, key=lambda one: one.rate))
