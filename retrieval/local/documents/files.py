"""The files of a folder: which are read, in the order of their names, and why the others are not."""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from stat import S_ISREG
from typing import Final

from retrieval.errors import NotConfigured

MOST_FILES: Final = 20_000
LARGEST: Final = 64 * 1024 * 1024
"""Bytes of a file."""

EMPTY: Final = "empty"


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """A file; `source` is its path from the folder, with slashes. `reason` says why it is not read."""

    path: Path
    source: str
    reason: str | None = None

    @property
    def modified(self) -> str:
        """With time and zone. Raises OSError."""
        return datetime.fromtimestamp(self.path.stat().st_mtime, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def files(root: Path) -> list[Found]:
    """The files of a folder and of the folders in it, or the one file. Raises NotConfigured beyond MOST_FILES."""
    if not root.is_dir():
        return [Found(path=root, source=root.name, reason=_reason(root, root.parent.resolve()))]
    found = []
    for one in _walk(root, root.resolve()):
        found.append(one)
        if len(found) > MOST_FILES:
            raise NotConfigured([f"{root.name}: a folder has at most {MOST_FILES:,} files."])
    return found


def _walk(root: Path, real: Path) -> Iterator[Found]:
    for folder, folders, names in os.walk(root):
        folders.sort()
        here = Path(folder)
        passed = [name for name in folders if name.startswith(".") or (here / name).is_symlink()]
        folders[:] = [name for name in folders if name not in passed]
        for name in sorted([*names, *passed]):
            path = here / name
            source = path.relative_to(root).as_posix()
            yield Found(path=path, source=source, reason=_reason(path, real))


def _reason(path: Path, root: Path) -> str | None:
    """Why a file is not read; None where it is."""
    if not path.name.isprintable():
        return "its name has control characters or is not UTF-8"
    if path.name.startswith("."):
        return "hidden"
    try:
        if path.is_symlink() and not path.resolve(strict=True).is_relative_to(root):
            return "a link out of the folder"
        status = path.stat()
    except (OSError, RuntimeError):
        return "it cannot be opened"
    if not S_ISREG(status.st_mode):
        return "not a file"
    if status.st_size > LARGEST:
        return f"a file has at most {LARGEST:,} bytes"
    return None if status.st_size else EMPTY
