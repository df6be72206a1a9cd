"""A store that also contains the configured definitions. A configured definition is stored if no stored definition has
its name.

At each start, the configured definition replaces the stored definition, unless a caller has changed the stored
definition, or it cannot be read. A definition that a caller has changed is kept, and `differing` contains its name. If
the store does not answer, every read fails within READ_SECONDS.

The first call that needs a credential, or an earlier `GET ready`, starts the first read of a process's stores
(`FirstLook`). At the first read, the configured definitions are also written to the stores. The log names those that
callers have changed. `GET ready` waits for the first read, but at most PATIENCE_SECONDS. If the first read fails, the
next lookup that needs the configured definitions tries again.

`MemoryStore` keeps definitions in the memory of this process, until the process ends.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterable
from contextlib import suppress
from typing import Final, Generic, TypeVar

from retrieval import threads
from retrieval.definitions.stored_json import SERVICE, Kind, fresh
from retrieval.errors import BackendError, BackendTimeout, NothingIsKept, PreconditionFailed
from retrieval.model.definitions import Defined, Kept, Stored, Unreadable, WriteResult, is_name
from retrieval.model.precondition import ABSENT, Precondition, exactly
from retrieval.ports import DefinitionStore

READ_SECONDS: Final = 5.0
PATIENCE_SECONDS: Final = 1.0

Result = TypeVar("Result")

logger = logging.getLogger(__name__)


class MemoryStore(Generic[Defined]):
    """Definitions in memory. There is no `await` between the check and the change of a write, so that two writes cannot
    interfere."""

    def __init__(self, values: Iterable[Defined] = (), *, writable: bool = True) -> None:
        self._stored: dict[str, Stored[Defined]] = {value.name: fresh(value) for value in values}
        self._writable = writable

    async def get(self, name: str, *, copy: Stored[Defined] | None = None) -> Stored[Defined] | None:
        """The definition of that name, or None."""
        return self._stored.get(name)

    async def list(self) -> tuple[Stored[Defined], ...]:
        """All definitions, in the order of their names."""
        return tuple(stored for _, stored in sorted(self._stored.items()))

    async def put(self, value: Defined, *, when: Precondition, seed: str | None = None) -> WriteResult[Defined]:
        """Store a definition. Raises PreconditionFailed, and NothingIsKept if the store is not `writable`."""
        earlier = self._check(value.name, when)
        stored = fresh(value, seed)
        self._stored[value.name] = stored
        return WriteResult(stored=stored, created=earlier is None)

    async def delete(self, name: str, *, when: Precondition) -> bool:
        """Delete a definition, and return whether it existed. Raises PreconditionFailed, NothingIsKept."""
        self._check(name, when)
        return self._stored.pop(name, None) is not None

    def _check(self, name: str, when: Precondition) -> Stored[Defined] | None:
        if not self._writable:
            raise NothingIsKept()
        earlier = self._stored.get(name)
        when.check(name, None if earlier is None else earlier.etag)
        return earlier


class SeededStore(Generic[Defined]):
    """A DefinitionStore on top of another one, `store`: a `MemoryStore`, a `FileStore` or a `TableStore`
    (`compose/definitions.py`). `seeds` are the configured definitions. A lookup of a seed that is not stored yet waits
    until it is stored. `on_write` is called with the name of each definition that `put` writes or `delete` deletes."""

    def __init__(self, store: DefinitionStore[Defined], kind: Kind[Defined], *, seeds: Iterable[Defined] = ()) -> None:
        self.on_write: Callable[[str], None] = lambda name: None
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
        """Store the configured definitions, if they are not stored yet. Afterwards `differing` is complete. Raises
        BackendError."""
        await in_time(self._seed())

    async def get(self, name: str, *, copy: Stored[Defined] | None = None) -> Stored[Defined] | None:
        """The definition that is stored now; None if there is none."""
        return await in_time(self._look(name, copy))

    async def list(self) -> tuple[Kept[Defined], ...]:
        """All definitions that are stored now."""
        return await in_time(self._all())

    async def put(self, value: Defined, *, when: Precondition, seed: str | None = None) -> WriteResult[Defined]:
        """Store a definition. `on_write` is called even if writing fails."""
        await self._seed()
        try:
            result = await self._store.put(value, when=when, seed=seed)
        finally:
            self.on_write(value.name)
        self._differing.discard(value.name)
        if self._configured.get(value.name) not in {None, self._kind.fingerprint(value)}:
            self._differing.add(value.name)
        return result

    async def delete(self, name: str, *, when: Precondition) -> bool:
        """Delete a definition. `on_write` is called even if deleting fails."""
        await self._seed()
        try:
            if not is_name(name):
                when.check(name, None)
            existed = is_name(name) and await self._store.delete(name, when=when)
        finally:
            self.on_write(name)
        self._differing.discard(name)
        return existed

    async def _look(self, name: str, copy: Stored[Defined] | None) -> Stored[Defined] | None:
        """Finds a stored definition, even if the seeds cannot be stored. The first lookup starts to store the seeds."""
        if not is_name(name):
            return None
        if self._seeds:
            self._begin_seeding()
        if self._is_pending(name):
            with suppress(BackendError, TimeoutError):
                async with asyncio.timeout(PATIENCE_SECONDS):
                    await self._seed()
        stored = await self._store.get(name, copy=copy)
        if stored is None and self._is_pending(name):
            await self._seed()
            stored = await self._store.get(name)
        return stored

    def _is_pending(self, name: str) -> bool:
        return any(seed.name == name for seed in self._seeds)

    async def _all(self) -> tuple[Kept[Defined], ...]:
        await self._seed()
        return await self._store.list()

    async def _seed(self) -> None:
        """Stores the seeds once. Concurrent calls share a failure, and the next call tries again."""
        if self._seeds:
            await asyncio.shield(self._begin_seeding())

    def _begin_seeding(self) -> asyncio.Task[None]:
        if self._seeding is None or self._seeding.done():
            self._seeding = asyncio.create_task(self._put_seeds())
            self._seeding.add_done_callback(threads.mark_seen)
        return self._seeding

    async def _put_seeds(self) -> None:
        entries = {entry.name: entry for entry in await self._store.list()}
        names = [seed.name for seed in self._seeds if await self._differs(seed, entries.get(seed.name))]
        if names:
            logger.warning("changed at run time, and no longer what the configuration says: %s", ", ".join(names))
        self._differing, self._seeds = set(names), ()

    async def _differs(self, seed: Defined, entry: Kept[Defined] | None) -> bool:
        """Whether a caller has changed the stored definition, so that it differs from the configured definition.
        Otherwise, the configured definition is stored if it is missing or has changed."""
        configured = self._kind.fingerprint(seed)
        if isinstance(entry, Unreadable):
            return False
        if entry is not None:
            stored = self._kind.fingerprint(entry.value)
            if stored == configured:
                return False
            if entry.seed != stored:
                return True
        when = ABSENT if entry is None else exactly(entry)
        with suppress(PreconditionFailed):
            await self._store.put(seed, when=when, seed=configured)
        return False


async def in_time(lookup: Awaitable[Result]) -> Result:
    """The result of a lookup. Raises BackendTimeout after READ_SECONDS."""
    try:
        async with asyncio.timeout(READ_SECONDS):
            return await lookup
    except TimeoutError:
        raise BackendTimeout(SERVICE, seconds=READ_SECONDS) from None


class FirstLook:
    """Runs each function in `looks` once. The functions read the stores and may raise BackendError."""

    def __init__(self, *looks: Callable[[], Awaitable[None]]) -> None:
        self._looks = looks
        self._looking: asyncio.Task[None] | None = None

    def begin(self) -> None:
        """Start the read in a task of the event loop, if it has not started. Returns at once."""
        if self._looks and self._looking is None:
            self._looking = asyncio.create_task(self._look(), name="first look")

    async def ended(self) -> None:
        """Return when the read has ended, or after a second."""
        self.begin()
        if self._looking is not None and not self._looking.done():
            await asyncio.wait([self._looking], timeout=PATIENCE_SECONDS)

    async def close(self) -> None:
        """Cancel a running read."""
        if self._looking is not None and self._looking.cancel():
            with suppress(asyncio.CancelledError):
                await self._looking

    async def _look(self) -> None:
        for look in self._looks:
            try:
                await look()
            except BackendError as error:
                logger.warning("the definitions that are kept were not looked at: %s", type(error).__name__)
