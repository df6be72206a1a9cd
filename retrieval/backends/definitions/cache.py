"""Lookups of agents, each with its sources, that ask a store seldom.

An agent and its sources are read, kept and forgotten together, as they were stored at one moment: a remembered agent
never gets a source that somebody made later for another agent, nor loses a source that was deleted together with the
agent.

A lookup is answered from memory for SECONDS. In the second half of that time a lookup also starts a reading, for
which it does not wait, so no lookup waits for an agent in use. After that time a lookup waits for the reading, so a
change by another instance is seen by then at the latest. A reading of a known agent asks for etags only. An instance
sees its own changes at once.

A known agent stays available while the store is away or silent: after PATIENCE_SECONDS a lookup is answered from
memory, and the store is asked again SECONDS later. Where nothing is remembered a lookup fails within READ_SECONDS,
well before the shortest time that an agent may give its requests (ten seconds).
"""

import asyncio
import logging
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from retrieval import threads
from retrieval.backends.definitions.binding import bind_sources, missing_sources
from retrieval.backends.definitions.document import SERVICE
from retrieval.backends.definitions.seeded import PATIENCE_SECONDS, SeededStore, in_time
from retrieval.errors import BackendError, BackendUnavailable, MissingSources, UnreadableDefinitions
from retrieval.model.definitions import Agent, Source
from retrieval.model.etags import Stored
from retrieval.ports import Ticks

SECONDS: Final = 5.0
MOST_TRIES: Final = 10

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot:
    """An agent and the sources that it names, by name, as they were stored at one moment; None stands for a source that
    is not there.

    In `bound_agent` each target has its source; it is None where the agent lacks a source that it needs.
    """

    agent: Stored[Agent]
    sources: Mapping[str, Stored[Source] | None]
    bound_agent: Agent | None = field(compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """The last answer of the stores. `asked_at` is the time of the last question, even if it had no answer."""

    snapshot: Snapshot
    asked_at: float


class AgentCache:
    """A DefinitionLookup of agents. `bases` are the names of the targets that are no indexes of Azure's."""

    def __init__(
        self,
        agents: SeededStore[Agent],
        sources: SeededStore[Source],
        *,
        bases: Collection[str] = (),
        ticks: Ticks,
    ) -> None:
        agents.on_write, sources.on_write = self._forget, self._forget_users
        self._agents = agents
        self._sources = sources
        self._bases = bases
        self._ticks = ticks
        self._entries: dict[str, Entry] = {}
        self._readings: dict[str, asyncio.Task[Snapshot | None]] = {}

    async def find(self, name: str) -> Agent | None:
        """The agent of that name as it was SECONDS ago or later, or None. While the store is away, the agent may be
        older.

        Each of its targets has its source. Raises BackendError, MissingSources.
        """
        snapshot = await self._snapshot(name)
        if snapshot is not None and snapshot.bound_agent is None:
            raise MissingSources(SERVICE, missing_sources(snapshot.agent.value, _values(snapshot.sources)))
        return None if snapshot is None else snapshot.bound_agent

    async def _snapshot(self, name: str) -> Snapshot | None:
        entry = self._entries.get(name)
        if entry is None:
            return await asyncio.shield(self._reading(name, None))
        age = self._ticks() - entry.asked_at
        if age < SECONDS / 2:
            return entry.snapshot
        reading = self._reading(name, entry.snapshot)
        return entry.snapshot if age < SECONDS else await self._await(reading, name, entry.snapshot)

    async def _await(self, reading: asyncio.Task[Snapshot | None], name: str, last: Snapshot) -> Snapshot | None:
        """The snapshot of the reading; the last snapshot where the store does not answer so soon."""
        try:
            async with asyncio.timeout(PATIENCE_SECONDS):
                return await asyncio.shield(reading)
        except UnreadableDefinitions:
            raise
        except (BackendError, TimeoutError) as error:
            logger.warning("an agent is served as it is remembered: %s", type(error).__name__)
            self._postpone(name)
            return last

    def _reading(self, name: str, last: Snapshot | None) -> asyncio.Task[Snapshot | None]:
        """The reading of an agent that is under way, or a new reading. All lookups meanwhile share the reading and its
        failure."""
        if name not in self._readings:
            reading = asyncio.create_task(self._read(name, last))
            reading.add_done_callback(threads.mark_seen)
            self._readings[name] = reading
        return self._readings[name]

    async def _read(self, name: str, last: Snapshot | None) -> Snapshot | None:
        """Reads an agent. If it was written meanwhile, the reading is not kept for later lookups."""
        me, asked_at = asyncio.current_task(), self._ticks()
        try:
            snapshot = await in_time(self._look(name, last))
            if self._readings.get(name) is me:
                self._keep(name, snapshot, asked_at)
            return snapshot
        except UnreadableDefinitions:
            self._entries.pop(name, None)
            raise
        except BackendError:
            if self._readings.get(name) is me:
                self._postpone(name)
            raise
        finally:
            if self._readings.get(name) is me:
                del self._readings[name]

    async def _look(self, name: str, last: Snapshot | None) -> Snapshot | None:
        """Reads an agent and its sources, and the agent again after them, unless nothing has changed."""
        for _ in range(MOST_TRIES):
            agent = await self._agents.get(name, copy=None if last is None else last.agent)
            if agent is None:
                return None
            last_sources = {} if last is None else last.sources
            sources = {
                of: await self._sources.get(of, copy=last_sources.get(of))
                for of in dict.fromkeys(target.source_name for target in agent.value.targets)
            }
            value = bind_sources(agent.value, _values(sources), self._bases)
            snapshot = Snapshot(agent=agent, sources=sources, bound_agent=value)
            if snapshot == last or await self._agents.get(name, copy=agent) == agent:
                return snapshot
        raise BackendUnavailable(SERVICE, f"changed {MOST_TRIES} times while a definition was read.")

    def _keep(self, name: str, snapshot: Snapshot | None, asked_at: float) -> None:
        """Keeps a snapshot, unless no agent has the name, since anybody can make such names up."""
        if snapshot is None:
            self._entries.pop(name, None)
        else:
            self._entries[name] = Entry(snapshot=snapshot, asked_at=asked_at)

    def _postpone(self, name: str) -> None:
        """Lets the last snapshot of an agent serve for another while, since the store did not answer."""
        if (entry := self._entries.get(name)) is not None:
            self._entries[name] = replace(entry, asked_at=self._ticks())

    def _forget(self, name: str) -> None:
        self._entries.pop(name, None)
        self._readings.pop(name, None)

    def _forget_users(self, source: str) -> None:
        """Forgets the agents of a source, and every reading that is under way: its sources are not known yet."""
        for name in [name for name, entry in self._entries.items() if source in entry.snapshot.sources]:
            self._forget(name)
        self._readings.clear()


def _values(sources: Mapping[str, Stored[Source] | None]) -> Mapping[str, Source]:
    return {name: stored.value for name, stored in sources.items() if stored is not None}
