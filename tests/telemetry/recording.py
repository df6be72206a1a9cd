"""What the telemetry of a test was: spans and metric points, in memory, in a process whose SDK is on while it is looked
at and drops everything at other times, since the global providers can be set once."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from typing import Any, Final

from opentelemetry import metrics, trace
from opentelemetry.context import Context
from opentelemetry.sdk.metrics import Counter, Histogram, MeterProvider
from opentelemetry.sdk.metrics.export import (
    AggregationTemporality,
    HistogramDataPoint,
    InMemoryMetricReader,
    NumberDataPoint,
)
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.sdk.trace.sampling import ALWAYS_OFF, ALWAYS_ON, Sampler, SamplingResult

SCOPE: Final = "retrieval"

Point = HistogramDataPoint | NumberDataPoint


def ids(span: ReadableSpan) -> tuple[str, str]:
    """Of its trace and of itself, as headers write them."""
    found = span.get_span_context()
    assert found is not None
    return f"{found.trace_id:032x}", f"{found.span_id:016x}"


class Switch(Sampler):
    """Keeps every span while it is on, and remembers the names of those that it was asked about without a context."""

    def __init__(self) -> None:
        self.on = False
        self.blind: list[str] = []

    def should_sample(
        self, parent_context: Context | None, trace_id: int, name: str, *args: Any, **kwargs: Any
    ) -> SamplingResult:
        if parent_context is None:
            self.blind.append(name)
        chosen = ALWAYS_ON if self.on else ALWAYS_OFF
        return chosen.should_sample(parent_context, trace_id, name, *args, **kwargs)

    def get_description(self) -> str:
        return "Switch"


class Recording:
    """The spans that have ended, and the points of the metrics since the recording began."""

    def __init__(self, switch: Switch, exporter: InMemorySpanExporter, reader: InMemoryMetricReader) -> None:
        self.sampled_blindly = switch.blind
        self._exporter = exporter
        self._reader = reader
        self._points: dict[str, list[Point]] = {}

    @property
    def spans(self) -> Sequence[ReadableSpan]:
        return self._exporter.get_finished_spans()

    @property
    def ours(self) -> Sequence[ReadableSpan]:
        """The spans that this service made itself."""
        return [one for one in self.spans if one.instrumentation_scope and one.instrumentation_scope.name == SCOPE]

    def named(self, name: str) -> list[ReadableSpan]:
        return [one for one in self.spans if one.name == name]

    def span(self, name: str) -> ReadableSpan:
        (found,) = self.named(name)
        return found

    def children(self, parent: ReadableSpan) -> list[str]:
        """Names of the spans directly below, sorted."""
        id = ids(parent)[1]
        return sorted(one.name for one in self.spans if one.parent and f"{one.parent.span_id:016x}" == id)

    @property
    def points(self) -> Mapping[str, Sequence[Point]]:
        """All points so far, by the name of their metric."""
        data = self._reader.get_metrics_data()
        for resource in data.resource_metrics if data is not None else ():
            for scope in resource.scope_metrics:
                for metric in scope.metrics if scope.scope.name == SCOPE else ():
                    self._points.setdefault(metric.name, []).extend(metric.data.data_points)  # type: ignore[arg-type]
        return self._points

    def total(self, metric: str, **labels: object) -> float:
        """The sum over the points with these labels; dots are written as two underscores."""
        wanted = {name.replace("__", "."): value for name, value in labels.items()}
        return sum(
            point.sum if isinstance(point, HistogramDataPoint) else point.value
            for point in self.points.get(metric, ())
            if wanted.items() <= dict(point.attributes or {}).items()
        )

    def everything(self) -> str:
        """All recorded telemetry, as text."""
        spans = [one.to_json() for one in self.spans]
        points = [f"{name} {dict(point.attributes or {})}" for name, found in self.points.items() for point in found]
        return "\n".join([*spans, *points])


@cache
def _providers() -> tuple[Switch, InMemorySpanExporter, InMemoryMetricReader]:
    switch, exporter = Switch(), InMemorySpanExporter()
    delta = AggregationTemporality.DELTA
    reader = InMemoryMetricReader(preferred_temporality={Counter: delta, Histogram: delta})
    tracers = TracerProvider(sampler=switch)
    tracers.add_span_processor(SimpleSpanProcessor(exporter))
    trace.set_tracer_provider(tracers)
    metrics.set_meter_provider(MeterProvider([reader]))
    return switch, exporter, reader


@contextmanager
def recording() -> Iterator[Recording]:
    """Record the telemetry of this process from now on."""
    switch, exporter, reader = _providers()
    exporter.clear()
    reader.get_metrics_data()
    switch.on = True
    switch.blind.clear()
    try:
        yield Recording(switch, exporter, reader)
    finally:
        switch.on = False
        exporter.clear()
