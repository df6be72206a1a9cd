"""Definitions out of a store and into it, as the file of definitions: `python -m retrieval.doctor export|import`.

Two regions, or a table and its copy, are made the same so. A write is conditional: it changes what was compared, or
nothing.
"""

from collections.abc import AsyncIterator, Iterable, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, fields
from functools import cache
from typing import Any, Final, Literal, TypeAlias

from retrieval.backends.definitions.document import AGENTS, SERVICE, SOURCES
from retrieval.compose import agents, definitions_file
from retrieval.compose.definitions_file import Defined, plain
from retrieval.compose.identity import identity
from retrieval.errors import NotConfigured, PreconditionFailed, Problem, UnreadableDefinitions
from retrieval.model.definitions import Agent, Source
from retrieval.model.etags import ABSENT, Kept, Precondition, Stored, Unreadable
from retrieval.model.etags import Defined as Definition
from retrieval.ports import DefinitionStore
from retrieval.settings.settings import gather

STORE: Final = "AGENTS_STORE"

What: TypeAlias = Literal["create", "change", "same", "delete", "only there"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """What an import does with a definition; `members` are those that differ. `done` is False where somebody wrote
    meanwhile, and None where nothing was to be written."""

    what: What
    kind: str
    name: str
    members: tuple[str, ...] = ()
    done: bool | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Stores:
    """The two stores of a deployment."""

    agents: DefinitionStore[Agent]
    sources: DefinitionStore[Source]


async def written(environ: Mapping[str, str]) -> Mapping[str, Sequence[Any]]:
    """The content of the file with all that the store keeps.

    Raises NotConfigured, BackendError, and UnreadableDefinitions where a definition would be left out.
    """
    async with _opened(environ) as stores:
        stored_agents, stored_sources = await stores.agents.list(), await stores.sources.list()
    return definitions_file.write(
        Defined(agents=_values(stored_agents, AGENTS.name), sources=_values(stored_sources, SOURCES.name))
    )


async def imported(environ: Mapping[str, str], content: Any, *, dry_run: bool, delete: bool) -> tuple[Change, ...]:
    """What was done, or with `dry_run` would be, to make the store say what the file says; sources come before the
    agents that name them, and go after them. Without `delete` what only the store has stays.

    Raises ValueError, NotConfigured, BackendError.
    """
    defined = definitions_file.read(content)
    async with _opened(environ) as stores:
        comes = [change async for change in put(stores.sources, SOURCES.name, defined.sources, dry_run=dry_run)]
        comes += [change async for change in put(stores.agents, AGENTS.name, defined.agents, dry_run=dry_run)]
        how = {"delete": delete, "dry_run": dry_run}
        goes = [change async for change in _drop(stores.agents, AGENTS.name, defined.agents, **how)]
        goes += [change async for change in _drop(stores.sources, SOURCES.name, defined.sources, **how)]
    return (*comes, *goes)


@asynccontextmanager
async def _opened(environ: Mapping[str, str]) -> AsyncIterator[Stores]:
    settings, problems = gather(environ)
    if wrong := [problem for problem in problems if problem.setting == STORE]:
        raise NotConfigured(wrong)
    async with AsyncExitStack() as held:
        store = agents.store(settings, cache(lambda: identity(settings, held)), held)
        if store.agents is None or store.sources is None or store.writable is None:
            sentence = f"{STORE} must be a table or a file: where nothing is kept, there is nothing to move."
            raise NotConfigured([Problem(STORE, sentence)])
        yield Stores(agents=store.agents, sources=store.sources)


def _values(entries: Iterable[Kept[Definition]], kind: str) -> tuple[Definition, ...]:
    entries = tuple(entries)
    if names := [entry.name for entry in entries if isinstance(entry, Unreadable)]:
        raise UnreadableDefinitions(SERVICE, tuple(names), kind=kind)
    return tuple(entry.value for entry in entries if isinstance(entry, Stored))


async def put(
    store: DefinitionStore[Definition], kind: str, values: Sequence[Definition], *, dry_run: bool
) -> AsyncIterator[Change]:
    """What is done for each of the definitions. Raises BackendError."""
    entries = {entry.name: entry for entry in await store.list()}
    for value in values:
        entry = entries.get(value.name)
        members = _differing(entry, value)
        if entry is not None and not members:
            yield Change(what="same", kind=kind, name=value.name)
            continue
        what: What = "create" if entry is None else "change"
        done = None if dry_run else await _done(store, value, entry)
        yield Change(what=what, kind=kind, name=value.name, members=members, done=done)


async def _done(store: DefinitionStore[Definition], value: Definition, entry: Kept[Definition] | None) -> bool:
    try:
        await store.put(value, when=_unchanged(entry))
    except PreconditionFailed:
        return False
    return True


async def _drop(
    store: DefinitionStore[Definition], kind: str, values: Sequence[Definition], *, delete: bool, dry_run: bool
) -> AsyncIterator[Change]:
    wanted = {value.name for value in values}
    for entry in [entry for entry in await store.list() if entry.name not in wanted]:
        done = await _deleted(store, entry) if delete and not dry_run else None
        yield Change(what="delete" if delete else "only there", kind=kind, name=entry.name, done=done)


async def _deleted(store: DefinitionStore[Definition], entry: Kept[Definition]) -> bool:
    try:
        return await store.delete(entry.name, when=_unchanged(entry))
    except PreconditionFailed:
        return False


def _unchanged(entry: Kept[Any] | None) -> Precondition:
    return ABSENT if entry is None else Precondition(match=frozenset({entry.etag}))


def _differing(entry: Kept[Definition] | None, value: Definition) -> tuple[str, ...]:
    """The members of the hub that differ; all of one that cannot be read, or is not there."""
    if not isinstance(entry, Stored):
        return tuple(_names(value))
    there, here = plain(entry.value), plain(value)
    return tuple(name for name in _names(value) if getattr(there, name) != getattr(here, name))


def _names(value: Agent | Source) -> Iterator[str]:
    return (field.name for field in fields(value))
