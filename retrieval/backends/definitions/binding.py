"""Which knowledge source each target of an agent has.

A target that names a source has that source or none: without it the filter is not known, and the index behind it may
hold more than the agent shows. A target that names an index has the source of the index's name, and where none is
stored the one that it implies; but not where that source had a base filter once.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace

from retrieval.backends.definitions.document import AGENTS, SERVICE, SOURCES
from retrieval.errors import MissingSources, UnreadableDefinitions
from retrieval.model.definitions import Agent, Source, SourceKind, Target
from retrieval.model.etags import Kept, Unreadable, readable_values
from retrieval.ports import DefinitionStore
from retrieval.text.names import is_name


def implied(target: Target, bases: Collection[str]) -> Source:
    """The source of a target where none is stored. `bases` are the names of the targets that are no Azure indexes."""
    kind: SourceKind = "modelStudioBase" if target.index in bases else "searchIndex"
    return Source(name=target.source_name, index=target.index, kind=kind)


def missing(agent: Agent, sources: Mapping[str, Source]) -> Sequence[tuple[str, str]]:
    """The agent's name with that of each source which it needs and which is not among those that are stored.

    Under a name that no definition can have there never was one: that is the index of another agent.
    """
    return [
        (agent.name, target.source_name)
        for target in agent.targets
        if target.needs_source and is_name(target.source_name) and _stored(target, sources) is None
    ]


def bound(agent: Agent, sources: Mapping[str, Source], bases: Collection[str]) -> Agent | None:
    """The agent, each target with its source, and the source's index. None where it lacks one that it needs."""
    if missing(agent, sources):
        return None
    with_sources = ((target, _stored(target, sources) or implied(target, bases)) for target in agent.targets)
    targets = (replace(target, index=source.index, bound=source) for target, source in with_sources)
    return replace(agent, targets=tuple(targets))


def noted(agent: Agent, sources: Mapping[str, Source]) -> Agent:
    """The agent, which knows of each index that it names whether its source has a base filter; the same if it did."""

    def is_filtered(target: Target) -> bool:
        source = None if target.source is not None else _stored(target, sources)
        return target.filtered or (source is not None and source.base_filter is not None)

    targets = tuple(replace(target, filtered=is_filtered(target)) for target in agent.targets)
    return agent if targets == agent.targets else replace(agent, targets=targets)


def pairs_of(agents: Iterable[Kept[Agent]], sources: Iterable[Kept[Source]]) -> Sequence[tuple[str, str]]:
    """What is missing of all that is kept. A source that cannot be read is there, and told as such."""
    sources = tuple(sources)
    readable = {source.name: source for source in readable_values(sources)}
    unreadable = {one.name for one in sources if isinstance(one, Unreadable)}
    pairs = (pair for agent in readable_values(agents) for pair in missing(agent, readable))
    return [pair for pair in pairs if pair[1] not in unreadable]


async def check(agents: DefinitionStore[Agent], sources: DefinitionStore[Source]) -> None:
    """Return where all that is kept can be read and has its sources. Raises BackendError."""
    kept, of_sources = await agents.list(), await sources.list()
    for kind, named in ((AGENTS.name, kept), (SOURCES.name, of_sources)):
        if names := [one.name for one in named if isinstance(one, Unreadable)]:
            raise UnreadableDefinitions(SERVICE, names, kind=kind)
    if pairs := pairs_of(kept, of_sources):
        raise MissingSources(SERVICE, pairs)


def _stored(target: Target, sources: Mapping[str, Source]) -> Source | None:
    """The one of its name; but not another index's for a target that names its index."""
    found = sources.get(target.source_name)
    is_another = found is not None and target.source is None and found.index != target.index
    return None if is_another else found
