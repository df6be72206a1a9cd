"""Isolates targets from each other. A hanging search or model does not take connections or time from other targets.

Each target has its own limit of connections. R is the most requests in flight (MAX_CONCURRENT_REQUESTS). A request
usually runs at most five sub-queries in an index and two model calls at once. So an index gets 5 R connections and a
model gets 2 R. If all requests are within these numbers, none waits for a connection. A request with ten intents or
several MCP servers may need more.

At most five searches start in each turn of the event loop, in the order in which they arrive.

Sending a search takes CPU time. Without this limit, 64 requests that get their plans at the same moment would send all
320 searches before the event loop reads the first answer. With the limit, the event loop reads answers between the
searches. In paired benchmark rounds the median call was answered 14 to 27 % sooner (tests/benchmarks/wall.py).
"""

import asyncio
from dataclasses import dataclass
from typing import Final

from retrieval.model.definitions import MOST_SUBQUERIES
from retrieval.model.prompt import Prompt, Reply
from retrieval.model.search import Page, Subquery
from retrieval.outgoing.breaker import Breaker, in_time, is_away
from retrieval.ports import ChatModel, Hear, SearchIndex

MODEL_CALLS_AT_ONCE: Final = 2


class Turns:
    """Lets at most `at_once` calls start in each turn of the event loop."""

    def __init__(self, at_once: int) -> None:
        self._places = asyncio.Semaphore(at_once)

    async def take(self) -> None:
        """Wait for a turn of the event loop that has a free place. If the current turn has a free place, return at
        once."""
        await self._places.acquire()
        asyncio.get_running_loop().call_soon(self._places.release)


@dataclass(frozen=True, slots=True, kw_only=True)
class Guard:
    """The connection limit and the circuit breaker of one target. The wait for a connection counts towards the deadline
    of the call."""

    breaker: Breaker
    connections: asyncio.Semaphore


class GuardedIndex:
    """A SearchIndex with a guard for each target, by index name."""

    def __init__(self, index: SearchIndex, *, requests: int) -> None:
        self._index = index
        self._most = requests * MOST_SUBQUERIES
        self._guards: dict[str, Guard] = {}
        self._turns = Turns(MOST_SUBQUERIES)

    async def search(self, subquery: Subquery) -> Page:
        """Raises BackendSuspended while the target is suspended, BackendError, and UnsupportedFilter."""
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
    """A ChatModel with a guard. A `slow` model may take any time."""

    def __init__(self, model: ChatModel, *, requests: int, slow: bool = False) -> None:
        self._model = model
        self._guard = Guard(
            breaker=Breaker("The chat model", ending_of=is_away if slow else in_time),
            connections=asyncio.Semaphore(requests * MODEL_CALLS_AT_ONCE),
        )

    async def complete(self, prompt: Prompt, *, hear: Hear | None = None) -> Reply:
        """Raises BackendSuspended while the model is suspended, and BackendError."""
        async with self._guard.connections:
            with self._guard.breaker.call():
                return await self._model.complete(prompt, hear=hear)
