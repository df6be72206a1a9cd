"""OpenTelemetry's tracer, propagator and instruments. Importing this module loads the API of OpenTelemetry. The
instruments also work if an SDK is configured later, because the API returns proxies that use it.
"""

from dataclasses import dataclass
from typing import Final

from opentelemetry import metrics, trace
from opentelemetry.metrics import Counter, Histogram, Meter
from opentelemetry.trace import Tracer
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

from retrieval.telemetry import names

SECONDS: Final = (0.01, 0.025, 0.05, 0.1, 0.2, 0.35, 0.5, 0.75, 1.0, 1.5, 2.5, 5.0, 10.0, 30.0, 60.0)
TOKENS: Final = (1, 4, 16, 64, 256, 1_024, 4_096, 16_384, 65_536, 262_144, 1_048_576)


@dataclass(frozen=True, slots=True, kw_only=True)
class Instruments:
    """The instruments of a process. `propagator` reads and writes only the W3C trace context. The caller's baggage is
    not passed on."""

    tracer: Tracer
    propagator: TraceContextTextMapPropagator
    request_duration: Histogram
    search_duration: Histogram
    model_duration: Histogram
    tokens: Histogram
    subqueries: Counter
    found: Counter
    returned: Counter
    dropped: Counter
    retries: Counter
    throttles: Counter
    unranked: Counter
    searches: Counter
    slow: Counter
    searched: Counter
    breaker: Counter
    model_steps: Counter
    limited: Counter
    heartbeat: Counter
    unknown_versions: Counter


def make() -> Instruments:
    """The instruments of this process."""
    meter = metrics.get_meter(names.SCOPE)
    return Instruments(
        tracer=trace.get_tracer(names.SCOPE),
        propagator=TraceContextTextMapPropagator(),
        request_duration=_seconds(meter, names.REQUEST_DURATION, "From a call's arrival to its answer."),
        search_duration=_seconds(meter, names.DB_DURATION, "A sub-query, its retries included."),
        model_duration=_seconds(meter, names.GEN_AI_DURATION, "A call of the chat model."),
        tokens=meter.create_histogram(
            names.GEN_AI_TOKENS,
            unit="{token}",
            description="Tokens of a model call.",
            explicit_bucket_boundaries_advisory=TOKENS,
        ),
        subqueries=meter.create_counter(names.SUBQUERIES, unit="{subquery}", description="Sub-queries sent."),
        found=meter.create_counter(names.FOUND, unit="{document}", description="Documents that sub-queries found."),
        returned=meter.create_counter(names.RETURNED, unit="{document}", description="Documents in references."),
        dropped=meter.create_counter(names.DROPPED, unit="{document}", description="Documents dropped, by reason."),
        retries=meter.create_counter(names.RETRIES, unit="{retry}", description="Retries of calls."),
        throttles=meter.create_counter(names.THROTTLES, unit="{answer}", description="Answers that throttle."),
        unranked=meter.create_counter(
            names.UNRANKED, unit="{subquery}", description="Sub-queries whose documents were not all ranked."
        ),
        searches=meter.create_counter(
            names.SEARCHES, unit="{search}", description="Searches of calls, by source and by the cause of a failure."
        ),
        slow=meter.create_counter(
            names.SLOW, unit="{search}", description="Answered searches that took most of their time, by source."
        ),
        searched=meter.create_counter(
            names.SEARCHED, unit="{call}", description="Calls that searched an index, by whether they found anything."
        ),
        breaker=meter.create_counter(
            names.BREAKER, unit="{change}", description="Targets that are not called for a while, or answer again."
        ),
        model_steps=meter.create_counter(
            names.MODEL_STEPS, unit="{step}", description="Steps that a model was asked for, by who did them."
        ),
        limited=meter.create_counter(names.LIMITED, unit="{call}", description="Calls over a limit of LIMITS."),
        heartbeat=meter.create_counter(
            names.HEARTBEAT, unit="{beat}", description="Beats of the heartbeat, by status."
        ),
        unknown_versions=meter.create_counter(
            names.UNKNOWN_VERSIONS, unit="{call}", description="Calls for an api-version that nobody knows yet."
        ),
    )


def _seconds(meter: Meter, name: str, description: str) -> Histogram:
    return meter.create_histogram(name, unit="s", description=description, explicit_bucket_boundaries_advisory=SECONDS)
