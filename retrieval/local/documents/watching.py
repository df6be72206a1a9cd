"""A folder is scanned again and again, and its index follows: changed, new and deleted files.

A file is taken when two scans agree on it, so one that is being written waits. A scan reads no file.
"""

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event
from typing import Final, TypeAlias

from retrieval.errors import RetrievalError
from retrieval.local.corpora import Corpus
from retrieval.local.documents.azure_index import AzureIndex, JsonObject
from retrieval.local.documents.fields import Fields
from retrieval.local.documents.files import MOST_FILES, files
from retrieval.local.documents.parts import NoText, Unreadable
from retrieval.local.documents.reading import documents, warn
from retrieval.local.documents.summary import LeftOut, Skipped
from retrieval.local.json_lines import JsonLine
from retrieval.text.counted_noun import how_many

EVERY: Final = 2.0
"""Seconds between two scans."""

Signature: TypeAlias = tuple[int, int, int]
"""When a file was written, in nanoseconds, its bytes, its number in the file system."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Due:
    """The files, by their paths from the folder, that two scans agree on and that are not in the index as they are."""

    changed: frozenset[str] = frozenset()
    gone: frozenset[str] = frozenset()


class Scans:
    """The scans of a folder or a file. What is there at first counts as taken."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._taken = self._last = _signatures(root, {})

    def scan(self) -> Due:
        now, last = _signatures(self._root, self._last), self._last
        self._last = now
        if now == self._taken == last:
            return Due()
        changed = frozenset(
            source for source, one in now.items() if self._taken.get(source) != one and last.get(source) == one
        )
        gone = frozenset(self._taken.keys() - now.keys() - last.keys())
        self._taken = {source: one for source, one in self._taken.items() if source not in gone}
        self._taken |= {source: now[source] for source in changed}
        return Due(changed=changed, gone=gone)


def _signatures(root: Path, before: Mapping[str, Signature]) -> dict[str, Signature]:
    """The files by their paths; those of a folder that cannot be listed as they were `before`."""
    if root.is_file():
        status = root.stat()
        return {root.name: (status.st_mtime_ns, status.st_size, status.st_ino)}
    found: dict[str, Signature] = {}
    folders = [""]
    while folders and len(found) <= MOST_FILES:
        folder = folders.pop()
        try:
            with os.scandir(root / folder) as entries:
                for entry in entries:
                    if entry.name.startswith("."):
                        continue
                    if entry.is_dir(follow_symlinks=False):
                        folders.append(f"{folder}{entry.name}/")
                    else:
                        status = entry.stat()
                        found[folder + entry.name] = (status.st_mtime_ns, status.st_size, status.st_ino)
        except OSError:
            found |= {source: one for source, one in before.items() if source.startswith(folder)}
    return found


@dataclass(slots=True, kw_only=True)
class Watch:
    """Keeps an index in step with a folder. `make` gives the corpus of documents, and `finish` what is sent of them."""

    root: Path
    index: AzureIndex
    make: Callable[[Sequence[JsonLine]], Corpus]
    finish: Callable[[Sequence[JsonObject]], Iterable[JsonObject]] = iter
    scans: Scans
    left_out: LeftOut
    _fields: Fields = field(init=False, default_factory=Fields)

    def scan(self) -> list[str]:
        """What was done, for people. Raises RetrievalError; the files are taken when they change again."""
        due = self.scans.scan()
        if not due.changed and not due.gone:
            return []
        lines = [self._without(source, "deleted") for source in sorted(due.gone)]
        skipped: list[Skipped] = []
        found = [one for one in files(self.root) if one.source in due.changed]
        for one in found:
            left_out: list[Skipped] = []
            try:
                said = self._with(one.source, documents(one, skip=left_out.append, fields=self._fields))
            except Unreadable as error:
                said = self._not_read(one.source, error)
                left_out.append(Skipped(source=one.source, reason=str(error)))
            lines += [said, *(f"  left out of {one.source}: {part.reason}" for part in left_out if not part.is_file)]
            skipped += left_out
        warn(self.index.name, skipped)
        self.left_out.note(self.index.name, skipped, sources=due.gone | due.changed)
        return [line if line.isprintable() else ascii(line) for line in lines]

    def _with(self, source: str, lines: Sequence[JsonLine]) -> str:
        types = self.index.types()
        corpus = self.make(lines)
        fields = corpus.definition["fields"]
        assert isinstance(fields, list)
        known = {one["name"] for one in fields if isinstance(one, dict) and types.get(str(one["name"])) == one["type"]}
        fitting = [{name: one[name] for name in one if name in known} for one in corpus.documents]
        gone = self.index.keys_of(source) - {str(one["id"]) for one in fitting}
        self._write({"@search.action": "upload", **one} for one in self.finish(fitting))
        self._write({"@search.action": "delete", "id": key} for key in sorted(gone))
        return f"{source}: {how_many(len(fitting), 'chunk')}"

    def _not_read(self, source: str, error: Unreadable) -> str:
        if isinstance(error, NoText):
            return self._without(source, str(error))
        return f"{source}: {error}; what was read of it before is kept"

    def _without(self, source: str, reason: str) -> str:
        self._write({"@search.action": "delete", "id": key} for key in sorted(self.index.keys_of(source)))
        return f"{source}: {reason}"

    def _write(self, actions: Iterable[JsonObject]) -> None:
        for _ in self.index.write(actions):
            pass


def watch(watches: Sequence[Watch], *, ended: Event, say: Callable[[str], None]) -> None:
    """Scan until it is ended. What a scan cannot do is said, and the next one goes on."""
    while not ended.wait(EVERY):
        for line in _scanned(watches):
            say(line)


def _scanned(watches: Sequence[Watch]) -> Iterator[str]:
    for one in watches:
        try:
            yield from (f"{one.index.name}: {line}" for line in one.scan())
        except (RetrievalError, OSError) as error:
            yield f"{one.index.name}: {error}"
