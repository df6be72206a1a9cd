"""What the pipeline needs from outside, one verb each. Backends satisfy these by shape."""

from collections.abc import Callable
from datetime import datetime
from typing import Protocol, TypeAlias, TypeVar

from retrieval.filters.schema import Schema
from retrieval.model.activity import Begun, Ended
from retrieval.model.definitions import Definition
from retrieval.model.etags import Defined, Kept, Precondition, Stored, Written
from retrieval.model.prompt import Prompt, Reply
from retrieval.model.search import Page, Subquery

Found = TypeVar("Found", bound=Definition, covariant=True)

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


class DefinitionLookup(Protocol[Found]):
    """Finds the definition that a retrieval is for, as it was a few seconds ago at most."""

    async def find(self, name: str) -> Found | None:
        """The definition of that name, or None. Raises BackendError."""


class DefinitionStore(Protocol[Defined]):
    """Keeps definitions of one kind. A write happens whole or not at all; of two that ask for the same etag one does.

    Every verb raises BackendError.
    """

    async def get(self, name: str, *, known: Stored[Defined] | None = None) -> Stored[Defined] | None:
        """What is stored under that name, or None; `known` itself when it is still what is stored.

        Raises UnreadableDefinitions for what cannot be read.
        """

    async def list(self) -> tuple[Kept[Defined], ...]:
        """All of them by name, those that cannot be read too."""

    async def put(self, value: Defined, *, when: Precondition, seed: str | None = None) -> Written[Defined]:
        """Store a definition under its name. Raises PreconditionFailed, NothingIsKept."""

    async def delete(self, name: str, *, when: Precondition) -> bool:
        """Whether there was one to delete. Raises PreconditionFailed, NothingIsKept."""
