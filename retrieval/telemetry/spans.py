"""Spans: one for an incoming call, one for each of its steps; and their trace context."""

import asyncio
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from typing import TYPE_CHECKING, Final, TypeAlias

from retrieval.telemetry import names

if TYPE_CHECKING:
    from opentelemetry.trace import Span

    from retrieval.telemetry.instruments import Instruments

Attributes: TypeAlias = Mapping[str, str | bool | int]

LONGEST_PARENT: Final = 128
LONGEST_STATE: Final = 512
"""Characters of a `tracestate` that must be passed on; a longer one is dropped. https://www.w3.org/TR/trace-context"""


@cache
def instruments() -> "Instruments":
    """The instruments for spans and metrics. The first call imports the API, not the app's start."""
    from retrieval.telemetry.instruments import make

    return make()


def load() -> None:
    """What the first call would import."""
    instruments()


class Step:
    """A running span. If it is not recorded, its attributes are discarded."""

    def __init__(self, span: "Span") -> None:
        self._span = span
        self.error: str | None = None

    @property
    def recorded(self) -> bool:
        """Whether there is an SDK, and it keeps this span."""
        return self._span.is_recording()

    def set(self, attributes: Attributes) -> None:
        """Set attributes by name."""
        self._span.set_attributes(attributes)

    def fail(self, error: BaseException) -> None:
        """Mark the step as failed. Only the class of the error is recorded: its sentence may quote anything."""
        self.error = type(error).__name__
        _fail(self._span, self.error)


class Request:
    """An incoming call, until it is `answered`."""

    def __init__(self, step: Step) -> None:
        self._step = step
        self.status = 500
        self.contract = ""

    def answered(self, status: int, *, contract: str) -> None:
        """The HTTP status of its answer, and the contract and version that the caller speaks."""
        self.status, self.contract = status, contract
        self._step.set({names.STATUS: status, names.CONTRACT: contract})


@contextmanager
def request(operation: str, headers: Mapping[str, str], *, id: str) -> Iterator[Request]:
    """A span for a call, named by its operation, within the caller's trace if it sends one.

    `headers` have lower-case names; `id` is what the answer's `request-id` says.
    """
    clock = asyncio.get_running_loop().time
    start = clock()
    with _joined(headers), step(operation, attributes={names.REQUEST_ID: id}) as span:
        one = Request(span)
        try:
            yield one
        finally:
            labels: Attributes = {
                names.OPERATION: operation,
                names.STATUS: one.status,
                names.CONTRACT: one.contract,
            }
            instruments().request_duration.record(clock() - start, labels)


class Stepping:
    """A span around a step, with `Step` in it; an exception that leaves it marks it as failed.

    A step that is cancelled, at the deadline or with the others, fails with CancelledError. It is a class, since every
    call runs through a dozen of them, and a generator would take twice as long.
    """

    __slots__ = ("_attributes", "_client", "_end", "_name", "_step")

    def __init__(self, name: str, *, client: bool, attributes: Attributes | None) -> None:
        self._name, self._client, self._attributes = name, client, attributes

    def __enter__(self) -> Step:
        span, self._end = instruments().begin(self._name, client=self._client, attributes=self._attributes)
        self._step = Step(span)
        return self._step

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if error is not None:
            self._step.fail(error)
        self._end()


def step(name: str, *, client: bool = False, attributes: Attributes | None = None) -> Stepping:
    """A span around a step. `client`: it calls another service."""
    return Stepping(name, client=client, attributes=attributes)


def described(attributes: Attributes) -> None:
    """Set attributes on the current span: in an endpoint, the request's."""
    from opentelemetry.trace import get_current_span

    get_current_span().set_attributes(attributes)


def failed(error: BaseException, *, status: int) -> None:
    """The current request is answered with an error; its span is marked as failed unless the caller caused it."""
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
