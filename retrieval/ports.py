"""What the pipeline needs from outside, one verb each. Backends satisfy these by shape."""

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
        """Raises BackendError, and UnsupportedFilter for a filter that the target cannot say."""


class ChatModel(Protocol):
    """Answers a prompt with JSON of the prompt's schema, or with something else: the reader of the reply decides."""

    async def complete(self, prompt: Prompt) -> Reply:
        """Raises BackendError."""


class Observer(Protocol):
    """Is told what a call does as it happens, in the task that does it. It must not raise, nor take time."""

    def begun(self, activity: Begun) -> None:
        """An activity begins."""

    def ended(self, activity: Ended) -> None:
        """One that was begun ended: once each, also where it failed or was given up."""


class IndexNames(Protocol):
    """Knows which indexes there are."""

    async def exists(self, index: str) -> bool | None:
        """None where this service may not look. Raises BackendError."""


class IndexSchemas(Protocol):
    """Knows the fields of an index."""

    async def schema(self, index: str) -> Schema | None:
        """None where this service may not look, or a target has no such thing. Raises BackendError."""


class AgentLookup(Protocol):
    """Finds the agent that a retrieval is for, as it was a few seconds ago at most."""

    async def find(self, name: str) -> Agent | None:
        """The agent of that name, or None. Raises BackendError."""


class AgentStore(Protocol):
    """Keeps the agents. A write happens whole or not at all, and of two that ask for the same etag one happens.

    Every verb raises BackendError.
    """

    async def get(self, name: str, *, known: StoredAgent | None = None) -> StoredAgent | None:
        """What is stored under that name, or None; `known` itself when it is still what is stored.

        Raises UnreadableAgents for what cannot be read.
        """

    async def list(self) -> tuple[Kept, ...]:
        """All of them by name, those that cannot be read too."""

    async def put(self, agent: Agent, *, when: Precondition) -> Written:
        """Store an agent under its name. Raises PreconditionFailed, NothingIsKept."""

    async def delete(self, name: str, *, when: Precondition) -> bool:
        """Whether there was one to delete. Raises PreconditionFailed, NothingIsKept."""
