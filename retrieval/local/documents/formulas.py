"""Formulas of a workbook that no program has calculated: a file that a program wrote has them without a value.

`archives.check` has counted the elements before.
"""

import posixpath
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Final, TypeAlias
from xml.etree.ElementTree import Element, fromstring, iterparse

MOST_KEPT: Final = 100_000
"""Formulas of a sheet."""

LONGEST: Final = 300
"""Characters of a formula."""

_MOST_NAMED: Final = 20

Coordinates: TypeAlias = tuple[int, int]
"""Row and column, from 1."""


@dataclass(slots=True)
class Formulas:
    """Those of one sheet: each with its sign of equality, or empty where the file has it at another cell."""

    cells: dict[Coordinates, str] = field(default_factory=dict)
    names: list[str] = field(default_factory=list)
    count: int = 0

    def add(self, place: Coordinates, name: str, formula: str) -> None:
        self.count += 1
        if self.count <= MOST_KEPT:
            self.cells[place] = formula
        if self.count <= _MOST_NAMED:
            self.names.append(name)

    def named(self) -> str:
        """The cells, for people."""
        more = f" and {self.count - _MOST_NAMED:,} more" if self.count > _MOST_NAMED else ""
        return ", ".join(self.names) + more


def not_calculated(path: Path) -> Mapping[str, Formulas]:
    """The formulas without a value, by the names of their sheets. Raises ElementTree.ParseError and KeyError."""
    with zipfile.ZipFile(path) as archive:
        found: dict[str, Formulas] = {}
        for sheet, member in _sheets(archive):
            with archive.open(member) as file:
                found[sheet] = _of_sheet(file)
        return found


def _sheets(archive: zipfile.ZipFile) -> Iterator[tuple[str, str]]:
    """The name and the member of each sheet."""
    names = frozenset(archive.namelist())
    of_file = _related(archive, "")
    book = next((target for kind, target in of_file.values() if kind.endswith("/officeDocument")), "xl/workbook.xml")
    sheets = _related(archive, book)
    for sheet in fromstring(archive.read(book)).iter():
        if _local(sheet) == "sheet":
            identifier = next((value for name, value in sheet.attrib.items() if name.endswith("}id")), "")
            _, member = sheets.get(identifier, ("", ""))
            if member in names:
                yield sheet.get("name", ""), member


def _related(archive: zipfile.ZipFile, member: str) -> dict[str, tuple[str, str]]:
    """The kind and the member of each relationship of a member, or of the file, by its id."""
    folder, base = posixpath.split(member)
    relations = fromstring(archive.read(posixpath.join(folder, "_rels", f"{base}.rels")))
    return {
        one.get("Id", ""): (
            one.get("Type", ""),
            posixpath.normpath(posixpath.join("/", folder, one.get("Target", ""))).lstrip("/"),
        )
        for one in relations
    }


def _of_sheet(file: IO[bytes]) -> Formulas:
    found = Formulas()
    row = column = 0
    for event, element in iterparse(file, ("start", "end")):
        name = _local(element)
        if event == "start" and name == "row":
            row, column = _number(element.get("r"), row + 1), 0
        elif event == "end" and name == "c":
            reference = element.get("r", "")
            column = _column(reference) or column + 1
            formula = _formula(element)
            if formula is not None:
                found.add((row, column), reference or f"row {row}", formula)
        if event == "end" and name in ("c", "row"):
            element.clear()
    return found


def _formula(cell: Element) -> str | None:
    """The formula of a cell that has no value. One whose text is empty has that for a value."""
    parts = {_local(child): child for child in cell}
    formula, value = parts.get("f"), parts.get("v")
    if formula is None or (value is not None and (value.text or cell.get("t") == "str")):
        return None
    text = " ".join((formula.text or "").split())[:LONGEST]
    return f"={text}" if text else ""


def _column(reference: str) -> int:
    """The number of a column by its letters; 0 for none."""
    number = 0
    for sign in reference[:3].upper():
        if not "A" <= sign <= "Z":
            break
        number = 26 * number + ord(sign) - ord("A") + 1
    return number


def _number(text: str | None, usual: int) -> int:
    return int(text) if text and text.isascii() and text.isdigit() and len(text) < 10 else usual


def _local(element: Element) -> str:
    return str(element.tag).rpartition("}")[2]
