"""Prices and limits that others publish, each with its page. All are assumptions here; prices are list prices."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

LIMITS: Final = "[search limits](https://learn.microsoft.com/azure/search/search-limits-quotas-capacity), 2025-11-20"
QUOTA_1: Final = "[quota tier 1](https://learn.microsoft.com/azure/foundry/openai/quotas-limits), 2026-08-20"
QUOTA_6: Final = "[quota tier 6](https://learn.microsoft.com/azure/foundry/openai/quotas-limits), 2026-02-18"
FLEX: Final = "[Flex Consumption](https://learn.microsoft.com/azure/azure-functions/flex-consumption-plan), 2024-05-24"
MODEL_PRICE: Final = "cost notes of microsoft/Foundry-Agent-Solution-Templates, 2026-09-07"
FLEX_PRICE: Final = (
    "a third party's guide to [prices](https://azure.microsoft.com/pricing/details/functions/), 2025-05-22"
)
LOG_PRICE: Final = "a third party's page on [Azure Monitor's cost](https://monitoringcost.com/azure-monitor-cost), 2026"
ASSUMED: Final = "**assumption**, check the [prices](https://azure.microsoft.com/pricing/details/{}/)"
SEARCH_PRICE: Final = ASSUMED.format("search")
FURTHER_FLEX_PRICE: Final = ASSUMED.format("functions")

HOURS: Final = 730
SECONDS: Final = HOURS * 3600
"""A month, as Azure's calculator counts it."""
MOST_UNITS: Final = 36


def published(value: float, says: str, source: str) -> float:
    """A field with its sentence, which has `{}` for the number, and its source."""
    return field(default=value, metadata={"says": says, "source": source})


@dataclass(frozen=True, slots=True, kw_only=True)
class Tier:
    """A pricing tier of the search service. `at_once` and `queue` are queries that the semantic ranker takes, a unit.

    `services` is how many of the tier a subscription may have in a region.
    """

    name: str
    per_hour: float
    at_once: int
    queue: int
    replicas: int
    partitions: tuple[int, ...]
    services: int

    @property
    def units(self) -> tuple[int, ...]:
        """The numbers of search units that replicas times partitions can be."""
        found = {many * parts for many in range(1, self.replicas + 1) for parts in self.partitions}
        return tuple(sorted(one for one in found if one <= MOST_UNITS))


_STANDARD: Final[tuple[int, ...]] = (1, 2, 3, 4, 6, 12)
BASIC: Final = Tier(name="Basic", per_hour=0.10, at_once=2, queue=4, replicas=3, partitions=(1, 2, 3), services=16)
S1: Final = Tier(name="S1", per_hour=0.336, at_once=3, queue=6, replicas=12, partitions=_STANDARD, services=16)
S2: Final = Tier(name="S2", per_hour=1.344, at_once=4, queue=8, replicas=12, partitions=_STANDARD, services=8)
S3: Final = Tier(name="S3", per_hour=2.688, at_once=4, queue=8, replicas=12, partitions=_STANDARD, services=6)
TIERS: Final = (BASIC, S1, S2, S3)
PRICE_SOURCES: Final[Mapping[str, str]] = {
    "Basic": MODEL_PRICE,
    "S1": SEARCH_PRICE,
    "S2": SEARCH_PRICE,
    "S3": SEARCH_PRICE,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """Dollars, and limits of a subscription in a region."""

    tiers: tuple[Tier, ...] = TIERS
    ranker_per_thousand: float = published(1.0, "${} for 1,000 semantic queries", SEARCH_PRICE)
    input_per_million: float = published(0.75, "${} for a million input tokens of gpt-5.4-mini", MODEL_PRICE)
    output_per_million: float = published(4.50, "${} for a million output tokens", MODEL_PRICE)
    low_calls: float = published(1_000, "{} calls a minute", QUOTA_1)
    low_tokens: float = published(1_000_000, "{} tokens a minute", QUOTA_1)
    high_calls: float = published(15_000, "{} calls a minute", QUOTA_6)
    high_tokens: float = published(15_000_000, "{} tokens a minute", QUOTA_6)
    gigabyte_second: float = published(0.000026, "${} for a GB-second of a running instance", FLEX_PRICE)
    million_executions: float = published(0.40, "${} for a million executions", FURTHER_FLEX_PRICE)
    ready_gigabyte_second: float = published(
        0.000004, "${} for a GB-second of an instance kept ready", FURTHER_FLEX_PRICE
    )
    shortest_billed: float = published(1.0, "each execution is billed for at least {} s", FLEX)
    most_instances: float = published(1_000, "an app has at most {} instances", FLEX)
    regional_megabytes: float = published(512_000, "all instances of a region have at most {} MB", FLEX)
    log_gigabyte: float = published(2.30, "${} for a GB of logs", LOG_PRICE)
