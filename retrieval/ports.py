"""The ports of the pipeline, one verb each. Backends satisfy them structurally."""

from collections.abc import Callable
from datetime import datetime
from typing import Protocol, TypeAlias

from retrieval.filters.schema import Schema
from retrieval.model.activity import Begun, Ended
from retrieval.model.definitions import Agent
from retrieval.model.etags import Kept, Precondition, StoredAgent, Written
from retrieval.model.prompt import Prompt, Reply
from retrieval.model.search import Page, Subquery

Clock: TypeAlias = Callable[[], datetime]

Ticks: TypeAlias = Callable[[], float]
"""Seconds on a clock that never goes back, from any start."""


class SearchIndex(Protocol):
    """Ranks documents of a target for a sub-query, at most 50, with reranker scores."""

    async def search(self, subquery: Subquery) -> Page:
        """Raises BackendError, and UnsupportedFilter for a filter that the target cannot express."""


class ChatModel(Protocol):
    """Answers a prompt with JSON of the prompt's schema, or with something else: the reader of the reply decides."""

    async def complete(self, prompt: Prompt) -> Reply:
        """Raises BackendError."""


class Observer(Protocol):
    """Gets the events of a call as they happen, in the task that does the work. It must not raise or take time."""

    def begun(self, activity: Begun) -> None:
        """An activity begins."""

    def ended(self, activity: Ended) -> None:
        """An activity ended: once for each that began, also if it failed or was cancelled."""


class IndexNames(Protocol):
    """Knows which indexes there are."""

    async def exists(self, index: str) -> bool | None:
        """Whether the index exists; None where this service may not check. Raises BackendError."""


class IndexSchemas(Protocol):
    """Knows the fields of an index."""

    async def schema(self, index: str) -> Schema | None:
        """None where this service may not read it, or a target has no schema. Raises BackendError."""


class AgentLookup(Protocol):
    """Finds the agent of a retrieval; the definition may be a few seconds old."""

    async def find(self, name: str) -> Agent | None:
        """The agent of that name, or None. Raises BackendError."""


class AgentStore(Protocol):
    """Keeps the agents. A write is atomic, and of two writes that require the same etag only one succeeds.

    Every verb raises BackendError.
    """

    async def get(self, name: str, *, known: StoredAgent | None = None) -> StoredAgent | None:
        """The stored agent of that name, or None; `known` itself if it is still current.

        Raises UnreadableAgents for a definition that cannot be read.
        """

    async def list(self) -> tuple[Kept, ...]:
        """All definitions by name, including those that cannot be read."""

    async def put(self, agent: Agent, *, when: Precondition) -> Written:
        """Store an agent under its name. Raises PreconditionFailed, NothingIsKept."""

    async def delete(self, name: str, *, when: Precondition) -> bool:
        """Whether there was an agent to delete. Raises PreconditionFailed, NothingIsKept."""
