"""Reads Markdown that a model writes into a block by habit, and makes separate blocks of it.

Lists, tables, code fences and headings become blocks of these kinds, and are checked as such. A line in bold may become
a heading. Emphasis and escapes lose their marks. Links, images and HTML stay text.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from retrieval.text import layout
from retrieval.text.links import without_marks
from retrieval.writing.blocks import TABULAR, Kind

_FENCE: Final = re.compile(r"[ \t]*(`{3,}|~{3,})[ \t]*[\w+#.-]*[ \t]*")
_BULLET: Final = re.compile(r"\s*[-*•]\s+(?=\S)")
_NUMBER: Final = re.compile(r"\s*([0-9]{1,3})[.)]\s+(?=\S)")
_HEADING: Final = re.compile(r"\s*#{2,6}\s+(?=\S)")
_TITLE: Final = re.compile(r"\s*#{1,6}\s+(?=\S)")
_BOLD_LINE: Final = re.compile(r"\s*\*\*[^*\n]{1,100}\*\*:?\s*")


class Piece(NamedTuple):
    """A block in the text of another block: its kind and its text. Code keeps its lines."""

    kind: Kind
    text: str


def read(kind: Kind, text: str, *, step: int = 1) -> list[Piece]:
    """The blocks in a block's text. A block of kind `step` has the number `step`, and its text may begin with this
    number."""
    if kind == "code":
        return [Piece(kind, _without_fence(text))]
    if kind in TABULAR or kind == "missing":
        return [_piece(kind, [text])]
    if kind == "heading":
        return [Piece(kind, without_marks(_TITLE.sub("", text, count=1)))]
    return [piece for piece in _pieces(kind, text.split("\n"), step) if piece.text]


def rows(kind: Kind, text: str) -> list[Piece]:
    """The rows in the text of a header or row without cells: each line but a line of dashes."""
    tables, lines = _tables(text.split("\n")), text.split("\n")
    pieces = [tables.get(place) or Piece("row", "\n".join(layout.cells(line))) for place, line in enumerate(lines)]
    filled = [_piece(piece.kind, [piece.text]) for piece in pieces if piece.text.strip()]
    return [Piece(kind, filled[0].text), *filled[1:]] if filled and filled[0].kind == "row" else filled


def _without_fence(code: str) -> str:
    lines = code.strip("\n").split("\n")
    match = _FENCE.fullmatch(lines[0])
    if match is None or not layout.closes(lines[-1], match[1]) or len(lines) == 1:
        return code
    return "\n".join(lines[1:-1])


def _pieces(kind: Kind, lines: Sequence[str], step: int) -> Iterator[Piece]:
    current, text_lines = kind, list[str]()
    for begun, line in _read(kind, lines, step):
        if begun is not None:
            yield _piece(current, text_lines)
            current, text_lines = begun, []
        text_lines.append(line)
    yield _piece(current, text_lines)


def _read(kind: Kind, lines: Sequence[str], step: int) -> Iterator[tuple[Kind | None, str]]:
    """Each line without the signs of a list or heading, and the rows of tables as their cells, with the kind of the
    block that the line begins. Closing fences, and blank lines outside code, are left out. The kind is None for a line
    that continues the block before it."""
    is_list, expected = {1, 2} <= {_number(line)[0] for line in lines}, step if kind == "step" else 1
    last, fence, ended, tables = kind, "", False, _tables(lines)
    for place, line in enumerate(lines):
        number, remainder = _number(line)
        opening = _FENCE.fullmatch(line)
        if fence:
            ended, fence = (True, "") if layout.closes(line, fence) else (False, fence)
            if fence:
                yield None, line
        elif opening is not None:
            last, fence = "code", opening[1]
            yield "code", ""
        elif place in tables:
            last, ended, expected = "row", True, 1
            yield tables[place]
        elif number == expected and (is_list or (kind == "step" and place == 0)):
            last, ended, expected = "step", False, expected + 1
            yield "step", remainder
        elif place == 0 and kind in ("bullet", "step") and (bullet := _BULLET.match(line)):
            yield None, line[bullet.end() :]
        elif (begun := _beginning(line, is_alone=place + 1 == len(lines) or last in ("bullet", "step"))) is not None:
            last, ended, expected = begun.kind, begun.kind == "heading", 1
            yield begun
        elif not line.strip():
            ended = ended or (place > 0 and last in ("bullet", "step"))
        else:
            last, expected = ("paragraph", 1) if ended else (last, expected)
            yield "paragraph" if ended else None, line
            ended = False


def _tables(lines: Sequence[str]) -> Mapping[int, Piece]:
    """The rows of tables by their lines. The line of dashes is an empty row."""
    rows, is_inside = dict[int, Piece](), False
    for place, line in enumerate(lines):
        begins = not is_inside and place + 1 < len(lines) and layout.is_rule(lines[place + 1])
        is_inside = "|" in line and (is_inside or begins)
        if is_inside:
            cells = () if layout.is_rule(line) else layout.cells(line)
            rows[place] = Piece("header" if begins else "row", "\n".join(cells))
    return rows


def _number(line: str) -> tuple[int, str]:
    match = _NUMBER.match(line)
    return (int(match[1]), line[match.end() :]) if match else (0, line)


def _beginning(line: str, *, is_alone: bool) -> Piece | None:
    """The item or the heading that a line begins. A line in bold is a heading only if another line follows, and not
    after a list item."""
    if match := _BULLET.match(line):
        return Piece("bullet", line[match.end() :])
    if match := _HEADING.match(line):
        return Piece("heading", line[match.end() :])
    return Piece("heading", line) if _BOLD_LINE.fullmatch(line) and not is_alone else None


def _piece(kind: Kind, lines: Sequence[str]) -> Piece:
    if kind == "code":
        return Piece(kind, "\n".join(lines).strip("\n"))
    if kind in TABULAR:
        return Piece(kind, "\n".join(without_marks(cell) for line in lines for cell in line.split("\n")))
    return Piece(kind, without_marks(" ".join(" ".join(lines).split())))
