"""A client span, a duration and counts for every search and model call, and the document counts of each incoming
call."""

import asyncio
import logging
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cache
from time import monotonic
from typing import Final
from urllib.parse import urlsplit

from retrieval.model.conversation import Prompt, Reply
from retrieval.model.search import Page, SearchTarget, Subquery
from retrieval.ports import ChatModel, Hear, SearchIndex
from retrieval.telemetry import names
from retrieval.telemetry.logs import OnceAMinute
from retrieval.telemetry.spans import Attributes, Step, count, current, described, ids, record, step

UNRANKED_BY: Final = frozenset({"maxWaitExceeded", "capacityOverloaded", "transient"})
"""Azure AI Search's documented reasons for missing ranking. Any other is recorded as `other`, because its text may
contain anything."""

EVERYTHING: Final = "*"
"""A search for all documents. No service ranks them, so the missing ranking is no fault."""

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
        self._told = OnceAMinute(ticks=monotonic)
        self._service_of = service_of
        self._content = content

    async def search(self, subquery: Subquery) -> Page:
        """The results of a sub-query. Raises BackendError and UnsupportedFilter."""
        index, kind, service = subquery.target.index, subquery.target.kind, self._service_of(subquery.target)
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


def documents(*, subqueries: int, found: int, returned: int, dropped: Iterable[tuple[str, int]]) -> None:
    """Count the documents that a call found, returned and dropped, and set the counts on the current span. `dropped`
    has a count for each reason."""
    count(names.FOUND, {}, number=found)
    count(names.RETURNED, {}, number=returned)
    reasons = dict(dropped)
    for reason, omitted in reasons.items():
        count(names.DROPPED, {names.REASON: reason}, number=omitted)
    described(
        {
            names.SUBQUERIES: subqueries,
            names.FOUND: found,
            names.RETURNED: returned,
            **{f"{names.DROPPED}.{reason.replace(' ', '_')}": omitted for reason, omitted in reasons.items()},
        }
    )


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
