"""ZIP: each file in it as if it lay in a folder. One file at a time is written, under a name of our own."""

import tempfile
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path, PurePosixPath
from stat import S_ISLNK
from typing import Final, TypeAlias

from retrieval.local.documents.archives import check_sizes
from retrieval.local.documents.files import LARGEST
from retrieval.local.documents.parts import Part, Unreadable

Convert: TypeAlias = Callable[[Path], Iterator[Part]]
"""Reads a file that is in another one."""

ARCHIVES: Final = frozenset({".zip", ".jar", ".7z", ".rar", ".tar", ".gz", ".tgz", ".bz2", ".xz"})
_LONGEST_ENDING: Final = 20


def read_zip(path: Path, convert: Convert | None) -> Iterator[Part]:
    """The parts of each member, `within` its path there; a member that is not read is left out and named.

    Raises Unreadable for an archive that would take too much, and for one that is in another file.
    """
    if convert is None:
        raise Unreadable("an archive in another file")
    try:
        with zipfile.ZipFile(path) as archive:
            members = archive.infolist()
            check_sizes(members, path.stat().st_size)
            for member in (one for one in members if not one.is_dir()):
                try:
                    yield from _parts(archive, member, convert)
                except Unreadable as error:
                    yield Part(blocks=(), left_out=f"{member.filename}: {error}")
    except (zipfile.BadZipFile, NotImplementedError) as error:
        raise Unreadable(f"it is no archive: {error}") from None


def inner_parts(name: PurePosixPath, content: bytes, convert: Convert) -> Iterator[Part]:
    """The parts of a file that is in another one. Raises Unreadable."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / f"file{name.suffix.lower()[:_LONGEST_ENDING]}"
        file.write_bytes(content)
        for part in convert(file):
            yield replace(part, within=name.as_posix(), left_out=part.left_out and f"{name}: {part.left_out}")


def _parts(archive: zipfile.ZipFile, member: zipfile.ZipInfo, convert: Convert) -> Iterator[Part]:
    """Raises Unreadable."""
    name = PurePosixPath(member.filename.replace("\\", "/"))
    if reason := _reason(member, name):
        raise Unreadable(reason)
    if any(part.startswith(".") or part == "__MACOSX" for part in name.parts):
        return
    try:
        content = archive.read(member)
    except (zipfile.BadZipFile, RuntimeError, EOFError) as error:
        raise Unreadable(f"it cannot be unpacked: {str(error)[:100]}") from None
    yield from inner_parts(name, content, convert)


def _reason(member: zipfile.ZipInfo, name: PurePosixPath) -> str | None:
    """Why a member is not read; None where it is."""
    if name.is_absolute() or ".." in name.parts or ":" in name.parts[0] or not member.filename.isprintable():
        return "its name leads out of the archive or cannot be shown"
    if S_ISLNK(member.external_attr >> 16):
        return "a link"
    if member.flag_bits & 1:
        return "it is encrypted"
    if name.suffix.lower() in ARCHIVES:
        return "an archive in an archive"
    return f"a file has at most {LARGEST:,} bytes" if member.file_size > LARGEST else None
