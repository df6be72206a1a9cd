"""The file of `agent_file`: read entry by entry, so that one that cannot be read is one, and written in one step."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from os import O_RDONLY, close, fstat, fsync
from os import open as open_descriptor
from pathlib import Path
from typing import Final, TypeAlias

from pydantic import BaseModel, JsonValue, ValidationError
from pydantic_core import to_json

from retrieval.backends.definitions import document
from retrieval.backends.definitions.document import SERVICE
from retrieval.errors import BackendUnavailable
from retrieval.model.etags import Kept, StoredAgent, UnreadableAgent

Stamp: TypeAlias = tuple[int, int, int]
"""What tells one state of the file from another without reading it: inode, size, time of change."""


class Entry(BaseModel):
    """`agent` is a document of `agent_document`."""

    etag: str
    agent: str


class Entries(BaseModel):
    """The file: an `Entry` a name, or what somebody else has made of one."""

    agents: dict[str, JsonValue]


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """The agents at a state of the file, and the entries as they stand there."""

    stamp: Stamp | None = None
    agents: Mapping[str, Kept] = field(default_factory=dict)
    entries: Mapping[str, JsonValue] = field(default_factory=dict)

    def with_agent(self, stored: StoredAgent) -> Entries:
        """What the file is to hold with that agent in it."""
        entry = Entry(etag=stored.etag, agent=document.write(stored.agent))
        return Entries(agents=dict(sorted({**self.entries, stored.name: entry.model_dump()}.items())))

    def without(self, name: str) -> Entries:
        """What the file is to hold without an agent."""
        return Entries(agents={other: entry for other, entry in self.entries.items() if other != name})


NOTHING: Final = Reading()


def read(path: Path, *, last: Reading) -> Reading:
    """The agents as they are; `last` itself while the file has not changed. Raises OSError, BackendUnavailable."""
    try:
        with path.open("rb") as file:
            stamp = _stamp(file.fileno())
            return last if stamp == last.stamp else _parsed(file.read(), stamp)
    except FileNotFoundError:
        return NOTHING


def write(path: Path, entries: Entries) -> None:
    """Put the file into the place of the one that is there. Raises OSError."""
    beside = path.with_name(f"{path.name}.new")
    with beside.open("wb") as file:
        file.write(entries.model_dump_json(indent=1).encode())
        file.flush()
        fsync(file.fileno())
    beside.replace(path)
    _flush_folder(path.parent)


def _parsed(content: bytes, stamp: Stamp) -> Reading:
    try:
        entries = Entries.model_validate_json(content).agents
    except ValidationError:
        raise BackendUnavailable(SERVICE, "is a file that cannot be read.") from None
    agents = {name: _kept(name, entry) for name, entry in entries.items()}
    return Reading(stamp=stamp, agents=agents, entries=entries)


def _kept(name: str, found: JsonValue) -> Kept:
    """What is no entry has no etag either: it gets one that changes with it."""
    try:
        entry = Entry.model_validate(found)
    except ValidationError:
        return UnreadableAgent(name=name, etag=f"0x{hashlib.sha256(to_json(found)).hexdigest()[:16].upper()}")
    return document.read(entry.agent, name=name, etag=entry.etag)


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
