"""Checks the store of definitions. The store must be reachable, readable and writable. Its definitions are compared
with the configured definitions."""

import asyncio
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final

from retrieval.definitions.bound_sources import pairs_of
from retrieval.definitions.stored_json import AGENTS, SERVICE, SOURCES, Kind
from retrieval.doctor import role_advice
from retrieval.doctor.sentences import finding_of
from retrieval.doctor.services import Backend, Identity, lacking_role
from retrieval.errors import BackendError, BackendForbidden, BackendTimeout, with_members
from retrieval.http.rooms import Stores
from retrieval.model.definitions import Agent, Defined, Effort, Kept, Source, Stored, Unreadable
from retrieval.model.finding import About, Finding
from retrieval.text.counted_noun import how_many, listed, listed_names

STORE: Final = About("definitions")
SECONDS: Final = 8.0
MOST_NAMED: Final = 10
_names: Final = partial(listed_names, most=MOST_NAMED)


@dataclass(frozen=True, slots=True, kw_only=True)
class DefinitionSet:
    """The definitions of the configuration, of the store, or of both."""

    agents: Sequence[Agent] = ()
    sources: Sequence[Source] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreContent:
    """The content of the store. If the store could not be read, there are no definitions, and `error` is set."""

    agents: Sequence[Kept[Agent]] = ()
    sources: Sequence[Kept[Source]] = ()
    error: BackendError | None = None


async def read(stores: Stores) -> StoreContent:
    """Reads the whole store, within eight seconds."""
    if stores.agents is None or stores.sources is None:
        return StoreContent()
    try:
        async with asyncio.timeout(SECONDS):
            return StoreContent(agents=await stores.agents.list(), sources=await stores.sources.list())
    except TimeoutError:
        return StoreContent(error=BackendTimeout(SERVICE, seconds=SECONDS))
    except BackendError as error:
        return StoreContent(error=error)


async def examine(
    place: str | None,
    stores: Stores,
    content: StoreContent,
    configured: DefinitionSet,
    *,
    service: Backend | None,
    identity: Identity,
) -> Sequence[Finding]:
    """The findings about the store. `place` is a table endpoint, a file or `memory`; None if callers cannot store
    definitions. `service` is the table service; None for a file, memory
    or the emulator."""
    if place is None:
        return [finding_of(STORE, "store-empty")]
    if content.error is not None:
        return [await _away(content.error, service, identity)]
    findings = [*_unreadable(content), *_ignoring(content), *_missing(content), *_differing(content, configured)]
    if (trouble := await _unwritable(stores, service, identity)) is not None:
        return [*findings, trouble]
    number = sum(isinstance(entry, Stored) for entry in (*content.agents, *content.sources))
    return [
        *findings,
        finding_of(STORE, "store-well", place=_place(place), definitions=how_many(number, "definition")),
    ]


def efforts(agents: Iterable[Agent], *, has_model: bool, usual: Effort | None) -> Sequence[Finding]:
    """A finding about the knowledge bases that have a model and state no effort. There is none where the deployment
    states a `usual` effort. `has_model` says that a model plans for bases that name none. Of two definitions with one
    name the later is in force. Callers of an agent over indexes have the effort `auto` by default."""
    in_force = {agent.name: agent for agent in agents}.values()
    silent = sorted(agent.name for agent in in_force if _is_silent(agent, has_model=has_model))
    if usual is not None or not silent:
        return ()
    return (finding_of(STORE, "silent-effort", names=_names(silent)),)


def _is_silent(agent: Agent, *, has_model: bool) -> bool:
    is_base = any(target.source is not None for target in agent.targets)
    return is_base and agent.effort is None and (has_model or agent.model is not None)


def _place(place: str) -> str:
    if place == "memory":
        return "The memory of this process"
    return "The table" if "://" in place else f"The file {place}"


async def _unwritable(stores: Stores, service: Backend | None, identity: Identity) -> Finding | None:
    if stores.writable is None:
        return None
    try:
        async with asyncio.timeout(SECONDS):
            await stores.writable()
    except TimeoutError:
        return await _away(BackendTimeout(SERVICE, seconds=SECONDS), service, identity)
    except BackendError as error:
        return await _away(error, service, identity, done="written")
    return None


async def _away(error: BackendError, service: Backend | None, identity: Identity, *, done: str = "read") -> Finding:
    if service is None:
        return finding_of(STORE, "store-away", when="file", error=error, done=done)
    if not isinstance(error, BackendForbidden):
        return finding_of(STORE, "store-away", error=error, done=done, service=service)
    lacking = await lacking_role(identity, service)
    words = {"error": error, "done": done, "service": service, "advice": role_advice.advice(lacking)}
    return finding_of(STORE, "store-away", when="forbidden", text=error.hint, lacking=lacking, **words)


def _unreadable(content: StoreContent) -> Iterator[Finding]:
    entries = [entry for entry in (*content.agents, *content.sources) if isinstance(entry, Unreadable)]
    if entries:
        names = listed([with_members(entry.name, entry.members) for entry in entries], most=MOST_NAMED)
        yield finding_of(STORE, "unreadable", names=names, later=any(entry.members for entry in entries))


def _ignoring(content: StoreContent) -> Iterator[Finding]:
    entries = [entry for entry in (*content.agents, *content.sources) if isinstance(entry, Stored) and entry.ignored]
    if entries:
        members = "; ".join(f"of {entry.name!r} {_names(entry.ignored)}" for entry in entries[:MOST_NAMED])
        yield finding_of(STORE, "ignored-members", members=members)


def _missing(content: StoreContent) -> Iterator[Finding]:
    if pairs := pairs_of(content.agents, content.sources):
        agents, sources = (_names(sorted({pair[at] for pair in pairs})) for at in (0, 1))
        yield finding_of(STORE, "lost-sources", agents=agents, sources=sources)


def _differing(content: StoreContent, configured: DefinitionSet) -> Iterator[Finding]:
    names = [
        *differing(AGENTS, configured.agents, content.agents),
        *differing(SOURCES, configured.sources, content.sources),
    ]
    if names:
        yield finding_of(STORE, "changed-definitions", names=_names(names))


def differing(kind: Kind[Defined], configured: Iterable[Defined], kept: Iterable[Kept[Defined]]) -> Iterator[str]:
    """The names of configured definitions that callers have changed. `SeededStore` uses the same rule."""
    stored = {entry.name: entry for entry in kept if isinstance(entry, Stored)}
    for definition in configured:
        entry_now = stored.get(definition.name)
        fingerprint = None if entry_now is None else kind.fingerprint(entry_now.value)
        if entry_now is not None and fingerprint not in {kind.fingerprint(definition), entry_now.seed}:
            yield definition.name
