"""DOCX and PPTX, by mammoth and python-pptx: the extra `documents`."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Final

from retrieval.local.documents.archives import check
from retrieval.local.documents.hypertext import from_html
from retrieval.local.documents.parts import LONGEST_TEXT, Part, Unreadable
from retrieval.local.documents.tables import table

if TYPE_CHECKING:
    from pptx.slide import Slide, Slides

ELEMENTS_OF_DOCX: Final = 200_000
"""Each takes mammoth 40 µs and a kilobyte."""

ELEMENTS_OF_PPTX: Final = 1_000_000
"""Each takes python-pptx 2 µs."""


def read_docx(path: Path) -> Iterator[Part]:
    """Headings are those of Word's styles. Raises Unreadable."""
    import mammoth

    check(path, elements=ELEMENTS_OF_DOCX)
    without_images = mammoth.images.img_element(lambda image: {"src": ""})
    with path.open("rb") as file:
        html = mammoth.convert_to_html(file, convert_image=without_images, include_embedded_style_map=False).value
    if len(html) > LONGEST_TEXT:
        raise Unreadable(f"its text has more than {LONGEST_TEXT:,} characters")
    yield from from_html(html)


def read_pptx(path: Path) -> Iterator[Part]:
    """A part for each slide: its title as the heading, texts, tables, the speaker's notes. Raises Unreadable."""
    from pptx import Presentation

    check(path, elements=ELEMENTS_OF_PPTX)
    with path.open("rb") as file:
        deck = Presentation(file)
    left = LONGEST_TEXT
    for number, slide in enumerate(_distinct(deck.slides), 1):
        title = slide.shapes.title
        heading = "" if title is None else " ".join(title.text_frame.text.split())
        texts = [text for text in _texts(slide) if text.strip()]
        left -= sum(map(len, texts))
        if left < 0:
            raise Unreadable(f"its text has more than {LONGEST_TEXT:,} characters")
        yield Part(
            blocks=texts,
            title=deck.core_properties.title or "",
            heading_path=(heading,) if heading else (),
            page=number,
        )


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


def _texts(slide: "Slide") -> Iterator[str]:
    yield from _of_shapes(slide.shapes)
    if slide.has_notes_slide and slide.notes_slide.notes_text_frame is not None:
        yield from slide.notes_slide.notes_text_frame.text.splitlines()


def _of_shapes(shapes: Iterable[object]) -> Iterator[str]:
    from pptx.shapes.autoshape import Shape
    from pptx.shapes.graphfrm import GraphicFrame
    from pptx.shapes.group import GroupShape

    for shape in shapes:
        if isinstance(shape, GroupShape):
            yield from _of_shapes(shape.shapes)
        elif isinstance(shape, Shape) and shape.has_text_frame:
            yield from shape.text_frame.text.splitlines()
        elif isinstance(shape, GraphicFrame) and shape.has_table:
            yield table([[cell.text for cell in row.cells] for row in shape.table.rows])
