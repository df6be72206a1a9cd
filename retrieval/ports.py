"""The ports of the pipeline. The clients of services have the same methods, and need not inherit from a port."""

from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from datetime import datetime
from typing import Protocol, TypeAlias

from retrieval.filters.schema import Schema
from retrieval.model.activity import Begun, Ended
from retrieval.model.conversation import Prompt, Reply
from retrieval.model.definitions import Defined, Kept, Stored, WriteResult
from retrieval.model.precondition import Precondition
from retrieval.model.progress import Progress
from retrieval.model.search import Facets, Page, SearchTarget, Subquery
from retrieval.model.tools import Passed, Tool

Clock: TypeAlias = Callable[[], datetime]

Ticks: TypeAlias = Callable[[], float]
"""Seconds on a clock that never goes back. The clock may start at any number."""

Hear: TypeAlias = Callable[[str], None]
"""Gets a reply piece by piece. The function must not raise, and must return at once."""


Tell: TypeAlias = Callable[[Progress], None]
"""Tells a caller of the progress of an answer. The function must not raise, and must return at once."""


class SearchIndex(Protocol):
    """Finds documents of a target for a sub-query. The documents have reranker scores if the service ranked them.
    `Indexes` in http/service.py names the classes that implement this port."""

    def search(self, subquery: Subquery) -> Awaitable[Page]:
        """Raises BackendError, and UnsupportedFilter for a filter that the target cannot express."""


class ToolServers(Protocol):
    """Lists the tools of the servers of knowledge sources. A tool is called with `SearchIndex.search`."""

    def service(self, source: str) -> str:
        """How errors call the server of a knowledge source."""

    async def tools(self, target: SearchTarget, passed: Passed) -> tuple[Tool, ...]:
        """The tools that may be called. `passed` has the headers that the caller passes on to the server. Raises
        BackendError."""


class ChatModel(Protocol):
    """Answers a prompt with JSON. The JSON should match the prompt's schema; the reader of the reply checks this.
    `Models` in http/service.py names the classes that implement this port."""

    async def complete(self, prompt: Prompt, *, hear: Hear | None = None) -> Reply:
        """The whole reply. If the model streams, `hear` gets the reply while it is written. Raises BackendError."""


class ModelServer(Protocol):
    """The chat server of a developer's machine. It answers few calls at once, and reads few tokens."""

    def turn(self) -> AbstractAsyncContextManager[None]:
        """Wait until the server has a place for a call, and keep the place within the block."""

    def room(self, tokens: int) -> float:
        """The most tokens of a reply to a prompt of so many tokens, by our count; infinite where the context is not
        known."""


class Observer(Protocol):
    """Gets the events of a call as they happen, in the task that does the work. An observer must not raise, and must
    return at once."""

    def begun(self, activity: Begun) -> None:
        """An activity begins."""

    def ended(self, activity: Ended) -> None:
        """An activity ended. Each activity that began ends once, also if it failed or was cancelled."""


class IndexNames(Protocol):
    """Knows whether indexes exist, and how many documents they have."""

    async def exists(self, index: str) -> bool | None:
        """Whether the index exists; None where this service may not check. Raises BackendError."""

    async def documents(self, index: str) -> int | None:
        """The number of documents in an index; None if the number is not known. Raises BackendMissing, BackendError."""


class IndexSchemas(Protocol):
    """Knows the fields of an index."""

    async def schema(self, index: str) -> Schema | None:
        """The fields; None where this service may not read them, or a target has no schema. Raises BackendError."""


class IndexFacets(Protocol):
    """Knows the values that the documents of an index have."""

    async def facets(self, index: str) -> Facets | None:
        """The facets; None where they cannot be read, or a target has none."""


class DefinitionStore(Protocol[Defined]):
    """Keeps definitions of one kind. `retrieval/definitions/` has the implementations. A write is atomic.

    If two writes require the same etag, only one succeeds. Every method may raise BackendError.
    """

    async def get(self, name: str, *, copy: Stored[Defined] | None = None) -> Stored[Defined] | None:
        """The definition that is stored under the name, or None. If `copy` is still the stored version, it is returned
        itself.

        Raises UnreadableDefinitions where the definition cannot be read.
        """

    async def list(self) -> tuple[Kept[Defined], ...]:
        """All definitions, in the order of their names. Unreadable definitions are included."""

    async def put(self, value: Defined, *, when: Precondition, seed: str | None = None) -> WriteResult[Defined]:
        """Store a definition under its name. Raises NoSuchSource, PreconditionFailed, NothingIsKept."""

    async def delete(self, name: str, *, when: Precondition) -> bool:
        """Delete a definition, and say whether there was one. Raises InUse, PreconditionFailed, NothingIsKept."""
