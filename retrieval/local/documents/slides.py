"""PPTX, by python-pptx: the extra `documents`."""

from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Final
from xml.etree.ElementTree import ParseError

from retrieval.local.documents import drawn, titles
from retrieval.local.documents.archives import check
from retrieval.local.documents.parts import LONGEST_TEXT, Part, Unreadable
from retrieval.local.documents.tables import Cell, merged, table
from retrieval.text.counted_noun import how_many

if TYPE_CHECKING:
    from pptx.shapes.autoshape import Shape
    from pptx.shapes.graphfrm import GraphicFrame
    from pptx.slide import Slide, Slides
    from pptx.table import Table

ELEMENTS_OF_PPTX: Final = 1_000_000
"""Each takes python-pptx 2 µs."""

_MATH: Final = f"{drawn.MATH}oMath"


def read_pptx(path: Path) -> Iterator[Part]:
    """A part for each slide: its title as heading, texts, tables, charts, the speaker's notes. Raises Unreadable."""
    from pptx import Presentation

    check(path, elements=ELEMENTS_OF_PPTX)
    with path.open("rb") as file:
        deck = Presentation(file)
    left, left_out = LONGEST_TEXT, Counter[str]()
    title = titles.given(deck.core_properties.title)
    for number, slide in enumerate(_distinct(deck.slides), 1):
        if slide.element.get("show") in ("0", "false"):
            left_out["hidden slide"] += 1
            continue
        left_out["comment"] += sum(part.reltype.endswith("/comments") for part in slide.part.rels.values())
        heading = _heading(slide)
        title = title or heading
        texts = [text for text in _texts(slide, left_out) if text.strip()]
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


def _texts(slide: "Slide", left_out: Counter[str]) -> Iterator[str]:
    yield from _of_shapes(slide.shapes, left_out)
    if slide.has_notes_slide and slide.notes_slide.notes_text_frame is not None:
        yield from slide.notes_slide.notes_text_frame.text.splitlines()


def _of_shapes(shapes: Iterable[object], left_out: Counter[str]) -> Iterator[str]:
    from pptx.shapes.autoshape import Shape
    from pptx.shapes.graphfrm import GraphicFrame
    from pptx.shapes.group import GroupShape
    from pptx.shapes.picture import Picture

    for shape in shapes:
        if isinstance(shape, GroupShape):
            yield from _of_shapes(shape.shapes, left_out)
        elif isinstance(shape, Shape) and shape.has_text_frame:
            yield from _of_text(shape)
        elif isinstance(shape, GraphicFrame):
            yield from _of_frame(shape, left_out)
        elif isinstance(shape, Picture):
            left_out["picture"] += 1


def _of_text(shape: "Shape") -> Iterator[str]:
    yield from shape.text_frame.text.splitlines()
    yield from (drawn.formula(element) for element in shape.element.iter(_MATH))


def _of_frame(frame: "GraphicFrame", left_out: Counter[str]) -> Iterator[str]:
    if frame.has_table:
        yield from merged(list(_rows(frame.table)))
    elif frame.has_chart:
        try:
            title, rows = drawn.chart(frame.chart.part.blob)
        except (ValueError, ParseError):
            title, rows = "", []
        left_out["chart"] += not rows
        yield from (text for text in (title, table(rows)) if text)
    else:
        left_out["diagram or object"] += 1


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
