"""OpenTelemetry's tracer, propagator and instruments. Importing this module loads the API of OpenTelemetry. The
instruments also work if an SDK is configured later, because the API returns proxies that use it.
"""

from collections.abc import Mapping
from typing import Final

from opentelemetry import metrics, trace
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

from retrieval.telemetry import names

SECONDS: Final = (0.01, 0.025, 0.05, 0.1, 0.2, 0.35, 0.5, 0.75, 1.0, 1.5, 2.5, 5.0, 10.0, 30.0, 60.0)
TOKENS: Final = (1, 4, 16, 64, 256, 1_024, 4_096, 16_384, 65_536, 262_144, 1_048_576)

HISTOGRAMS: Final[Mapping[str, tuple[str, tuple[float, ...], str]]] = {
    names.REQUEST_DURATION: ("s", SECONDS, "From a call's arrival to its answer."),
    names.DB_DURATION: ("s", SECONDS, "A sub-query, its retries included."),
    names.GEN_AI_DURATION: ("s", SECONDS, "A call of the chat model."),
    names.GEN_AI_TOKENS: ("{token}", TOKENS, "Tokens of a model call."),
}
"""The unit, the bounds of the buckets and the description of each histogram."""

COUNTERS: Final[Mapping[str, tuple[str, str]]] = {
    names.SUBQUERIES: ("{subquery}", "Sub-queries sent."),
    names.FOUND: ("{document}", "Documents that sub-queries found."),
    names.RETURNED: ("{document}", "Documents in references."),
    names.DROPPED: ("{document}", "Documents dropped, by reason."),
    names.RETRIES: ("{retry}", "Retries of calls."),
    names.THROTTLES: ("{answer}", "Answers that throttle."),
    names.UNRANKED: ("{subquery}", "Sub-queries whose documents were not all ranked."),
    names.SEARCHES: ("{search}", "Searches of calls, by source and by the cause of a failure."),
    names.SLOW: ("{search}", "Answered searches that took most of their time, by source."),
    names.SEARCHED: ("{call}", "Calls that searched an index, by whether they found anything."),
    names.BREAKER: ("{change}", "Targets that are not called for a while, or answer again."),
    names.MODEL_STEPS: ("{step}", "Steps that a model was asked for, by who did them."),
    names.LIMITED: ("{call}", "Calls over a limit of LIMITS."),
    names.HEARTBEAT: ("{beat}", "Beats of the heartbeat, by status."),
    names.UNKNOWN_VERSIONS: ("{call}", "Calls for an api-version that nobody knows yet."),
}
"""The unit and the description of each counter."""


class Instruments:
    """The instruments of a process, by name. `propagator` reads and writes only the W3C trace context. The caller's
    baggage is not passed on."""

    def __init__(self) -> None:
        meter = metrics.get_meter(names.SCOPE)
        self.tracer = trace.get_tracer(names.SCOPE)
        self.propagator = TraceContextTextMapPropagator()
        self.counters = {name: meter.create_counter(name, *described) for name, described in COUNTERS.items()}
        self.histograms = {
            name: meter.create_histogram(name, unit, description, explicit_bucket_boundaries_advisory=bounds)
            for name, (unit, bounds, description) in HISTOGRAMS.items()
        }
