"""Agents in front of a store: the configured ones put in where they are missing, and lookups that ask it seldom.

A lookup is answered from memory for `seconds`. In the second half of that time it starts a reading beside itself, so
that an agent in use is never waited for; after it, the reading is waited for, so that what another instance changed is
seen by then at the latest. A reading of a known agent asks for its etag only. What this instance changes it sees at
once.

A store that is away or silent takes no known agent away: after PATIENCE_SECONDS a lookup is answered with what is
remembered, and the store is asked again `seconds` later. Where nothing is remembered a lookup fails within
READ_SECONDS, well before the shortest time that an agent may give its requests (ten seconds).
"""

import asyncio
import logging
from collections.abc import Awaitable, Iterable
from dataclasses import dataclass, replace
from typing import Any, Final, TypeVar

from retrieval.backends.definitions.document import SERVICE
from retrieval.errors import BackendError, BackendTimeout, PreconditionFailed, UnreadableAgents
from retrieval.model.definitions import Agent
from retrieval.model.etags import ABSENT, Kept, Precondition, StoredAgent, Written
from retrieval.ports import AgentStore, Ticks
from retrieval.text.names import is_name

SECONDS: Final = 5.0
READ_SECONDS: Final = 5.0
PATIENCE_SECONDS: Final = 1.0

Result = TypeVar("Result")

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """An agent as the store last told it. `asked_at` is when the store was last asked, be it in vain."""

    stored: StoredAgent
    asked_at: float


class AgentCache:
    """An AgentStore and an AgentLookup. `seeds` are put in, where nothing has their names, before they are missed."""

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
        """The agent of that name as it was `seconds` ago or later, or None; an earlier one while the store is away.

        Raises BackendError.
        """
        entry = self._entries.get(name)
        if entry is None:
            return _agent(await asyncio.shield(self._reading(name, None)))
        age = self._ticks() - entry.asked_at
        if age < self._seconds / 2:
            return entry.stored.agent
        reading = self._reading(name, entry)
        return entry.stored.agent if age < self._seconds else await self._awaited(reading, name, entry)

    async def get(self, name: str, *, known: StoredAgent | None = None) -> StoredAgent | None:
        """As it is stored now."""
        return await _in_time(self._look(name, known))

    async def list(self) -> tuple[Kept, ...]:
        """As they are stored now."""
        return await _in_time(self._all())

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
            return await self._store.delete(name, when=when) if is_name(name) else _nothing(name, when)
        finally:
            self._forget(name)

    async def _look(self, name: str, known: StoredAgent | None) -> StoredAgent | None:
        """What is stored is found whether or not the seeds can be put in."""
        if not is_name(name):
            return None
        found = await self._store.get(name, known=known)
        if found is None and any(agent.name == name for agent in self._seeds):
            await self._seed()
            found = await self._store.get(name)
        return found

    async def _all(self) -> tuple[Kept, ...]:
        await self._seed()
        return await self._store.list()

    async def _awaited(self, reading: asyncio.Task[StoredAgent | None], name: str, entry: Entry) -> Agent | None:
        """What is stored; what is remembered where the store does not say so soon."""
        try:
            async with asyncio.timeout(PATIENCE_SECONDS):
                return _agent(await asyncio.shield(reading))
        except UnreadableAgents:
            raise
        except (BackendError, TimeoutError) as error:
            logger.warning("an agent is served as it is remembered: %s", type(error).__name__)
            self._postpone(name)
            return entry.stored.agent

    def _reading(self, name: str, entry: Entry | None) -> asyncio.Task[StoredAgent | None]:
        """Whoever asks while an agent is being read shares that one reading, and its failure."""
        if name not in self._readings:
            reading = asyncio.create_task(self._read(name, None if entry is None else entry.stored))
            reading.add_done_callback(_seen)
            self._readings[name] = reading
        return self._readings[name]

    async def _read(self, name: str, known: StoredAgent | None) -> StoredAgent | None:
        """A write in the meantime has made the reading worthless to those who come after it."""
        me, asked_at = asyncio.current_task(), self._ticks()
        try:
            found = await self.get(name, known=known)
            if self._readings.get(name) is me:
                self._keep(name, found, asked_at)
            return found
        except UnreadableAgents:
            self._entries.pop(name, None)
            raise
        except BackendError:
            self._postpone(name)
            raise
        finally:
            if self._readings.get(name) is me:
                del self._readings[name]

    def _keep(self, name: str, found: StoredAgent | None, asked_at: float) -> None:
        """Names that nothing has are not kept: anybody can make them up."""
        if found is None:
            self._entries.pop(name, None)
        else:
            self._entries[name] = Entry(stored=found, asked_at=asked_at)

    def _postpone(self, name: str) -> None:
        """The store has just been asked in vain: what is remembered of the agent serves for another while."""
        if (entry := self._entries.get(name)) is not None:
            self._entries[name] = replace(entry, asked_at=self._ticks())

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
        there = {kept.name for kept in await self._store.list()}
        for agent in self._seeds:
            if agent.name not in there:
                await _put_where_missing(self._store, agent)
        self._seeds = ()


async def _put_where_missing(store: AgentStore, agent: Agent) -> None:
    try:
        await store.put(agent, when=ABSENT)
    except PreconditionFailed:
        return


async def _in_time(asked: Awaitable[Result]) -> Result:
    """Raises BackendTimeout."""
    try:
        async with asyncio.timeout(READ_SECONDS):
            return await asked
    except TimeoutError:
        raise BackendTimeout(SERVICE, seconds=READ_SECONDS) from None


def _agent(found: StoredAgent | None) -> Agent | None:
    return None if found is None else found.agent


def _nothing(name: str, when: Precondition) -> bool:
    if not when.holds(None):
        raise PreconditionFailed(name)
    return False


def _seen(task: asyncio.Task[Any]) -> None:
    """A failure that nobody waited for is no news: whoever asks next will ask the store."""
    if not task.cancelled():
        task.exception()
