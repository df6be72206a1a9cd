"""Exports the definitions of a store to the file of definitions, and imports them: `export` and `import`.

An export and an import copy definitions, for example between the stores of two regions. Each write is conditional. It
fails if the stored definition has changed since it was compared.
"""

from collections.abc import AsyncIterator, Awaitable, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, fields
from functools import cache
from typing import Any, Final, Literal, TypeAlias

from retrieval.compose import definitions, definitions_file
from retrieval.compose.access import identity
from retrieval.compose.definitions_file import Defined, plain
from retrieval.definitions.stored_json import AGENTS, SOURCES, unreadable
from retrieval.errors import NotConfigured, PreconditionFailed, Problem
from retrieval.model.definitions import Agent, Kept, Source, Stored, Unreadable
from retrieval.model.definitions import Defined as Definition
from retrieval.model.precondition import ABSENT, Precondition
from retrieval.ports import DefinitionStore
from retrieval.settings.settings import gather

STORE: Final = "AGENTS_STORE"

What: TypeAlias = Literal["create", "change", "same", "delete", "only there"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """The change that an import makes to a definition; `members` are the members that differ. `lost` are the members
    of the stored definition that this release does not know, or that are given more than once. `done` is False if
    somebody else changed the definition at the same time, and None if nothing is written."""

    what: What
    kind: str
    name: str
    members: tuple[str, ...] = ()
    lost: tuple[str, ...] = ()
    done: bool | None = None


async def exported(environ: Mapping[str, str]) -> tuple[Mapping[str, Sequence[Any]], Mapping[str, Sequence[str]]]:
    """The content of the file with all definitions of the store, and the members of a later release that the file
    lacks, by the kind and name of the definition.

    Raises NotConfigured, BackendError, and UnreadableDefinitions if a definition cannot be read.
    """
    async with _opened(environ) as (agent_store, source_store):
        agents = _readable(await agent_store.list(), AGENTS.name)
        sources = _readable(await source_store.list(), SOURCES.name)
    defined = Defined(agents=tuple(entry.value for entry in agents), sources=tuple(entry.value for entry in sources))
    ignored = {f"{AGENTS.name} {entry.name}": entry.ignored for entry in agents if entry.ignored}
    ignored |= {f"{SOURCES.name} {entry.name}": entry.ignored for entry in sources if entry.ignored}
    return definitions_file.write(defined), ignored


async def imported(environ: Mapping[str, str], content: Any, *, dry_run: bool, delete: bool) -> Sequence[Change]:
    """Make the store equal to the file, and return the changes. With `dry_run`, no change is written. Sources are
    written before the agents that name them, and are deleted after these agents. Without `delete`, definitions that are
    only in the store stay.

    Raises ValueError, NotConfigured, BackendError.
    """
    defined = definitions_file.read(content)
    how = {"delete": delete, "dry_run": dry_run}
    async with _opened(environ) as (agent_store, source_store):
        return [
            *[change async for change in put(source_store, SOURCES.name, defined.sources, dry_run=dry_run)],
            *[change async for change in put(agent_store, AGENTS.name, defined.agents, dry_run=dry_run)],
            *[change async for change in _drop(agent_store, AGENTS.name, defined.agents, **how)],
            *[change async for change in _drop(source_store, SOURCES.name, defined.sources, **how)],
        ]


@asynccontextmanager
async def _opened(environ: Mapping[str, str]) -> AsyncIterator[tuple[DefinitionStore[Agent], DefinitionStore[Source]]]:
    settings, problems = gather(environ)
    if wrong := [problem for problem in problems if problem.setting == STORE]:
        raise NotConfigured(wrong)
    async with AsyncExitStack() as held:
        store = definitions.store(settings, cache(lambda: identity(settings, held)), held)
        if store.agents is None or store.sources is None or store.writable is None:
            sentence = f"{STORE} must be a table or a file: where nothing is kept, there is nothing to move."
            raise NotConfigured([Problem(STORE, sentence)])
        yield store.agents, store.sources


def _readable(entries: Sequence[Kept[Definition]], kind: str) -> Sequence[Stored[Definition]]:
    """Raises UnreadableDefinitions."""
    if broken := [entry for entry in entries if isinstance(entry, Unreadable)]:
        raise unreadable(broken, kind)
    return [entry for entry in entries if isinstance(entry, Stored)]


async def put(
    store: DefinitionStore[Definition], kind: str, values: Sequence[Definition], *, dry_run: bool
) -> AsyncIterator[Change]:
    """Store the definitions that differ, unless this is a dry run, and yield the change for each definition. Raises
    BackendError."""
    entries = {entry.name: entry for entry in await store.list()}
    for value in values:
        entry = entries.get(value.name)
        members = _differing(entry, value)
        if entry is not None and not members:
            yield Change(what="same", kind=kind, name=value.name)
            continue
        what: What = "create" if entry is None else "change"
        done = None if dry_run else await _done(store.put(value, when=_unchanged(entry)))
        yield Change(what=what, kind=kind, name=value.name, members=members, lost=_lost(entry), done=done)


async def _drop(
    store: DefinitionStore[Definition], kind: str, values: Sequence[Definition], *, delete: bool, dry_run: bool
) -> AsyncIterator[Change]:
    what: What = "delete" if delete else "only there"
    wanted = {value.name for value in values}
    for entry in [entry for entry in await store.list() if entry.name not in wanted]:
        done = await _done(store.delete(entry.name, when=_unchanged(entry))) if delete and not dry_run else None
        yield Change(what=what, kind=kind, name=entry.name, lost=_lost(entry) if delete else (), done=done)


async def _done(write: Awaitable[object]) -> bool:
    """Whether a write was done: not if somebody else changed or deleted the definition before."""
    try:
        return await write is not False
    except PreconditionFailed:
        return False


def _unchanged(entry: Kept[Any] | None) -> Precondition:
    return ABSENT if entry is None else Precondition(match=frozenset({entry.etag}))


def _lost(entry: Kept[Any] | None) -> tuple[str, ...]:
    if entry is None:
        return ()
    return entry.members if isinstance(entry, Unreadable) else entry.ignored


def _differing(entry: Kept[Definition] | None, value: Definition) -> tuple[str, ...]:
    """The members that differ; all members if the stored definition does not exist or cannot be read."""
    names = tuple(field.name for field in fields(value))
    if not isinstance(entry, Stored):
        return names
    there, here = plain(entry.value), plain(value)
    return tuple(name for name in names if getattr(there, name) != getattr(here, name))
