"""Agents and their sources, kept so that an agent never loses a source that it needs.

An agent that names an index implies a source of the index's name, shared by the agents of the index. It is there as
soon as an agent names the index, it is stored with the agent, stays when the agent goes, and like every source it
cannot be deleted while an agent uses it. What an earlier release stored are agents alone: their sources are there too,
and stored when something changes them or their agents.

Nothing locks both stores, so that an agent may be written while its source is deleted, perhaps by another instance.
Whoever writes looks at the other store again afterwards, and takes back what it did where the other was first: of the
two at least one sees the other.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from typing import Final

from retrieval.backends.definitions.binding import implied, missing, noted
from retrieval.backends.definitions.document import SERVICE
from retrieval.errors import BackendUnavailable, InUse, NoSuchSource, PreconditionFailed, UnreadableDefinitions
from retrieval.model.definitions import Agent, Source, Target
from retrieval.model.etags import ABSENT, Defined, Kept, Precondition, Stored, Written, readable_values
from retrieval.ports import DefinitionStore
from retrieval.text.names import is_name

MOST_TRIES: Final = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceStore:
    """A store of sources in which those are too that agents imply."""

    sources: DefinitionStore[Source]
    agents: DefinitionStore[Agent]
    bases: Collection[str]

    async def get(self, name: str, *, known: Stored[Source] | None = None) -> Stored[Source] | None:
        """The source of that name, or None. Raises BackendError."""
        found = await self.sources.get(name, known=known)
        return await self._implied(name) if found is None else found

    async def list(self) -> tuple[Kept[Source], ...]:
        """All of them, by name. Raises BackendError."""
        agents = [agent.value for agent in await self._agents()]
        found: dict[str, Kept[Source]] = {one.name: one for one in self._all_implied(agents)}
        found |= {one.name: one for one in await self.sources.list()}
        return tuple(one for _, one in sorted(found.items()))

    async def put(self, value: Source, *, when: Precondition, seed: str | None = None) -> Written[Source]:
        """Store it; of a base filter the agents that imply the source take note.

        Raises PreconditionFailed, NothingIsKept, BackendError.
        """
        found = await self._unstored(value.name)
        if found is None:
            written = await self.sources.put(value, when=when, seed=seed)
        elif when.holds(found.etag):
            stored = (await self.sources.put(value, when=ABSENT, seed=seed)).stored
            written = Written(stored=stored, created=False)
        else:
            raise PreconditionFailed(value.name)
        await self._tell_users(value)
        return written

    async def delete(self, name: str, *, when: Precondition) -> bool:
        """Whether there was one. Raises InUse, PreconditionFailed, NothingIsKept, BackendError.

        It is put back where an agent came to use it meanwhile; not over one that somebody has made since.
        """
        for _ in range(MOST_TRIES):
            await self._check_unused(name, when)
            stored = await readable(self.sources, name)
            if stored is None:
                return await self.sources.delete(name, when=when)
            if not when.holds(stored.etag):
                raise PreconditionFailed(name)
            with suppress(PreconditionFailed):
                await self.sources.delete(name, when=exactly(stored))
                await self._put_back_if_used(stored)
                return True
        raise BackendUnavailable(SERVICE, f"changed {MOST_TRIES} times while a definition was deleted.")

    async def _check_unused(self, name: str, when: Precondition) -> None:
        if users := await self._users(name):
            found = await self.get(name)
            if not when.holds(None if found is None else found.etag):
                raise PreconditionFailed(name)
            raise InUse(name, users)

    async def _put_back_if_used(self, stored: Stored[Source]) -> None:
        """Raises InUse where it is there again; what somebody else has made since stays."""
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
        return [agent.name for agent in await self._agents() if name in _named(agent.value)]

    async def _unstored(self, name: str) -> Stored[Source] | None:
        """What is implied and not stored; what cannot be read is stored."""
        try:
            stored = await self.sources.get(name)
        except UnreadableDefinitions:
            return None
        return await self._implied(name) if stored is None else None

    async def _implied(self, name: str) -> Stored[Source] | None:
        found = self._all_implied([agent.value for agent in await self._agents()])
        return next((one for one in found if one.name == name), None)

    def _all_implied(self, agents: Iterable[Agent]) -> Iterable[Stored[Source]]:
        """Their etags are those of what they are."""
        for agent in agents:
            for target in agent.targets:
                if not target.needs_source:
                    etag = f"0x{sha256(target.index.encode()).hexdigest()[:16].upper()}"
                    yield Stored(value=implied(target, self.bases), etag=etag)

    async def _agents(self) -> Iterable[Stored[Agent]]:
        return [one for one in await self.agents.list() if isinstance(one, Stored)]


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentStore:
    """A store of agents that stores the sources which they imply with them."""

    agents: DefinitionStore[Agent]
    sources: DefinitionStore[Source]
    bases: Collection[str]

    async def get(self, name: str, *, known: Stored[Agent] | None = None) -> Stored[Agent] | None:
        """The agent of that name, or None. Raises BackendError."""
        return await self.agents.get(name, known=known)

    async def list(self) -> tuple[Kept[Agent], ...]:
        """All of them, by name. Raises BackendError."""
        return await self.agents.list()

    async def put(self, value: Agent, *, when: Precondition, seed: str | None = None) -> Written[Agent]:
        """Store it and its sources.

        Raises NoSuchSource where one is gone that it needs, PreconditionFailed, NothingIsKept, BackendError.
        """
        before = await self._kept_sources_of(value.name)
        if before is not None and not when.holds(before.etag):
            raise PreconditionFailed(value.name)
        await self._keep_sources(value)
        written = await self.agents.put(noted(value, await self._sources_of(value)), when=when, seed=seed)
        sources = await self._sources_of(value)
        if pairs := missing(written.stored.value, sources):
            await self._take_back(written, before, when)
            raise NoSuchSource(pairs[0][1])
        stored = await note(self.agents, written.stored, sources)
        return Written(stored=stored, created=written.created)

    async def delete(self, name: str, *, when: Precondition) -> bool:
        """Whether there was one. Raises PreconditionFailed, NothingIsKept, BackendError."""
        await self._kept_sources_of(name)
        return await self.agents.delete(name, when=when)

    async def _take_back(self, written: Written[Agent], before: Stored[Agent] | None, when: Precondition) -> None:
        """What is known to have been replaced comes back, unless somebody has written since. What is not known stays
        replaced, and its calls fail."""
        with suppress(PreconditionFailed):
            if written.created:
                await self.agents.delete(written.stored.name, when=exactly(written.stored))
            elif before is not None and when == exactly(before):
                await self.agents.put(before.value, when=exactly(written.stored), seed=before.seed)

    async def _kept_sources_of(self, name: str) -> Stored[Agent] | None:
        """What is stored now, whose sources stay when it goes; None also where it cannot be read."""
        stored = await readable(self.agents, name)
        if stored is not None:
            await self._keep_sources(stored.value)
        return stored

    async def _keep_sources(self, agent: Agent) -> None:
        """Also what another agent implies and this one refers to.

        An index whose name no definition can have is a source only while an agent names it. Where a source is gone
        that some agent needs, the index alone does not take its place.
        """
        for target in agent.targets:
            if target.filtered or target.source not in {None, target.index} or not is_name(target.index):
                continue
            if await readable(self.sources, target.index) is None and await self._is_implied(target):
                with suppress(PreconditionFailed):
                    await self.sources.put(implied(target, self.bases), when=ABSENT)

    async def _is_implied(self, target: Target) -> bool:
        """Whether an agent implies its source, and none needs it."""
        kept = readable_values(await self.agents.list())
        needs = [one.needs_source for agent in kept for one in agent.targets if one.source_name == target.source_name]
        return not any(needs) and (bool(needs) or not target.needs_source)

    async def _sources_of(self, agent: Agent) -> Mapping[str, Source]:
        """Those of its targets that are stored and can be read."""
        names = dict.fromkeys(target.source_name for target in agent.targets)
        stored = [await readable(self.sources, name) for name in names]
        return {one.name: one.value for one in stored if one is not None}


async def note(store: DefinitionStore[Agent], stored: Stored[Agent], sources: Mapping[str, Source]) -> Stored[Agent]:
    """The agent, stored again where it did not know of a base filter yet; whoever changes it takes note too."""
    value = noted(stored.value, sources)
    if value is stored.value:
        return stored
    with suppress(PreconditionFailed):
        return (await store.put(value, when=exactly(stored), seed=stored.seed)).stored
    return stored


async def readable(store: DefinitionStore[Defined], name: str) -> Stored[Defined] | None:
    """What is stored; None also where it cannot be read."""
    try:
        return await store.get(name)
    except UnreadableDefinitions:
        return None


def exactly(stored: Stored[Defined]) -> Precondition:
    """That what is stored is this."""
    return Precondition(match=frozenset({stored.etag}))


def _named(agent: Agent) -> Collection[str]:
    return {target.source_name for target in agent.targets}
