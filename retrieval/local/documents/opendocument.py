"""ODT by its XML. The reader in Python that is published has had no release since 2020."""

import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final
from xml.etree.ElementTree import Element, fromstring

from retrieval.local.documents import numerals, titles
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


_STYLE: Final = "{urn:oasis:names:tc:opendocument:xmlns:style:1.0}"
_OUTLINE: Final = f"{_TEXT}outline-style"
_NUMBERINGS: Final = frozenset({_OUTLINE, f"{_TEXT}list-style"})
_NUMBERED: Final = frozenset(_TABLE + name for name in ("table", "table-row", "table-header-rows", "table-cell"))
_LABEL: Final = "label"
_DEEPEST: Final = 10
_LARGEST: Final = 1_000_000
_LONGEST: Final = 20
_NUMERALS: Final[Mapping[str, Callable[[int], str]]] = {
    "1": str,
    "a": numerals.letters,
    "A": numerals.upper_letters,
    "i": numerals.roman,
    "I": numerals.upper_roman,
}
"""By the format of a level; another one has no number."""


def read_odt(path: Path) -> Iterator[Part]:
    """Headings are those of the document's outline. Raises Unreadable."""
    check(path, elements=ELEMENTS)
    with zipfile.ZipFile(path) as archive:
        names = set(archive.namelist())
        if "content.xml" not in names:
            raise Unreadable("it is no archive of Office: it has no content.xml")
        content = fromstring(archive.read("content.xml"))
        meta, styles = (
            fromstring(archive.read(name)) if name in names else Element("none") for name in ("meta.xml", "styles.xml")
        )
    body = content.find(f"{_OFFICE}body/{_OFFICE}text")
    if body is None:
        raise Unreadable("it is no text")
    looks = _Styles(styles, content)
    title = looks.title(body) or titles.given("".join(next(meta.iter(_TITLE), Element("none")).itertext()))
    looks.remove_hidden(body)
    looks.write_numbers(body)
    parts = list(_parts(body))
    if sum(len(block) for part in parts for block in part.blocks) > LONGEST_TEXT:
        raise Unreadable(f"its text has more than {LONGEST_TEXT:,} characters")
    first = next((part.heading_path[0] for part in parts if part.heading_path), "")
    yield from (Part(blocks=part.blocks, heading_path=part.heading_path, title=title or first) for part in parts)
    if next(content.iter(f"{_OFFICE}annotation"), None) is not None:
        yield Part(blocks=(), left_out="comments")
    if next(content.iter(f"{_DRAWN}image"), None) is not None:
        yield Part(blocks=(), left_out="pictures")
    if next(content.iter(f"{_DRAWN}object"), None) is not None:
        yield Part(blocks=(), left_out="formulas, charts and other objects")


class _Styles:
    """What the styles of a document say of its paragraphs: which are hidden, the title, and how they are numbered."""

    def __init__(self, *holders: Element) -> None:
        self._hidden, self._titles = set[str](), {"Title"}
        self._levels: dict[tuple[str, int], Element] = {}
        self._counts: dict[str, dict[int, int]] = {}
        for style in (one for holder in holders for one in holder.iter(f"{_STYLE}style")):
            name, text = style.get(f"{_STYLE}name", ""), style.find(f"{_STYLE}text-properties")
            if text is not None and text.get(f"{_TEXT}display") == "none":
                self._hidden.add(name)
            if style.get(f"{_STYLE}parent-style-name") == "Title":
                self._titles.add(name)
        for holder in (one for root in holders for one in root.iter() if one.tag in _NUMBERINGS):
            for level in holder:
                at = _number(level, f"{_TEXT}level", _DEEPEST)
                self._levels[holder.get(f"{_STYLE}name", "") if holder.tag != _OUTLINE else "", at] = level

    def title(self, body: Element) -> str:
        """Of the first paragraph in the style of a title, which is taken out of the text."""
        for paragraph in body.findall(f"{_TEXT}p"):
            if paragraph.get(f"{_TEXT}style-name") in self._titles and (said := _said(paragraph)):
                body.remove(paragraph)
                return said
        return ""

    def remove_hidden(self, body: Element) -> None:
        for holder in list(body.iter()):
            children = list(holder)
            kept = [child for child in children if not self._is_hidden(child)]
            if len(kept) < len(children):
                _keep(holder, kept)

    def _is_hidden(self, element: Element) -> bool:
        return element.get(f"{_TEXT}style-name") in self._hidden or element.get(f"{_TEXT}display") == "none"

    def write_numbers(self, holder: Element, style: str = "", depth: int = 0) -> None:
        """Each heading and item begins with its number, if it has one."""
        for child in holder:
            if child.tag == f"{_TEXT}h":
                self._write(child, "", _number(child, f"{_TEXT}outline-level", _DEEPEST))
            elif child.tag == f"{_TEXT}list":
                name = child.get(f"{_TEXT}style-name", style)
                goes_on = child.get(f"{_TEXT}continue-numbering") == "true" or f"{_TEXT}continue-list" in child.attrib
                if not depth and not goes_on:
                    self._counts.pop(name, None)
                self.write_numbers(child, name, depth + 1)
            elif child.tag == f"{_TEXT}list-item":
                first = next((one for one in child if one.tag in (f"{_TEXT}p", f"{_TEXT}h")), None)
                if first is not None and first.tag == f"{_TEXT}p":
                    self._write(first, style, depth)
                self.write_numbers(child, style, depth)
            elif child.tag in _NUMBERED or child.tag in _HOLDERS:
                self.write_numbers(child)

    def _write(self, paragraph: Element, style: str, depth: int) -> None:
        level = self._levels.get((style, depth))
        if level is None or not self._numeral(style, depth):
            return
        counts = self._counts.setdefault(style, {})
        for at in [at for at in counts if at > depth]:
            del counts[at]
        counts[depth] = counts.get(depth, _number(level, f"{_TEXT}start-value", _LARGEST) - 1) + 1
        shown = range(depth + 1 - min(_number(level, f"{_TEXT}display-levels", _DEEPEST), depth), depth + 1)
        numbers = (written(counts.get(at, 1)) for at in shown if (written := self._numeral(style, at)))
        number = ".".join(numbers)
        before, after = (level.get(f"{_STYLE}num-{name}", "")[:_LONGEST] for name in ("prefix", "suffix"))
        label = f"{before}{number}{after}"
        if paragraph.tag == f"{_TEXT}h":
            paragraph.set(_LABEL, label)
        else:
            paragraph.text = f"{label} {paragraph.text or ''}"

    def _numeral(self, style: str, depth: int) -> Callable[[int], str] | None:
        """How a level writes its numbers; None where it has none."""
        level = self._levels.get((style, depth))
        return None if level is None else _NUMERALS.get(level.get(f"{_STYLE}num-format", ""))


def _keep(holder: Element, kept: Sequence[Element]) -> None:
    """Takes the other elements out; the text behind each stays."""
    tails: dict[int, list[str]] = {}
    before, known = -1, {id(child): at for at, child in enumerate(kept)}
    for child in holder:
        before = known.get(id(child), before)
        tails.setdefault(before, []).append(child.tail or "")
    holder.text = (holder.text or "") + "".join(tails.get(-1, ()))
    for at, child in enumerate(kept):
        child.tail = "".join(tails[at])
    holder[:] = kept


def _parts(body: Element) -> Iterator[Part]:
    """The number of a heading stands below it: a path of headings has their words alone."""
    path: dict[int, str] = {}
    above, blocks = list[str](), list[str]()
    for element, block in _blocks(body):
        if element.tag == f"{_TEXT}h" and block:
            yield Part(blocks=[*above, *blocks] if any(blocks) else [], heading_path=tuple(path.values()))
            depth = _number(element, f"{_TEXT}outline-level", 10)
            path = {level: heading for level, heading in path.items() if level < depth} | {depth: block}
            label = element.get(_LABEL, "")
            above, blocks = [f"{label} {block}"] if label else [], []
        else:
            blocks.append(block)
    yield Part(blocks=[*above, *blocks] if any(blocks) else [], heading_path=tuple(path.values()))


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
