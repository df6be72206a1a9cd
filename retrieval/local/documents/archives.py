"""What an archive of Office holds, counted before a package reads it: a few kilobytes may be millions of elements.

Nothing is kept while they are counted.
"""

import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import IO, Final, TypeAlias
from xml.parsers import expat

from retrieval.local.documents.parts import Unreadable

MOST_UNPACKED: Final = 256 * 1024 * 1024
"""Bytes of all members, by their own account, which Python's reader holds them to."""

MOST_TIMES: Final = 100
"""How many times its size such a file may unpack to."""

NEVER_TOO_MUCH: Final = 16 * 1024 * 1024
MOST_MEMBERS: Final = 10_000
LEAST_ELEMENTS: Final = 20_000
"""Of all members together; a file may have more, one a byte, up to the most that its reader takes."""

_NOTES: Final = frozenset({"footnoteReference", "endnoteReference", "commentReference"})
_METHODS: Final = frozenset({zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED})
_CHUNK: Final = 65_536
_NO_ENCODING: Final = expat.errors.codes[expat.errors.XML_ERROR_UNKNOWN_ENCODING]


See: TypeAlias = Callable[[str, Mapping[str, str]], None]
"""Is told of an element: its name without the namespace, its attributes. It may raise Unreadable."""


def check(path: Path, *, elements: int, least: int = LEAST_ELEMENTS, see: See | None = None) -> None:
    """Raises Unreadable for an archive that would take too much: more than `elements`, or twice as many attributes.

    So it does for an XML that declares a document type, since entities are in one.
    """
    size = path.stat().st_size
    try:
        with zipfile.ZipFile(path) as archive:
            members = archive.infolist()
            check_sizes(members, size)
            counted = _Elements(min(max(size, least), elements), see)
            for member in members:
                with archive.open(member) as file:
                    counted.read(file)
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError) as error:
        raise Unreadable(f"it is no archive of Office: {error}") from None


def _refuse(*_: object) -> None:
    raise Unreadable("its XML declares a document type, as none of Office does")


def check_sizes(members: list[zipfile.ZipInfo], size: int) -> None:
    """Raises Unreadable for members that unpack to too much, or are packed as few programs unpack."""
    unpacked = sum(member.file_size for member in members)
    most = min(max(MOST_TIMES * size, NEVER_TOO_MUCH), MOST_UNPACKED)
    if unpacked > most or len(members) > MOST_MEMBERS:
        raise Unreadable(f"it unpacks to more than {most:,} bytes or {MOST_MEMBERS:,} members")
    if any(member.compress_type not in _METHODS for member in members):
        raise Unreadable("it is packed as no archive of Office is")


class _Elements:
    """What the members have together. What is no XML, as a picture, is passed over where it ends to be some."""

    def __init__(self, most: int, see: See | None) -> None:
        self._most = most
        self._see = see
        self._elements = self._attributes = 0
        self._footnotes: set[tuple[str, str]] = set()

    def read(self, file: IO[bytes]) -> None:
        """Raises Unreadable."""
        parser = expat.ParserCreate(namespace_separator=" ")
        parser.StartElementHandler = self._start
        parser.StartDoctypeDeclHandler = _refuse
        try:
            while chunk := file.read(_CHUNK):
                parser.Parse(chunk, False)
        except expat.ExpatError as error:
            if error.code == _NO_ENCODING:
                raise Unreadable("its XML is in an encoding that none of Office is") from None

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        self._elements += 1
        self._attributes += len(attributes)
        if max(self._elements, self._attributes // 2) > self._most:
            raise Unreadable(f"it has more than {self._most:,} elements, or twice as many attributes")
        local = name.rpartition(" ")[2]
        if self._see is not None:
            self._see(local, attributes)
        if local in _NOTES:
            footnote = (local, next((value for key, value in attributes.items() if key.endswith(" id")), ""))
            if footnote in self._footnotes:
                raise Unreadable("it refers to a note twice")
            self._footnotes.add(footnote)
