"""PDF by pypdf, of the extra `documents`.

Pages may share what they show, so what reading takes is counted as it goes.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from retrieval.local.documents.parts import LONGEST_TEXT, Part, Unreadable

if TYPE_CHECKING:
    from pypdf import PageObject

MOST_PAGES: Final = 5_000
LEAST_WORK: Final = 300_000
MOST_WORK: Final = 4_000_000
"""Of a file: twice its bytes between these two. An operator counts 1, and so do eight bytes of a page's content, and of
a form each time that it is shown. An operator takes 5 µs, eight bytes at most 10."""

LONGEST_STREAM: Final = 1_000_000
"""Operators and operands of one content: as many as the file has bytes, or 50,000, up to this."""

MOST_FORMS: Final = 10_000
DEEPEST: Final = 20
"""Forms within forms."""


def read_pdf(path: Path) -> Iterator[Part]:
    """A part for each page that has text. Raises Unreadable."""
    from pypdf import PdfReader, apply_configuration
    from pypdf.errors import LimitReachedError

    size = path.stat().st_size
    work, longest = _Work(min(max(2 * size, LEAST_WORK), MOST_WORK)), min(max(size, 50_000), LONGEST_STREAM)
    reader = PdfReader(path)
    if reader.is_encrypted:
        raise Unreadable("it is encrypted")
    if len(reader.pages) > MOST_PAGES:
        raise Unreadable(f"it has more than {MOST_PAGES:,} pages")
    title = (reader.metadata.title if reader.metadata else None) or ""
    left = LONGEST_TEXT
    for number, page in enumerate(reader.pages, 1):
        try:
            with apply_configuration(stream_parsing_work_maximum_count=longest):
                text = work.text(page)
        except LimitReachedError as error:
            raise Unreadable(f"page {number} is larger than pages are: {error}") from None
        left -= len(text)
        if left < 0:
            raise Unreadable(f"its text has more than {LONGEST_TEXT:,} characters")
        yield Part(blocks=text.split("\n\n"), title=title, page=number)


class _Work:
    """Reads the pages of one PDF until they took too much."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._left = most
        self._lengths: dict[int, int] = {}
        self._within: dict[str, int] = {}
        self._shown: dict[str, int] = {}

    def text(self, page: "PageObject") -> str:
        """Raises Unreadable."""
        contents = page.get_contents()
        if contents is not None:
            self._take(len(contents.get_data()) // 8)
        self._shown = self._forms(page, depth=0)
        text = page.extract_text(visitor_operand_before=self._operator)
        self._take(0)
        return text

    def _operator(self, operator: bytes, operands: Any, *_: object) -> None:
        name = str(operands[0]) if operator == b"Do" and operands else ""
        self._take(1 + max(self._shown.get(name, 0), self._within.get(name, 0)) // 8)

    def _take(self, work: int) -> None:
        self._left -= work
        if self._left < 0:
            raise Unreadable(f"its pages take more than {self._most:,} operators")

    def _forms(self, holder: Mapping[str, Any], *, depth: int) -> dict[str, int]:
        """How long the forms are that a page or a form shows, by their names; those within them are noted for all."""
        resources = _object(holder.get("/Resources"))
        found: dict[str, int] = {}
        for name, reference in _object(resources.get("/XObject")).items():
            form, number = _object(reference), reference.idnum
            if form.get("/Subtype") != "/Form":
                continue
            if number not in self._lengths:
                if len(self._lengths) == MOST_FORMS or depth == DEEPEST:
                    raise Unreadable(f"it has more than {MOST_FORMS:,} forms, or {DEEPEST} within one another")
                self._lengths[number] = len(form.get_data())
                for inner, length in self._forms(form, depth=depth + 1).items():
                    self._within[inner] = max(length, self._within.get(inner, 0))
            found[name] = self._lengths[number]
        return found


def _object(value: Any) -> Any:
    """What a reference refers to, or the value; empty for None."""
    return {} if value is None else value.get_object()
