"""PPTX, by python-pptx: the extra `documents`."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Final
from xml.etree.ElementTree import ParseError, fromstring

from retrieval.local.documents import drawn, numerals, titles
from retrieval.local.documents.archives import check
from retrieval.local.documents.parts import LONGEST_TEXT, Part, Unreadable
from retrieval.local.documents.tables import Cell, merged, table
from retrieval.text.counted_noun import how_many

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

    from pptx.opc.package import Part as PackagePart
    from pptx.shapes.autoshape import Shape
    from pptx.shapes.graphfrm import GraphicFrame
    from pptx.slide import Slide, Slides
    from pptx.table import Table

ELEMENTS_OF_PPTX: Final = 1_000_000
"""Each takes python-pptx 2 µs."""

_MATH: Final = f"{drawn.MATH}oMath"
_DIAGRAM: Final = "{http://schemas.openxmlformats.org/drawingml/2006/diagram}relIds"
_DATA: Final = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}dm"
_NUMBERED: Final = re.compile(r"(arabic|alphaLc|alphaUc|romanLc|romanUc)(Period|ParenR|ParenBoth|Plain)")
_SIGNS: Final = {"Period": ("", "."), "ParenR": ("", ")"), "ParenBoth": ("(", ")"), "Plain": ("", "")}
_NUMERALS: Final[Mapping[str, Callable[[int], str]]] = {
    "arabic": str,
    "alphaLc": numerals.letters,
    "alphaUc": numerals.upper_letters,
    "romanLc": numerals.roman,
    "romanUc": numerals.upper_roman,
}


def read_pptx(path: Path) -> Iterator[Part]:
    """A part for each slide: its title as heading, texts, tables, charts, the speaker's notes. Raises Unreadable."""
    from pptx import Presentation

    check(path, elements=ELEMENTS_OF_PPTX)
    with path.open("rb") as file:
        deck = Presentation(file)
    left, left_out, drawn_parts = LONGEST_TEXT, Counter[str](), set[str]()
    title = titles.given(deck.core_properties.title)
    for number, slide in enumerate(_distinct(deck.slides), 1):
        if slide.element.get("show") in ("0", "false"):
            left_out["hidden slide"] += 1
            continue
        left_out["comment"] += sum(part.reltype.endswith("/comments") for part in slide.part.rels.values())
        heading = _heading(slide)
        title = title or heading
        texts = [text for text in _texts(slide, left_out, drawn_parts) if text.strip()]
        left -= sum(map(len, texts))
        if left < 0:
            raise Unreadable(f"its text has more than {LONGEST_TEXT:,} characters")
        yield Part(blocks=texts, title=title, heading_path=(heading,) if heading else (), page=number)
    yield from (Part(blocks=(), left_out=how_many(count, noun)) for noun, count in left_out.items() if count)


def _heading(slide: "Slide") -> str:
    title = slide.shapes.title
    return "" if title is None else " ".join(title.text_frame.text.split())


def _distinct(slides: "Slides") -> Iterator["Slide"]:
    """The slides. Raises Unreadable where one, or its notes, is there twice, which would multiply what it takes."""
    seen: set[str] = set()
    for slide in slides:
        notes = [slide.notes_slide.part] if slide.has_notes_slide else []
        for part in (slide.part, *notes):
            if part.partname in seen:
                raise Unreadable(f"its part {part.partname} is there twice")
            seen.add(part.partname)
        yield slide


def _texts(slide: "Slide", left_out: Counter[str], drawn_parts: set[str]) -> Iterator[str]:
    yield from _of_shapes(slide.shapes, left_out, drawn_parts)
    if slide.has_notes_slide and slide.notes_slide.notes_text_frame is not None:
        yield from slide.notes_slide.notes_text_frame.text.splitlines()


def _of_shapes(shapes: Iterable[object], left_out: Counter[str], drawn_parts: set[str]) -> Iterator[str]:
    from pptx.shapes.autoshape import Shape
    from pptx.shapes.graphfrm import GraphicFrame
    from pptx.shapes.group import GroupShape
    from pptx.shapes.picture import Picture

    for shape in shapes:
        if isinstance(shape, GroupShape):
            yield from _of_shapes(shape.shapes, left_out, drawn_parts)
        elif isinstance(shape, Shape) and shape.has_text_frame:
            yield from _of_text(shape)
        elif isinstance(shape, GraphicFrame):
            yield from _of_frame(shape, left_out, drawn_parts)
        elif isinstance(shape, Picture):
            left_out["picture"] += 1


def _of_text(shape: "Shape") -> Iterator[str]:
    counts: dict[int, int] = {}
    for paragraph, element in zip(shape.text_frame.paragraphs, shape.element.iter(f"{drawn.DRAWING}p"), strict=False):
        if paragraph.text.strip():
            number = _number(element.find(f"{drawn.DRAWING}pPr"), paragraph.level, counts)
            yield from f"{number}{paragraph.text}".splitlines()
    yield from (drawn.formula(element) for element in shape.element.iter(_MATH))


def _number(properties: "Element | None", level: int, counts: dict[int, int]) -> str:
    """The number of a paragraph that PowerPoint numbers; empty for another one, which begins its level anew."""
    for deeper in [at for at in counts if at > level]:
        del counts[deeper]
    numbered = None if properties is None else properties.find(f"{drawn.DRAWING}buAutoNum")
    shape = None if numbered is None else _NUMBERED.fullmatch(numbered.get("type", ""))
    if numbered is None or shape is None:
        counts.pop(level, None)
        return ""
    start = numbered.get("startAt", "1")
    counts[level] = counts[level] + 1 if level in counts else int(start) if start.isdecimal() and len(start) < 6 else 1
    before, after = _SIGNS[shape[2]]
    return f"{before}{_NUMERALS[shape[1]](counts[level])}{after} "


def _of_frame(frame: "GraphicFrame", left_out: Counter[str], drawn_parts: set[str]) -> Iterator[str]:
    """`drawn_parts` are the charts and diagrams that were read; one that is there again is left out."""
    if frame.has_table:
        yield from merged(list(_rows(frame.table)))
        return
    part = frame.chart.part if frame.has_chart else _diagram_of(frame)
    is_first = part is not None and part.partname not in drawn_parts
    texts: list[str] = []
    if part is not None and is_first:
        drawn_parts.add(part.partname)
        texts = _of_chart(part.blob) if frame.has_chart else _of_diagram(part.blob)
    left_out["chart" if frame.has_chart else "diagram or object"] += not texts
    yield from texts


def _of_chart(xml: bytes) -> list[str]:
    try:
        title, rows = drawn.chart(xml)
    except (ValueError, ParseError):
        return []
    return [text for text in (title, table(rows)) if text] if rows else []


def _diagram_of(frame: "GraphicFrame") -> "PackagePart | None":
    """What a diagram of SmartArt is drawn from."""
    for element in frame.element.iter(_DIAGRAM):
        try:
            return frame.part.related_part(element.get(_DATA, ""))
        except KeyError:
            continue
    return None


def _of_diagram(xml: bytes) -> list[str]:
    try:
        paragraphs = fromstring(xml).iter(f"{drawn.DRAWING}p")
    except ParseError:
        return []
    texts = ("".join(text.text or "" for text in one.iter(f"{drawn.DRAWING}t")) for one in paragraphs)
    return [text for text in texts if text.strip()]


def _rows(shown: "Table") -> Iterator[list[Cell]]:
    for number, row in enumerate(shown.rows):
        yield [
            Cell(
                text=" ".join(cell.text.split()),
                columns=cell.span_width if cell.is_merge_origin else 1,
                rows=cell.span_height if cell.is_merge_origin else 1,
                header=shown.first_row and number == 0,
            )
            for cell in row.cells
            if not cell.is_spanned
        ]
