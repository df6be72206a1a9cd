"""Reads and writes the file of a `FileStore`. Each entry is read on its own, so that an unreadable entry does not
affect other entries."""

import hashlib
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from os import O_RDONLY, close, fstat, fsync
from os import open as open_descriptor
from pathlib import Path
from typing import Final, Generic, TypeAlias

from pydantic import JsonValue, TypeAdapter
from pydantic_core import to_json

from retrieval.definitions.document import SERVICE, Kind, etag_of
from retrieval.errors import BackendUnavailable
from retrieval.model.etags import Defined, Kept, Stored, Unreadable
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


def read(path: Path, kind: Kind[Defined], *, last: ReadEntry[Defined]) -> ReadEntry[Defined]:
    """The current definitions. If the file has not changed since `last`, `last` is returned. Raises OSError,
    BackendUnavailable."""
    try:
        with path.open("rb") as file:
            stamp = _stamp(file.fileno())
            return last if stamp == last.stamp else _parse(file.read(), kind, stamp)
    except FileNotFoundError:
        return ReadEntry()


def entry(stored: Stored[Defined], kind: Kind[Defined]) -> JsonValue:
    """The entry of a definition in the file."""
    return {"etag": stored.etag, kind.name: kind.write(stored)}


def write(path: Path, kind: Kind[Defined], entries: Entries) -> None:
    """Replace the current file with a new file in one step. Raises OSError."""
    new_file = path.with_name(f"{path.name}.new")
    with new_file.open("wb") as file:
        file.write(to_json({f"{kind.name}s": dict(sorted(entries.items()))}, indent=1))
        file.flush()
        fsync(file.fileno())
    new_file.replace(path)
    _flush_folder(path.parent)


def _parse(content: bytes, kind: Kind[Defined], stamp: Stamp) -> ReadEntry[Defined]:
    """A name that is given more than once in the file has the list of its values, which is not readable and not lost
    when the file is written."""
    try:
        _FILE.validate_json(content)
        parts = with_repeated(content)
    except ValueError:
        raise BackendUnavailable(SERVICE, "is a file that cannot be read.") from None
    entries = parts.get(f"{kind.name}s") if isinstance(parts, dict) and len(parts) == 1 else None
    if not isinstance(entries, dict):
        raise BackendUnavailable(SERVICE, "is a file that cannot be read.") from None
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
        etag_of_value = f"0x{hashlib.sha256(to_json(value)).hexdigest()[:16].upper()}"
        return Unreadable(name=name, etag=etag_of_value, members=others)
    return kind.read(text, name=name, etag=etag_of(etag))


def _stamp(file: int) -> Stamp:
    state = fstat(file)
    return state.st_ino, state.st_size, state.st_mtime_ns


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
