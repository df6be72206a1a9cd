"""Checks the store of definitions. The store must be reachable, readable and writable. Its definitions are compared
with the configured definitions."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final, TypeAlias

from retrieval.definitions.document import AGENTS, SERVICE, SOURCES, Kind
from retrieval.definitions.source_store import pairs_of
from retrieval.doctor import role_advice
from retrieval.doctor.services import Backend, Identity
from retrieval.errors import BackendError, BackendForbidden, BackendTimeout, with_members
from retrieval.model.definitions import Agent, Defined, Effort, Kept, Source, Stored, Unreadable, readable_values
from retrieval.model.finding import About, Finding
from retrieval.outgoing.access_tokens import Token
from retrieval.ports import DefinitionStore
from retrieval.text.counted_noun import how_many, listed, listed_names

SECONDS: Final = 8.0
MOST_NAMED: Final = 10
_names: Final = partial(listed_names, most=MOST_NAMED)

Write: TypeAlias = Callable[[], Awaitable[None]]
"""Checks that the store of agents accepts writes, without changing a definition. Raises BackendError."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DefinitionSet:
    """The definitions of the configuration, of the store, or of both."""

    agents: Sequence[Agent] = ()
    sources: Sequence[Source] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Library:
    """The store of definitions. `place` is a table endpoint, a file or `memory`; None if callers cannot store
    definitions."""

    place: str | None = None
    agents: DefinitionStore[Agent] | None = None
    sources: DefinitionStore[Source] | None = None
    write: Write | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreContent:
    """The content of the store. If the store could not be read, there are no definitions, and `error` is set."""

    agents: Sequence[Kept[Agent]] = ()
    sources: Sequence[Kept[Source]] = ()
    error: BackendError | None = None

    @property
    def definitions(self) -> DefinitionSet:
        """The readable definitions of the store."""
        return DefinitionSet(agents=tuple(readable_values(self.agents)), sources=tuple(readable_values(self.sources)))


async def read(library: Library) -> StoreContent:
    """Reads the whole store, within eight seconds."""
    if library.agents is None or library.sources is None:
        return StoreContent()
    try:
        async with asyncio.timeout(SECONDS):
            return StoreContent(agents=await library.agents.list(), sources=await library.sources.list())
    except TimeoutError:
        return StoreContent(error=BackendTimeout(SERVICE, seconds=SECONDS))
    except BackendError as error:
        return StoreContent(error=error)


async def examine(
    library: Library, content: StoreContent, configured: DefinitionSet, *, service: Backend | None, identity: Identity
) -> Sequence[Finding]:
    """The findings about the store. `service` is the table service; None for a file, memory or the emulator."""
    about = About("definitions", "")
    if library.place is None:
        return [about.skipped("AGENTS_STORE is empty: agents are those of AGENTS_FILE, and cannot be changed.")]
    if content.error is not None:
        return [await _away(content.error, about, service, identity)]
    findings = [
        *_unreadable(content, about),
        *_ignoring(content, about),
        *_missing(content, about),
        *_differing(content, configured, about),
    ]
    trouble = await _unwritable(library, about, service, identity)
    if trouble is not None:
        return [*findings, trouble]
    number = sum(isinstance(entry, Stored) for entry in (*content.agents, *content.sources))
    return [
        *findings,
        about.ok(f"{_place(library.place)} can be read and written; it keeps {how_many(number, 'definition')}."),
    ]


def efforts(agents: Iterable[Agent], *, has_model: bool, usual: Effort | None) -> Sequence[Finding]:
    """A finding about the knowledge bases that have a model and state no effort. There is none where the deployment
    states a `usual` effort. `has_model` says that a model plans for bases that name none. Of two definitions with one
    name the later is in force. Callers of an agent over indexes have the effort `auto` by default."""
    in_force = {agent.name: agent for agent in agents}.values()
    silent = sorted(agent.name for agent in in_force if _is_silent(agent, has_model=has_model))
    if usual is not None or not silent:
        return ()
    return (
        About("definitions", "").warning(
            f"A model is connected, and these bases state no effort: {_names(silent)}. "
            "Calls that state none have that of their version, in most of them 'low'.",
            "Set AGENT_EFFORT=auto, or state it in the retrievalReasoningEffort of each: "
            "docs/calling/retrieve.md tells what that is worth.",
        ),
    )


def _is_silent(agent: Agent, *, has_model: bool) -> bool:
    is_base = any(target.source is not None for target in agent.targets)
    return is_base and agent.effort is None and (has_model or agent.model is not None)


def _place(place: str) -> str:
    if place == "memory":
        return "The memory of this process"
    return "The table" if "://" in place else f"The file {place}"


async def _unwritable(library: Library, about: About, service: Backend | None, identity: Identity) -> Finding | None:
    if library.write is None:
        return None
    try:
        async with asyncio.timeout(SECONDS):
            await library.write()
    except TimeoutError:
        return await _away(BackendTimeout(SERVICE, seconds=SECONDS), about, service, identity)
    except BackendError as error:
        return await _away(error, about, service, identity, doing="written")
    return None


async def _away(
    error: BackendError, about: About, service: Backend | None, identity: Identity, *, doing: str = "read"
) -> Finding:
    sentence = f"It cannot be {doing}: {error}"
    if service is None:
        return about.fault(sentence, "See that AGENTS_STORE is a file in a folder that this process may write.")
    rules = f'az storage account show --ids "$({service.scope})" --query networkRuleSet'
    if isinstance(error, BackendForbidden):
        token = await identity.get(service.audience)
        lacking = role_advice.lacking_role(
            service.role, service.scope, token.claims if isinstance(token, Token) else {}
        )
        or_network = f"\nOr its network rules keep the app out: {rules}" if "network" in error.hint else ""
        return about.fault(sentence, role_advice.advice(lacking) + or_network, lacking=lacking)
    return about.fault(
        sentence,
        f"See that AGENTS_STORE is https://<account>.table.core.windows.net, and the account's network rules: {rules}",
    )


def _unreadable(content: StoreContent, about: About) -> Iterator[Finding]:
    entries = [entry for entry in (*content.agents, *content.sources) if isinstance(entry, Unreadable)]
    if entries:
        names = listed([with_members(entry.name, entry.members) for entry in entries], most=MOST_NAMED)
        is_later = any(entry.members for entry in entries)
        later = "Deploy the release that knows these members. Or else: " if is_later else ""
        yield about.fault(
            f"These definitions cannot be read: {names}.",
            f"{later}Replace or delete each with a key that may manage: "
            "DELETE agents('<name>')?api-version=2025-05-01-preview",
        )


def _ignoring(content: StoreContent, about: About) -> Iterator[Finding]:
    entries = [entry for entry in (*content.agents, *content.sources) if isinstance(entry, Stored) and entry.ignored]
    if entries:
        named = "; ".join(f"of {entry.name!r} {_names(entry.ignored)}" for entry in entries[:MOST_NAMED])
        yield about.warning(
            f"Members of a later release are ignored, as it allows: {named}.",
            "Deploy that release. A write, an export or an import by this one loses them.",
        )


def _missing(content: StoreContent, about: About) -> Iterator[Finding]:
    pairs = pairs_of(content.agents, content.sources)
    if pairs:
        agents, sources = ({pair[at] for pair in pairs} for at in (0, 1))
        yield about.fault(
            f"These knowledge sources are gone: {_names(sorted(sources))}. "
            f"Calls of {_names(sorted(agents))} fail, since the filters of the sources are gone with them.",
            "Create each with its filter and a key that may manage: "
            "PUT knowledgesources('<name>')?api-version=2026-08-01-preview; or delete what names it.",
        )


def _differing(content: StoreContent, configured: DefinitionSet, about: About) -> Iterator[Finding]:
    names = [
        *differing(AGENTS, configured.agents, content.agents),
        *differing(SOURCES, configured.sources, content.sources),
    ]
    if names:
        yield about.warning(
            f"Changed at run time, so that AGENTS_FILE is not in force for: {_names(names)}.",
            "To go back to the file's, delete each with a key that may manage, and restart the app: "
            "DELETE agents('<name>')?api-version=2025-05-01-preview",
        )


def differing(kind: Kind[Defined], configured: Iterable[Defined], kept: Iterable[Kept[Defined]]) -> Iterator[str]:
    """The names of configured definitions that callers have changed. `SeededStore` uses the same rule."""
    stored = {entry.name: entry for entry in kept if isinstance(entry, Stored)}
    for definition in configured:
        entry_now = stored.get(definition.name)
        fingerprint = None if entry_now is None else kind.fingerprint(entry_now.value)
        if entry_now is not None and fingerprint not in {kind.fingerprint(definition), entry_now.seed}:
            yield definition.name
