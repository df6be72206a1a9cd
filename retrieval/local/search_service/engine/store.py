"""Definitions and documents in one SQLite file, so that they outlive the process.

One change is one transaction, committed before it is answered: after the process is killed at any moment, a change that
was answered is there, and one that was not is there whole or not at all. What the machine's own crash may take is the
last moments only, never the file (write-ahead log, `synchronous=NORMAL`).
"""

import json
import sqlite3
import weakref
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from retrieval.errors import RetrievalError
from retrieval.local.search_service.definitions.document import Document
from retrieval.local.search_service.errors import SearchServiceError

FILE: Final = "search.sqlite3"
_FORMAT: Final = 1
_LOCKED: Final = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)

_SCHEMA: Final = """
CREATE TABLE IF NOT EXISTS resource (
    kind TEXT NOT NULL, name TEXT NOT NULL, etag TEXT NOT NULL, wire TEXT NOT NULL, PRIMARY KEY (kind, name)
);
CREATE TABLE IF NOT EXISTS document (
    place INTEGER PRIMARY KEY, index_name TEXT NOT NULL, key TEXT NOT NULL, fields TEXT NOT NULL,
    UNIQUE (index_name, key)
);
CREATE TABLE IF NOT EXISTS counter (name TEXT PRIMARY KEY, value INTEGER NOT NULL);
"""

_encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


class CannotStore(RetrievalError):
    """The folder cannot be used: not writable, in use by another process, or written by another version."""

    def __init__(self, folder: Path, reason: str) -> None:
        super().__init__(f"The data folder {str(folder)!r} cannot be used: {reason}.")
        self.folder = folder
        self.reason = reason


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """A definition as it was stored: `kind` is the collection it belongs to, `indexes` or `aliases`."""

    kind: str
    name: str
    etag: str
    wire: dict[str, Any]


class Store:
    """Raises CannotStore where it cannot be opened; a change that cannot be written is a SearchServiceError 503."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self._file = sqlite3.connect(folder / FILE, timeout=0, isolation_level=None, check_same_thread=False)
            weakref.finalize(self, self._file.close)
            self._open()
        except (OSError, sqlite3.Error) as error:
            raise CannotStore(folder, _reason(error)) from error
        if self.counter("format") not in (0, _FORMAT):
            raise CannotStore(folder, "another version of this program wrote it")
        with self._change():
            self._count("format", _FORMAT)

    def _open(self) -> None:
        """The lock is exclusive and taken at once: two services on one folder would not see each other's changes."""
        self._file.execute("PRAGMA locking_mode=EXCLUSIVE")
        self._file.execute("PRAGMA journal_mode=WAL")
        self._file.execute("PRAGMA synchronous=NORMAL")
        self._file.execute("BEGIN IMMEDIATE")
        self._file.execute("COMMIT")
        self._file.executescript(_SCHEMA)

    def close(self) -> None:
        self._file.close()

    def counter(self, name: str) -> int:
        """0 where it was never set."""
        row = self._file.execute("SELECT value FROM counter WHERE name = ?", (name,)).fetchone()
        return 0 if row is None else int(row[0])

    def resources(self, kind: str) -> list[Kept]:
        """In the order of their names."""
        rows = self._file.execute("SELECT name, etag, wire FROM resource WHERE kind = ? ORDER BY name", (kind,))
        return [Kept(kind=kind, name=name, etag=etag, wire=json.loads(wire)) for name, etag, wire in rows]

    def count(self, index: str) -> int:
        row = self._file.execute("SELECT count(*) FROM document WHERE index_name = ?", (index,)).fetchone()
        return int(row[0])

    def documents(self, index: str) -> Iterator[tuple[str, Document]]:
        """Key and fields, in the order in which they were written."""
        rows = self._file.execute("SELECT key, fields FROM document WHERE index_name = ? ORDER BY place", (index,))
        return ((key, json.loads(fields)) for key, fields in rows)

    def keep(self, resource: Kept, *, version: int) -> None:
        """`version` is the number of the last ETag given out, which must never be given out again."""
        row = (resource.kind, resource.name, resource.etag, _encode(resource.wire))
        with self._change():
            self._file.execute("INSERT OR REPLACE INTO resource VALUES (?, ?, ?, ?)", row)
            self._count("version", version)

    def drop(self, kind: str, name: str) -> None:
        with self._change():
            self._file.execute("DELETE FROM resource WHERE kind = ? AND name = ?", (kind, name))
            if kind == "indexes":
                self._file.execute("DELETE FROM document WHERE index_name = ?", (name,))

    def drop_orphans(self) -> None:
        """Removes documents whose index was being made when the process ended."""
        with self._change():
            self._file.execute(
                "DELETE FROM document WHERE index_name NOT IN (SELECT name FROM resource WHERE kind = 'indexes')"
            )

    def write(self, index: str, changes: Mapping[str, Document | None]) -> None:
        """Every change or none; None removes a document."""
        gone = [(index, key) for key, fields in changes.items() if fields is None]
        rows = [(index, key, _encode(fields)) for key, fields in changes.items() if fields is not None]
        with self._change():
            self._file.executemany("DELETE FROM document WHERE index_name = ? AND key = ?", gone)
            self._file.executemany("INSERT OR REPLACE INTO document (index_name, key, fields) VALUES (?, ?, ?)", rows)

    def _count(self, name: str, value: int) -> None:
        self._file.execute("INSERT OR REPLACE INTO counter VALUES (?, ?)", (name, value))

    @contextmanager
    def _change(self) -> Iterator[None]:
        try:
            self._file.execute("BEGIN IMMEDIATE")
            yield
            self._file.execute("COMMIT")
        except sqlite3.Error as error:
            with suppress(sqlite3.Error):
                self._file.execute("ROLLBACK")
            message = f"The change cannot be written to the data folder: {_reason(error)}."
            raise SearchServiceError(503, "ServiceUnavailable", message) from error


def _reason(error: OSError | sqlite3.Error) -> str:
    if isinstance(error, sqlite3.OperationalError) and error.sqlite_errorcode & 0xFF in _LOCKED:
        return "another process uses it"
    return (error.strerror or str(error)) if isinstance(error, OSError) else str(error)
