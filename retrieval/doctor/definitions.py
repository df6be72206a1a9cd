"""The store of definitions: reachable, readable, writable, and whether what it keeps differs from the file's."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from retrieval.backends.definitions.binding import pairs_of
from retrieval.backends.definitions.document import AGENTS, SERVICE, SOURCES, Kind
from retrieval.backends.tokens import Token
from retrieval.doctor import roles
from retrieval.doctor.services import Identity, Service, lacks
from retrieval.errors import BackendError, BackendForbidden, BackendTimeout
from retrieval.model.definitions import Agent, Source
from retrieval.model.etags import Defined, Kept, Stored, Unreadable, readable_values
from retrieval.model.finding import About, Finding
from retrieval.ports import DefinitionStore

SECONDS: Final = 8.0
MOST_NAMED: Final = 10

Write: TypeAlias = Callable[[], Awaitable[None]]
"""Finds out whether the store takes writes, without one. Raises BackendError."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Definitions:
    """Definitions as the configuration has them, or as the store keeps them."""

    agents: Sequence[Agent] = ()
    sources: Sequence[Source] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Library:
    """Where definitions are kept: its place as AGENTS_STORE has it, None for nowhere."""

    place: str | None = None
    agents: DefinitionStore[Agent] | None = None
    sources: DefinitionStore[Source] | None = None
    write: Write | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Read:
    """What the store keeps; nothing where it could not be read, and why."""

    agents: Sequence[Kept[Agent]] = ()
    sources: Sequence[Kept[Source]] = ()
    error: BackendError | None = None

    @property
    def defined(self) -> Definitions:
        """What can be read of it."""
        return Definitions(agents=tuple(readable_values(self.agents)), sources=tuple(readable_values(self.sources)))


async def read(library: Library) -> Read:
    """All that is kept, within eight seconds."""
    if library.agents is None or library.sources is None:
        return Read()
    try:
        async with asyncio.timeout(SECONDS):
            return Read(agents=await library.agents.list(), sources=await library.sources.list())
    except TimeoutError:
        return Read(error=BackendTimeout(SERVICE, seconds=SECONDS))
    except BackendError as error:
        return Read(error=error)


async def examine(
    library: Library, kept: Read, configured: Definitions, *, service: Service | None, identity: Identity
) -> Sequence[Finding]:
    """The findings about the store. `service` is the table service, None for a file or memory."""
    about = About("definitions", "")
    if library.place is None:
        return [about.skipped("AGENTS_STORE is empty: agents are those of AGENTS_FILE, and cannot be changed.")]
    if kept.error is not None:
        return [await _away(kept.error, about, service, identity)]
    found = [*_unreadable(kept, about), *_missing(kept, about), *_differing(kept, configured, about)]
    wrong = await _unwritable(library, about, service, identity)
    if wrong is not None:
        return [*found, wrong]
    number = sum(isinstance(one, Stored) for one in (*kept.agents, *kept.sources))
    return [*found, about.ok(f"{_place(library.place)} can be read and written; it keeps {_counted(number)}.")]


def _counted(number: int) -> str:
    return "1 definition" if number == 1 else f"{number} definitions"


def _place(place: str) -> str:
    if place == "memory":
        return "The memory of this process"
    return "The table" if "://" in place else f"The file {place}"


async def _unwritable(library: Library, about: About, service: Service | None, identity: Identity) -> Finding | None:
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
    error: BackendError, about: About, service: Service | None, identity: Identity, *, doing: str = "read"
) -> Finding:
    said = f"It cannot be {doing}: {error}"
    if service is None:
        return about.fault(said, "See that AGENTS_STORE is a file in a folder that this process may write.")
    rules = f'az storage account show --ids "$({service.scope})" --query networkRuleSet'
    if isinstance(error, BackendForbidden):
        token = await identity.get(service.audience)
        lacking = lacks(service, token.claims if isinstance(token, Token) else {})
        beside = f"\nOr its network rules keep the app out: {rules}" if "network" in error.hint else ""
        return about.fault(said, roles.advice(lacking) + beside, lacking=lacking)
    return about.fault(
        said,
        f"See that AGENTS_STORE is https://<account>.table.core.windows.net, and the account's network rules: {rules}",
    )


def _unreadable(kept: Read, about: About) -> Iterator[Finding]:
    names = [one.name for one in (*kept.agents, *kept.sources) if isinstance(one, Unreadable)]
    if names:
        yield about.fault(
            f"These definitions cannot be read: {_named(names)}.",
            "Replace or delete each with a key that may manage: DELETE agents('<name>')?api-version=2025-05-01-preview",
        )


def _missing(kept: Read, about: About) -> Iterator[Finding]:
    pairs = pairs_of(kept.agents, kept.sources)
    if pairs:
        agents, sources = ({pair[at] for pair in pairs} for at in (0, 1))
        yield about.fault(
            f"These knowledge sources are gone: {_named(sorted(sources))}. "
            f"Calls of {_named(sorted(agents))} fail, since the filters of the sources are gone with them.",
            "Create each with its filter and a key that may manage: "
            "PUT knowledgesources('<name>')?api-version=2026-08-01-preview; or delete what names it.",
        )


def _differing(kept: Read, configured: Definitions, about: About) -> Iterator[Finding]:
    names = [
        *differing(AGENTS, configured.agents, kept.agents),
        *differing(SOURCES, configured.sources, kept.sources),
    ]
    if names:
        yield about.warning(
            f"Changed at run time, so that AGENTS_FILE is not in force for: {_named(names)}.",
            "To go back to the file's, delete each with a key that may manage, and restart the app: "
            "DELETE agents('<name>')?api-version=2025-05-01-preview",
        )


def differing(kind: Kind[Defined], configured: Iterable[Defined], kept: Iterable[Kept[Defined]]) -> Iterator[str]:
    """The names of configured definitions that callers have changed, as `SeededStore` knows them."""
    stored = {one.name: one for one in kept if isinstance(one, Stored)}
    for one in configured:
        now = stored.get(one.name)
        found = None if now is None else kind.fingerprint(now.value)
        if now is not None and found not in {kind.fingerprint(one), now.seed}:
            yield one.name


def _named(names: Sequence[str]) -> str:
    told = ", ".join(repr(name[:128]) for name in names[:MOST_NAMED])
    return told if len(names) <= MOST_NAMED else f"{told} and {len(names) - MOST_NAMED} more"
