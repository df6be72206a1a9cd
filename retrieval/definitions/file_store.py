"""Stores definitions in a JSON file, for any number of processes on one machine.

A write makes a new file in the same folder and flushes it to the disk. The new file then replaces the old file in one
step. So a process that is killed leaves either the old file or the new file. A lock lets only one writer write at a
time. The lock is released after each write, and also if its process ends. Readers need no lock. The store reads and
writes in its own threads, outside the event loop. No thread waits for the lock, so a process that holds the lock for a
long time delays only writers.
"""

import asyncio
import sys
from collections.abc import AsyncIterator, Callable, Coroutine, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any, Final, Generic, TextIO, TypeVar

from retrieval.definitions import entries
from retrieval.definitions.document import SERVICE, Kind, readable
from retrieval.definitions.entries import Entries, ReadEntry
from retrieval.definitions.memory_store import fresh
from retrieval.errors import BackendTimeout, BackendUnavailable, PreconditionFailed
from retrieval.model.etags import Defined, Kept, Precondition, Stored, WriteResult

LOCK_SECONDS: Final = 10.0
"""The most seconds that a write waits for the lock."""

PAUSE_SECONDS: Final = 0.02
THREADS: Final = 4

Result = TypeVar("Result")


class FileStore(Generic[Defined]):
    """Definitions in a file. The file and its folder do not need to exist."""

    def __init__(self, path: Path, kind: Kind[Defined], *, lock_seconds: float = LOCK_SECONDS) -> None:
        self._path = path
        self._kind = kind
        self._lock_seconds = lock_seconds
        self._last: ReadEntry[Defined] = ReadEntry()
        self._threads = ThreadPoolExecutor(THREADS, thread_name_prefix=f"{kind.name}s")
        self._turns = asyncio.Lock()
        self._writing: set[asyncio.Task[Any]] = set()

    async def get(self, name: str, *, copy: Stored[Defined] | None = None) -> Stored[Defined] | None:
        """The definition of that name, or None. Raises BackendUnavailable."""
        stored = readable((await self._in_thread(self._read)).kept.get(name), self._kind)
        return copy if stored == copy else stored

    async def list(self) -> tuple[Kept[Defined], ...]:
        """All definitions, by name."""
        return tuple(entry for _, entry in sorted((await self._in_thread(self._read)).kept.items()))

    async def put(self, value: Defined, *, when: Precondition, seed: str | None = None) -> WriteResult[Defined]:
        """Store a definition. Raises PreconditionFailed, BackendUnavailable, BackendTimeout."""

        async def write() -> WriteResult[Defined]:
            async with self._turn() as last:
                earlier = _check(last.kept, value.name, when)
                stored = fresh(value, seed)
                await self._write({**last.entries, value.name: entries.entry(stored, self._kind)})
            return WriteResult(stored=stored, created=earlier is None)

        return await self._to_the_end(write())

    async def delete(self, name: str, *, when: Precondition) -> bool:
        """Delete a definition, and return whether it existed. Raises PreconditionFailed, BackendUnavailable,
        BackendTimeout."""

        async def remove() -> bool:
            async with self._turn() as last:
                earlier = _check(last.kept, name, when)
                if earlier is not None:
                    await self._write(
                        {other_name: entry for other_name, entry in last.entries.items() if other_name != name}
                    )
            return earlier is not None

        return await self._to_the_end(remove())

    async def writable(self) -> None:
        """Check that this process can get the lock for writing. No definition is written. Raises BackendError."""
        async with self._turn():
            pass

    async def close(self) -> None:
        """End the threads after they have finished their work."""
        self._threads.shutdown(wait=False)

    @asynccontextmanager
    async def _turn(self) -> AsyncIterator[ReadEntry[Defined]]:
        """Takes the lock and gives the current definitions. No other writer can write within the block. Raises
        BackendTimeout, BackendUnavailable."""
        async with AsyncExitStack() as stack:
            try:
                async with asyncio.timeout(self._lock_seconds):
                    await stack.enter_async_context(self._turns)
                    lock = stack.enter_context(await self._in_thread(self._open_lock))
                    while not await self._in_thread(partial(_try_lock, lock)):
                        await asyncio.sleep(PAUSE_SECONDS)
            except TimeoutError:
                raise BackendTimeout(SERVICE, seconds=self._lock_seconds) from None
            yield await self._in_thread(self._read)

    def _open_lock(self) -> TextIO:
        self._path.parent.mkdir(parents=True, exist_ok=True)
        return self._path.with_name(f"{self._path.name}.lock").open("w")

    def _read(self) -> ReadEntry[Defined]:
        self._last = entries.read(self._path, self._kind, last=self._last)
        return self._last

    async def _write(self, new_entries: Entries) -> None:
        await self._in_thread(partial(entries.write, self._path, self._kind, new_entries))

    async def _to_the_end(self, work: Coroutine[Any, Any, Result]) -> Result:
        """Completes a write. If its caller is cancelled, the write continues and keeps the lock until it is done."""
        task = asyncio.create_task(work)
        self._writing.add(task)
        task.add_done_callback(self._forget_task)
        return await asyncio.shield(task)

    def _forget_task(self, task: asyncio.Task[Any]) -> None:
        self._writing.discard(task)
        if not task.cancelled():
            task.exception()

    async def _in_thread(self, work: Callable[[], Result]) -> Result:
        try:
            return await asyncio.get_running_loop().run_in_executor(self._threads, work)
        except OSError as error:
            raise BackendUnavailable(SERVICE, f"is a file that cannot be used: {error.strerror}.") from error


if sys.platform == "win32":
    import msvcrt

    def _try_lock(lock: TextIO) -> bool:
        try:
            msvcrt.locking(lock.fileno(), msvcrt.LK_NBLCK, 1)
        except PermissionError:
            return False
        return True

else:
    import fcntl

    def _try_lock(lock: TextIO) -> bool:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True


def _check(entries: Mapping[str, Kept[Defined]], name: str, when: Precondition) -> Kept[Defined] | None:
    earlier = entries.get(name)
    if not when.holds(None if earlier is None else earlier.etag):
        raise PreconditionFailed(name)
    return earlier
