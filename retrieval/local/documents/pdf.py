"""PDF by pypdf, of the extra `documents`.

Pages may share what they show, so what reading takes is counted as it goes.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from retrieval.local.documents import titles
from retrieval.local.documents.parts import LONGEST_TEXT, Part, Unreadable
from retrieval.local.documents.pdf_forms import Forms, object_of
from retrieval.text.counted_noun import how_many

if TYPE_CHECKING:
    from pypdf import PageObject

MOST_PAGES: Final = 5_000
MOST_NAMED: Final = 20
"""Pages without text."""

LEAST_WORK: Final = 300_000
MOST_WORK: Final = 4_000_000
"""Of a file: twice its bytes between these two. An operator counts 1, and so do eight bytes of a page's content, and of
a form each time that it is shown. An operator takes 5 µs, eight bytes at most 10."""

LONGEST_STREAM: Final = 1_000_000
"""Operators and operands of one content: as many as the file has bytes, or 50,000, up to this."""

MOST_FORMS: Final = 10_000
DEEPEST: Final = 20
"""Forms within forms."""

_LIGATURES: Final = str.maketrans(
    {"\ufb00": "ff", "\ufb01": "fi", "\ufb02": "fl", "\ufb03": "ffi", "\ufb04": "ffl", "\ufb05": "st", "\ufb06": "st"}
)
_BROKEN_WORD: Final = re.compile(r"(?<=[^\W_])([-\u2010\u00ad])[ \t]*\n[ \t]*([^\W_])")
FIELD: Final = "form field"
_MARKS: Final = {"/Text": "comment", "/FreeText": "comment", "/Widget": FIELD}
_LONGEST_HALF: Final = 40
_COMPOUND: Final = re.compile(rf"[^\W_]{{1,{_LONGEST_HALF}}}[-\u2010][^\W_]{{1,{_LONGEST_HALF}}}")
_BEFORE: Final = re.compile(r"[^\W_]*\Z")
_AFTER: Final = re.compile(r"[^\W_]*")


def read_pdf(path: Path) -> Iterator[Part]:
    """A part for each page that has text. Raises Unreadable."""
    from pypdf import PdfReader, apply_configuration
    from pypdf.errors import LimitReachedError

    size = path.stat().st_size
    work, longest = _Work(min(max(2 * size, LEAST_WORK), MOST_WORK)), min(max(size, 50_000), LONGEST_STREAM)
    reader = PdfReader(path)
    if reader.is_encrypted and not reader.decrypt(""):
        raise Unreadable("it is encrypted")
    if len(reader.pages) > MOST_PAGES:
        raise Unreadable(f"it has more than {MOST_PAGES:,} pages")
    title = titles.given(reader.metadata.title if reader.metadata else None)
    left, scanned = LONGEST_TEXT, list[int]()
    for number, page in enumerate(reader.pages, 1):
        try:
            with apply_configuration(stream_parsing_work_maximum_count=longest):
                text = "\n\n".join(filter(None, (_words(work.text(page)), work.form(page))))
        except LimitReachedError as error:
            raise Unreadable(f"page {number} is larger than pages are: {error}") from None
        left -= len(text)
        if left < 0:
            raise Unreadable(f"its text has more than {LONGEST_TEXT:,} characters")
        if not text.strip():
            scanned.append(number)
        yield Part(blocks=text.split("\n\n"), title=title, page=number)
    yield from (Part(blocks=(), left_out=how_many(count, noun)) for noun, count in work.left_out.items())
    if len(scanned) == len(reader.pages):
        raise Unreadable("a scan: none of its pages has text")
    if scanned:
        shown = ", ".join(map(str, scanned[:MOST_NAMED])) + (" and more" if len(scanned) > MOST_NAMED else "")
        yield Part(blocks=(), left_out=f"pages without text, as scans: {shown}")


def _words(text: str) -> str:
    """The text with letters instead of ligatures, and with the words whole that were broken at the end of a line.

    A hyphen stays before a capital and a digit, and where the same page has the word with its hyphen elsewhere.
    """
    text = text.translate(_LIGATURES)
    compounds = set(_COMPOUND.findall(text))

    def whole_word(broken: re.Match[str]) -> str:
        hyphen, following = broken.groups()
        if hyphen == "\u00ad" or (following.islower() and _compound(broken) not in compounds):
            return following
        return f"{hyphen}{following}"

    return _BROKEN_WORD.sub(whole_word, text)


def _compound(broken: re.Match[str]) -> str:
    """The two halves of a broken word with the hyphen between them."""
    text, second = broken.string, broken.start(2)
    first = _BEFORE.search(text[max(broken.start() - _LONGEST_HALF, 0) : broken.start()])
    last = _AFTER.match(text[second : second + _LONGEST_HALF])
    return f"{first[0] if first else ''}{broken[1]}{last[0] if last else ''}"


@dataclass(frozen=True, slots=True)
class _Shown:
    """A text as a page shows it, and where it begins, in points."""

    text: str
    x: float
    y: float
    height: float


def _lines(shown: Sequence[_Shown]) -> str:
    """The texts in their order. Those that are side by side are on one line, though each has a line break after it."""
    made: list[str] = []
    before: _Shown | None = None
    for one in shown:
        if before and one.text.strip() and made[-1].endswith("\n") and _is_beside(before, one):
            while made and not made[-1].rstrip("\n"):
                made.pop()
            made[-1:] = [made[-1].rstrip("\n"), " "] if made else []
        made.append(one.text)
        before = one if one.text.strip() else before
    return "".join(made)


def _is_beside(left: _Shown, right: _Shown) -> bool:
    """Whether a text goes on in the line of a text that is one line."""
    same_line = abs(left.y - right.y) < max(0.2 * min(left.height, right.height), 0.1)
    return same_line and right.x > left.x and "\n" not in left.text.rstrip("\n")


class _Work:
    """Reads the pages of one PDF until they took too much."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._left = most
        self._lengths: dict[int, int] = {}
        self._within: dict[str, int] = {}
        self._shown: dict[str, int] = {}
        self._filled_in = Forms()
        self.left_out = Counter[str]()

    def text(self, page: "PageObject") -> str:
        """Raises Unreadable."""
        contents = page.get_contents()
        if contents is not None:
            self._take(len(contents.get_data()) // 8)
        self._shown = self._forms(page, depth=0)
        shown: list[_Shown] = []

        def show(text: str, cm: Sequence[float], tm: Sequence[float], _: object, size: float) -> None:
            if text:
                x, y = (tm[4] * cm[at] + tm[5] * cm[at + 2] + cm[at + 4] for at in (0, 1))
                shown.append(_Shown(text, x, y, abs(size * tm[3] * cm[3])))

        text = page.extract_text(visitor_operand_before=self._operator, visitor_text=show)
        self._take(0)
        return _lines(shown) if "".join(one.text for one in shown) == text else text

    def form(self, page: "PageObject") -> str:
        """What is filled into the fields of forms; comments and other fields are left out. Raises Unreadable."""
        return "\n".join(filter(None, map(self._mark, self._marks(page))))

    def _marks(self, page: "PageObject") -> list[Mapping[str, Any]]:
        """What is laid upon a page and is not of its text."""
        marks = object_of(page.get("/Annots"))
        if not isinstance(marks, list):
            return []
        self._take(len(marks))
        return [mark for mark in map(object_of, marks) if isinstance(mark, Mapping)]

    def _mark(self, mark: Mapping[str, Any]) -> str:
        kind = _MARKS.get(str(mark.get("/Subtype")))
        line = self._filled_in.line(mark) if kind == FIELD else None
        if kind and line is None:
            self.left_out[kind] += 1
        self._take(len(line or "") // 8)
        return line or ""

    def _operator(self, operator: bytes, operands: Any, *_: object) -> None:
        name = str(operands[0]) if operator == b"Do" and operands else ""
        self._take(1 + max(self._shown.get(name, 0), self._within.get(name, 0)) // 8)

    def _take(self, work: int) -> None:
        self._left -= work
        if self._left < 0:
            raise Unreadable(f"its pages take more than {self._most:,} operators")

    def _forms(self, holder: Mapping[str, Any], *, depth: int) -> dict[str, int]:
        """How long the forms are that a page or a form shows, by their names; those within them are noted for all."""
        resources = object_of(holder.get("/Resources"))
        found: dict[str, int] = {}
        for name, reference in object_of(resources.get("/XObject")).items():
            form, number = object_of(reference), reference.idnum
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
