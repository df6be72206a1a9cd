"""Caches agents together with their sources, so that lookups rarely read the store.

An agent and its sources are read, kept and forgotten together, in their state at one moment. So if another instance
deletes an agent and its source, the cached agent still has this source, and never a source of the same name that
somebody created later for another agent.

A lookup returns a cached agent for SECONDS after the last read. In the second half of this time, a lookup also starts a
new read in the background. So lookups do not wait if the agent is in regular use. After SECONDS, a lookup waits for the
read. So it sees changes by another instance at most SECONDS late. An instance sees its own changes at once. A read of
an unchanged cached agent requests only etags from a table.

A cached agent stays available while the store fails or does not answer. A lookup waits at most PATIENCE_SECONDS. Then
it returns the cached agent. For the next SECONDS, lookups do not wait. If an agent is not cached, its lookup fails
within READ_SECONDS. This is half of the shortest time limit that an agent may set for its requests (ten seconds).
"""

import asyncio
import logging
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from retrieval import threads
from retrieval.definitions.bound_sources import bind_sources, missing_sources
from retrieval.definitions.seeded_store import PATIENCE_SECONDS, SeededStore, in_time
from retrieval.definitions.stored_json import SERVICE
from retrieval.errors import BackendError, BackendUnavailable, MissingSources, UnreadableDefinitions
from retrieval.model.definitions import Agent, Source, Stored
from retrieval.ports import Ticks

SECONDS: Final = 5.0
MOST_TRIES: Final = 10

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot:
    """An agent and the sources of its targets, by name, in their state at one moment. None stands for a source that is
    not stored.

    In `bound_agent` each target has its source. `bound_agent` is None if the agent lacks a source that it needs.
    `asked_at` is the time at which the last read began, or at which it failed or was too late.
    """

    agent: Stored[Agent]
    sources: Mapping[str, Stored[Source] | None]
    bound_agent: Agent | None = field(compare=False)
    asked_at: float = field(compare=False)


class AgentCache:
    """Finds agents for calls. `implied` has sources that indexes imply (see `implied_source`)."""

    def __init__(
        self, agents: SeededStore[Agent], sources: SeededStore[Source], implied: Mapping[str, Source], *, ticks: Ticks
    ) -> None:
        agents.on_write, sources.on_write = self._forget, self._forget_users
        self._agents = agents
        self._sources = sources
        self._implied = implied
        self._ticks = ticks
        self._snapshots: dict[str, Snapshot] = {}
        self._readings: dict[str, asyncio.Task[Snapshot | None]] = {}

    async def find(self, name: str) -> Agent | None:
        """The agent with this name; None if there is no such agent.

        Each target of the agent has its source. Raises BackendError, MissingSources.
        """
        snapshot = await self._snapshot(name)
        if snapshot is not None and snapshot.bound_agent is None:
            raise MissingSources(SERVICE, missing_sources(snapshot.agent.value, _values(snapshot.sources)))
        return None if snapshot is None else snapshot.bound_agent

    async def _snapshot(self, name: str) -> Snapshot | None:
        """The snapshot of an agent. It is the last snapshot if the store fails, or does not answer within
        PATIENCE_SECONDS. Raises UnreadableDefinitions."""
        last = self._snapshots.get(name)
        if last is None:
            return await asyncio.shield(self._reading(name, None))
        age = self._ticks() - last.asked_at
        if age < SECONDS / 2:
            return last
        reading = self._reading(name, last)
        if age < SECONDS:
            return last
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
        """The running read of an agent, or a new read. All concurrent lookups share this read and its failure."""
        if name not in self._readings:
            reading = asyncio.create_task(self._read(name, last))
            reading.add_done_callback(threads.mark_seen)
            self._readings[name] = reading
        return self._readings[name]

    async def _read(self, name: str, last: Snapshot | None) -> Snapshot | None:
        """Reads an agent. If this instance wrote the agent or any source during the read, the result is not cached. The
        absence of an agent is not cached either, because anybody could fill the memory with invented names."""
        me = asyncio.current_task()
        try:
            snapshot = await in_time(self._look(name, last))
            if self._readings.get(name) is me:
                self._snapshots.pop(name, None)
                if snapshot is not None:
                    self._snapshots[name] = snapshot
            return snapshot
        except UnreadableDefinitions:
            self._snapshots.pop(name, None)
            raise
        except BackendError:
            if self._readings.get(name) is me:
                self._postpone(name)
            raise
        finally:
            if self._readings.get(name) is me:
                del self._readings[name]

    async def _look(self, name: str, last: Snapshot | None) -> Snapshot | None:
        """Reads an agent and then its sources. If something has changed since `last`, the agent is read again, to make
        sure that agent and sources belong together."""
        asked_at = self._ticks()
        for _ in range(MOST_TRIES):
            agent = await self._agents.get(name, copy=None if last is None else last.agent)
            if agent is None:
                return None
            last_sources = {} if last is None else last.sources
            sources = {
                of: await self._sources.get(of, copy=last_sources.get(of))
                for of in dict.fromkeys(target.source_name for target in agent.value.targets)
            }
            value = bind_sources(agent.value, _values(sources), self._implied)
            snapshot = Snapshot(agent=agent, sources=sources, bound_agent=value, asked_at=asked_at)
            if snapshot == last or await self._agents.get(name, copy=agent) == agent:
                return snapshot
        raise BackendUnavailable(SERVICE, f"changed {MOST_TRIES} times while a definition was read.")

    def _postpone(self, name: str) -> None:
        """Makes the last snapshot of an agent count as new, because the store failed or did not answer."""
        if (last := self._snapshots.get(name)) is not None:
            self._snapshots[name] = replace(last, asked_at=self._ticks())

    def _forget(self, name: str) -> None:
        self._snapshots.pop(name, None)
        self._readings.pop(name, None)

    def _forget_users(self, source: str) -> None:
        """Forgets the agents that use a source. Also forgets every running read, because the sources of its agent are
        not known yet."""
        for name in [name for name, snapshot in self._snapshots.items() if source in snapshot.sources]:
            self._forget(name)
        self._readings.clear()


def _values(sources: Mapping[str, Stored[Source] | None]) -> Mapping[str, Source]:
    return {name: stored.value for name, stored in sources.items() if stored is not None}
