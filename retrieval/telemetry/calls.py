"""A client span, a duration and counts for every call of a service behind this one."""

import asyncio
from collections.abc import Callable
from contextvars import ContextVar
from dataclasses import dataclass
from types import TracebackType
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from retrieval.model.prompt import Prompt, Reply
from retrieval.model.search import Page, Subquery
from retrieval.ports import ChatModel, Hear, SearchIndex
from retrieval.telemetry import names
from retrieval.telemetry.spans import Attributes, Step, Stepping, instruments, step

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from opentelemetry.metrics import Histogram


@dataclass(frozen=True, slots=True, kw_only=True)
class CalledService:
    """A service behind this one. `system` is one of the names in `names`, `endpoint` its address."""

    system: str
    endpoint: str

    @property
    def server(self) -> Attributes:
        """Where it is, as attributes."""
        parts = urlsplit(self.endpoint)
        port = {} if parts.port is None else {names.SERVER_PORT: parts.port}
        return {names.SERVER_ADDRESS: parts.hostname or "", **port}


class TracedIndex:
    """A search index whose every sub-query is a span. `service_of` gives the service of an index's name.

    With `content` the span holds the search text.
    """

    def __init__(self, index: SearchIndex, *, service_of: Callable[[str], CalledService], content: bool) -> None:
        self._index = index
        self._service_of = service_of
        self._content = content
        self._known: dict[str, _Called] = {}

    async def search(self, subquery: Subquery) -> Page:
        """Raises BackendError, and UnsupportedFilter."""
        called = self._called(subquery.target.index)
        attributes = {**called.attributes, names.DB_QUERY_TEXT: subquery.search} if self._content else called.attributes
        span, duration = step(called.name, client=True, attributes=attributes), instruments().search_duration
        with _Calling(span, called.labels, duration=duration, ended=called.ended) as call:
            page = await self._index.search(subquery)
            found: dict[str, str | bool | int] = {names.DB_ROWS: len(page.hits), names.FOUND: page.found}
            call.set({**found, names.UNRANKED: True} if page.unranked is not None else found)
            return page

    def _called(self, index: str) -> "_Called":
        if index not in self._known:
            self._known[index] = _Called.index(index, self._service_of(index))
        return self._known[index]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Called:
    """What every search of an index says of it: its span the `attributes`, durations `labels`, counts `counted`."""

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
    """A chat model whose every call is a span. `deployment` is the name of its deployment."""

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
        with _Calling(span, self._labels, duration=instruments().model_duration) as call:
            reply = await self._model.complete(prompt, hear=hear)
            call.set({names.GEN_AI_INPUT_TOKENS: reply.input_tokens, names.GEN_AI_OUTPUT_TOKENS: reply.output_tokens})
            tokens = instruments().tokens
            tokens.record(reply.input_tokens, {**self._labels, names.GEN_AI_TOKEN_TYPE: "input"})
            tokens.record(reply.output_tokens, {**self._labels, names.GEN_AI_TOKEN_TYPE: "output"})
            return reply


class Tries:
    """The number of retries of the running call, and of its throttled answers."""

    def __init__(self) -> None:
        self.retries = 0
        self.throttles = 0


_tries: Final[ContextVar[Tries | None]] = ContextVar("tries", default=None)


def retried(system: str) -> None:
    """A call of that service failed and is made again."""
    instruments().retries.add(1, {names.SYSTEM: system})
    if (tries := _tries.get()) is not None:
        tries.retries += 1


def throttled(system: str) -> None:
    """That service answered that there are too many calls."""
    instruments().throttles.add(1, {names.SYSTEM: system})
    if (tries := _tries.get()) is not None:
        tries.throttles += 1


def _nothing(error: str | None) -> None:
    """Counts nothing more."""


class _Calling:
    """A client span, with its `Step` in the block; it and the duration have `labels`. `ended` gets the call's error.

    It is a class, as `Stepping` is.
    """

    __slots__ = (
        "_alone",
        "_call",
        "_clock",
        "_duration",
        "_ended",
        "_labels",
        "_start",
        "_stepping",
        "_token",
        "_tries",
    )

    def __init__(
        self,
        stepping: Stepping,
        labels: Attributes,
        *,
        duration: "Histogram",
        ended: Callable[[str | None], None] = _nothing,
    ) -> None:
        self._stepping, self._labels, self._duration, self._ended = stepping, labels, duration, ended

    def __enter__(self) -> Step:
        self._clock, self._tries = asyncio.get_running_loop().time, Tries()
        self._start = self._clock()
        self._call = self._stepping.__enter__()
        self._alone = _alone() if self._call.recorded else None
        if self._alone is not None:
            self._alone.__enter__()
        self._token = _tries.set(self._tries)
        return self._call

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        call, tries = self._call, self._tries
        _tries.reset(self._token)
        if error is not None:
            call.fail(error)
        labels = self._labels if call.error is None else {**self._labels, names.ERROR_TYPE: call.error}
        try:
            call.set({names.RETRIES: tries.retries, names.THROTTLES: tries.throttles})
            self._duration.record(self._clock() - self._start, labels)
            self._ended(call.error)
            if self._alone is not None:
                self._alone.__exit__(kind, error, trace)
        finally:
            self._stepping.__exit__(kind, error, trace)


def _alone() -> "AbstractContextManager[None]":
    """Keeps an instrumented HTTP client from making a second span of the call, with its address and query."""
    from opentelemetry.instrumentation.utils import suppress_http_instrumentation

    return suppress_http_instrumentation()
