"""Stores definitions in a JSON file, for any number of processes on one machine. Each entry is read on its own, so that
an unreadable entry does not affect other entries.

A write makes a new file in the same folder and flushes it to the disk. The new file then replaces the old file in one
step. So a process that is killed leaves either the old file or the new file. A lock lets only one writer write at a
time. The lock is released after each write, and also if its process ends. Readers need no lock. The store reads and
writes in its own threads, outside the event loop. No thread waits for the lock, so a process that holds the lock for a
long time delays only writers.
"""

import asyncio
import sys
from collections.abc import AsyncIterator, Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from functools import partial
from os import O_RDONLY, close, fstat, fsync
from os import open as open_descriptor
from pathlib import Path
from typing import Any, Final, Generic, TextIO, TypeAlias, TypeVar

from pydantic import JsonValue, TypeAdapter
from pydantic_core import to_json

from retrieval import threads
from retrieval.definitions.stored_json import SERVICE, Kind, digest, etag_of, fresh, readable
from retrieval.errors import BackendTimeout, BackendUnavailable
from retrieval.model.definitions import Defined, Kept, Stored, Unreadable, WriteResult
from retrieval.model.precondition import Precondition
from retrieval.text.strict_json import Repeated, with_repeated

Stamp: TypeAlias = tuple[int, int, int]
"""Identifies a version of the file without reading its content: inode, size, mtime."""

_FILE: Final = TypeAdapter(dict[str, dict[str, JsonValue]])


Entries: TypeAlias = Mapping[str, JsonValue]
"""The values in the file, by name. A value has an etag and the JSON text of a definition, unless somebody has edited
the file by hand."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadEntry(Generic[Defined]):
    """The definitions in one version of the file, and the entries that they were read from."""

    stamp: Stamp | None = None
    kept: Mapping[str, Kept[Defined]] = field(default_factory=dict)
    entries: Entries = field(default_factory=dict)


def _parse(content: bytes, kind: Kind[Defined], stamp: Stamp) -> ReadEntry[Defined]:
    """A name that is given more than once in the file has the list of its values, which is not readable and not lost
    when the file is written."""
    try:
        _FILE.validate_json(content)
        ((of, entries),) = with_repeated(content).items()
    except ValueError:
        raise BackendUnavailable(SERVICE, "is a file that cannot be read.") from None
    if of != f"{kind.name}s" or not isinstance(entries, dict):
        raise BackendUnavailable(SERVICE, "is a file that cannot be read.")
    definitions = {name: _definition(name, kind, entry) for name, entry in entries.items()}
    return ReadEntry(stamp=stamp, kept=definitions, entries=entries)


def _definition(name: str, kind: Kind[Defined], value: JsonValue) -> Kept[Defined]:
    """The definition in an entry. A value without etag or text is unreadable, and its etag is computed from the
    value. An entry with another member is unreadable too."""
    entry = value if isinstance(value, dict) else {}
    etag, text = entry.get("etag"), entry.get(kind.name)
    others = tuple(
        member for member, one in entry.items() if member not in {"etag", kind.name} or isinstance(one, Repeated)
    )
    if not isinstance(etag, str) or not isinstance(text, str) or others:
        return Unreadable(name=name, etag=digest(to_json(value)), members=others)
    return kind.read(text, name=name, etag=etag_of(etag))


def _flush_folder(folder: Path) -> None:
    """Writes the folder to the disk too, because the folder contains the name of the new file. Windows cannot open a
    folder as a file, so nothing is done there."""
    if sys.platform == "win32":
        return
    descriptor = open_descriptor(folder, O_RDONLY)
    try:
        fsync(descriptor)
    finally:
        close(descriptor)


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
        stored = fresh(value, seed)
        entry: JsonValue = {"etag": stored.etag, self._kind.name: self._kind.write(stored)}
        existed = await self._change(value.name, {value.name: entry}, when)
        return WriteResult(stored=stored, created=not existed)

    async def delete(self, name: str, *, when: Precondition) -> bool:
        """Delete a definition, and return whether it existed. Raises PreconditionFailed, BackendUnavailable,
        BackendTimeout."""
        return await self._change(name, {}, when)

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
                    lock = stack.enter_context(await self._lock_file())
                    while not await self._in_thread(partial(_try_lock, lock)):
                        await asyncio.sleep(PAUSE_SECONDS)
            except TimeoutError:
                raise BackendTimeout(SERVICE, seconds=self._lock_seconds) from None
            yield await self._in_thread(self._read)

    async def _lock_file(self) -> TextIO:
        """The open file of the lock. If the caller is cancelled while it is opened, the thread closes it, since the
        event loop may have ended by then."""
        opened: Future[TextIO] = Future()
        try:
            await self._in_thread(partial(self._open_lock, opened))
        except BaseException:
            opened.add_done_callback(_close)
            raise
        return opened.result()

    def _open_lock(self, opened: Future[TextIO]) -> None:
        self._path.parent.mkdir(parents=True, exist_ok=True)
        opened.set_result(self._path.with_name(f"{self._path.name}.lock").open("w"))

    def _read(self) -> ReadEntry[Defined]:
        """The current definitions. The file is read only if it has changed since the last read."""
        try:
            with self._path.open("rb") as file:
                state = fstat(file.fileno())
                stamp = (state.st_ino, state.st_size, state.st_mtime_ns)
                if stamp != self._last.stamp:
                    self._last = _parse(file.read(), self._kind, stamp)
        except FileNotFoundError:
            self._last = ReadEntry()
        return self._last

    def _write(self, entries: Entries) -> None:
        """Replaces the current file with a new file in one step."""
        new_file = self._path.with_name(f"{self._path.name}.new")
        with new_file.open("wb") as file:
            file.write(to_json({f"{self._kind.name}s": dict(sorted(entries.items()))}, indent=1))
            file.flush()
            fsync(file.fileno())
        new_file.replace(self._path)
        _flush_folder(self._path.parent)

    async def _change(self, name: str, entry: Entries, when: Precondition) -> bool:
        """Replaces the entry with this name, and returns whether it existed. If the caller is cancelled, the write
        continues and keeps the lock until it is done."""

        async def change() -> bool:
            async with self._turn() as last:
                earlier = last.kept.get(name)
                when.check(name, None if earlier is None else earlier.etag)
                if entry or earlier is not None:
                    others = {of: kept for of, kept in last.entries.items() if of != name}
                    await self._in_thread(partial(self._write, {**others, **entry}), to_its_end=True)
            return earlier is not None

        task = asyncio.create_task(change())
        self._writing.add(task)
        task.add_done_callback(self._writing.discard)
        task.add_done_callback(threads.mark_seen)
        return await asyncio.shield(task)

    async def _in_thread(self, work: Callable[[], Result], *, to_its_end: bool = False) -> Result:
        """The result of the work. With `to_its_end`, a cancelled caller waits until the work has ended."""
        working = asyncio.get_running_loop().run_in_executor(self._threads, work)
        try:
            return await (asyncio.shield(working) if to_its_end else working)
        except OSError as error:
            raise BackendUnavailable(SERVICE, f"is a file that cannot be used: {error.strerror}.") from error
        finally:
            if to_its_end:
                await asyncio.wait([working])


def _close(opened: Future[TextIO]) -> None:
    opened.result().close()


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
