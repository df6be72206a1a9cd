"""Isolates targets from each other: a hanging search or model takes neither connections nor time from another.

Connections have no common limit. Each target has its own limit: with R requests in flight
(MAX_CONCURRENT_REQUESTS) of at most five sub-queries and two model calls at once, an index has 5 R and a model 2 R, so
that no admitted request waits for the connection of another.

A few searches begin in each turn of the event loop, in the order in which they came.

Sending a search takes CPU time. Where 64 calls have their plans at the same moment, all 320 searches would be sent
before the loop looks at the first answer, and all 64 calls would be answered at the end. So the loop reads the answers
that have arrived between the searches. In paired rounds the median call was answered 14 to 27 % sooner
(tests/benchmarks/wall.py).
"""

import asyncio
from dataclasses import dataclass
from typing import Final

from retrieval.backends.breaker import Breaker
from retrieval.model.definitions import MOST_SUBQUERIES
from retrieval.model.prompt import Prompt, Reply
from retrieval.model.search import Page, Subquery
from retrieval.ports import ChatModel, Hear, SearchIndex

MODEL_CALLS_AT_ONCE: Final = 2


class Turns:
    """Lets `at_once` calls begin in a turn of the loop."""

    def __init__(self, at_once: int) -> None:
        self._places = asyncio.Semaphore(at_once)

    async def take(self) -> None:
        """Return in the first turn of the loop that has a place left, which may be this turn."""
        await self._places.acquire()
        asyncio.get_running_loop().call_soon(self._places.release)


@dataclass(frozen=True, slots=True, kw_only=True)
class Guard:
    """The limit and breaker of one target. A call waits for a connection within its own deadline."""

    breaker: Breaker
    connections: asyncio.Semaphore


class GuardedIndex:
    """A SearchIndex with a guard for each index and knowledge base, by name."""

    def __init__(self, index: SearchIndex, *, requests: int) -> None:
        self._index = index
        self._most = requests * MOST_SUBQUERIES
        self._guards: dict[str, Guard] = {}
        self._turns = Turns(MOST_SUBQUERIES)

    async def search(self, subquery: Subquery) -> Page:
        """Raises BackendSuspended for a target that keeps silent, BackendError, and UnsupportedFilter."""
        guard = self._guard(subquery.target.index)
        await self._turns.take()
        async with guard.connections:
            with guard.breaker.call():
                return await self._index.search(subquery)

    def _guard(self, name: str) -> Guard:
        if name not in self._guards:
            self._guards[name] = Guard(
                breaker=Breaker(f"The search in {name!r}"), connections=asyncio.Semaphore(self._most)
            )
        return self._guards[name]


class GuardedModel:
    """A ChatModel with a guard."""

    def __init__(self, model: ChatModel, *, requests: int) -> None:
        self._model = model
        self._guard = Guard(
            breaker=Breaker("The chat model"), connections=asyncio.Semaphore(requests * MODEL_CALLS_AT_ONCE)
        )

    async def complete(self, prompt: Prompt, *, hear: Hear | None = None) -> Reply:
        """Raises BackendSuspended while the model keeps silent, and BackendError."""
        async with self._guard.connections:
            with self._guard.breaker.call():
                return await self._model.complete(prompt, hear=hear)
