"""Spans and their trace context. An incoming call has a span. Each step has a span too, or all steps share one
attribute of the call's span. A step in which the model failed has a log line too. A search has no span of a step,
because each call of the search service already has a span.
"""

import asyncio
import json
import logging
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar
from functools import cache
from typing import TYPE_CHECKING, Final, TypeAlias

from retrieval.errors import BackendError, BadModelReply
from retrieval.model.activity import Begun, Ended, Kind
from retrieval.ports import Observer
from retrieval.telemetry import log_contents, names

if TYPE_CHECKING:
    from opentelemetry.trace import Span


Attributes: TypeAlias = Mapping[str, str | bool | int]

LONGEST_SUMMARY: Final = 8_000
"""The most characters of a summary. A property of Application Insights may have 8,192 characters."""

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
"""The names of a step's members in a summary, by the names of the corresponding span attributes."""

LONGEST_PARENT: Final = 128
LONGEST_STATE: Final = 512
"""The most characters of a `tracestate`. Services should pass on at least this many. A longer one is dropped.
https://www.w3.org/TR/trace-context"""


@cache
def instruments() -> names.Instruments:
    """The instruments for spans and metrics. The first call imports OpenTelemetry's API, so that the app starts
    faster."""
    return names.Instruments()


def count(name: str, attributes: Attributes, *, number: int = 1) -> None:
    """Add a number to the counter of this name."""
    instruments().counters[name].add(number, attributes)


def record(name: str, value: float, attributes: Attributes) -> None:
    """Record a value in the histogram of this name."""
    instruments().histograms[name].record(value, attributes)


class Step:
    """A running span. If it is not recorded, its attributes are discarded."""

    def __init__(self, span: "Span") -> None:
        self.span = span

    def set(self, attributes: Attributes) -> None:
        """Set attributes by name."""
        self.span.set_attributes(attributes)

    def fail(self, error: BaseException) -> None:
        """Mark the step as failed. Only the class of the error is recorded, because the message may contain
        anything."""
        from opentelemetry.trace import StatusCode

        name = type(error).__name__
        self.span.set_status(StatusCode.ERROR)
        self.span.set_attributes({names.ERROR_TYPE: name, names.ERROR: name})


class Summed(Step):
    """A running step without its own span. It ends with its `with` block."""

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
        """Record the attributes of `SUMMED` that are not zero, false or empty."""
        self._said.update({SUMMED[name]: value for name, value in attributes.items() if name in SUMMED and value})

    def fail(self, error: BaseException) -> None:
        """Record the class of the error."""
        self._said["error"] = type(error).__name__


def _summary(steps: Sequence[Mapping[str, object]]) -> str:
    """The steps of a call as a JSON array, cut to a length that Application Insights accepts. For each step it has the
    name, the milliseconds, the attributes of `SUMMED` unless they are zero, false or empty, and the class of an error.
    The steps are in the order in which they began. `more` is the number of steps that were cut."""
    kept, length = list[Mapping[str, object]](), 0
    for place, one in enumerate(steps):
        length += len(json.dumps(one)) + 2
        if length > LONGEST_SUMMARY:
            kept.append({"more": len(steps) - place})
            break
        kept.append(one)
    return json.dumps(kept, separators=(",", ":"))


LONGEST_CALLER: Final = 128


class Request:
    """An incoming call. `answered` is called at its end. `id` is the `request-id` of the answer, and `client_id` the
    id that the caller gave the call, if any. `caller` is empty until the caller is known. `failed` is the status of a
    failure that the answer reports in its body. `found` has the number of documents found in each index in which a
    search was answered, and `tokens` those of the calls of the model. Unless `steps` is None, the steps are in one
    attribute of the span."""

    def __init__(self, step: Step, *, id: str, client_id: str) -> None:
        self.step = step
        self.id = id
        self.client_id = client_id
        self.caller = ""
        self.status = 500
        self.contract = ""
        self.failed: int | None = None
        self.found = Counter[str]()
        self.tokens = Counter[str]()
        self.steps: list[dict[str, object]] | None = None

    def answered(self, status: int, *, contract: str) -> None:
        """Set the HTTP status of the answer, and the contract with its version. The status of a failure in the body
        replaces a status of success."""
        self.status = self.failed if self.failed is not None and status < 400 else status
        self.contract = contract
        attributes: dict[str, str | int] = {names.STATUS: self.status, names.CONTRACT: contract, **+self.tokens}
        if self.steps is not None and self.step.span.is_recording():
            attributes[names.STEPS] = _summary(self.steps)
        self.step.set(attributes)


_request: Final[ContextVar[Request | None]] = ContextVar("request", default=None)


def current() -> Request | None:
    """The call that is being answered; None outside of a call."""
    return _request.get()


def ids() -> str:
    """The current call and its caller, for the end of a line of the log; empty outside of a call."""
    if (call := _request.get()) is None:
        return ""
    client = f" client-request-id={call.client_id}" if call.client_id else ""
    return f" (request-id={call.id} caller={call.caller or '-'!r}{client})"


def called_by(caller: str) -> None:
    """Set the name of the current call's caller."""
    if (call := _request.get()) is not None:
        call.caller = caller[:LONGEST_CALLER]
        call.step.set({names.CALLER: call.caller})


@contextmanager
def request(operation: str, headers: Mapping[str, str], *, id: str, client_id: str = "") -> Iterator[Request]:
    """A span for a call. Its name is the operation. If the caller sends a trace context, the span is part of that
    trace. The names in `headers` are in lower case. `id` is the `request-id` of the answer, and `client_id` the
    caller's own id of the call.
    """
    clock = asyncio.get_running_loop().time
    start = clock()
    attributes = {names.REQUEST_ID: id} | ({names.CLIENT_ID: client_id} if client_id else {})
    with _joined(headers), step(operation, attributes=attributes) as span:
        call = Request(span, id=id, client_id=client_id)
        token = _request.set(call)
        try:
            yield call
        finally:
            _request.reset(token)
            labels: Attributes = {names.OPERATION: operation, names.STATUS: call.status, names.CONTRACT: call.contract}
            record(names.REQUEST_DURATION, clock() - start, labels)
            for index, found in call.found.items():
                count(names.SEARCHED, {names.INDEX: index, names.RESULT: "found" if found else "nothing"})


class Stepping:
    """A context manager with a span for a step. An exception that leaves the block marks the span as failed. Without an
    SDK the current span is used instead, and is not ended here.

    This is a class because each call has about a dozen such spans, and a generator would take twice as long.
    """

    __slots__ = ("_attributes", "_client", "_name", "_step", "_token")

    def __init__(self, name: str, *, client: bool, attributes: Attributes | None) -> None:
        self._name, self._client, self._attributes = name, client, attributes

    def __enter__(self) -> Step:
        from opentelemetry import context, trace

        here = context.get_current()
        span = instruments().tracer.start_span(
            self._name,
            context=here,  # Azure Monitor's sampler reads the parent's sampling decision only from here.
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
    """A span for a step, or an entry for the step in the call's summary. If the call's span is not recorded, the entry
    is not recorded either. `client` is true if the step calls another service."""
    if (call := _request.get()) is None or call.steps is None:
        return Stepping(name, client=client, attributes=attributes)
    if not call.step.span.is_recording():
        return nullcontext(call.step)
    call.steps.append({"step": name})
    return Summed(call.step.span, call.steps[-1], attributes or {})


def described(attributes: Attributes) -> None:
    """Set attributes on the current span. In an endpoint this is the span of the call."""
    _current_step().set(attributes)


def documents(*, subqueries: int, found: int, returned: int, dropped: Iterable[tuple[str, int]]) -> None:
    """Count the documents that a call found, returned and dropped, and set the counts on the current span. `dropped`
    has a count for each reason."""
    attributes = {names.SUBQUERIES: subqueries, names.FOUND: found, names.RETURNED: returned}
    count(names.FOUND, {}, number=found)
    count(names.RETURNED, {}, number=returned)
    for reason, omitted in dropped:
        attributes[f"{names.DROPPED}.{reason.replace(' ', '_')}"] = omitted
        count(names.DROPPED, {names.REASON: reason}, number=omitted)
    described(attributes)


def failed(error: BaseException, *, status: int) -> None:
    """Record that the current call is answered with an error. If the status is 500 or higher, the span is marked as
    failed."""
    if (call := _request.get()) is not None:
        call.failed = status
    if status >= 500:
        _current_step().fail(error)
    else:
        _current_step().set({names.ERROR: type(error).__name__})


def _current_step() -> Step:
    from opentelemetry.trace import get_current_span

    return Step(get_current_span())


def outgoing() -> dict[str, str]:
    """The headers that make a call of another service part of the current trace; empty outside a trace."""
    headers: dict[str, str] = {}
    instruments().propagator.inject(headers)
    return headers


@contextmanager
def _joined(headers: Mapping[str, str]) -> Iterator[None]:
    """Joins the caller's trace. If the Functions host has already joined it, the host's span stays the parent. An
    invalid or too long `traceparent` is ignored.
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


COUNTS: Final[dict[Kind, str]] = {"plan": names.QUERIES, "round": names.GATHERED, "ground": names.GROUNDED}

logger = logging.getLogger(__name__)


@contextmanager
def observed(observers: Sequence[Observer], begun: Begun) -> Iterator[Ended]:
    """Tells the observers when the work in the block begins and ends, and makes a span of it, except for a search. The
    block sets the facts about its end. An exception that leaves the block is recorded as the error."""
    ended, kind = Ended(begun=begun), begun.kind
    attributes = {names.ROUND: begun.round, names.QUERIES: begun.queries} if kind == "round" else {}
    name = "write" if kind == "answer" else kind
    with nullcontext() if kind == "search" else step(name, attributes=attributes) as running:
        for observer in observers:
            observer.begun(begun)
        try:
            yield ended
        except BaseException as error:
            ended.error = error
            raise
        finally:
            for observer in reversed(observers):
                observer.ended(ended)
            if running is not None:
                running.set(_found(ended))
                if ended.error is not None:
                    running.fail(ended.error)
    if running is not None:
        _count(ended)


def _found(activity: Ended) -> Attributes:
    by = {} if activity.by is None else {names.BY: activity.by}
    counted = COUNTS.get(activity.begun.kind)
    return by if counted is None or activity.count is None else {**by, counted: activity.count}


def _count(ended: Ended) -> None:
    """Counts who did a step. A step in which the model failed has a log line."""
    fell = ended.by == "rules" and isinstance(ended.error, BackendError | BadModelReply)
    if fell or ended.by == "model":
        count(names.MODEL_STEPS, {names.STEP: ended.begun.kind, names.BY: ended.by or ""})
    if fell and ended.error is not None:
        description = log_contents.describe(ended.error, content=False)
        logger.warning("%s is done without the model: %s%s", ended.begun.kind, description, ids())
