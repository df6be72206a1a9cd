"""The names of spans, metrics and attributes, and the instruments that record them. A name without the prefix
`retrieval` comes from OpenTelemetry's semantic conventions:
https://opentelemetry.io/docs/specs/semconv/database/ and https://github.com/open-telemetry/semantic-conventions-genai.

Azure Monitor's exporter converts `db.*`, `http.*`, `server.*` and `error.type` of a span into its own columns, or drops
them. Therefore an attribute that queries need also has a name with the prefix `retrieval`.
"""

from collections.abc import Mapping
from typing import Final

SCOPE: Final = "retrieval"
"""The instrumentation scope of spans and metrics."""

# The services that this one calls, beside those of a kind of source. The conventions have none for the search service.
AZURE_SEARCH: Final = "azure.ai.search"
AZURE_OPENAI: Final = "azure.ai.openai"

# Attributes of any span
ERROR_TYPE: Final = "error.type"
ERROR: Final = "retrieval.error"
SERVER_ADDRESS: Final = "server.address"
SERVER_PORT: Final = "server.port"

# Attributes of the span or the duration of a call
OPERATION: Final = "retrieval.operation"
CONTRACT: Final = "retrieval.contract"
REQUEST_ID: Final = "retrieval.request_id"
CLIENT_ID: Final = "retrieval.client_request_id"
CALLER: Final = "retrieval.caller"
INPUT_TOKENS: Final = "retrieval.tokens.input"
OUTPUT_TOKENS: Final = "retrieval.tokens.output"
STATUS: Final = "retrieval.status"
AGENT: Final = "retrieval.agent"
STEPS: Final = "retrieval.steps"
SUBQUERIES: Final = "retrieval.subqueries"
FOUND: Final = "retrieval.documents.found"
RETURNED: Final = "retrieval.documents.returned"
DROPPED: Final = "retrieval.documents.dropped"

# Attributes of steps
BY: Final = "retrieval.by"
ROUND: Final = "retrieval.round"
GATHERED: Final = "retrieval.documents.gathered"
QUERIES: Final = "retrieval.queries"
GROUNDED: Final = "retrieval.documents.grounded"

# Attributes of calls of other services
SYSTEM: Final = "retrieval.system"
INDEX: Final = "retrieval.index"
KIND: Final = "retrieval.source.kind"
UNRANKED: Final = "retrieval.unranked"
RETRIES: Final = "retrieval.retries"
THROTTLES: Final = "retrieval.throttles"
PROMPT: Final = "retrieval.prompt"
DB_SYSTEM: Final = "db.system.name"
DB_OPERATION: Final = "db.operation.name"
DB_COLLECTION: Final = "db.collection.name"
DB_ROWS: Final = "db.response.returned_rows"
DB_QUERY_TEXT: Final = "db.query.text"
GEN_AI_OPERATION: Final = "gen_ai.operation.name"
GEN_AI_PROVIDER: Final = "gen_ai.provider.name"
GEN_AI_SYSTEM: Final = "gen_ai.system"
"""The conventions replaced this attribute by `gen_ai.provider.name`. Azure Monitor's exporter still needs it to
recognise a model call."""
GEN_AI_MODEL: Final = "gen_ai.request.model"
GEN_AI_INPUT_TOKENS: Final = "gen_ai.usage.input_tokens"
GEN_AI_OUTPUT_TOKENS: Final = "gen_ai.usage.output_tokens"

# Metrics, and attributes that only metrics have
REQUEST_DURATION: Final = "retrieval.request.duration"
DB_DURATION: Final = "db.client.operation.duration"
GEN_AI_DURATION: Final = "gen_ai.client.operation.duration"
GEN_AI_TOKENS: Final = "gen_ai.client.token.usage"
GEN_AI_TOKEN_TYPE: Final = "gen_ai.token.type"
REASON: Final = "retrieval.reason"
SEARCHES: Final = "retrieval.searches"
SOURCE: Final = "retrieval.source"
CAUSE: Final = "retrieval.cause"
SLOW: Final = "retrieval.slow"
SEARCHED: Final = "retrieval.searched"
RESULT: Final = "retrieval.result"
BREAKER: Final = "retrieval.breaker"
TARGET: Final = "retrieval.target"
CHANGE: Final = "retrieval.change"
MODEL_STEPS: Final = "retrieval.model_steps"
STEP: Final = "retrieval.step"
LIMITED: Final = "retrieval.limited"
LIMIT: Final = "retrieval.limit"
HEARTBEAT: Final = "retrieval.heartbeat"
UNKNOWN_VERSIONS: Final = "retrieval.unknown_versions"
SERVED_AS: Final = "retrieval.served_as"

SECONDS: Final = (0.01, 0.025, 0.05, 0.1, 0.2, 0.35, 0.5, 0.75, 1.0, 1.5, 2.5, 5.0, 10.0, 30.0, 60.0)
TOKENS: Final = (1, 4, 16, 64, 256, 1_024, 4_096, 16_384, 65_536, 262_144, 1_048_576)

HISTOGRAMS: Final[Mapping[str, tuple[str, tuple[float, ...], str]]] = {
    REQUEST_DURATION: ("s", SECONDS, "From a call's arrival to its answer."),
    DB_DURATION: ("s", SECONDS, "A sub-query, its retries included."),
    GEN_AI_DURATION: ("s", SECONDS, "A call of the chat model."),
    GEN_AI_TOKENS: ("{token}", TOKENS, "Tokens of a model call."),
}
"""The unit, the bounds of the buckets and the description of each histogram."""

COUNTERS: Final[Mapping[str, tuple[str, str]]] = {
    SUBQUERIES: ("{subquery}", "Sub-queries sent."),
    FOUND: ("{document}", "Documents that sub-queries found."),
    RETURNED: ("{document}", "Documents in references."),
    DROPPED: ("{document}", "Documents dropped, by reason."),
    RETRIES: ("{retry}", "Retries of calls."),
    THROTTLES: ("{answer}", "Answers that throttle."),
    UNRANKED: ("{subquery}", "Sub-queries whose documents were not all ranked."),
    SEARCHES: ("{search}", "Searches of calls, by source and by the cause of a failure."),
    SLOW: ("{search}", "Answered searches that took most of their time, by source."),
    SEARCHED: ("{call}", "Calls that searched an index, by whether they found anything."),
    BREAKER: ("{change}", "Targets that are not called for a while, or answer again."),
    MODEL_STEPS: ("{step}", "Steps that a model was asked for, by who did them."),
    LIMITED: ("{call}", "Calls over a limit of LIMITS."),
    HEARTBEAT: ("{beat}", "Beats of the heartbeat, by status."),
    UNKNOWN_VERSIONS: ("{call}", "Calls for an api-version that nobody knows yet."),
}
"""The unit and the description of each counter."""


class Instruments:
    """OpenTelemetry's tracer, propagator and instruments of a process, by name. Making them loads the API of
    OpenTelemetry. They also work if an SDK is configured later, because the API returns proxies that use it.
    `propagator` reads and writes only the W3C trace context. The caller's baggage is not passed on."""

    def __init__(self) -> None:
        from opentelemetry import metrics, trace
        from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

        meter = metrics.get_meter(SCOPE)
        self.tracer = trace.get_tracer(SCOPE)
        self.propagator = TraceContextTextMapPropagator()
        self.counters = {name: meter.create_counter(name, *described) for name, described in COUNTERS.items()}
        self.histograms = {
            name: meter.create_histogram(name, unit, description, explicit_bucket_boundaries_advisory=bounds)
            for name, (unit, bounds, description) in HISTOGRAMS.items()
        }
