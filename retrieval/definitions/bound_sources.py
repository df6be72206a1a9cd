"""Binds each target of an agent to its knowledge source.

A target that names a source gets only this source. If the source is not stored, the target gets none, because the
source may have had a base filter.

A target that names an index gets the stored source that has the index's name and searches this index. If no such source
is stored, the target gets a source without a filter (`implied_source`). But it gets none if the missing source once had
a base filter.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from retrieval.model.definitions import Agent, Kept, Source, Target, Unreadable, is_name, readable_values


def implied_source(target: Target, implied: Mapping[str, Source]) -> Source:
    """The source that a target implies if no source is stored. `implied` has it, by index, for Model Studio knowledge
    bases and for local indexes. Any other index has a source that states nothing."""
    source = implied.get(target.index, Source(name=target.source_name, index=target.index))
    return replace(source, name=target.source_name)


def missing_sources(agent: Agent, sources: Mapping[str, Source]) -> Sequence[tuple[str, str]]:
    """The name of the agent and the name of the source, for each source that the agent needs and that is not stored.

    A name that is not valid for a definition is never the name of a source. It is the name of an index.
    """
    return [
        (agent.name, target.source_name)
        for target in agent.targets
        if target.needs_source and is_name(target.source_name) and _stored_source(target, sources) is None
    ]


def bind_sources(agent: Agent, sources: Mapping[str, Source], implied: Mapping[str, Source]) -> Agent | None:
    """The agent, with a source and the source's index in each target. None if the agent lacks a source that it
    needs."""
    if missing_sources(agent, sources):
        return None
    with_sources = (
        (target, _stored_source(target, sources) or implied_source(target, implied)) for target in agent.targets
    )
    targets = (replace(target, index=source.index, bound=source) for target, source in with_sources)
    return replace(agent, targets=tuple(targets))


def with_filter_notes(agent: Agent, sources: Mapping[str, Source]) -> Agent:
    """The agent with updated notes. A target that names an index is noted as `filtered` if the index's source has a
    base filter. An existing note stays."""

    def is_filtered(target: Target) -> bool:
        source = None if target.source is not None else _stored_source(target, sources)
        return target.filtered or (source is not None and source.base_filter is not None)

    targets = tuple(replace(target, filtered=is_filtered(target)) for target in agent.targets)
    return agent if targets == agent.targets else replace(agent, targets=targets)


def pairs_of(agents: Iterable[Kept[Agent]], sources: Iterable[Kept[Source]]) -> Sequence[tuple[str, str]]:
    """The pairs of `missing_sources` for all agents of a store. A stored source that cannot be read does not count as
    missing."""
    sources = tuple(sources)
    readable = {source.name: source for source in readable_values(sources)}
    unreadable = {entry.name for entry in sources if isinstance(entry, Unreadable)}
    pairs = (pair for agent in readable_values(agents) for pair in missing_sources(agent, readable))
    return [pair for pair in pairs if pair[1] not in unreadable]


def _stored_source(target: Target, sources: Mapping[str, Source]) -> Source | None:
    """The stored source of a target; None if there is none. A target that names an index does not get a source of
    another index."""
    source = sources.get(target.source_name)
    is_another = source is not None and target.source is None and source.index != target.index
    return None if is_another else source
