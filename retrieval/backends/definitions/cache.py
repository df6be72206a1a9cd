"""Definitions in front of a store: the configured ones put in, and lookups that ask it seldom.

A configured definition is put in where nothing has its name, and follows its file at the next start as long as no
caller has changed it. One that a caller has changed is kept, and `differing` names it.

A lookup is answered from memory for `seconds`. In the second half of that time it starts a reading beside itself, so
that an agent in use is never waited for; after it, the reading is waited for, so that what another instance changed is
seen by then at the latest. A reading of a known agent asks for its etag only. What this instance changes it sees at
once.

A store that is away or silent takes no known agent away: after PATIENCE_SECONDS a lookup is answered with what is
remembered, and the store is asked again `seconds` later. Where nothing is remembered a lookup fails within
READ_SECONDS, well before the shortest time that an agent may give its requests (ten seconds).
"""

import asyncio
import logging
from collections.abc import Awaitable, Iterable
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, Final, Generic, TypeVar

from retrieval.backends.definitions.document import SERVICE, Kind
from retrieval.errors import (
    BackendError,
    BackendTimeout,
    PreconditionFailed,
    UnreadableDefinitions,
)
from retrieval.model.etags import ABSENT, Defined, Kept, Precondition, Stored, Written
from retrieval.ports import DefinitionStore, Ticks
from retrieval.text.names import is_name

SECONDS: Final = 5.0
READ_SECONDS: Final = 5.0
PATIENCE_SECONDS: Final = 1.0

Result = TypeVar("Result")

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry(Generic[Defined]):
    """A definition as the store last told it. `asked_at` is when the store was last asked, be it in vain."""

    stored: Stored[Defined] | None
    asked_at: float


class DefinitionCache(Generic[Defined]):
    """A DefinitionStore and a DefinitionLookup, with `seeds` in it before they are missed."""

    def __init__(
        self,
        store: DefinitionStore[Defined],
        kind: Kind[Defined],
        *,
        ticks: Ticks,
        seeds: Iterable[Defined] = (),
        seconds: float = SECONDS,
        absences: bool = False,
    ) -> None:
        """With `absences` it is remembered too that nothing has a name: where no caller makes the names up."""
        self._absences = absences
        self._store = store
        self._kind = kind
        self._ticks = ticks
        self._seeds = tuple(seeds)
        self._configured = {seed.name: kind.fingerprint(seed) for seed in self._seeds}
        self._differing: set[str] = set()
        self._seconds = seconds
        self._entries: dict[str, Entry[Defined]] = {}
        self._readings: dict[str, asyncio.Task[Stored[Defined] | None]] = {}
        self._seeding: asyncio.Task[None] | None = None

    @property
    def differing(self) -> tuple[str, ...]:
        """The names of configured definitions that callers have changed, as far as this instance knows."""
        return tuple(sorted(self._differing))

    async def find(self, name: str) -> Defined | None:
        """The agent of that name as it was `seconds` ago or later, or None; an earlier one while the store is away.

        Raises BackendError.
        """
        entry = self._entries.get(name)
        if entry is None:
            return _value(await asyncio.shield(self._reading(name, None)))
        age = self._ticks() - entry.asked_at
        if age < self._seconds / 2:
            return _value(entry.stored)
        reading = self._reading(name, entry)
        return _value(entry.stored) if age < self._seconds else await self._awaited(reading, name, entry)

    async def settle(self) -> None:
        """Put in what is configured, if that was not done yet; `differing` is known then. Raises BackendError."""
        await _in_time(self._seed())

    async def get(self, name: str, *, known: Stored[Defined] | None = None) -> Stored[Defined] | None:
        """As it is stored now."""
        return await _in_time(self._look(name, known))

    async def list(self) -> tuple[Kept[Defined], ...]:
        """As they are stored now."""
        return await _in_time(self._all())

    async def put(self, value: Defined, *, when: Precondition, seed: str | None = None) -> Written[Defined]:
        """Store it, and forget what was known of it."""
        await self._seed()
        try:
            written = await self._store.put(value, when=when, seed=seed)
        finally:
            self._forget(value.name)
        self._differing.discard(value.name)
        if self._configured.get(value.name) not in {None, self._kind.fingerprint(value)}:
            self._differing.add(value.name)
        return written

    async def delete(self, name: str, *, when: Precondition) -> bool:
        """Delete it, and forget what was known of it."""
        await self._seed()
        try:
            deleted = await self._store.delete(name, when=when) if is_name(name) else _nothing(name, when)
        finally:
            self._forget(name)
        self._differing.discard(name)
        return deleted

    async def _look(self, name: str, known: Stored[Defined] | None) -> Stored[Defined] | None:
        """What is stored is found whether or not the seeds can be put in; the first look begins with that."""
        if not is_name(name):
            return None
        if self._seeds:
            self._begun_seeding()
        if self._is_pending(name):
            with suppress(BackendError, TimeoutError):
                async with asyncio.timeout(PATIENCE_SECONDS):
                    await self._seed()
        found = await self._store.get(name, known=known)
        if found is None and self._is_pending(name):
            await self._seed()
            found = await self._store.get(name)
        return found

    def _is_pending(self, name: str) -> bool:
        return any(seed.name == name for seed in self._seeds)

    async def _all(self) -> tuple[Kept[Defined], ...]:
        await self._seed()
        return await self._store.list()

    async def _awaited(
        self, reading: asyncio.Task[Stored[Defined] | None], name: str, entry: Entry[Defined]
    ) -> Defined | None:
        """What is stored; what is remembered where the store does not say so soon."""
        try:
            async with asyncio.timeout(PATIENCE_SECONDS):
                return _value(await asyncio.shield(reading))
        except UnreadableDefinitions:
            raise
        except (BackendError, TimeoutError) as error:
            logger.warning("an agent is served as it is remembered: %s", type(error).__name__)
            self._postpone(name)
            return _value(entry.stored)

    def _reading(self, name: str, entry: Entry[Defined] | None) -> asyncio.Task[Stored[Defined] | None]:
        """Whoever asks while an agent is being read shares that one reading, and its failure."""
        if name not in self._readings:
            reading = asyncio.create_task(self._read(name, None if entry is None else entry.stored))
            reading.add_done_callback(_seen)
            self._readings[name] = reading
        return self._readings[name]

    async def _read(self, name: str, known: Stored[Defined] | None) -> Stored[Defined] | None:
        """A write in the meantime has made the reading worthless to those who come after it."""
        me, asked_at = asyncio.current_task(), self._ticks()
        try:
            found = await self.get(name, known=known)
            if self._readings.get(name) is me:
                self._keep(name, found, asked_at)
            return found
        except UnreadableDefinitions:
            self._entries.pop(name, None)
            raise
        except BackendError:
            self._postpone(name)
            raise
        finally:
            if self._readings.get(name) is me:
                del self._readings[name]

    def _keep(self, name: str, found: Stored[Defined] | None, asked_at: float) -> None:
        """Names that nothing has are not kept where anybody can make them up."""
        if found is None and not self._absences:
            self._entries.pop(name, None)
        else:
            self._entries[name] = Entry(stored=found, asked_at=asked_at)

    def _postpone(self, name: str) -> None:
        """The store has just been asked in vain: what is remembered of the agent serves for another while."""
        if (entry := self._entries.get(name)) is not None:
            self._entries[name] = replace(entry, asked_at=self._ticks())

    def _forget(self, name: str) -> None:
        self._entries.pop(name, None)
        self._readings.pop(name, None)

    async def _seed(self) -> None:
        """Once, whoever comes first; its failure is shared, and the next call tries again."""
        if self._seeds:
            await asyncio.shield(self._begun_seeding())

    def _begun_seeding(self) -> asyncio.Task[None]:
        if self._seeding is None or self._seeding.done():
            self._seeding = asyncio.create_task(self._put_seeds())
            self._seeding.add_done_callback(_seen)
        return self._seeding

    async def _put_seeds(self) -> None:
        kept = {one.name: one for one in await self._store.list()}
        differing = [seed.name for seed in self._seeds if await self._differs(seed, kept.get(seed.name))]
        if differing:
            logger.warning("changed at run time, and no longer what the configuration says: %s", ", ".join(differing))
        self._differing, self._seeds = set(differing), ()

    async def _differs(self, seed: Defined, kept: Kept[Defined] | None) -> bool:
        """Whether what is kept is not what the configuration says, after it was made so where nobody changed it."""
        wanted = self._kind.fingerprint(seed)
        if kept is None:
            await _put_unless_changed(self._store, seed, when=ABSENT, seed=wanted)
            return False
        if not isinstance(kept, Stored):
            return False
        found = self._kind.fingerprint(kept.value)
        if found == wanted:
            return False
        if kept.seed != found:
            return True
        await _put_unless_changed(self._store, seed, when=Precondition(match=frozenset({kept.etag})), seed=wanted)
        return False


async def _put_unless_changed(
    store: DefinitionStore[Defined], value: Defined, *, when: Precondition, seed: str
) -> None:
    try:
        await store.put(value, when=when, seed=seed)
    except PreconditionFailed:
        return


async def _in_time(asked: Awaitable[Result]) -> Result:
    """Raises BackendTimeout."""
    try:
        async with asyncio.timeout(READ_SECONDS):
            return await asked
    except TimeoutError:
        raise BackendTimeout(SERVICE, seconds=READ_SECONDS) from None


def _value(found: Stored[Defined] | None) -> Defined | None:
    return None if found is None else found.value


def _nothing(name: str, when: Precondition) -> bool:
    if not when.holds(None):
        raise PreconditionFailed(name)
    return False


def _seen(task: asyncio.Task[Any]) -> None:
    """A failure that nobody waited for is no news: whoever asks next will ask the store."""
    if not task.cancelled():
        task.exception()
