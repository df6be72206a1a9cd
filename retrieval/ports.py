"""What the pipeline needs from outside, one verb each. Backends satisfy these by shape."""

from collections.abc import Callable
from datetime import datetime
from typing import Protocol, TypeAlias

from retrieval.model import Agent, Page, Prompt, Reply, Subquery

Clock: TypeAlias = Callable[[], datetime]


class SearchIndex(Protocol):
    """Ranks documents of a target for a sub-query, at most 50, with reranker scores."""

    async def search(self, subquery: Subquery) -> Page:
        """Raises BackendError, and UnsupportedFilter for a filter that the target cannot say."""


class ChatModel(Protocol):
    """Answers a prompt with JSON of the prompt's schema, or with something else: the reader of the reply decides."""

    async def complete(self, prompt: Prompt) -> Reply:
        """Raises BackendError."""


class AgentStore(Protocol):
    """Knows the agents."""

    async def get(self, name: str) -> Agent | None:
        """The agent of that name, or None."""
