"""DOCX, by mammoth of the extra `documents`.

What mammoth has no word for is written into the document before it reads: formulas as text, charts as tables, styles
that are headings by what they are based on. What a reader of Word does not see is taken out.
"""

import io
import posixpath
import re
import zipfile
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

from retrieval.local.documents import drawn, titles
from retrieval.local.documents.archives import check
from retrieval.local.documents.hypertext import from_html
from retrieval.local.documents.parts import LONGEST_TEXT, Part, Unreadable
from retrieval.local.documents.word_lists import Lists
from retrieval.text.counted_noun import how_many

ELEMENTS_OF_DOCX: Final = 200_000
"""Each takes mammoth 40 µs and a kilobyte."""

MOST_CHARTS: Final = 200
MOST_BASES: Final = 20

_W: Final = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_R: Final = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"
_CORE_TITLE: Final = "{http://purl.org/dc/elements/1.1/}title"
_BODIES: Final = frozenset({f"{_W}document", f"{_W}footnotes", f"{_W}endnotes"})
_CHANGED: Final = frozenset({f"{_W}styles", f"{_W}numbering"})
_HEADING: Final = re.compile(r"heading ([1-6])")
_REFERENCES: Final = frozenset({f"{_R}id", f"{_R}embed", f"{_R}link"})
_OFF: Final = frozenset({"0", "false", "off"})
_PICTURES: Final = frozenset({f"{drawn.DRAWING}blip", "{urn:schemas-microsoft-com:vml}imagedata"})
_EXTENDED: Final = "{http://schemas.microsoft.com/office/drawing/2014/chartex}chart"
_DIAGRAM: Final = "{http://schemas.openxmlformats.org/drawingml/2006/diagram}relIds"


def read_docx(path: Path) -> Iterator[Part]:
    """Headings and the title are those of Word's styles. Raises Unreadable."""
    import mammoth

    check(path, elements=ELEMENTS_OF_DOCX)
    with zipfile.ZipFile(path) as archive:
        document = _Document(
            {name: archive.read(name) for name in archive.namelist() if name.endswith((".xml", ".rels"))}
        )
    without_images = mammoth.images.img_element(lambda image: {"src": ""})
    file = document.written()
    html = mammoth.convert_to_html(file, convert_image=without_images, include_embedded_style_map=False).value
    if len(html) > LONGEST_TEXT:
        raise Unreadable(f"its text has more than {LONGEST_TEXT:,} characters")
    yield from from_html(html, document.title)
    yield from (Part(blocks=(), left_out=reason) for reason in document.left_out())


class _Document:
    """The members of the archive, changed to what mammoth can read."""

    def __init__(self, members: dict[str, bytes]) -> None:
        self._members = members
        self._styles = _styles(members)
        self._charts = 0
        self._left_out = Counter[str]()
        self.title = ""
        parsed = ((name, _parsed(members[name])) for name in members if name.endswith(".xml"))
        roots = {name: root for name, root in parsed if root is not None}
        _write_numbers({root.tag: root for root in roots.values()}, headings=self._styles)
        for name, root in roots.items():
            if root.tag in _BODIES:
                self._change(name, root)
            elif root.tag == f"{_W}styles":
                _add_types(root)
            elif (title := root.find(_CORE_TITLE)) is not None:
                self.title = self.title or titles.given(title.text)
            if root.tag in _BODIES | _CHANGED:
                members[name] = ElementTree.tostring(root, encoding="utf-8", xml_declaration=True)

    def written(self) -> io.BytesIO:
        file = io.BytesIO()
        with zipfile.ZipFile(file, "w") as archive:
            for name, content in self._members.items():
                archive.writestr(name, content)
        file.seek(0)
        return file

    def left_out(self) -> Iterator[str]:
        """What of the document is in no part."""
        counts, headers = self._left_out.copy(), False
        for content in (self._members[name] for name in self._members if name.endswith(".xml")):
            root = _parsed(content)
            if root is not None and root.tag == f"{_W}comments":
                counts["comment"] += len(root.findall(f"{_W}comment"))
            elif root is not None and root.tag in (f"{_W}hdr", f"{_W}ftr"):
                headers = headers or any(text.text for text in root.iter(f"{_W}t"))
        yield from (how_many(count, noun) for noun, count in counts.items() if count)
        yield from ["headers and footers"] if headers else []

    def _change(self, name: str, root: Element) -> None:
        relations = _relations(self._members, name)
        title = self._title(root) if root.tag == f"{_W}document" else None
        for parent in list(root.iter()):
            children = list[Element]()
            for child in parent:
                if child is title or _is_hidden(child):
                    continue
                _drop_dangling(child, relations)
                children.append(_as_text(child) if child.tag in _FORMULAS else child)
                if child.tag == f"{_W}p":
                    self._set_heading(child)
                    children.extend(self._drawn(child, relations))
            parent[:] = children

    def _title(self, root: Element) -> Element | None:
        """The first paragraph of the style for titles, whose text is the title."""
        for paragraph in root.iter(f"{_W}p"):
            if self._styles.get(_style(paragraph)) == "title" and (text := _text(paragraph)):
                self.title = text
                return paragraph
        return None

    def _set_heading(self, paragraph: Element) -> None:
        properties = paragraph.find(f"{_W}pPr")
        if properties is None:
            return
        heading = _HEADING.fullmatch(self._styles.get(_style(paragraph), "")) or _HEADING.fullmatch(
            _outline(properties)
        )
        if heading:
            style = properties.find(f"{_W}pStyle")
            style = ElementTree.SubElement(properties, f"{_W}pStyle") if style is None else style
            style.set(f"{_W}val", f"Heading{heading[1]}")

    def _drawn(self, paragraph: Element, relations: Mapping[str, str]) -> Iterator[Element]:
        """The charts and diagrams of a paragraph, which follow it."""
        for element in _within(paragraph):
            if element.tag in _PICTURES:
                self._left_out["picture"] += 1
            elif element.tag == f"{drawn.CHART}chart" and element.get(f"{_R}id"):
                yield from self._chart(relations.get(element.get(f"{_R}id", ""), ""))
            elif element.tag == _DIAGRAM:
                yield from self._diagram(relations.get(element.get(f"{_R}dm", ""), ""))
            elif element.tag == _EXTENDED:
                self._left_out["chart"] += 1

    def _chart(self, name: str) -> Iterator[Element]:
        self._charts += 1
        try:
            title, rows = drawn.chart(self._members[name]) if self._charts <= MOST_CHARTS else ("", [])
        except (KeyError, ValueError, ElementTree.ParseError):
            title, rows = "", []
        if not rows:
            self._left_out["chart"] += 1
            return
        if title:
            yield _paragraph(title)
        table = Element(f"{_W}tbl")
        for row in rows:
            line = ElementTree.SubElement(table, f"{_W}tr")
            for text in row:
                ElementTree.SubElement(line, f"{_W}tc").append(_paragraph(text))
        yield table

    def _diagram(self, name: str) -> Iterator[Element]:
        root = _parsed(self._members.get(name, b""))
        self._charts += 1
        if root is None or self._charts > MOST_CHARTS:
            self._left_out["diagram"] += 1
            return
        for paragraph in root.iter(f"{drawn.DRAWING}p"):
            if text := "".join(text.text or "" for text in paragraph.iter(f"{drawn.DRAWING}t")):
                yield _paragraph(text)


_FORMULAS: Final = frozenset({f"{drawn.MATH}oMath", f"{drawn.MATH}oMathPara"})


def _parsed(content: bytes) -> Element | None:
    try:
        return ElementTree.fromstring(content)
    except (ElementTree.ParseError, ValueError, LookupError):
        return None


def _within(paragraph: Element) -> Iterator[Element]:
    """The elements of a paragraph, without those of paragraphs within it."""
    elements = [paragraph]
    while elements:
        element = elements.pop()
        yield element
        elements.extend(child for child in reversed(element) if child.tag != f"{_W}p")


def _styles(members: Mapping[str, bytes]) -> dict[str, str]:
    """The styles that are titles and headings, by their ids: by their own name, or that of a style below them."""
    styles: dict[str, tuple[str, str]] = {}
    for content in members.values():
        root = _parsed(content) if b"styles" in content[:4_000] else None
        if root is not None and root.tag == f"{_W}styles":
            for style in root.findall(f"{_W}style"):
                if identifier := style.get(f"{_W}styleId"):
                    styles[identifier] = (_style_name(style), _value(style, "basedOn"))
    known = {"Title": "title", **{f"Heading{level}": f"heading {level}" for level in range(1, 7)}}
    return known | {identifier: _root_style(identifier, styles) for identifier in styles}


def _add_types(styles: Element) -> None:
    """Give the styles the members that Word adds where a program wrote none."""
    for style in styles.findall(f"{_W}style"):
        for name, usual in (("type", "paragraph"), ("styleId", "")):
            style.set(_W + name, style.get(_W + name, usual))


def _write_numbers(roots: Mapping[str, Element], *, headings: Mapping[str, str]) -> None:
    """`roots` are those of the members, by their tags; `headings` the styles that are some, by their ids."""
    document, numbering = (roots.get(_W + tag) for tag in ("document", "numbering"))
    body = None if document is None else document.find(f"{_W}body")
    if body is not None and numbering is not None:
        styles = frozenset(identifier for identifier, name in headings.items() if name)
        Lists(numbering, roots.get(f"{_W}styles"), styles).write_numbers(body)


def _style_name(style: Element) -> str:
    """The name of a style; of one for an outline, the heading of its level."""
    name, properties = _value(style, "name").lower(), style.find(f"{_W}pPr")
    outline = "" if properties is None or name == "title" else _outline(properties)
    return outline or name


def _outline(properties: Element) -> str:
    """The heading of the level of an outline; empty for none."""
    level = _value(properties, "outlineLvl")
    return f"heading {int(level) + 1}" if level in ("0", "1", "2", "3", "4", "5") else ""


def _drop_dangling(element: Element, relations: Mapping[str, str]) -> None:
    """Takes the references away that lead to no member, of links and pictures, at which mammoth ends."""
    if element.tag in _PICTURES or element.tag == f"{_W}hyperlink":
        for name in _REFERENCES & element.attrib.keys():
            if element.attrib[name] not in relations:
                del element.attrib[name]


def _root_style(identifier: str, styles: Mapping[str, tuple[str, str]]) -> str:
    for _ in range(MOST_BASES):
        name, below = styles.get(identifier, ("", ""))
        if name == "title" or _HEADING.fullmatch(name):
            return name
        identifier = below
    return ""


def _relations(members: Mapping[str, bytes], name: str) -> dict[str, str]:
    """The members to which a member refers, by the ids of its relationships."""
    folder, base = posixpath.split(name)
    root = _parsed(members.get(f"{folder}/_rels/{base}.rels", b""))
    targets = {one.get("Id", ""): one.get("Target", "") for one in (() if root is None else root)}
    return {key: posixpath.normpath(posixpath.join("/", folder, target)).lstrip("/") for key, target in targets.items()}


def _value(element: Element, name: str) -> str:
    found = element.find(_W + name)
    return "" if found is None else found.get(f"{_W}val", "")


def _style(paragraph: Element) -> str:
    properties = paragraph.find(f"{_W}pPr")
    return "" if properties is None else _value(properties, "pStyle")


def _text(paragraph: Element) -> str:
    return " ".join("".join(text.text or "" for text in paragraph.iter(f"{_W}t")).split())


def _is_hidden(element: Element) -> bool:
    """Whether a run is formatted as hidden."""
    hidden = element.find(f"{_W}rPr/{_W}vanish") if element.tag == f"{_W}r" else None
    return hidden is not None and hidden.get(f"{_W}val", "") not in _OFF


def _as_text(element: Element) -> Element:
    return _run(drawn.formula(element), element.tail)


def _run(text: str, tail: str | None = None) -> Element:
    run = Element(f"{_W}r")
    run.tail = tail
    ElementTree.SubElement(run, f"{_W}t").text = text
    return run


def _paragraph(text: str) -> Element:
    paragraph = Element(f"{_W}p")
    paragraph.append(_run(text))
    return paragraph
