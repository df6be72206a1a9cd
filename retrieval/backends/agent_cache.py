"""Agents in front of a store: the configured ones put in where they are missing, and lookups that ask it seldom.

A lookup is answered from memory for `seconds`. In the second half of that time it starts a reading beside itself, so
that an agent in use is never waited for; after it, the reading is waited for, so that what another instance changed is
seen by then at the latest. A reading of a known agent asks for its etag only. What this instance changes it sees at
once.
"""

import asyncio
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final

from retrieval.errors import PreconditionFailed
from retrieval.model import Agent
from retrieval.ports import AgentStore, Ticks
from retrieval.stored import ABSENT, Precondition, StoredAgent, Written

SECONDS: Final = 5.0

_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,127}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """An agent as it was at a moment of the clock."""

    stored: StoredAgent
    read_at: float


class AgentCache:
    """An AgentStore and an AgentLookup. `seeds` are put in, where nothing has their names, before the first use."""

    def __init__(
        self, store: AgentStore, *, ticks: Ticks, seeds: Iterable[Agent] = (), seconds: float = SECONDS
    ) -> None:
        self._store = store
        self._ticks = ticks
        self._seeds = tuple(seeds)
        self._seconds = seconds
        self._entries: dict[str, Entry] = {}
        self._readings: dict[str, asyncio.Task[StoredAgent | None]] = {}
        self._seeding: asyncio.Task[None] | None = None

    async def find(self, name: str) -> Agent | None:
        """The agent of that name as it was `seconds` ago or later, or None. Raises BackendError."""
        entry = self._entries.get(name)
        age = self._seconds if entry is None else self._ticks() - entry.read_at
        if entry is not None and age < self._seconds / 2:
            return entry.stored.agent
        reading = self._reading(name, entry)
        if entry is not None and age < self._seconds:
            return entry.stored.agent
        found = await asyncio.shield(reading)
        return None if found is None else found.agent

    async def get(self, name: str, *, known: StoredAgent | None = None) -> StoredAgent | None:
        """As it is stored now."""
        await self._seed()
        return await self._store.get(name, known=known) if _NAME.fullmatch(name) else None

    async def list(self) -> tuple[StoredAgent, ...]:
        """As they are stored now."""
        await self._seed()
        return await self._store.list()

    async def put(self, agent: Agent, *, when: Precondition) -> Written:
        """Store it, and forget what was known of it."""
        await self._seed()
        try:
            return await self._store.put(agent, when=when)
        finally:
            self._forget(agent.name)

    async def delete(self, name: str, *, when: Precondition) -> bool:
        """Delete it, and forget what was known of it."""
        await self._seed()
        try:
            return await self._store.delete(name, when=when) if _NAME.fullmatch(name) else _nothing(name, when)
        finally:
            self._forget(name)

    def _reading(self, name: str, entry: Entry | None) -> asyncio.Task[StoredAgent | None]:
        """Whoever asks while an agent is being read shares that one reading, and its failure."""
        if name not in self._readings:
            reading = asyncio.create_task(self._read(name, None if entry is None else entry.stored))
            reading.add_done_callback(_seen)
            self._readings[name] = reading
        return self._readings[name]

    async def _read(self, name: str, known: StoredAgent | None) -> StoredAgent | None:
        """A write in the meantime has made the reading worthless to those who come after it."""
        me, read_at = asyncio.current_task(), self._ticks()
        try:
            found = await self.get(name, known=known)
            if self._readings.get(name) is me:
                self._keep(name, found, read_at)
            return found
        finally:
            if self._readings.get(name) is me:
                del self._readings[name]

    def _keep(self, name: str, found: StoredAgent | None, read_at: float) -> None:
        """Names that nothing has are not kept: anybody can make them up."""
        if found is None:
            self._entries.pop(name, None)
        else:
            self._entries[name] = Entry(stored=found, read_at=read_at)

    def _forget(self, name: str) -> None:
        self._entries.pop(name, None)
        self._readings.pop(name, None)

    async def _seed(self) -> None:
        """Once, whoever comes first; its failure is shared, and the next call tries again."""
        if not self._seeds:
            return
        if self._seeding is None or self._seeding.done():
            self._seeding = asyncio.create_task(self._put_seeds())
            self._seeding.add_done_callback(_seen)
        await asyncio.shield(self._seeding)

    async def _put_seeds(self) -> None:
        there = {stored.agent.name for stored in await self._store.list()}
        for agent in self._seeds:
            if agent.name not in there:
                await _put_where_missing(self._store, agent)
        self._seeds = ()


async def _put_where_missing(store: AgentStore, agent: Agent) -> None:
    try:
        await store.put(agent, when=ABSENT)
    except PreconditionFailed:
        return


def _nothing(name: str, when: Precondition) -> bool:
    if not when.holds(None):
        raise PreconditionFailed(name)
    return False


def _seen(task: asyncio.Task[Any]) -> None:
    """A failure that nobody waited for is no news: whoever asks next will ask the store."""
    if not task.cancelled():
        task.exception()
