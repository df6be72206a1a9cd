"""A client span, a duration and counts for every search and model call, and the document counts of each incoming
call."""

import asyncio
import logging
import math
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Final, Literal
from urllib.parse import urlsplit

from retrieval.model.prompt import Prompt, Reply
from retrieval.model.search import Page, SearchTarget, Subquery
from retrieval.ports import ChatModel, Hear, SearchIndex
from retrieval.telemetry import names
from retrieval.telemetry.spans import Attributes, Step, current, described, ids, instruments, step

if TYPE_CHECKING:
    from opentelemetry.metrics import Histogram


UNRANKED_BY: Final = frozenset({"maxWaitExceeded", "capacityOverloaded", "transient"})
"""Azure AI Search's documented reasons for missing ranking. Any other is recorded as `other`, because its text may
contain anything."""

TOLD_SECONDS: Final = 60.0
MOST_TOLD: Final = 1_000

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class CalledService:
    """A service that this one calls. `system` is one of the names in `names`. `endpoint` is the address of the
    service."""

    system: str
    endpoint: str

    @property
    def server(self) -> Attributes:
        """The address of the service, as attributes."""
        parts = urlsplit(self.endpoint)
        port = {} if parts.port is None else {names.SERVER_PORT: parts.port}
        return {names.SERVER_ADDRESS: parts.hostname or "", **port}


class TracedIndex:
    """A search index that makes a span for each sub-query. `service_of` returns the service of a target. With
    `content` the span has the search text."""

    def __init__(
        self, index: SearchIndex, *, service_of: Callable[[SearchTarget], CalledService], content: bool
    ) -> None:
        self._index = index
        self._told: dict[tuple[str, str], float] = {}
        self._service_of = service_of
        self._content = content
        self._known: dict[tuple[str, str], _Called] = {}

    async def search(self, subquery: Subquery) -> Page:
        """The results of a sub-query. Raises BackendError and UnsupportedFilter."""
        called = self._called(subquery.target)
        content = {names.DB_QUERY_TEXT: subquery.search} if self._content else {}
        attributes = {**called.attributes, names.KIND: subquery.target.kind, **content}
        span, duration = step(called.name, client=True, attributes=attributes), instruments().search_duration
        with _call(span, called.labels, duration=duration, ended=called.ended) as call:
            page = await self._index.search(subquery)
            if page.unranked is not None:
                reason = page.unranked.cause if page.unranked.cause in UNRANKED_BY else "other"
                self._tell_unranked(called.name, page.unranked.service, reason)
                instruments().unranked.add(1, {**called.counted, names.REASON: reason})
            found: dict[str, str | bool | int] = {names.DB_ROWS: len(page.hits), names.FOUND: page.found}
            call.set({**found, names.UNRANKED: True} if page.unranked is not None else found)
            return page

    def _tell_unranked(self, where: str, service: str, reason: str) -> None:
        """Logs that documents were not ranked, at most once a minute for each index and reason."""
        now, key = asyncio.get_running_loop().time(), (where, reason)
        if now - self._told.get(key, -math.inf) < TOLD_SECONDS:
            return
        self._told = {key: now} if len(self._told) >= MOST_TOLD else self._told | {key: now}
        logger.warning("%s: %s did not rank every document: %s%s", where, service, reason, ids())

    def _called(self, target: SearchTarget) -> "_Called":
        key = target.kind, target.index
        if key not in self._known:
            self._known[key] = _Called.index(target.index, self._service_of(target))
        return self._known[key]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Called:
    """The attributes of an index in telemetry: `attributes` for spans, `labels` for durations, and `counted` for
    counters."""

    name: str
    labels: Attributes
    attributes: Attributes
    counted: Attributes

    @classmethod
    def index(cls, index: str, service: CalledService) -> "_Called":
        labels = {names.DB_SYSTEM: service.system, names.DB_OPERATION: "search", names.DB_COLLECTION: index}
        return cls(
            name=f"search {index}",
            labels=labels,
            attributes={**labels, names.INDEX: index, names.SYSTEM: service.system, **service.server},
            counted={names.SYSTEM: service.system, names.INDEX: index},
        )

    def ended(self, error: str | None) -> None:
        instruments().subqueries.add(1, self.counted if error is None else {**self.counted, names.ERROR: error})


class TracedModel:
    """A chat model that makes a span for each call. `deployment` is the name of the model's deployment."""

    def __init__(self, model: ChatModel, *, deployment: str, service: CalledService) -> None:
        self._model = model
        self._name = f"chat {deployment}"
        self._labels: Attributes = {
            names.GEN_AI_OPERATION: "chat",
            names.GEN_AI_PROVIDER: service.system,
            names.GEN_AI_MODEL: deployment,
        }
        self._attributes: Attributes = {
            **self._labels,
            names.GEN_AI_SYSTEM: service.system,
            names.SYSTEM: service.system,
            **service.server,
        }

    async def complete(self, prompt: Prompt, *, hear: Hear | None = None) -> Reply:
        """Raises BackendError."""
        span = step(self._name, client=True, attributes={**self._attributes, names.PROMPT: prompt.name})
        with _call(span, self._labels, duration=instruments().model_duration) as call:
            reply = await self._model.complete(prompt, hear=hear)
            call.set({names.GEN_AI_INPUT_TOKENS: reply.input_tokens, names.GEN_AI_OUTPUT_TOKENS: reply.output_tokens})
            if (incoming := current()) is not None:
                incoming.spent(input_tokens=reply.input_tokens, output_tokens=reply.output_tokens)
            tokens = instruments().tokens
            tokens.record(reply.input_tokens, {**self._labels, names.GEN_AI_TOKEN_TYPE: "input"})
            tokens.record(reply.output_tokens, {**self._labels, names.GEN_AI_TOKEN_TYPE: "output"})
            return reply


class Tries:
    """The numbers of retries and throttled answers of the current call."""

    def __init__(self) -> None:
        self.retries = 0
        self.throttles = 0


_tries: Final[ContextVar[Tries | None]] = ContextVar("tries", default=None)


def retried(system: str) -> None:
    """Count a retry: a call of the service failed and is repeated."""
    instruments().retries.add(1, {names.SYSTEM: system})
    if (tries := _tries.get()) is not None:
        tries.retries += 1


def throttled(system: str) -> None:
    """Count a throttled answer: the service answered that there are too many calls."""
    instruments().throttles.add(1, {names.SYSTEM: system})
    if (tries := _tries.get()) is not None:
        tries.throttles += 1


def limited(name: str) -> None:
    """Count a call that exceeds the limit with this name."""
    instruments().limited.add(1, {names.LIMIT: name})


def suspended(target: str, change: Literal["opened", "closed"]) -> None:
    """Count a change of a circuit breaker: `opened` when its target is not called for a while, `closed` when the target
    answers again."""
    instruments().breaker.add(1, {names.TARGET: target, names.CHANGE: change})


def documents(*, subqueries: int, found: int, returned: int, dropped: Iterable[tuple[str, int]]) -> None:
    """Count the documents that a call found, returned and dropped, and set the counts on the current span. `dropped`
    has a count for each reason."""
    counters = instruments()
    counters.found.add(found)
    counters.returned.add(returned)
    reasons = dict(dropped)
    for reason, count in reasons.items():
        counters.dropped.add(count, {names.REASON: reason})
    described(
        {
            names.SUBQUERIES: subqueries,
            names.FOUND: found,
            names.RETURNED: returned,
            **{f"{names.DROPPED}.{reason.replace(' ', '_')}": count for reason, count in reasons.items()},
        }
    )


def _nothing(error: str | None) -> None:
    """Does nothing. A call without a counter uses this."""


@contextmanager
def _call(
    span: AbstractContextManager[Step],
    labels: Attributes,
    *,
    duration: "Histogram",
    ended: Callable[[str | None], None] = _nothing,
) -> Iterator[Step]:
    """Records a call as a client span and a duration with `labels`. `ended` receives the class name of the error, or
    None."""
    clock = asyncio.get_running_loop().time
    start, tries, failure = clock(), Tries(), None
    with span as call, _alone(call):
        token = _tries.set(tries)
        try:
            yield call
        except BaseException as error:
            failure = type(error).__name__
            call.fail(error)
            raise
        finally:
            _tries.reset(token)
            call.set({names.RETRIES: tries.retries, names.THROTTLES: tries.throttles})
            duration.record(clock() - start, labels if failure is None else {**labels, names.ERROR_TYPE: failure})
            ended(failure)


def _alone(call: Step) -> AbstractContextManager[None]:
    """Prevents an instrumented HTTP client from making a second span for the call. That span would contain the address
    and the query."""
    return _suppress()() if call.recorded else nullcontext()


@cache
def _suppress() -> Callable[[], AbstractContextManager[None]]:
    """Without the package, no HTTP client is instrumented."""
    try:
        from opentelemetry.instrumentation.utils import suppress_http_instrumentation
    except ModuleNotFoundError:
        return nullcontext
    return suppress_http_instrumentation
