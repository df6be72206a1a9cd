"""Sources that agents imply: one for each index that an agent names itself, with the index's name.

Such a source is shared by the agents of an index. It is there as soon as an agent names the index, it is stored with
the agent, stays when the agent goes, and like every source it cannot be deleted while an agent uses it. What an earlier
release stored are agents alone: their sources are there too, and stored when something changes them or their agents.
"""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from hashlib import sha256

from retrieval.errors import InUse, PreconditionFailed, UnreadableDefinitions
from retrieval.model.definitions import Agent, Source, SourceKind, Target
from retrieval.model.etags import ABSENT, Kept, Precondition, Stored, Written
from retrieval.ports import DefinitionStore
from retrieval.text.names import is_name


def implied(target: Target, bases: Collection[str]) -> Source:
    """The source of a target where none is stored. `bases` are the names of the targets that are no Azure indexes."""
    kind: SourceKind = "modelStudioBase" if target.index in bases else "searchIndex"
    return Source(name=target.source_name, index=target.index, kind=kind)


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
        found: dict[str, Kept[Source]] = {one.name: one for one in self._all_implied(await self._agents())}
        found |= {one.name: one for one in await self.sources.list()}
        return tuple(one for _, one in sorted(found.items()))

    async def put(self, value: Source, *, when: Precondition, seed: str | None = None) -> Written[Source]:
        """Store it. Raises PreconditionFailed, NothingIsKept, BackendError."""
        found = await self._unstored(value.name)
        if found is None:
            return await self.sources.put(value, when=when, seed=seed)
        if not when.holds(found.etag):
            raise PreconditionFailed(value.name)
        written = await self.sources.put(value, when=ABSENT, seed=seed)
        return Written(stored=written.stored, created=False)

    async def delete(self, name: str, *, when: Precondition) -> bool:
        """Whether there was one. Raises InUse, PreconditionFailed, NothingIsKept, BackendError."""
        users = [agent.name for agent in await self._agents() if name in _named(agent)]
        if users:
            found = await self.get(name)
            if not when.holds(None if found is None else found.etag):
                raise PreconditionFailed(name)
            raise InUse(name, users)
        return await self.sources.delete(name, when=when)

    async def _unstored(self, name: str) -> Stored[Source] | None:
        """What is implied and not stored; what cannot be read is stored."""
        try:
            stored = await self.sources.get(name)
        except UnreadableDefinitions:
            return None
        return await self._implied(name) if stored is None else None

    async def _implied(self, name: str) -> Stored[Source] | None:
        found = self._all_implied(await self._agents())
        return next((one for one in found if one.name == name), None)

    def _all_implied(self, agents: Iterable[Agent]) -> Iterable[Stored[Source]]:
        """Their etags are those of what they are."""
        for agent in agents:
            for target in agent.targets:
                if target.source is None:
                    etag = f"0x{sha256(target.index.encode()).hexdigest()[:16].upper()}"
                    yield Stored(value=implied(target, self.bases), etag=etag)

    async def _agents(self) -> Iterable[Agent]:
        return [one.value for one in await self.agents.list() if isinstance(one, Stored)]


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
        """Store it, then its sources. Raises PreconditionFailed, NothingIsKept, BackendError."""
        await self._keep_sources_of(value.name)
        written = await self.agents.put(value, when=when, seed=seed)
        await self._keep_sources(value)
        return written

    async def delete(self, name: str, *, when: Precondition) -> bool:
        """Whether there was one. Raises PreconditionFailed, NothingIsKept, BackendError."""
        await self._keep_sources_of(name)
        return await self.agents.delete(name, when=when)

    async def _keep_sources_of(self, name: str) -> None:
        """Those of what is stored now stay when it goes."""
        try:
            stored = await self.agents.get(name)
        except UnreadableDefinitions:
            return
        if stored is not None:
            await self._keep_sources(stored.value)

    async def _keep_sources(self, agent: Agent) -> None:
        """Also what another agent implies and this one refers to.

        An index whose name no definition can have is a source only while an agent names it.
        """
        for target in agent.targets:
            if target.source not in {None, target.index} or not is_name(target.index):
                continue
            try:
                await self.sources.put(implied(target, self.bases), when=ABSENT)
            except PreconditionFailed:
                continue


def _named(agent: Agent) -> Collection[str]:
    return {target.source_name for target in agent.targets}
