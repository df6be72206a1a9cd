"""HTML as Markdown, by the parser's own way (JustHTML): without what no reader sees, with what its Markdown lacks.

The tree is changed in place, each list of children once, so that the time is linear in the page.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from html import unescape
from pathlib import Path
from textwrap import dedent
from typing import TYPE_CHECKING, Final, TypeAlias

from retrieval.local.documents import numerals, titles
from retrieval.local.documents.footnotes import put_where_cited
from retrieval.local.documents.parts import Part, Unreadable
from retrieval.local.documents.sections import titled
from retrieval.local.documents.tables import Cell, in_a_line, merged
from retrieval.local.documents.texts import text_of
from retrieval.local.documents.unseen import Unseen

if TYPE_CHECKING:
    from justhtml import Element, JustHTML, Node, Text

    AnyNode: TypeAlias = Node | Text

MOST_TAGS: Final = 200_000
_EMPHASIS: Final = frozenset({"b", "em", "i", "strong"})
_PARAGRAPHS: Final = frozenset({"summary", "figcaption", "legend", "textarea", "option", "dt"})
_HEADINGS: Final = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})
_INLINE: Final = frozenset({"a", "code", "span", "sub", "sup", "b", "em", "i", "strong", "u", "mark", "small", "font"})
_BLOCKS: Final = frozenset({"p", "div", "ul", "ol", "dl", "pre", "table", "blockquote", "section", *_HEADINGS})
_PERMALINK: Final = frozenset({"", "¶", "#", "§", "\u200b"})
_ESCAPE: Final = re.compile(r"\\([\\`*_{}\[\]()#+\-.!|<>~])")
_PLACE: Final = re.compile("\ue000(\\d{1,6})\ue001")
_POWERS: Final = str.maketrans("0123456789+-−n", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻ⁿ")
_POWER: Final = re.compile(r"[+\-−]?[\dn]{1,4}")
_LIST_STYLE: Final = re.compile(r"list-style(?:-type)?\s*:\s*([\w-]{1,30})", re.IGNORECASE)
_NUMERALS: Final[Mapping[str, Callable[[int], str]]] = {
    **dict.fromkeys(("a", "lower-alpha", "lower-latin"), numerals.letters),
    **dict.fromkeys(("A", "upper-alpha", "upper-latin"), numerals.upper_letters),
    **dict.fromkeys(("i", "lower-roman"), numerals.roman),
    **dict.fromkeys(("I", "upper-roman"), numerals.upper_roman),
    "decimal-leading-zero": "{:02}".format,
}
_FILLED_IN: Final = frozenset(
    {"", "text", "email", "number", "date", "datetime-local", "month", "week", "time", "tel", "url", "search"}
)
_NUMBER: Final = re.compile(r"\s*(\d{1,5})")
_FORMULAS: Final = {
    "mfrac": "({})/({})",
    "msup": "{}^{}",
    "msub": "{}_{}",
    "mroot": "({})^(1/({}))",
    "msqrt": "√({})",
}


def read_html(path: Path) -> Iterator[Part]:
    """Raises Unreadable."""
    yield from from_html(text_of(path))


def from_html(text: str, title: str = "") -> Iterator[Part]:
    """The sections of a page; the title is the page's own where none is given. Raises Unreadable."""
    from justhtml import JustHTML

    if text.count("<") > MOST_TAGS:
        raise Unreadable(f"a page has at most {MOST_TAGS:,} tags")
    try:
        page = JustHTML(text, sanitize=False)
        own = titles.given("".join(title.to_text() for title in page.query("title")[:1]))
        Unseen(page).remove()
        _drop_permalinks(page)
        put_where_cited(page)
        tables = _simplify(page)
        for part in titled(page.to_markdown(), title or own):
            yield replace(part, blocks=[text for block in part.blocks for text in _plain(block, tables)])
    except RecursionError:
        raise Unreadable("its elements are nested too deeply") from None


def _drop_permalinks(page: "JustHTML") -> None:
    """Empties the links of headings to themselves, which have no text or only a sign such as "¶"."""
    for link in page.query("a"):
        classes = (link.attrs or {}).get("class") or ""
        if "headerlink" in classes.split() or link.to_text().strip() in _PERMALINK:
            link.name, link.attrs = "span", {}
            (link.children or []).clear()


def _simplify(page: "JustHTML") -> dict[int, list[str]]:
    """Elements become those that Markdown has; a table becomes the sign of its place. Returns the tables by place."""
    from justhtml import Element

    tables: dict[int, list[str]] = {}
    nodes: list[AnyNode] = [page.root]
    while nodes:
        node = nodes.pop()
        if isinstance(node, Element):
            if node.name == "table" and not _is_layout(node):
                tables[len(tables)] = list(_table(node))
                _set_text(node, "p", f"\ue000{len(tables) - 1}\ue001")
            elif (change := _CHANGES.get(node.name)) is not None:
                change(node)
            node.name = "span" if node.name in _EMPHASIS else "p" if node.name in _PARAGRAPHS else node.name
        nodes.extend(node.children or ())
    return tables


def _set_text(node: "Element", name: str, text: str) -> None:
    from justhtml import Text

    node.name, node.attrs = name, {}
    node.children.clear()
    node.append_child(Text(text))


def _number_items(node: "Element", *, always: bool = False) -> None:
    """A list that Markdown would number otherwise has its numbers in its items; with `always` any list."""
    from justhtml import Text

    attributes, items = node.attrs or {}, [child for child in node.children if child.name == "li"]
    step = -1 if "reversed" in attributes else 1
    number = _number(node, "start") if "start" in attributes else len(items) if step < 0 else 1
    written = _numerals(attributes)
    is_usual = (number, step) == (1, 1) and written is str
    if is_usual and not always and not any("value" in (item.attrs or {}) for item in items):
        return
    node.name = "ul"
    for item in items:
        number = _number(item, "value") if "value" in (item.attrs or {}) else number
        _open(item)
        item.children.insert(0, Text(f"{written(number)}. "))
        number += step


def _numerals(attributes: "dict[str, str | None]") -> Callable[[int], str]:
    """How a list writes its numbers."""
    found = _LIST_STYLE.search(attributes.get("style") or "")
    kind = found[1].lower() if found else attributes.get("type") or ""
    return _NUMERALS.get(kind, str)


def _value(node: "Element") -> None:
    """A box to tick has the sign that it shows, a field to fill in what stands in it."""
    attributes = node.attrs or {}
    kind = (attributes.get("type") or "").lower()
    if kind in ("checkbox", "radio"):
        _set_text(node, "span", "☒ " if "checked" in attributes else "☐ ")
    elif kind in _FILLED_IN:
        _set_text(node, "span", attributes.get("value") or "")


def _annotate(node: "Element") -> None:
    """A word with its reading in brackets."""
    from justhtml import Element

    reading = "".join(child.to_text() for child in node.children if child.name in ("rt", "rtc"))
    base = "".join(child.to_text() for child in node.children if child.name not in ("rt", "rtc"))
    if isinstance(node, Element) and reading.strip():
        _set_text(node, "span", f"{base} ({reading})")


def _open(item: "Element") -> None:
    """The first paragraph of an item stands beside its sign."""
    from justhtml import Element

    first = next((child for child in item.children if isinstance(child, Element) or child.to_text().strip()), None)
    if isinstance(first, Element) and first.name == "p":
        first.name = "span"


def _strike(node: "Element") -> None:
    from justhtml import Text

    if node.to_text().strip():
        node.name = "span"
        node.children.insert(0, Text("~~"))
        node.append_child(Text("~~"))


def _raise(node: "Element") -> None:
    text = node.to_text()
    if _POWER.fullmatch(text):
        _set_text(node, "span", text.translate(_POWERS))


def _formula(node: "Element") -> None:
    _set_text(node, "span", _linear(node))


def _linear(node: "AnyNode") -> str:
    """A formula of MathML on one line."""
    from justhtml import Text

    if isinstance(node, Text):
        return (node.data or "").strip()
    inner = [_linear(child) for child in node.children or () if not (child.name or "").startswith("annotation")]
    inner = [text for text in inner if text]
    shape = _FORMULAS.get(node.name, "")
    return shape.format(*inner) if shape and len(inner) == shape.count("{}") else "".join(inner)


def _define(node: "Element") -> None:
    """A list of terms: a paragraph for each, with its definition after a colon where that is one paragraph."""
    from justhtml import Element, Text

    node.name = "div"
    children, kept = list(node.children), list["AnyNode"]()
    term: Element | None = None
    for child in children:
        if isinstance(child, Element) and child.name == "div":
            _define(child)
        short = child.name == "dd" and not any(inner.name in _BLOCKS for inner in child.children or ())
        if short and term is not None:
            term.append_child(Text(": "))
            for inner in list(child.children or ()):
                term.append_child(inner)
        else:
            kept.append(child)
        if isinstance(child, Element):
            term = child if child.name == "dt" else None
        if child.name == "dd":
            child.name = "p" if short else "div"
    node.children[:] = kept


def _is_layout(table: "Element") -> bool:
    """Whether a table arranges a page: it says so, holds headings, or is a frame around a text or another table."""
    if (table.attrs or {}).get("role") in ("presentation", "none") or _is_frame(table):
        for node in _descendants(table, {"caption", "thead", "tbody", "tfoot", "tr", "td", "th"}):
            node.name = "div"
        table.name = "div"
        return True
    return False


def _is_frame(table: "Element") -> bool:
    names = [inner.name for inner in _descendants(table, {"table", "tr", "td", "th", *_HEADINGS})]
    rows, cells = names.count("tr"), names.count("td") + names.count("th")
    return cells == 1 or not _HEADINGS.isdisjoint(names) or ("table" in names and (rows == 1 or cells == rows))


def _descendants(node: "Element", names: "set[str] | frozenset[str]") -> "Iterator[Element]":
    """The elements of these names within one, but not those within another table."""
    from justhtml import Element

    nodes = list(node.children or ())
    while nodes:
        inner = nodes.pop()
        if isinstance(inner, Element):
            if inner.name in names:
                yield inner
            if inner.name != "table":
                nodes.extend(inner.children or ())


def _table(node: "Element") -> Iterator[str]:
    """The caption, and the table. Raises Unreadable."""
    yield from (_said(child) for child in node.children if child.name == "caption")
    yield from merged(list(_rows(node)))


def _rows(table: "Element") -> Iterator[list[Cell]]:
    for group in table.children:
        rows = [row for row in (group.children or ()) if row.name == "tr"] if group.name != "tr" else [group]
        for left, row in zip(range(len(rows), 0, -1), rows, strict=True):
            yield [_cell(cell, left, group.name == "thead") for cell in row.children or () if cell.name in ("td", "th")]


def _cell(node: "AnyNode", left: int, in_header: bool) -> Cell:
    rows = _number(node, "rowspan")
    header = in_header or node.name == "th"
    return Cell(text=_said(node), columns=max(1, _number(node, "colspan")), rows=min(rows or left, left), header=header)


def _number(node: "AnyNode", name: str) -> int:
    attributes: dict[str, str | None] = getattr(node, "attrs", None) or {}
    found = _NUMBER.match(attributes.get(name) or "1")
    return int(found[1]) if found else 1


def _said(node: "AnyNode") -> str:
    """What a cell says, on one line; a table within it too."""
    from justhtml import Element, Text

    texts: list[str] = []
    nodes: list[AnyNode | str] = [*reversed(node.children or ())]
    while nodes:
        inner = nodes.pop()
        if isinstance(inner, str):
            texts.append(inner)
        elif isinstance(inner, Text):
            texts.append(inner.data or "")
        elif isinstance(inner, Element) and inner.name == "table":
            texts.append(f" {in_a_line(list(_rows(inner)))} ")
        elif isinstance(inner, Element):
            if inner.name == "ol":
                _number_items(inner, always=True)
            elif (change := _CHANGES.get(inner.name)) is not None:
                change(inner)
            around = "" if inner.name in _INLINE else " "
            texts.append(around)
            nodes.extend([around, *reversed(inner.children)])
    return " ".join("".join(texts).split())


def _plain(block: str, tables: dict[int, list[str]]) -> Iterator[str]:
    """A block of Markdown without escapes, and the tables where their places are."""
    texts = _PLACE.split(block)
    for text, place in zip(texts[::2], [*texts[1::2], ""], strict=True):
        if text.strip():
            yield dedent(unescape(_ESCAPE.sub(r"\1", text)).rstrip())
        yield from tables.pop(int(place), ()) if place else ()


_CHANGES: "Final[dict[str, Callable[[Element], None]]]" = {
    "input": _value,
    "ruby": _annotate,
    "ol": _number_items,
    "li": _open,
    **dict.fromkeys(("del", "s", "strike"), _strike),
    "sup": _raise,
    "math": _formula,
    "dl": _define,
}
