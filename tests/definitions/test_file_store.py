"""The file of agents, in processes of its own: killed in the middle of a write, and several at once."""

import asyncio
import fcntl
import gc
import os
import signal
import subprocess
import sys
import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

import pytest

from retrieval.definitions.file_store import FileStore
from retrieval.definitions.stored_json import AGENTS
from retrieval.errors import BackendTimeout, BackendUnavailable
from retrieval.model.definitions import Agent, Target
from retrieval.model.precondition import UNCONDITIONAL
from tests.scenarios.failures.jumping_loop import JumpingLoop

ROOT: Final = Path(__file__).resolve().parents[2]
PATH: Final = "agents.json"

WRITER: Final = """
import asyncio, resource, signal, sys
from pathlib import Path
from retrieval.definitions.stored_json import AGENTS
from retrieval.definitions.file_store import FileStore
from retrieval.errors import PreconditionFailed
from retrieval.model.definitions import Agent, Target
from retrieval.model.precondition import (Precondition, UNCONDITIONAL)

def version(number):
    return Agent(name="atlas", targets=(Target(index="atlas"),), max_output_tokens=number, description="x" * 20_000)

async def cut_at(size):
    store = FileStore(Path(sys.argv[1]), AGENTS)
    await store.list()
    signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
    await store.put(version(2), when=UNCONDITIONAL)

async def forever():
    store = FileStore(Path(sys.argv[1]), AGENTS)
    for number in range(1_000_000):
        await store.put(version(number), when=UNCONDITIONAL)
        print(number, flush=True)

async def count(times):
    store = FileStore(Path(sys.argv[1]), AGENTS)
    while times:
        stored = await store.get("atlas")
        when = Precondition(match=frozenset({stored.etag}))
        try:
            await store.put(version(stored.value.max_output_tokens + 1), when=when)
            times -= 1
        except PreconditionFailed:
            continue

asyncio.run(eval(sys.argv[2]))
"""


def writer(path: Path, work: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", WRITER, str(path), work]
    return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)


def version(number: int) -> Agent:
    return Agent(name="atlas", targets=(Target(index="atlas"),), max_output_tokens=number, description="x" * 20_000)


async def number_in(path: Path) -> int | None:
    stored = await FileStore(path, AGENTS).get("atlas")
    return None if stored is None else stored.value.max_output_tokens


@pytest.mark.parametrize("size", [0, 1, 10_000, 20_100])
async def test_a_process_that_the_kernel_kills_at_any_byte_of_a_write_leaves_the_old_agents(
    tmp_path: Path, size: int
) -> None:
    path = tmp_path / PATH
    before = (await FileStore(path, AGENTS).put(version(1), when=UNCONDITIONAL)).stored
    with writer(path, f"cut_at({size})") as process:
        assert process.wait(timeout=30) == -signal.SIGXFSZ
    assert await FileStore(path, AGENTS).get("atlas") == before
    after = (await FileStore(path, AGENTS).put(version(3), when=UNCONDITIONAL)).stored
    assert await FileStore(path, AGENTS).get("atlas") == after


@pytest.mark.parametrize("lines", [1, 2, 5, 17])
async def test_a_process_that_is_killed_leaves_whole_agents_and_every_write_that_it_has_told_of(
    tmp_path: Path, lines: int
) -> None:
    path = tmp_path / PATH
    with writer(path, "forever()") as process:
        assert process.stdout is not None
        told = [int(process.stdout.readline()) for _ in range(lines)][-1]
        process.kill()
    found = await number_in(path)
    assert found is not None and found >= told
    await FileStore(path, AGENTS).put(version(0), when=UNCONDITIONAL)
    assert await number_in(path) == 0


async def test_several_processes_that_count_up_lose_no_count(tmp_path: Path) -> None:
    path = tmp_path / PATH
    await FileStore(path, AGENTS).put(version(0), when=UNCONDITIONAL)
    processes = [writer(path, "count(20)") for _ in range(3)]
    for process in processes:
        with process:
            assert process.wait(timeout=60) == 0
    assert await number_in(path) == 60


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b'{"agents": []}'])
async def test_a_file_that_holds_something_else_is_an_error_and_is_left_alone(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / PATH
    path.write_bytes(content)
    store = FileStore(path, AGENTS)
    for attempt in (store.get("a"), store.list(), store.put(version(1), when=UNCONDITIONAL)):
        with pytest.raises(BackendUnavailable, match="cannot be read"):
            await attempt
    assert path.read_bytes() == content


async def test_a_path_that_cannot_be_written_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(BackendUnavailable, match="cannot be used"):
        await FileStore(tmp_path / "file" / PATH, AGENTS).put(version(1), when=UNCONDITIONAL)


def test_a_store_may_be_used_from_one_event_loop_after_another(tmp_path: Path) -> None:
    store = FileStore(tmp_path / PATH, AGENTS)
    stored = asyncio.run(store.put(version(1), when=UNCONDITIONAL)).stored
    assert asyncio.run(store.get("atlas")) == stored


@contextmanager
def locked(path: Path) -> Iterator[None]:
    with path.with_name(f"{path.name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


async def test_a_lock_that_is_not_let_go_is_a_timeout(tmp_path: Path) -> None:
    store = FileStore(tmp_path / PATH, AGENTS, lock_seconds=0.05)
    with locked(tmp_path / PATH):
        for write in (store.put(version(1), when=UNCONDITIONAL), store.delete("atlas", when=UNCONDITIONAL)):
            with pytest.raises(BackendTimeout):
                await write
    await store.close()


async def test_writers_that_wait_for_the_lock_hold_up_nobody_who_reads(tmp_path: Path) -> None:
    """More writers than any pool has threads."""
    store = FileStore(tmp_path / PATH, AGENTS)
    stored = (await store.put(version(0), when=UNCONDITIONAL)).stored
    with locked(tmp_path / PATH):
        writers = [asyncio.create_task(store.put(version(number), when=UNCONDITIONAL)) for number in range(1, 65)]
        for _ in range(20):
            assert await store.get("atlas") == stored
            assert await store.list() == (stored,)
            assert await asyncio.to_thread(lambda: "the pool of the process is free")
        assert not any(writer.done() for writer in writers)
    assert [(await writer).created for writer in writers] == [False] * 64
    await store.close()


async def test_a_write_whose_caller_goes_away_is_finished_before_the_next_one(tmp_path: Path) -> None:
    store = FileStore(tmp_path / PATH, AGENTS)
    with locked(tmp_path / PATH):
        gone = asyncio.create_task(store.put(version(1), when=UNCONDITIONAL))
        assert await store.list() == ()
        gone.cancel()
        with pytest.raises(asyncio.CancelledError):
            await gone
    assert not (await store.put(version(2), when=UNCONDITIONAL)).created
    await store.close()


@contextmanager
def no_file_left_open() -> Iterator[None]:
    """Each file that the block opens is closed when the threads that it starts have ended."""
    earlier = set(threading.enumerate())
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        yield
        for thread in set(threading.enumerate()) - earlier:
            thread.join()
        gc.collect()
    assert told == []


async def test_a_check_that_is_cancelled_while_the_lock_is_opened_leaves_no_file_open(tmp_path: Path) -> None:
    """The thread has opened the file, and the event loop has not seen it yet."""
    store = FileStore(tmp_path / PATH, AGENTS)
    with no_file_left_open():
        checking = asyncio.create_task(store.writable())
        await asyncio.sleep(0)
        while not (tmp_path / f"{PATH}.lock").exists():
            os.sched_yield()
        checking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await checking
        await store.close()


def test_an_event_loop_that_ends_while_the_lock_is_opened_leaves_no_file_open(tmp_path: Path) -> None:
    """A named pipe is opened when it has a reader."""
    pipe = tmp_path / f"{PATH}.lock"
    os.mkfifo(pipe)

    async def write() -> None:
        store = FileStore(tmp_path / PATH, AGENTS)
        writing = asyncio.create_task(store.put(version(1), when=UNCONDITIONAL))
        await asyncio.sleep(0.05)
        assert not writing.done()
        await store.close()

    with no_file_left_open():
        asyncio.run(write())
        reader = os.open(pipe, os.O_RDWR)
    os.close(reader)


def test_an_event_loop_that_ends_keeps_the_lock_until_the_file_is_written(tmp_path: Path) -> None:
    """A named pipe is opened for writing when it has a reader."""
    pipe = tmp_path / f"{PATH}.new"
    os.mkfifo(pipe)
    taken: list[bool] = []

    def read() -> None:
        with (tmp_path / f"{PATH}.lock").open("w") as lock, suppress(BlockingIOError):
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            taken.append(True)
        pipe.read_bytes()

    async def write() -> None:
        store = FileStore(tmp_path / PATH, AGENTS)
        writing = asyncio.create_task(store.put(version(1), when=UNCONDITIONAL))
        await asyncio.sleep(0.05)
        assert not writing.done()

    reader = threading.Timer(0.2, read)
    reader.start()
    asyncio.run(write())
    reader.join()
    assert taken == []


def test_the_clock_of_the_tests_stands_still_while_the_lock_is_opened(tmp_path: Path) -> None:
    """A named pipe is opened when it has a reader."""
    pipe = tmp_path / f"{PATH}.lock"
    os.mkfifo(pipe)
    readers: list[int] = []
    reader = threading.Timer(0.05, lambda: readers.append(os.open(pipe, os.O_RDONLY)))

    async def check() -> None:
        store = FileStore(tmp_path / PATH, AGENTS)
        reader.start()
        await store.writable()
        await store.close()

    with asyncio.Runner(loop_factory=JumpingLoop) as runner:
        runner.run(check())
    reader.join()
    os.close(readers.pop())
