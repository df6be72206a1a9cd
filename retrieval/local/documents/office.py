"""PDF, DOCX and PPTX, by pypdf, mammoth and python-pptx: the extra `documents`."""

import zipfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Final

from retrieval.local.documents.markup import from_html
from retrieval.local.documents.parts import LONGEST_TEXT, Part, Unreadable

if TYPE_CHECKING:
    from pptx.slide import Slide

MOST_PAGES: Final = 5_000
MOST_UNPACKED: Final = 256 * 1024 * 1024
"""Bytes of all members of a DOCX or PPTX, by their own account, which Python's reader holds them to."""

MOST_TIMES: Final = 100
"""How many times its size such a file may unpack to."""

NEVER_TOO_MUCH: Final = 16 * 1024 * 1024
MOST_MEMBERS: Final = 10_000


def read_pdf(path: Path) -> Iterator[Part]:
    """A part for each page that has text. Raises Unreadable."""
    from pypdf import PdfReader

    reader = PdfReader(path)
    if reader.is_encrypted:
        raise Unreadable("it is encrypted")
    if len(reader.pages) > MOST_PAGES:
        raise Unreadable(f"it has more than {MOST_PAGES:,} pages")
    title = (reader.metadata.title if reader.metadata else None) or ""
    left = LONGEST_TEXT
    for number, page in enumerate(reader.pages, 1):
        text = page.extract_text()
        left -= len(text)
        if left < 0:
            raise Unreadable(f"its text has more than {LONGEST_TEXT:,} characters")
        yield Part(blocks=text.split("\n\n"), title=title, page=number)


def read_docx(path: Path) -> Iterator[Part]:
    """Headings are those of Word's styles. Raises Unreadable."""
    import mammoth

    _check_size(path)
    with path.open("rb") as file:
        html = mammoth.convert_to_html(file, convert_image=mammoth.images.img_element(lambda image: {"src": ""})).value
    if len(html) > LONGEST_TEXT:
        raise Unreadable(f"its text has more than {LONGEST_TEXT:,} characters")
    yield from from_html(html)


def read_pptx(path: Path) -> Iterator[Part]:
    """A part for each slide: its title as the heading, texts, tables, the speaker's notes. Raises Unreadable."""
    from pptx import Presentation

    _check_size(path)
    with path.open("rb") as file:
        deck = Presentation(file)
    for number, slide in enumerate(deck.slides, 1):
        title = slide.shapes.title
        heading = "" if title is None else " ".join(title.text_frame.text.split())
        yield Part(
            blocks=[text for text in _texts(slide) if text.strip()],
            title=deck.core_properties.title or "",
            heading_path=(heading,) if heading else (),
            page=number,
        )


def _texts(slide: "Slide") -> Iterator[str]:
    yield from _of_shapes(slide.shapes)
    if slide.has_notes_slide and slide.notes_slide.notes_text_frame is not None:
        yield slide.notes_slide.notes_text_frame.text


def _of_shapes(shapes: Iterable[object]) -> Iterator[str]:
    from pptx.shapes.autoshape import Shape
    from pptx.shapes.graphfrm import GraphicFrame
    from pptx.shapes.group import GroupShape

    for shape in shapes:
        if isinstance(shape, GroupShape):
            yield from _of_shapes(shape.shapes)
        elif isinstance(shape, Shape) and shape.has_text_frame:
            yield shape.text_frame.text
        elif isinstance(shape, GraphicFrame) and shape.has_table:
            yield "\n".join(" | ".join(cell.text for cell in row.cells) for row in shape.table.rows)


def _check_size(path: Path) -> None:
    """Raises Unreadable for an archive that would unpack to too much."""
    try:
        with zipfile.ZipFile(path) as archive:
            members = archive.infolist()
    except zipfile.BadZipFile as error:
        raise Unreadable(f"it is no archive of Office: {error}") from None
    unpacked = sum(member.file_size for member in members)
    most = min(max(MOST_TIMES * path.stat().st_size, NEVER_TOO_MUCH), MOST_UNPACKED)
    if unpacked > most or len(members) > MOST_MEMBERS:
        raise Unreadable(f"it unpacks to more than {most:,} bytes or {MOST_MEMBERS:,} members")
