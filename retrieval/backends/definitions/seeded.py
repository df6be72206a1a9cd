"""A store in which what is configured is put where nothing has its name.

A configured definition follows its file at the next start as long as no caller has changed it. One that a caller has
changed is kept, and `differing` names it. Whatever is asked fails within READ_SECONDS where the store is silent.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterable
from contextlib import suppress
from typing import Any, Final, Generic, TypeVar

from retrieval.backends.definitions.document import SERVICE, Kind
from retrieval.errors import BackendError, BackendTimeout, PreconditionFailed
from retrieval.model.etags import ABSENT, Defined, Kept, Precondition, Stored, Written
from retrieval.ports import DefinitionStore
from retrieval.text.names import is_name

READ_SECONDS: Final = 5.0
PATIENCE_SECONDS: Final = 1.0

Result = TypeVar("Result")

logger = logging.getLogger(__name__)


class SeededStore(Generic[Defined]):
    """A DefinitionStore with `seeds` in it before they are missed. `heard` is told each name that was written here."""

    def __init__(self, store: DefinitionStore[Defined], kind: Kind[Defined], *, seeds: Iterable[Defined] = ()) -> None:
        self.heard: Callable[[str], None] = _nobody
        self._store = store
        self._kind = kind
        self._seeds = tuple(seeds)
        self._configured = {seed.name: kind.fingerprint(seed) for seed in self._seeds}
        self._differing: set[str] = set()
        self._seeding: asyncio.Task[None] | None = None

    @property
    def differing(self) -> tuple[str, ...]:
        """The names of configured definitions that callers have changed, as far as this instance knows."""
        return tuple(sorted(self._differing))

    async def settle(self) -> None:
        """Put in what is configured, if that was not done yet; `differing` is known then. Raises BackendError."""
        await in_time(self._seed())

    async def get(self, name: str, *, known: Stored[Defined] | None = None) -> Stored[Defined] | None:
        """As it is stored now."""
        return await in_time(self._look(name, known))

    async def list(self) -> tuple[Kept[Defined], ...]:
        """As they are stored now."""
        return await in_time(self._all())

    async def put(self, value: Defined, *, when: Precondition, seed: str | None = None) -> Written[Defined]:
        """Store it, and tell so, whether or not the store answers."""
        await self._seed()
        try:
            written = await self._store.put(value, when=when, seed=seed)
        finally:
            self.heard(value.name)
        self._differing.discard(value.name)
        if self._configured.get(value.name) not in {None, self._kind.fingerprint(value)}:
            self._differing.add(value.name)
        return written

    async def delete(self, name: str, *, when: Precondition) -> bool:
        """Delete it, and tell so, whether or not the store answers."""
        await self._seed()
        try:
            deleted = await self._store.delete(name, when=when) if is_name(name) else _nothing(name, when)
        finally:
            self.heard(name)
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

    async def _seed(self) -> None:
        """Once, whoever comes first; its failure is shared, and the next call tries again."""
        if self._seeds:
            await asyncio.shield(self._begun_seeding())

    def _begun_seeding(self) -> asyncio.Task[None]:
        if self._seeding is None or self._seeding.done():
            self._seeding = asyncio.create_task(self._put_seeds())
            self._seeding.add_done_callback(seen)
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


async def in_time(asked: Awaitable[Result]) -> Result:
    """Raises BackendTimeout."""
    try:
        async with asyncio.timeout(READ_SECONDS):
            return await asked
    except TimeoutError:
        raise BackendTimeout(SERVICE, seconds=READ_SECONDS) from None


def _nothing(name: str, when: Precondition) -> bool:
    if not when.holds(None):
        raise PreconditionFailed(name)
    return False


def _nobody(name: str) -> None:
    """Where nothing is remembered."""


def seen(task: asyncio.Task[Any]) -> None:
    """A failure that nobody waited for is no news: whoever asks next will ask the store."""
    if not task.cancelled():
        task.exception()
