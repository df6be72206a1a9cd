"""ODT by its XML. The reader in Python that is published has had no release since 2020."""

import zipfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final
from xml.etree.ElementTree import Element, fromstring

from retrieval.local.documents.archives import check
from retrieval.local.documents.parts import LONGEST_TEXT, Part, Unreadable
from retrieval.local.documents.tables import table

ELEMENTS: Final = 200_000
MOST_REPEATED: Final = 100
"""Columns, rows or blanks that one element stands for."""

_TEXT: Final = "{urn:oasis:names:tc:opendocument:xmlns:text:1.0}"
_TABLE: Final = "{urn:oasis:names:tc:opendocument:xmlns:table:1.0}"
_OFFICE: Final = "{urn:oasis:names:tc:opendocument:xmlns:office:1.0}"
_TITLE: Final = "{http://purl.org/dc/elements/1.1/}title"
_DRAWN: Final = "{urn:oasis:names:tc:opendocument:xmlns:drawing:1.0}"
_UNSEEN: Final = frozenset({f"{_OFFICE}annotation", f"{_TEXT}tracked-changes", f"{_TEXT}sequence-decls"})
_BLANKS: Final = frozenset({f"{_TEXT}s", f"{_TEXT}tab", f"{_TEXT}line-break"})
_PARAGRAPHS: Final = frozenset({f"{_TEXT}p", f"{_TEXT}list-item"})
_HOLDERS: Final = frozenset({f"{_TEXT}section", f"{_TEXT}index-body", f"{_DRAWN}frame", f"{_DRAWN}text-box"})


def read_odt(path: Path) -> Iterator[Part]:
    """Headings are those of the document's outline. Raises Unreadable."""
    check(path, elements=ELEMENTS)
    with zipfile.ZipFile(path) as archive:
        names = set(archive.namelist())
        if "content.xml" not in names:
            raise Unreadable("it is no archive of Office: it has no content.xml")
        content = fromstring(archive.read("content.xml"))
        meta = fromstring(archive.read("meta.xml")) if "meta.xml" in names else Element("none")
    body = content.find(f"{_OFFICE}body/{_OFFICE}text")
    if body is None:
        raise Unreadable("it is no text")
    title = "".join(next(meta.iter(_TITLE), Element("none")).itertext()).strip()
    parts = list(_parts(body))
    if sum(len(block) for part in parts for block in part.blocks) > LONGEST_TEXT:
        raise Unreadable(f"its text has more than {LONGEST_TEXT:,} characters")
    first = next((part.heading_path[0] for part in parts if part.heading_path), "")
    yield from (Part(blocks=part.blocks, heading_path=part.heading_path, title=title or first) for part in parts)
    if next(content.iter(f"{_OFFICE}annotation"), None) is not None:
        yield Part(blocks=(), left_out="comments")
    if next(content.iter(f"{_DRAWN}image"), None) is not None:
        yield Part(blocks=(), left_out="pictures")


def _parts(body: Element) -> Iterator[Part]:
    path: dict[int, str] = {}
    blocks: list[str] = []
    for element, block in _blocks(body):
        if element.tag == f"{_TEXT}h" and block:
            yield Part(blocks=blocks, heading_path=tuple(path.values()))
            depth = _number(element, f"{_TEXT}outline-level", 10)
            path = {level: heading for level, heading in path.items() if level < depth} | {depth: block}
            blocks = []
        else:
            blocks.append(block)
    yield Part(blocks=blocks, heading_path=tuple(path.values()))


def _blocks(holder: Element) -> Iterator[tuple[Element, str]]:
    for element in holder:
        if element.tag in {f"{_TEXT}h", f"{_TEXT}p"}:
            yield element, _said(element)
        elif element.tag == f"{_TEXT}list":
            yield element, "\n".join(_items(element, ""))
        elif element.tag == f"{_TABLE}table":
            yield element, table(_table(element))
        elif element.tag in _HOLDERS:
            yield from _blocks(element)


def _items(listed: Element, indent: str) -> Iterator[str]:
    for element in (one for item in listed for one in item):
        if element.tag == f"{_TEXT}list":
            yield from _items(element, f"{indent}  ")
        elif said := _said(element):
            yield f"{indent}- {said}"


def _rows(element: Element) -> Iterator[Element]:
    for child in element:
        if child.tag == f"{_TABLE}table-row":
            yield child
        elif child.tag in {f"{_TABLE}table-header-rows", f"{_TABLE}table-rows", f"{_TABLE}table-row-group"}:
            yield from _rows(child)


def _table(element: Element) -> list[list[str]]:
    rows: list[list[str]] = []
    for row in _rows(element):
        rows.append(_cells(row, rows[-1] if rows else []))
    return rows


def _cells(row: Element, above: Sequence[str]) -> list[str]:
    """The values of a row; a cell that another covers has that one's, from the left or from above."""
    cells: list[str] = []
    wide = 0
    for cell in row:
        said = " ".join(filter(None, (_said(child) for child in cell)))
        for _ in range(_number(cell, f"{_TABLE}number-columns-repeated", MOST_REPEATED)):
            wide = max(wide - 1, 0)
            if cell.tag == f"{_TABLE}covered-table-cell" and not said:
                cells.append(cells[-1] if wide and cells else above[len(cells)] if len(cells) < len(above) else "")
            else:
                cells.append(said)
                wide = _number(cell, f"{_TABLE}number-columns-spanned", MOST_REPEATED)
    return cells


def _said(element: Element) -> str:
    """The words of a paragraph, with the footnotes where they are cited."""
    return " ".join("".join(_words(element)).split())


def _words(element: Element) -> Iterator[str]:
    if element.tag in _UNSEEN:
        return
    if element.tag == f"{_TEXT}note":
        body = element.find(f"{_TEXT}note-body")
        yield "" if body is None else f" [{_said(body)}]"
        return
    yield element.text or ""
    if element.tag in _BLANKS:
        yield " "
    for child in element:
        yield from _words(child)
        yield child.tail or ""
        yield " " if child.tag in _PARAGRAPHS else ""


def _number(element: Element, name: str, most: int) -> int:
    """An attribute that counts, from 1 to the most; 1 where it is none."""
    text = element.get(name, "1")
    return min(max(int(text), 1), most) if text.isascii() and text.isdigit() and len(text) < 10 else 1
