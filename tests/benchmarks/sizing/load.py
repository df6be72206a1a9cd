"""What one retrieve takes, and how the app is deployed: what is chosen is what `infra/` does by default."""

from dataclasses import dataclass, field


def told(value: float, says: str, how: str) -> float:
    """A field with what it says, and whether it is chosen or assumed."""
    return field(default=value, metadata={"says": says, "how": how})


@dataclass(frozen=True, slots=True, kw_only=True)
class Load:
    """`cpu_ms` and `tokens_in` have no default: they are measured."""

    cpu_ms: float = field(metadata={"says": "ms of CPU of this process for a retrieve", "how": "measured"})
    tokens_in: float = field(metadata={"says": "tokens of a plan's prompt, at four bytes each", "how": "counted"})
    tokens_out: float = told(60, "tokens of a plan", "assumed")
    subqueries: float = told(3, "sub-queries of a retrieve, 50 documents each", "chosen")
    plan_seconds: float = told(0.6, "seconds of the model, on average", "assumed")
    refused_seconds: float = told(0.05, "seconds of a model's 429", "assumed")
    text_seconds: float = told(
        0.093, "seconds of a text search on S1, at half of its highest load", "published, 2024-04-22"
    )
    rank_seconds: float = told(0.25, "seconds of the semantic ranker", "assumed")
    platform_ms: float = told(5, "ms that the Functions host works on a retrieve", "assumed")
    concurrency: float = told(16, "requests on an instance at once", "chosen")
    memory_mb: float = told(2048, "MB of an instance, with one core", "chosen")
    instances: float = told(100, "instances at most", "chosen")
    capacity: float = told(100, "units of the model's deployment: 1,000 tokens and one call a minute each", "chosen")
    log_cap_gb: float = told(5, "GB of logs a day before ingestion stops", "chosen")
    log_kb: float = told(
        3.5, "kB of logs for a retrieve: 2.3 measured for its rows, 1.2 assumed for the host's", "partly measured"
    )
    resource_log_kb: float = told(
        5,
        "kB of resource logs of a retrieve (`DIAGNOSTIC_SETTINGS`)",
        "assumed",
    )
    headroom: float = told(0.7, "share of a limit that may be in use", "chosen")

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
