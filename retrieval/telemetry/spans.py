"""Spans: one for an incoming call, and one for each of its steps, or one attribute for all steps; and their trace
context."""

import asyncio
import json
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar
from functools import cache
from typing import TYPE_CHECKING, Final, TypeAlias

from retrieval.telemetry import names

if TYPE_CHECKING:
    from opentelemetry.trace import Span

    from retrieval.telemetry.instruments import Instruments

Attributes: TypeAlias = Mapping[str, str | bool | int]

LONGEST_SUMMARY: Final = 8_000
"""The most characters of a summary; a property of Application Insights has at most 8,192."""

SUMMED: Final[Mapping[str, str]] = {
    names.BY: "by",
    names.ROUND: "round",
    names.QUERIES: "queries",
    names.FOUND: "found",
    names.GATHERED: "gathered",
    names.GROUNDED: "grounded",
    names.UNRANKED: "unranked",
    names.RETRIES: "retries",
    names.THROTTLES: "throttles",
    names.GEN_AI_INPUT_TOKENS: "in",
    names.GEN_AI_OUTPUT_TOKENS: "out",
    names.DB_QUERY_TEXT: "search",
}
"""The members of a step in a summary, by the attribute that its span would have."""

LONGEST_PARENT: Final = 128
LONGEST_STATE: Final = 512
"""The most characters of a `tracestate`, which must be passed on; a longer one is dropped.
https://www.w3.org/TR/trace-context"""


@cache
def instruments() -> "Instruments":
    """The instruments for spans and metrics. The first call imports the API, not the app's start."""
    from retrieval.telemetry.instruments import make

    return make()


class Step:
    """A running span. If it is not recorded, its attributes are discarded."""

    def __init__(self, span: "Span") -> None:
        self.span = span

    @property
    def recorded(self) -> bool:
        """Whether there is an SDK that keeps this span."""
        return self.span.is_recording()

    def set(self, attributes: Attributes) -> None:
        """Set attributes by name."""
        self.span.set_attributes(attributes)

    def fail(self, error: BaseException) -> None:
        """Mark the step as failed. Only the class of the error is recorded: its sentence may quote anything."""
        _fail(self.span, type(error).__name__)


class Summary:
    """The steps of a call as one attribute of its span: a JSON array with the name, the milliseconds and the unusual
    facts of each step, in the order in which they began. Until `holds` is set, each step is a span of its own."""

    def __init__(self, call: Step) -> None:
        self.holds = False
        self._call = call
        self._steps: list[dict[str, object]] = []

    def begin(self, name: str, attributes: Attributes | None) -> AbstractContextManager[Step]:
        """Begin a step now. Where the call's span is not recorded, neither is the step."""
        if not self._call.recorded:
            return nullcontext(self._call)
        said: dict[str, object] = {"step": name}
        self._steps.append(said)
        return Summed(self._call.span, said, attributes or {})

    @property
    def text(self) -> str:
        """The JSON array, at most as long as Application Insights keeps a property; `more` counts the steps beyond
        that."""
        kept, length = list[dict[str, object]](), 0
        for place, one in enumerate(self._steps):
            length += len(json.dumps(one)) + 2
            if length > LONGEST_SUMMARY:
                kept.append({"more": len(self._steps) - place})
                break
            kept.append(one)
        return json.dumps(kept, separators=(",", ":"))


class Summed(Step):
    """A running step that has no span of its own, until the block ends that it is entered for."""

    def __init__(self, span: "Span", said: dict[str, object], attributes: Attributes) -> None:
        super().__init__(span)
        self._said = said
        self._clock = asyncio.get_running_loop().time
        self._start = self._clock()
        self.set(attributes)

    def __enter__(self) -> Step:
        return self

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if error is not None:
            self.fail(error)
        self._said["ms"] = round((self._clock() - self._start) * 1000)

    def set(self, attributes: Attributes) -> None:
        """Keep the attributes of `SUMMED` that have a value."""
        self._said.update({SUMMED[name]: value for name, value in attributes.items() if name in SUMMED and value})

    def fail(self, error: BaseException) -> None:
        """Only the class of the error is kept."""
        self._said["error"] = type(error).__name__


_summary: Final[ContextVar[Summary | None]] = ContextVar("summary", default=None)


def summarize() -> None:
    """Make the further steps of the running call one attribute of its span."""
    if (summary := _summary.get()) is not None:
        summary.holds = True


class Request:
    """An incoming call, until it is `answered`."""

    def __init__(self, step: Step, summary: Summary) -> None:
        self._step = step
        self._summary = summary
        self.status = 500
        self.contract = ""

    def answered(self, status: int, *, contract: str) -> None:
        """Set the HTTP status of the answer, and the contract and version that the caller speaks."""
        self.status, self.contract = status, contract
        steps = {names.STEPS: self._summary.text} if self._summary.holds and self._step.recorded else {}
        self._step.set({names.STATUS: status, names.CONTRACT: contract, **steps})


@contextmanager
def request(operation: str, headers: Mapping[str, str], *, id: str) -> Iterator[Request]:
    """A span for a call, named by its operation, within the caller's trace if it sends one.

    `headers` have lower-case names; `id` is what the answer's `request-id` says.
    """
    clock = asyncio.get_running_loop().time
    start = clock()
    with _joined(headers), step(operation, attributes={names.REQUEST_ID: id}) as span:
        summary = Summary(span)
        one, token = Request(span, summary), _summary.set(summary)
        try:
            yield one
        finally:
            _summary.reset(token)
            labels: Attributes = {
                names.OPERATION: operation,
                names.STATUS: one.status,
                names.CONTRACT: one.contract,
            }
            instruments().request_duration.record(clock() - start, labels)


class Stepping:
    """A span around a step, with `Step` in it; an exception that leaves it marks it failed. Without an SDK the span is
    the one that is current already, which is not ended here.

    A step that is cancelled, at the deadline or with the others, fails with CancelledError. It is a class, since every
    call runs through a dozen such spans, and a generator would take twice as long.
    """

    __slots__ = ("_attributes", "_client", "_name", "_step", "_token")

    def __init__(self, name: str, *, client: bool, attributes: Attributes | None) -> None:
        self._name, self._client, self._attributes = name, client, attributes

    def __enter__(self) -> Step:
        from opentelemetry import context, trace

        here = context.get_current()
        span = instruments().tracer.start_span(
            self._name,
            context=here,  # Azure Monitor's sampler looks for the decision about the parent only here.
            kind=trace.SpanKind.CLIENT if self._client else trace.SpanKind.INTERNAL,
            attributes=self._attributes,
            record_exception=False,
            set_status_on_exception=False,
        )
        is_current = span is trace.get_current_span(here)
        self._token = None if is_current else context.attach(trace.set_span_in_context(span, here))
        self._step = Step(span)
        return self._step

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if error is not None:
            self._step.fail(error)
        if self._token is not None:
            from opentelemetry import context

            context.detach(self._token)
            self._step.span.end()


def step(name: str, *, client: bool = False, attributes: Attributes | None = None) -> AbstractContextManager[Step]:
    """A span around a step, or its part of the call's summary. `client`: it calls another service."""
    summary = _summary.get()
    if summary is not None and summary.holds:
        return summary.begin(name, attributes)
    return Stepping(name, client=client, attributes=attributes)


def described(attributes: Attributes) -> None:
    """Set attributes on the current span: in an endpoint, the request's."""
    from opentelemetry.trace import get_current_span

    get_current_span().set_attributes(attributes)


def failed(error: BaseException, *, status: int) -> None:
    """Record that the current request is answered with an error. Its span is marked as failed unless the caller caused
    the error."""
    from opentelemetry.trace import get_current_span

    span, name = get_current_span(), type(error).__name__
    if status >= 500:
        _fail(span, name)
    else:
        span.set_attribute(names.ERROR, name)


def outgoing() -> dict[str, str]:
    """The headers that put a call of another service into this trace; none outside of a trace."""
    headers: dict[str, str] = {}
    instruments().propagator.inject(headers)
    return headers


def _fail(span: "Span", error: str) -> None:
    from opentelemetry.trace import StatusCode

    span.set_status(StatusCode.ERROR)
    span.set_attributes({names.ERROR_TYPE: error, names.ERROR: error})


@contextmanager
def _joined(headers: Mapping[str, str]) -> Iterator[None]:
    """Enters the caller's trace; if the Functions runtime has entered it already, the host's span stays the parent.

    A `traceparent` that cannot be read or is too long is ignored.
    """
    from opentelemetry import context, trace

    parent, state = headers.get("traceparent", ""), headers.get("tracestate", "")
    if not 0 < len(parent) <= LONGEST_PARENT or trace.get_current_span().get_span_context().is_valid:
        yield
        return
    carrier = {"traceparent": parent, **({"tracestate": state} if len(state) <= LONGEST_STATE else {})}
    token = context.attach(instruments().propagator.extract(carrier, context.get_current()))
    try:
        yield
    finally:
        context.detach(token)
