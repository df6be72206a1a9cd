"""A client span, a duration and counts for every search and model call. The outcomes of searches, by knowledge source:
a line of the log for each failure and for slow sources, counts, and the sources that are failing now.

A failure that a caller's filter may have caused says nothing about its source. A search of an MCP server says nothing
about this instance. Both have their lines and counts, but no such source is called failing.
"""

import asyncio
import logging
import math
from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cache
from time import monotonic
from typing import Final
from urllib.parse import urlsplit

from retrieval.errors import BackendError, BackendFailing, BackendRefused, BackendSuspended, BackendTimeout, Place
from retrieval.model.conversation import Prompt, Reply
from retrieval.model.definitions import SourceKind
from retrieval.model.search import Page, SearchTarget, Subquery
from retrieval.ports import ChatModel, Hear, SearchIndex, Ticks
from retrieval.telemetry import log_contents, names
from retrieval.telemetry.spans import Attributes, Step, count, current, ids, record, step

UNRANKED_BY: Final = frozenset({"maxWaitExceeded", "capacityOverloaded", "transient"})
"""Azure AI Search's documented reasons for missing ranking. Any other is recorded as `other`, because its text may
contain anything."""

EVERYTHING: Final = "*"
"""A search for all documents. No service ranks them, so the missing ranking is no fault."""

WATCHED_SECONDS: Final = 60.0
"""The outcomes of the last so many seconds decide whether a source is failing."""

LEAST_FAILURES: Final = 3
"""The fewest failures of a source that is failing. Fewer may be a short disturbance."""

FAILING_SHARE: Final = 0.5
"""The share of failed searches from which on a source is failing."""

SLOW_SHARE: Final = 0.5
"""A search is slow if it takes more than this share of the time that it has."""

MOST_KEPT: Final = 100
"""The most searches of a source that are kept."""

MOST_PLACES: Final = 1_000
"""The most sources that are kept."""

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
    """A search index that makes a span for each sub-query. `service_of` returns the service of an index and a kind of
    source. With `content` the span has the search text."""

    def __init__(
        self, index: SearchIndex, *, service_of: Callable[[str, SourceKind], CalledService], content: bool
    ) -> None:
        self._index = index
        self._told = log_contents.OnceAMinute(ticks=monotonic)
        self._service_of = service_of
        self._content = content

    async def search(self, subquery: Subquery) -> Page:
        """The results of a sub-query. Raises BackendError and UnsupportedFilter."""
        index, kind = subquery.target.index, subquery.target.kind
        service = self._service_of(index, kind)
        name, counted = f"search {index}", {names.SYSTEM: service.system, names.INDEX: index}
        labels = {names.DB_SYSTEM: service.system, names.DB_OPERATION: "search", names.DB_COLLECTION: index}
        content = {names.DB_QUERY_TEXT: subquery.search} if self._content else {}
        span = step(name, client=True, attributes={**labels, **counted, **service.server, names.KIND: kind, **content})
        with _call(span, labels, duration=names.DB_DURATION, counted=counted) as numbers:
            page = await self._index.search(subquery)
            numbers.update({names.DB_ROWS: len(page.hits), names.FOUND: page.found})
            if page.unranked is not None and subquery.search.strip() != EVERYTHING:
                reason = page.unranked.cause if page.unranked.cause in UNRANKED_BY else "other"
                if self._told.is_news((name, reason)):
                    service_name = page.unranked.service
                    logger.warning("%s: %s did not rank every document: %s%s", name, service_name, reason, ids())
                count(names.UNRANKED, {**counted, names.REASON: reason})
                numbers[names.UNRANKED] = True
            return page


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
        with _call(span, self._labels, duration=names.GEN_AI_DURATION) as numbers:
            reply = await self._model.complete(prompt, hear=hear)
            read, written = reply.input_tokens, reply.output_tokens
            numbers.update({names.GEN_AI_INPUT_TOKENS: read, names.GEN_AI_OUTPUT_TOKENS: written})
            if (incoming := current()) is not None:
                incoming.tokens.update({names.INPUT_TOKENS: read, names.OUTPUT_TOKENS: written})
            for kind, tokens in {"input": read, "output": written}.items():
                record(names.GEN_AI_TOKENS, tokens, {**self._labels, names.GEN_AI_TOKEN_TYPE: kind})
            return reply


_tries: Final[ContextVar[Counter[str] | None]] = ContextVar("tries", default=None)
"""The numbers of retries and throttled answers of the current call of a service."""


def retried(system: str) -> None:
    """Count a retry: a call of the service failed and is repeated."""
    _tried(names.RETRIES, system)


def throttled(system: str) -> None:
    """Count a throttled answer: the service answered that there are too many calls."""
    _tried(names.THROTTLES, system)


def _tried(name: str, system: str) -> None:
    count(name, {names.SYSTEM: system})
    if (tries := _tries.get()) is not None:
        tries[name] += 1


@contextmanager
def _call(
    span: AbstractContextManager[Step], labels: Attributes, *, duration: str, counted: Attributes | None = None
) -> Iterator[Counter[str]]:
    """Records a call as a client span and a duration with `labels`. The span has the numbers that the block adds.
    Counts a sub-query with the labels `counted`."""
    clock = asyncio.get_running_loop().time
    start, numbers, failure = clock(), Counter({names.RETRIES: 0, names.THROTTLES: 0}), None
    with span as call, _alone(call):
        token = _tries.set(numbers)
        try:
            yield numbers
        except BaseException as error:
            failure = type(error).__name__
            call.fail(error)
            raise
        finally:
            _tries.reset(token)
            call.set(numbers)
            record(duration, clock() - start, labels if failure is None else {**labels, names.ERROR_TYPE: failure})
            if counted is not None:
                count(names.SUBQUERIES, counted if failure is None else {**counted, names.ERROR: failure})


def _alone(call: Step) -> AbstractContextManager[None]:
    """Prevents an instrumented HTTP client from making a second span for the call. That span would contain the address
    and the query."""
    return _suppress()() if call.span.is_recording() else nullcontext()


@cache
def _suppress() -> Callable[[], AbstractContextManager[None]]:
    """Without the package, no HTTP client is instrumented."""
    try:
        from opentelemetry.instrumentation.utils import suppress_http_instrumentation
    except ModuleNotFoundError:
        return nullcontext
    return suppress_http_instrumentation


@dataclass(frozen=True, slots=True)
class _Ended:
    """The end of a search: the time, the error if it failed, its seconds, and whether it was slow."""

    at: float
    error: BackendError | None
    seconds: float
    slow: bool


class Outcomes:
    """The outcomes of the searches of a process. `ticks` is a clock in seconds."""

    def __init__(self, *, ticks: Ticks) -> None:
        self._ticks = ticks
        self._ended: dict[Place, deque[_Ended]] = {}
        self._told = log_contents.OnceAMinute(ticks=ticks)

    def ended(
        self,
        target: SearchTarget,
        error: BackendError | None,
        *,
        found: int,
        seconds: float = 0.0,
        time: float = math.inf,
    ) -> None:
        """Record the end of a search of this target: its error, or the number of documents that it found. It took so
        many `seconds` of the `time` that it had."""
        place = Place(target.index, target.source_name)
        labels = {names.SOURCE: place.source, names.INDEX: place.index}
        slow = error is None and seconds > SLOW_SHARE * time
        of_caller = isinstance(error, BackendRefused) and target.filter != target.base_filter
        if error is None or not (of_caller or target.server is not None):
            self._of(place).append(_Ended(self._ticks(), error, seconds, slow))
        if error is not None:
            count(names.SEARCHES, {**labels, names.CAUSE: log_contents.cause(error)})
            level = logging.WARNING if self._told.is_news((place, log_contents.cause(error))) else logging.INFO
            logger.log(level, "a search failed: %s%s", log_contents.describe(error, content=False, place=place), ids())
            return
        count(names.SEARCHES, labels)
        if (call := current()) is not None:
            call.found[place.index] += found
        if slow:
            count(names.SLOW, labels)
            self._tell_slow(place)

    def failing(self) -> tuple[str, ...]:
        """The names of the sources in which at least half of the searches of the last minute failed, and three at
        least."""
        failed = {place.source: [end.error is not None for end in self._recent(place)] for place in self._ended}
        return tuple(
            sorted(name for name, ends in failed.items() if sum(ends) >= max(LEAST_FAILURES, FAILING_SHARE * len(ends)))
        )

    async def check(self) -> None:
        """Raises BackendFailing if every search of the last minute in one place failed for the same cause. At least
        three failures are needed."""
        for place in self._ended:
            errors = [end.error for end in self._recent(place)]
            last = errors[-1] if errors else None
            if len(errors) >= LEAST_FAILURES and last is not None and len(set(map(_cause, errors))) == 1:
                raise BackendFailing(last, place)

    def _of(self, place: Place) -> deque[_Ended]:
        if place not in self._ended and len(self._ended) >= MOST_PLACES:
            self._ended.pop(next(iter(self._ended)))
        return self._ended.setdefault(place, deque(maxlen=MOST_KEPT))

    def _recent(self, place: Place) -> Sequence[_Ended]:
        since = self._ticks() - WATCHED_SECONDS
        return [end for end in self._ended[place] if end.at >= since]

    def _tell_slow(self, place: Place) -> None:
        """Logs a source of which at least half of the answered searches of the last minute were slow, and three at
        least: once a minute while it lasts."""
        answered = [end for end in self._recent(place) if end.error is None]
        times = [end.seconds for end in answered if end.slow]
        if _many(len(times), of=len(answered)) and self._told.is_news((place, names.SLOW)):
            line = "searches are slow: source %r, index %r: %d of %d took more than half of their time, up to %.1f s%s"
            logger.warning(line, place.source, place.index, len(times), len(answered), max(times), ids())


def _cause(error: BackendError | None) -> str | None:
    """The cause by which failures are called the same. A target that is suspended has not answered before."""
    if error is None:
        return None
    return "silent" if isinstance(error, BackendTimeout | BackendSuspended) else log_contents.cause(error)


def _many(searches: int, *, of: int) -> bool:
    """Whether at least half of the searches failed or were slow, and three at least."""
    return searches >= max(LEAST_FAILURES, FAILING_SHARE * of)
