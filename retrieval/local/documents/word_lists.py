"""Numbers that Word counts: of headings, clauses and lists, written into their paragraphs as Word shows them.

Word numbers a heading by its style, writes a clause as `3.2` or `(a)`, and counts a list on where a paragraph or a
table interrupts it. Lists of HTML know none of this.
"""

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final
from xml.etree.ElementTree import Element, SubElement

from retrieval.local.documents import numerals

W: Final = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_BULLETS: Final = "1000000"
"""The number of a list that is added, with bullets at each level."""

_LEVELS: Final = 9
_DEEPEST: Final = 4
"""The last level that mammoth has a list for."""

_MOST_BASES: Final = 20
_LARGEST: Final = 1_000_000
_LONGEST_LABEL: Final = 100
_PLACE: Final = re.compile(r"%([1-9])")
_SIMPLE: Final = re.compile(r"(\d+)\.")
_OUTLINE: Final = frozenset("012345")
_FEW: Final = 10
_OFF: Final = frozenset({"0", "false", "off"})
_HOLDERS: Final = frozenset(W + name for name in ("sdt", "sdtContent", "customXml", "tr", "ins"))
_DRAWN: Final = frozenset({f"{W}drawing", f"{W}pict", f"{W}sym"})
_NOTHING: Final = frozenset({"bullet", "none"})
_FORMATS: Final[Mapping[str, Callable[[int], str]]] = {
    "decimalZero": "{:02}".format,
    "lowerLetter": numerals.letters,
    "upperLetter": numerals.upper_letters,
    "lowerRoman": numerals.roman,
    "upperRoman": numerals.upper_roman,
    "russianLower": numerals.cyrillic,
    "russianUpper": numerals.upper_cyrillic,
    "ordinal": numerals.ordinal,
    "decimalEnclosedCircle": numerals.circled,
    "decimalEnclosedCircleChinese": numerals.circled,
    **dict.fromkeys(
        ("chineseCounting", "chineseCountingThousand", "japaneseCounting", "taiwaneseCounting",
         "taiwaneseCountingThousand", "ideographDigital", "taiwaneseDigital", "japaneseDigitalTenThousand"),
        numerals.han,
    ),
}  # fmt: skip
"""By their names in Word; others are decimal: https://learn.microsoft.com/dotnet/api/documentformat.openxml.wordprocessing.numberformatvalues"""


@dataclass(frozen=True, slots=True)
class _Level:
    """`text` has `%2` where the number of the second level stands. `restart` is the level below which it goes on."""

    start: int
    form: str
    text: str
    restart: int
    is_legal: bool

    def number(self, count: int, *, as_decimal: bool) -> str:
        if self.form in _NOTHING:
            return ""
        return str(count) if as_decimal else _FORMATS.get(self.form, str)(count)


@dataclass(frozen=True, slots=True)
class _Item:
    """The list and the level of a paragraph."""

    number: str
    level: int


@dataclass(slots=True)
class Lists:
    """The lists of one document. `numbering` is changed: it gets a list of bullets, and lists that no style has.

    `headings` are the ids of the styles that are headings.
    """

    numbering: Element
    styles: Element | None
    headings: Collection[str]
    _abstract: dict[str, str] = field(init=False, default_factory=dict)
    _levels: dict[str, dict[int, _Level]] = field(init=False, default_factory=dict)
    _of_styles: dict[str, tuple[Element | None, str]] = field(init=False, default_factory=dict)
    _style_levels: dict[tuple[str, str], int] = field(init=False, default_factory=dict)
    _anew: dict[str, frozenset[int]] = field(init=False, default_factory=dict)
    _counts: dict[str, dict[int, int]] = field(init=False, default_factory=dict)
    _begun: set[str] = field(init=False, default_factory=set)
    _below_headings: dict[str, int] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        for style in () if self.styles is None else self.styles.findall(f"{W}style"):
            properties = style.find(f"{W}pPr/{W}numPr")
            self._of_styles[style.get(f"{W}styleId", "")] = properties, _value(style, "basedOn")
        numbers = {one.get(f"{W}numId", ""): one for one in self.numbering.findall(f"{W}num")}
        abstract = {one.get(f"{W}abstractNumId", ""): one for one in self.numbering.findall(f"{W}abstractNum")}
        levels = {name: dict(_levels(one)) for name, one in abstract.items()}
        for number, one in numbers.items():
            name = self._linked(_value(one, "abstractNumId"), abstract, numbers)
            own = {at: level for override in one.findall(f"{W}lvlOverride") for at, level in _levels(override)}
            all_levels, anew = levels.get(name, {}) | own, dict(_overrides(one))
            self._abstract[number], self._anew[number] = name, frozenset(anew)
            self._levels[number] = {
                at: replace(level, start=anew.get(at, level.start)) for at, level in all_levels.items()
            }
        for name, one in abstract.items():
            for level in one.findall(f"{W}lvl"):
                for style in level.findall(f"{W}pStyle"):
                    self._style_levels[name, style.get(f"{W}val", "")] = _level(level)
                    level.remove(style)

    def _linked(self, name: str, abstract: Mapping[str, Element], numbers: Mapping[str, Element]) -> str:
        """The list that has the levels, where another one refers to a style that has it."""
        style = _value(abstract[name], "numStyleLink") if name in abstract else ""
        properties, _ = self._of_styles.get(style, (None, ""))
        number = None if properties is None else numbers.get(_value(properties, "numId"))
        return name if number is None else _value(number, "abstractNumId")

    def write_numbers(self, container: Element) -> None:
        """Put its number into each paragraph that would get another one, or none."""
        self._write(container, {}, in_cell=False)
        bullets = SubElement(self.numbering, f"{W}abstractNum", {f"{W}abstractNumId": _BULLETS})
        for level in range(_LEVELS):
            SubElement(SubElement(bullets, f"{W}lvl", {f"{W}ilvl": str(level)}), f"{W}numFmt", {f"{W}val": "bullet"})
        number = SubElement(self.numbering, f"{W}num", {f"{W}numId": _BULLETS})
        SubElement(number, f"{W}abstractNumId", {f"{W}val": _BULLETS})

    def _write(self, container: Element, shown: dict[int, int], *, in_cell: bool) -> None:
        """`shown` are the numbers that the latest items of each level get."""
        children, written = list(container), list[Element]()
        for at, child in enumerate(children):
            written.append(child)
            if child.tag == f"{W}p":
                label = self._write_number(child, shown, in_cell=in_cell)
                if label and not self._is_over(children[at + 1 : at + _FEW]):
                    written.append(_paragraph(f"{label} {_text(child)}"))
            elif child.tag == f"{W}tbl":
                shown.clear()
                self._write(child, shown, in_cell=True)
            elif child.tag == f"{W}tc":
                self._write(child, {}, in_cell=True)
            elif child.tag in _HOLDERS:
                self._write(child, shown, in_cell=in_cell)
        container[:] = written

    def _is_over(self, following: Sequence[Element]) -> bool:
        """Whether a heading has no text of its own before the next one."""
        first = next((one for one in following if one.tag != f"{W}p" or _has_content(one)), None)
        return first is None or self._is_heading(first)

    def _is_heading(self, paragraph: Element) -> bool:
        outline = paragraph.find(f"{W}pPr/{W}outlineLvl")
        return _style(paragraph) in self.headings or (outline is not None and outline.get(f"{W}val") in _OUTLINE)

    def _write_number(self, paragraph: Element, shown: dict[int, int], *, in_cell: bool) -> str:
        """Returns the number of a heading, which stands below it: a path of headings has their words alone."""
        if paragraph.find(f"{W}pPr/{W}rPr/{W}del") is not None:
            return ""
        item = self._item(paragraph)
        has_content = _has_content(paragraph)
        level = None if item is None else self._levels[item.number].get(item.level)
        if item is None or level is None:
            if has_content:
                shown.clear()
            return ""
        label = "" if level.form == "bullet" else self._label(item, level)
        if in_cell:
            _set_text(paragraph, label)
        elif self._is_heading(paragraph):
            shown.clear()
            _set_text(paragraph, "")
            abstract = self._abstract[item.number]
            self._below_headings[abstract] = max(item.level + 1, self._below_headings.get(abstract, 0))
            return label if has_content else ""
        elif has_content and not label and level.form != "bullet":
            shown.clear()
            _set_text(paragraph, "")
        elif has_content:
            self._set_item(paragraph, item, label, shown)
        return ""

    def _set_item(self, paragraph: Element, item: _Item, label: str, shown: dict[int, int]) -> None:
        """An item with its bullet and label, or one that HTML numbers alike."""
        at = min(max(item.level - self._below_headings.get(self._abstract[item.number], 0), 0), _DEEPEST)
        for level in [level for level in shown if level > at]:
            del shown[level]
        simple = _SIMPLE.fullmatch(label)
        if simple and int(simple[1]) == shown.get(at, 0) + 1 and at == item.level:
            shown[at] = int(simple[1])
            _set_text(paragraph, "", item)
            return
        shown.pop(at, None)
        _set_text(paragraph, label, _Item(_BULLETS, at))

    def _label(self, item: _Item, level: _Level) -> str:
        """The number of the next item of the list, with the signs around it and the numbers above it."""
        levels, counts = self._levels[item.number], self._count(item)

        def number(place: re.Match[str]) -> str:
            at = int(place[1]) - 1
            other = levels.get(at)
            if other is None or at > item.level:
                return ""
            return other.number(counts.get(at, other.start), as_decimal=level.is_legal)

        return " ".join(_PLACE.sub(number, level.text).split())

    def _count(self, item: _Item) -> dict[int, int]:
        """The numbers of each level, the next item counted. A list that begins anew says so."""
        abstract, levels = self._abstract[item.number], self._levels[item.number]
        counts = self._counts.setdefault(abstract, {})
        if item.number not in self._begun:
            self._begun.add(item.number)
            for at in self._anew[item.number]:
                counts.pop(at, None)
        for at in [at for at in counts if at > item.level and at in levels and item.level < levels[at].restart]:
            del counts[at]
        counts[item.level] = counts.get(item.level, levels[item.level].start - 1) + 1
        return counts

    def _item(self, paragraph: Element) -> _Item | None:
        """As the paragraph says, its style, or a style below that one; each may say the list, the level or both."""
        properties, name = paragraph.find(f"{W}pPr/{W}numPr"), _style(paragraph)
        number, level, styles = "", "", list[str]()
        for _ in range(_MOST_BASES):
            if properties is not None:
                number = number or _value(properties, "numId")
                level = level or _value(properties, "ilvl")
            if number or not name:
                break
            styles.append(name)
            properties, name = self._of_styles.get(name, (None, ""))
        if number not in self._abstract:
            return None
        of_style = (self._style_levels.get((self._abstract[number], style)) for style in (*styles, _style(paragraph)))
        linked = next((one for one in of_style if one is not None), 0)
        return _Item(number, min(_int(level, linked), _LEVELS - 1))


def _levels(holder: Element) -> Iterator[tuple[int, _Level]]:
    for one in holder.findall(f"{W}lvl"):
        at = _level(one)
        text = one.find(f"{W}lvlText")
        legal = one.find(f"{W}isLgl")
        yield (
            at,
            _Level(
                start=_int(_value(one, "start"), 1),
                form=_value(one, "numFmt"),
                text=f"%{at + 1}." if text is None else text.get(f"{W}val", "")[:_LONGEST_LABEL],
                restart=_int(_value(one, "lvlRestart"), at),
                is_legal=legal is not None and legal.get(f"{W}val", "") not in _OFF,
            ),
        )


def _overrides(number: Element) -> Iterator[tuple[int, int]]:
    """The levels that a list begins anew, with their first numbers."""
    for override in number.findall(f"{W}lvlOverride"):
        if override.find(f"{W}startOverride") is not None:
            yield _level(override), _int(_value(override, "startOverride"), 1)


def _set_text(paragraph: Element, label: str, item: _Item | None = None) -> None:
    """Give the paragraph a label as its first words, and make it an item of that list, or of none."""
    properties = paragraph.find(f"{W}pPr")
    assert properties is not None
    for one in properties.findall(f"{W}numPr"):
        properties.remove(one)
    if item is not None:
        of_list = SubElement(properties, f"{W}numPr")
        SubElement(of_list, f"{W}ilvl", {f"{W}val": str(item.level)})
        SubElement(of_list, f"{W}numId", {f"{W}val": item.number})
    if label:
        run = Element(f"{W}r")
        SubElement(run, f"{W}t", {"{http://www.w3.org/XML/1998/namespace}space": "preserve"}).text = f"{label} "
        paragraph.insert(list(paragraph).index(properties) + 1, run)


def _paragraph(text: str) -> Element:
    paragraph = Element(f"{W}p")
    SubElement(SubElement(paragraph, f"{W}r"), f"{W}t").text = text
    return paragraph


def _text(paragraph: Element) -> str:
    return " ".join("".join(text.text or "" for text in paragraph.iter(f"{W}t")).split())


def _has_content(paragraph: Element) -> bool:
    return any(one.tag in _DRAWN or (one.tag == f"{W}t" and one.text) for one in paragraph.iter())


def _style(paragraph: Element) -> str:
    properties = paragraph.find(f"{W}pPr")
    return "" if properties is None else _value(properties, "pStyle")


def _value(element: Element, name: str) -> str:
    found = element.find(W + name)
    return "" if found is None else found.get(f"{W}val", "")


def _level(element: Element) -> int:
    return min(_int(element.get(f"{W}ilvl")), _LEVELS - 1)


def _int(text: str | None, usual: int = 0) -> int:
    return min(int(text), _LARGEST) if text and text.isdecimal() else usual
