"""Binds each target of an agent to its knowledge source.

A target that names a source has that source or none. Without the source its filter is not known, and the index may have
documents that the agent must not show. A target that names an index has the source of the index's name, and
where no such source is stored, the source that the index implies. It has no source where that source had a base filter
once.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace

from retrieval.backends.definitions.document import AGENTS, SERVICE, SOURCES
from retrieval.errors import MissingSources, UnreadableDefinitions
from retrieval.model.definitions import Agent, Source, SourceKind, Target, is_name
from retrieval.model.etags import Kept, Unreadable, readable_values
from retrieval.ports import DefinitionStore


def implied_source(target: Target, bases: Collection[str]) -> Source:
    """The source that a target implies where no source is stored. `bases` are the names of the targets that are no
    Azure indexes."""
    kind: SourceKind = "modelStudioBase" if target.index in bases else "searchIndex"
    return Source(name=target.source_name, index=target.index, kind=kind)


def missing_sources(agent: Agent, sources: Mapping[str, Source]) -> Sequence[tuple[str, str]]:
    """The name of the agent, and of each source that it needs and that is not stored.

    A name that no definition can have is never the name of a source: it is that of an index.
    """
    return [
        (agent.name, target.source_name)
        for target in agent.targets
        if target.needs_source and is_name(target.source_name) and _stored_source(target, sources) is None
    ]


def bind_sources(agent: Agent, sources: Mapping[str, Source], bases: Collection[str]) -> Agent | None:
    """The agent, in which each target has its source, and the source's index. None where the agent lacks a source that
    it needs."""
    if missing_sources(agent, sources):
        return None
    with_sources = (
        (target, _stored_source(target, sources) or implied_source(target, bases)) for target in agent.targets
    )
    targets = (replace(target, index=source.index, bound=source) for target, source in with_sources)
    return replace(agent, targets=tuple(targets))


def with_filter_notes(agent: Agent, sources: Mapping[str, Source]) -> Agent:
    """The agent with a note for each index that it names: whether its source has a base filter."""

    def is_filtered(target: Target) -> bool:
        source = None if target.source is not None else _stored_source(target, sources)
        return target.filtered or (source is not None and source.base_filter is not None)

    targets = tuple(replace(target, filtered=is_filtered(target)) for target in agent.targets)
    return agent if targets == agent.targets else replace(agent, targets=targets)


def pairs_of(agents: Iterable[Kept[Agent]], sources: Iterable[Kept[Source]]) -> Sequence[tuple[str, str]]:
    """The sources that agents of a store need and lack. A source that cannot be read counts as stored."""
    sources = tuple(sources)
    readable = {source.name: source for source in readable_values(sources)}
    unreadable = {entry.name for entry in sources if isinstance(entry, Unreadable)}
    pairs = (pair for agent in readable_values(agents) for pair in missing_sources(agent, readable))
    return [pair for pair in pairs if pair[1] not in unreadable]


async def check(agents: DefinitionStore[Agent], sources: DefinitionStore[Source]) -> None:
    """Return where every definition can be read and every agent has its sources. Raises BackendError."""
    of_agents, of_sources = await agents.list(), await sources.list()
    for kind, entries in ((AGENTS.name, of_agents), (SOURCES.name, of_sources)):
        if names := [entry.name for entry in entries if isinstance(entry, Unreadable)]:
            raise UnreadableDefinitions(SERVICE, names, kind=kind)
    if pairs := pairs_of(of_agents, of_sources):
        raise MissingSources(SERVICE, pairs)


def _stored_source(target: Target, sources: Mapping[str, Source]) -> Source | None:
    """The source of the target's name. A target that names its index does not get a source of another index."""
    source = sources.get(target.source_name)
    is_another = source is not None and target.source is None and source.index != target.index
    return None if is_another else source
