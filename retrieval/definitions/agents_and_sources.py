"""Stores agents and their sources so that an agent keeps the sources that it needs.

An agent that names an index implies a source with the index's name. All agents that name the index share this source.
The implied source exists as soon as an agent names the index. It is stored together with the agent, and stays when the
agent is deleted. Like every source, it cannot be deleted while an agent uses it. An earlier release stored agents
without their implied sources. Reads return these sources too. They are stored when the source or its agent changes.

There is no common lock for both stores. So an agent may be written while its source is deleted, perhaps by another
instance. For this reason, each writer reads the other store again after its own write. If the writer finds a conflict,
it undoes its own write. At least one of two concurrent writers sees the write of the other.
"""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from typing import Final

from retrieval import threads
from retrieval.definitions.bound_sources import (
    bind_sources,
    implied_source,
    missing_sources,
    pairs_of,
    with_filter_notes,
)
from retrieval.definitions.stored_json import AGENTS, SERVICE, SOURCES, digest, unreadable
from retrieval.errors import (
    BackendUnavailable,
    InUse,
    MissingSources,
    NoSuchSource,
    PreconditionFailed,
    UnreadableDefinitions,
)
from retrieval.model.definitions import (
    Agent,
    Defined,
    Kept,
    Source,
    Stored,
    Target,
    Unreadable,
    WriteResult,
    is_name,
    readable_values,
)
from retrieval.model.precondition import ABSENT, Precondition, exactly
from retrieval.ports import DefinitionStore

MOST_TRIES: Final = 10
BINDING: Final = 400
"""Binding a target takes as long as reading this many characters of a document."""


async def check(agents: DefinitionStore[Agent], sources: DefinitionStore[Source]) -> None:
    """Check that every definition can be read, and that every agent has its sources. Raises BackendError."""
    of_agents, of_sources = await agents.list(), await sources.list()
    for kind, entries in ((AGENTS.name, of_agents), (SOURCES.name, of_sources)):
        if broken := [entry for entry in entries if isinstance(entry, Unreadable)]:
            raise unreadable(broken, kind)
    if pairs := pairs_of(of_agents, of_sources):
        raise MissingSources(SERVICE, pairs)


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceStore:
    """A store of sources. It also contains the sources that agents imply (`bound_sources.implied_source`)."""

    sources: DefinitionStore[Source]
    agents: DefinitionStore[Agent]
    implied: Mapping[str, Source]

    async def get(self, name: str, *, copy: Stored[Source] | None = None) -> Stored[Source] | None:
        """The source of that name, or None. Raises BackendError."""
        stored = await self.sources.get(name, copy=copy)
        return await self._implied(name) if stored is None else stored

    async def list(self) -> tuple[Kept[Source], ...]:
        """All definitions, by name. Raises BackendError."""
        by_name: dict[str, Kept[Source]] = {source.name: source for source in await self._all_implied()}
        by_name |= {source.name: source for source in await self.sources.list()}
        return tuple(source for _, source in sorted(by_name.items()))

    async def put(self, value: Source, *, when: Precondition, seed: str | None = None) -> WriteResult[Source]:
        """Store a source. If the source has a base filter, this is noted in the agents that imply the source. A source
        that cannot be read counts as stored.

        Raises PreconditionFailed, NothingIsKept, BackendError.
        """
        implied = None
        with suppress(UnreadableDefinitions):
            if await self.sources.get(value.name) is None:
                implied = await self._implied(value.name)
        if implied is None:
            result = await self.sources.put(value, when=when, seed=seed)
        else:
            when.check(value.name, implied.etag)
            result = replace(await self.sources.put(value, when=ABSENT, seed=seed), created=False)
        await self._tell_users(value)
        return result

    async def delete(self, name: str, *, when: Precondition) -> bool:
        """Delete a source, and return whether it existed. Raises InUse, PreconditionFailed, NothingIsKept,
        BackendError.

        If an agent began to use the source during the deletion, the source is put back. It is not put back if somebody
        has stored another source with the same name.
        """
        for _ in range(MOST_TRIES):
            await self._check_unused(name, when)
            stored = await readable(self.sources, name)
            if stored is None:
                return await self.sources.delete(name, when=when)
            when.check(name, stored.etag)
            with suppress(PreconditionFailed):
                await self.sources.delete(name, when=exactly(stored))
                await self._put_back_if_used(stored)
                return True
        raise BackendUnavailable(SERVICE, f"changed {MOST_TRIES} times while a definition was deleted.")

    async def _check_unused(self, name: str, when: Precondition) -> None:
        if users := await self._users(name):
            when.check(name, next((source.etag for source in await self.list() if source.name == name), None))
            raise InUse(name, users)

    async def _put_back_if_used(self, stored: Stored[Source]) -> None:
        """If an agent uses the deleted source and its name is still free, puts the source back and raises InUse."""
        if users := await self._users(stored.name):
            with suppress(PreconditionFailed):
                await self.sources.put(stored.value, when=ABSENT, seed=stored.seed)
                await self._tell_users(stored.value)
                raise InUse(stored.name, users)

    async def _tell_users(self, source: Source) -> None:
        if source.base_filter is not None:
            for agent in await self._agents():
                await note(self.agents, agent, {source.name: source})

    async def _users(self, name: str) -> Sequence[str]:
        agents = await self._agents()
        return [agent.name for agent in agents if any(target.source_name == name for target in agent.value.targets)]

    async def _implied(self, name: str) -> Stored[Source] | None:
        target = (await self._implying_targets()).get(name)
        return None if target is None else self._stored_implied(target)

    async def _all_implied(self) -> Sequence[Stored[Source]]:
        targets = (await self._implying_targets()).values()
        return await threads.work(BINDING * len(targets), lambda: [self._stored_implied(target) for target in targets])

    async def _implying_targets(self) -> Mapping[str, Target]:
        """For each source that agents imply, by name, a target that implies the source."""
        targets = chain.from_iterable(agent.value.targets for agent in await self._agents())
        return {target.source_name: target for target in targets if not target.needs_source}

    def _stored_implied(self, target: Target) -> Stored[Source]:
        """The source that a target implies. Its etag is computed from the name of its index."""
        return Stored(value=implied_source(target, self.implied), etag=digest(target.index.encode()))

    async def _agents(self) -> Iterable[Stored[Agent]]:
        return [entry for entry in await self.agents.list() if isinstance(entry, Stored)]


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentStore:
    """A store of agents. When it stores an agent, it also stores the sources that the agent implies."""

    agents: DefinitionStore[Agent]
    sources: DefinitionStore[Source]
    implied: Mapping[str, Source]

    async def get(self, name: str, *, copy: Stored[Agent] | None = None) -> Stored[Agent] | None:
        """The agent of that name with its sources, or None. Raises BackendError."""
        stored = await self.agents.get(name, copy=copy)
        return None if stored is None else self._bound(stored, await self._sources_of(stored.value))

    async def list(self) -> tuple[Kept[Agent], ...]:
        """All definitions, by name, with their sources. Raises BackendError."""
        entries = await self.agents.list()
        sources = {source.name: source for source in readable_values(await self.sources.list())}
        targets = sum(len(agent.targets) for agent in readable_values(entries))
        return await threads.work(BINDING * targets, partial(self._all_bound, entries, sources))

    async def put(self, value: Agent, *, when: Precondition, seed: str | None = None) -> WriteResult[Agent]:
        """Store an agent and the sources that it implies.

        Raises NoSuchSource if a source that the agent needs is not stored. Also raises PreconditionFailed,
        NothingIsKept, BackendError.
        """
        value = replace(value, targets=tuple(replace(target, bound=None) for target in value.targets))
        earlier = await self._keep_sources_of(value.name)
        if earlier is not None:
            when.check(value.name, earlier.etag)
        await self._keep_sources(value)
        result = await self.agents.put(with_filter_notes(value, await self._sources_of(value)), when=when, seed=seed)
        sources = await self._sources_of(value)
        if pairs := missing_sources(result.stored.value, sources):
            await self._take_back(result, earlier, when)
            raise NoSuchSource(pairs[0][1])
        stored = await note(self.agents, result.stored, sources)
        return WriteResult(stored=self._bound(stored, sources), created=result.created)

    async def delete(self, name: str, *, when: Precondition) -> bool:
        """Delete an agent, and return whether it existed. Raises PreconditionFailed, NothingIsKept, BackendError."""
        await self._keep_sources_of(name)
        return await self.agents.delete(name, when=when)

    def _all_bound(self, entries: Sequence[Kept[Agent]], sources: Mapping[str, Source]) -> tuple[Kept[Agent], ...]:
        return tuple(self._bound(entry, sources) if isinstance(entry, Stored) else entry for entry in entries)

    def _bound(self, stored: Stored[Agent], sources: Mapping[str, Source]) -> Stored[Agent]:
        """The agent with a source in each target; unchanged if it lacks a source."""
        return replace(stored, value=bind_sources(stored.value, sources, self.implied) or stored.value)

    async def _take_back(self, result: WriteResult[Agent], earlier: Stored[Agent] | None, when: Precondition) -> None:
        """Undoes a write of an agent. A new agent is deleted, and a replaced agent is put back. Nothing is changed if
        somebody else has written the agent in the meantime. If it is not known which agent was replaced, the new agent
        stays, and calls to this agent fail."""
        with suppress(PreconditionFailed):
            if result.created:
                await self.agents.delete(result.stored.name, when=exactly(result.stored))
            elif earlier is not None and when == exactly(earlier):
                await self.agents.put(earlier.value, when=exactly(result.stored), seed=earlier.seed)

    async def _keep_sources_of(self, name: str) -> Stored[Agent] | None:
        """Stores the implied sources of the stored agent, so that they stay when the agent is deleted or replaced.
        Returns the stored agent, or None if there is no readable agent."""
        stored = await readable(self.agents, name)
        if stored is not None:
            await self._keep_sources(stored.value)
        return stored

    async def _keep_sources(self, agent: Agent) -> None:
        """Stores the sources that an agent implies. Also stores the sources that it names and other agents imply.

        If an index has a name that is not valid for a definition, its implied source is not stored. That source exists
        only while an agent names the index. If an agent needs a source that was deleted, no implied source replaces it.
        """
        for target in agent.targets:
            if target.filtered or target.source not in {None, target.index} or not is_name(target.index):
                continue
            if await readable(self.sources, target.index) is None and await self._is_implied(target):
                with suppress(PreconditionFailed):
                    await self.sources.put(implied_source(target, self.implied), when=ABSENT)

    async def _is_implied(self, target: Target) -> bool:
        """Whether the target or a stored agent implies the target's source, and no stored agent needs this source to be
        stored."""
        targets = chain.from_iterable(agent.targets for agent in readable_values(await self.agents.list()))
        needs = [other.needs_source for other in targets if other.source_name == target.source_name]
        return not any(needs) and (bool(needs) or not target.needs_source)

    async def _sources_of(self, agent: Agent) -> Mapping[str, Source]:
        """The sources of the agent's targets, if they are stored and can be read."""
        names = dict.fromkeys(target.source_name for target in agent.targets)
        stored = [await readable(self.sources, name) for name in names]
        return {entry.name: entry.value for entry in stored if entry is not None}


async def note(store: DefinitionStore[Agent], stored: Stored[Agent], sources: Mapping[str, Source]) -> Stored[Agent]:
    """The agent with a note for each source that has a base filter. If a note was missing, the agent is stored again.
    If somebody else writes the agent at the same time, that writer adds the note."""
    value = with_filter_notes(stored.value, sources)
    if value is stored.value:
        return stored
    with suppress(PreconditionFailed):
        return (await store.put(value, when=exactly(stored), seed=stored.seed)).stored
    return stored


async def readable(store: DefinitionStore[Defined], name: str) -> Stored[Defined] | None:
    """The stored definition; None if there is none, or if it cannot be read."""
    try:
        return await store.get(name)
    except UnreadableDefinitions:
        return None
