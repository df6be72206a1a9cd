"""What one retrieve takes, and how the app is deployed: what is chosen is what `infra/` does by default."""

from dataclasses import dataclass, field


def told(value: float, says: str, how: str) -> float:
    """A field with its meaning, and whether it is chosen or assumed."""
    return field(default=value, metadata={"says": says, "how": how})


@dataclass(frozen=True, slots=True, kw_only=True)
class Load:
    """`cpu_ms` and `tokens_in` have no default: they are measured."""

    cpu_ms: float = field(metadata={"says": "CPU time of the service for a retrieve, in ms", "how": "measured"})
    tokens_in: float = field(metadata={"says": "tokens of the prompt for a plan", "how": "counted"})
    tokens_out: float = told(60, "tokens of the model's plan", "assumed")
    subqueries: float = told(3, "sub-queries of a retrieve", "chosen")
    plan_seconds: float = told(0.6, "seconds until the model answers with a plan", "assumed")
    refused_seconds: float = told(0.05, "seconds until the model answers with 429", "assumed")
    text_seconds: float = told(0.093, "seconds of a text search on S1", "published, 2024-04-22")
    rank_seconds: float = told(0.25, "seconds until the ranker has ranked a sub-query", "assumed")
    platform_ms: float = told(5, "CPU time of the Functions host for a retrieve, in ms", "assumed")
    concurrency: float = told(16, "requests that an instance runs at once", "chosen")
    memory_mb: float = told(2048, "memory of an instance, in MB", "chosen")
    instances: float = told(100, "the largest number of instances", "chosen")
    capacity: float = told(100, "`MODEL_CAPACITY`: each unit allows one call and 1,000 tokens a minute", "chosen")
    log_cap_gb: float = told(5, "the most logs in a day, in GB", "chosen")
    log_kb: float = told(3.5, "logs of a retrieve, in kB", "partly measured")
    resource_log_kb: float = told(5, "resource logs of a retrieve (`DIAGNOSTIC_SETTINGS`), in kB", "assumed")
    most_used: float = told(
        0.7,
        "the share of capacity that search units and instances may use",
        "chosen",
    )

    @property
    def logged_kb(self) -> float:
        """All logs of one retrieve."""
        return self.log_kb + self.resource_log_kb

    @property
    def core_seconds(self) -> float:
        """CPU of an instance for one retrieve."""
        return (self.cpu_ms + self.platform_ms) / 1000

    @property
    def tokens(self) -> float:
        """Tokens of one plan, as quotas count them."""
        return self.tokens_in + self.tokens_out
