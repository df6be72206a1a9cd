"""Numbered lists of Word: the numbers of items that mammoth would count anew, written into the items.

Word counts a list on where a paragraph or a table interrupts it; lists of HTML begin with 1 again.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final
from xml.etree.ElementTree import Element, SubElement

W: Final = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_BULLETS: Final = "1000000"
"""The number of a list that is added, with bullets at each level."""

_LEVELS: Final = 9
_MOST_BASES: Final = 20
_LARGEST: Final = 1_000_000


@dataclass(frozen=True, slots=True)
class _Item:
    """The list and the level of a paragraph."""

    number: str
    level: int


@dataclass(slots=True)
class Lists:
    """The lists of one document, by its numbering and its styles. `numbering` is changed: it gets a list of bullets."""

    numbering: Element
    styles: Element | None
    _abstract: dict[str, str] = field(init=False, default_factory=dict)
    _starts: dict[tuple[str, int], int] = field(init=False, default_factory=dict)
    _formats: dict[tuple[str, int], str] = field(init=False, default_factory=dict)
    _of_styles: dict[str, tuple[Element | None, str]] = field(init=False, default_factory=dict)
    _overrides: dict[str, dict[int, int]] = field(init=False, default_factory=dict)
    _counts: dict[str, dict[int, int]] = field(init=False, default_factory=dict)
    _begun: set[str] = field(init=False, default_factory=set)

    def __post_init__(self) -> None:
        for one in self.numbering.findall(f"{W}abstractNum"):
            for level in one.findall(f"{W}lvl"):
                key = one.get(f"{W}abstractNumId", ""), _level(level)
                self._starts[key] = _int(_value(level, "start"), 1)
                self._formats[key] = _value(level, "numFmt")
        for one in self.numbering.findall(f"{W}num"):
            self._abstract[one.get(f"{W}numId", "")] = _value(one, "abstractNumId")
            self._overrides[one.get(f"{W}numId", "")] = dict(_overrides(one))
        for style in () if self.styles is None else self.styles.findall(f"{W}style"):
            properties = style.find(f"{W}pPr/{W}numPr")
            self._of_styles[style.get(f"{W}styleId", "")] = properties, _value(style, "basedOn")

    def write_numbers(self, container: Element) -> None:
        """Put the number into each item that would get another one, which becomes an item with a bullet."""
        self._write(container, {})
        bullets = SubElement(self.numbering, f"{W}abstractNum", {f"{W}abstractNumId": _BULLETS})
        for level in range(_LEVELS):
            SubElement(SubElement(bullets, f"{W}lvl", {f"{W}ilvl": str(level)}), f"{W}numFmt", {f"{W}val": "bullet"})
        number = SubElement(self.numbering, f"{W}num", {f"{W}numId": _BULLETS})
        SubElement(number, f"{W}abstractNumId", {f"{W}val": _BULLETS})

    def _write(self, container: Element, shown: dict[int, int]) -> None:
        """`shown` are the numbers that the latest items of each level get."""
        for child in container:
            if child.tag == f"{W}p":
                self._write_number(child, shown)
            elif child.tag == f"{W}tbl":
                shown.clear()
                for cell in _cells(child):
                    self._write(cell, {})
            elif child.tag in (f"{W}sdt", f"{W}sdtContent"):
                self._write(child, shown)

    def _write_number(self, paragraph: Element, shown: dict[int, int]) -> None:
        item = self._item(paragraph)
        if item is None:
            if _has_content(paragraph):
                shown.clear()
            return
        kind = self._formats.get((self._abstract.get(item.number, ""), item.level), "bullet")
        for level in [level for level in shown if level > item.level or (level == item.level and kind == "bullet")]:
            del shown[level]
        if kind == "bullet":
            return
        number, shown[item.level] = self._count(item), shown.get(item.level, 0) + 1
        if kind == "decimal" and number != shown[item.level]:
            del shown[item.level]
            _number(paragraph, item.level, number)

    def _count(self, item: _Item) -> int:
        """The number of the next item. A list that begins anew says so."""
        abstract = self._abstract.get(item.number, "")
        if item.number not in self._begun:
            self._begun.add(item.number)
            for level, start in self._overrides[item.number].items():
                self._counts.setdefault(abstract, {})[level] = start - 1
        counts = {level: count for level, count in self._counts.get(abstract, {}).items() if level <= item.level}
        counts[item.level] = counts.get(item.level, self._starts.get((abstract, item.level), 1) - 1) + 1
        self._counts[abstract] = counts
        return counts[item.level]

    def _item(self, paragraph: Element) -> _Item | None:
        properties = paragraph.find(f"{W}pPr/{W}numPr")
        style = paragraph.find(f"{W}pPr/{W}pStyle")
        name = "" if style is None else style.get(f"{W}val", "")
        for _ in range(_MOST_BASES):
            if properties is not None or not name:
                break
            properties, name = self._of_styles.get(name, (None, ""))
        number = "" if properties is None else _value(properties, "numId")
        known = number in self._abstract
        return (
            _Item(number, min(_int(_value(properties, "ilvl")), _LEVELS - 1))
            if known and properties is not None
            else None
        )


def _cells(table: Element) -> Iterator[Element]:
    for row in table.findall(f"{W}tr"):
        yield from row.findall(f"{W}tc")


def _overrides(number: Element) -> Iterator[tuple[int, int]]:
    """The levels that a list begins anew, with their first numbers."""
    for override in number.findall(f"{W}lvlOverride"):
        if override.find(f"{W}startOverride") is not None:
            yield _level(override), _int(_value(override, "startOverride"), 1)


def _number(paragraph: Element, level: int, number: int) -> None:
    """Give the paragraph the bullet of its level, and the number as its first words."""
    properties = paragraph.find(f"{W}pPr")
    assert properties is not None
    for one in properties.findall(f"{W}numPr"):
        properties.remove(one)
    of_bullets = SubElement(properties, f"{W}numPr")
    SubElement(of_bullets, f"{W}ilvl", {f"{W}val": str(level)})
    SubElement(of_bullets, f"{W}numId", {f"{W}val": _BULLETS})
    run = Element(f"{W}r")
    SubElement(run, f"{W}t", {"{http://www.w3.org/XML/1998/namespace}space": "preserve"}).text = f"{number}. "
    paragraph.insert(list(paragraph).index(properties) + 1, run)


def _has_content(paragraph: Element) -> bool:
    return any(one.tag in (f"{W}t", f"{W}drawing", f"{W}pict") for one in paragraph.iter())


def _value(element: Element, name: str) -> str:
    found = element.find(W + name)
    return "" if found is None else found.get(f"{W}val", "")


def _level(element: Element) -> int:
    return min(_int(element.get(f"{W}ilvl")), _LEVELS - 1)


def _int(text: str | None, usual: int = 0) -> int:
    return min(int(text), _LARGEST) if text and text.isdecimal() else usual
