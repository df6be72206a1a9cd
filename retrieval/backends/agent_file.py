"""Agents in a JSON file, for one machine and any number of processes on it.

A write goes to a file beside it, is flushed to the disk, and takes the place of the old one in one step, so that a
process that is killed leaves either the old file or the new one. Writers take turns by a lock that dies with the
process that holds it; readers need none. Reading and writing happen in threads beside the event loop.
"""

import asyncio
import fcntl
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from os import O_RDONLY, close, fstat, fsync
from os import open as open_descriptor
from pathlib import Path
from typing import Final, TypeAlias, TypeVar

from pydantic import BaseModel, ValidationError

from retrieval.backends import agent_document
from retrieval.backends.agent_document import SERVICE
from retrieval.backends.agent_store import fresh
from retrieval.errors import BackendUnavailable, PreconditionFailed
from retrieval.model import Agent
from retrieval.stored import Precondition, StoredAgent, Written

Stamp: TypeAlias = tuple[int, int, int]
"""What tells one state of the file from another without reading it: inode, size, time of change."""


class Entry(BaseModel):
    """`agent` is a document of `agent_document`."""

    etag: str
    agent: str


class Entries(BaseModel):
    """The file."""

    agents: dict[str, Entry]


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """The agents at a state of the file."""

    stamp: Stamp | None
    agents: Mapping[str, StoredAgent]


Result = TypeVar("Result")

NOTHING: Final = Reading(stamp=None, agents={})


class FileAgentStore:
    """The file need not exist, nor its folder."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._last = NOTHING

    async def get(self, name: str, *, known: StoredAgent | None = None) -> StoredAgent | None:
        """The agent of that name, or None."""
        found = (await _in_thread(self._read)).get(name)
        return known if found == known else found

    async def list(self) -> tuple[StoredAgent, ...]:
        """All of them, by name."""
        return tuple(stored for _, stored in sorted((await _in_thread(self._read)).items()))

    async def put(self, agent: Agent, *, when: Precondition) -> Written:
        """Store it. Raises PreconditionFailed, BackendUnavailable."""

        def write() -> Written:
            with self._turn() as agents:
                before = _checked(agents, agent.name, when)
                stored = fresh(agent)
                self._write({**agents, agent.name: stored})
            return Written(stored=stored, created=before is None)

        return await _in_thread(write)

    async def delete(self, name: str, *, when: Precondition) -> bool:
        """Whether there was one. Raises PreconditionFailed, BackendUnavailable."""

        def remove() -> bool:
            with self._turn() as agents:
                before = _checked(agents, name, when)
                if before is not None:
                    self._write({other: stored for other, stored in agents.items() if other != name})
            return before is not None

        return await _in_thread(remove)

    @contextmanager
    def _turn(self) -> Iterator[Mapping[str, StoredAgent]]:
        """The agents as they are, while no other process or thread writes."""
        self._path.parent.mkdir(parents=True, exist_ok=True)
        with self._path.with_name(f"{self._path.name}.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield self._read()

    def _read(self) -> Mapping[str, StoredAgent]:
        """Parsed again only when the file has changed."""
        try:
            with self._path.open("rb") as file:
                stamp = _stamp(file.fileno())
                if stamp != self._last.stamp:
                    self._last = Reading(stamp=stamp, agents=_parsed(file.read()))
        except FileNotFoundError:
            self._last = NOTHING
        return self._last.agents

    def _write(self, agents: Mapping[str, StoredAgent]) -> None:
        entries = {
            name: Entry(etag=stored.etag, agent=agent_document.write(stored.agent))
            for name, stored in sorted(agents.items())
        }
        beside = self._path.with_name(f"{self._path.name}.new")
        with beside.open("wb") as file:
            file.write(Entries(agents=entries).model_dump_json(indent=1).encode())
            file.flush()
            fsync(file.fileno())
        beside.replace(self._path)
        _flush_folder(self._path.parent)


def _checked(agents: Mapping[str, StoredAgent], name: str, when: Precondition) -> StoredAgent | None:
    before = agents.get(name)
    if not when.holds(None if before is None else before.etag):
        raise PreconditionFailed(name)
    return before


def _parsed(content: bytes) -> Mapping[str, StoredAgent]:
    try:
        entries = Entries.model_validate_json(content)
    except ValidationError:
        raise BackendUnavailable(SERVICE, "is a file that cannot be read.") from None
    return {name: agent_document.read(entry.agent, etag=entry.etag) for name, entry in entries.agents.items()}


def _stamp(file: int) -> Stamp:
    state = fstat(file)
    return state.st_ino, state.st_size, state.st_mtime_ns


def _flush_folder(folder: Path) -> None:
    """The new name is on the disk too."""
    descriptor = open_descriptor(folder, O_RDONLY)
    try:
        fsync(descriptor)
    finally:
        close(descriptor)


async def _in_thread(work: Callable[[], Result]) -> Result:
    try:
        return await asyncio.to_thread(work)
    except OSError as error:
        raise BackendUnavailable(SERVICE, f"is a file that cannot be used: {error.strerror}.") from error
