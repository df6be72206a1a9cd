"""Divides a text into blocks: headings, paragraphs, lists, tables and code.

The text may be Markdown or plain text. Code is between fences, or is an indented paragraph. A table has a line of
dashes below its header. The items of a list begin with a mark, a number or a letter. A record is a paragraph with lines
`name: value`. The time is linear in the length of the text.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import groupby, pairwise
from operator import attrgetter
from textwrap import dedent
from typing import Final, Literal, NamedTuple, TypeAlias

from retrieval.text.sentences import sentences, stripped

Kind: TypeAlias = Literal["heading", "paragraph", "list", "table", "code"]

_FENCE: Final = re.compile(r"[ \t]*(`{3,}|~{3,})")
_HEADING: Final = re.compile(r"[ \t]{0,3}#{1,6}[ \t]")
_UNDERLINE: Final = re.compile(r"[ \t]*(?:=+|-{2,}|\*{3,}|_{3,})[ \t]*")
_RULE: Final = re.compile(r"[|:\- \t]+")
_ITEM: Final = re.compile(
    r"[ \t]*(?:[-*+•·–]|\d{1,3}[.)]|\(\d{1,3}\)|[a-z][.)]|[①-⑳]|[一二三四五六七八九十]+[、.])"
    r"(?:[ \t]+|(?<=[①-⑳、]))(?=\S)"
)
_INDENTED: Final = re.compile(r" {4}|[ \t]*\t")

_CLOSING: Final = " \t*_~\"'”“’»›)）」』]|"
"""Marks that may follow the sign at the end of a sentence."""

LONGEST_NAME: Final = 4
"""The most words of the name of a member, between the `>` of a nested name. Prose has a colon after more."""


class LayoutBlock(NamedTuple):
    """A block of a text, or a part of a block, from the character `start` up to `end`. `header` is the start and end of
    a table's header with the line of dashes; (0, 0) in any other block. `of` is the start of the block. All parts of a
    block have the same `of`.
    """

    kind: Kind
    start: int
    end: int
    of: int
    header: tuple[int, int] = (0, 0)


class _Line(NamedTuple):
    start: int
    end: int
    text: str

    @property
    def indent(self) -> int:
        return len(self.text) - len(self.text.lstrip())


def blocks(text: str) -> tuple[LayoutBlock, ...]:
    """The blocks in their order. Only blanks, underlines (lines of `=`, `-`, `*` or `_`) and the headers of tables are
    outside the blocks."""
    return tuple(_blocks(text, list(_lines(text))))


def introduces(text: str, block: LayoutBlock) -> bool:
    """Whether a block introduces the next block: a heading, a question, or a block other than code that ends with a
    colon."""
    ends_so = block.kind != "code" and text[block.start : block.end].endswith((":", "："))
    return block.kind == "heading" or ends_so or asks(text, block)


def asks(text: str, block: LayoutBlock) -> bool:
    """Whether a block other than code ends with a question."""
    return block.kind != "code" and text[block.start : block.end].rstrip(_CLOSING).endswith(("?", "？"))


def parts(text: str, block: LayoutBlock) -> tuple[LayoutBlock, ...]:
    """The sentences of a paragraph and the members of a record, the outermost items of a list, or the rows of a table.
    Other blocks are not divided."""
    match block.kind:
        case "paragraph":
            starts = [block.start + span.start for span in sentences(text[block.start : block.end])]
            cuts = sorted({*starts[1:], *_members(text, block)[1:]})
        case "list":
            cuts = _items(text, block)[1:]
        case "table":
            cuts = [line.start for line in _within(text, block)][1:]
        case _:
            return (block,)
    edges = [block.start, *cuts, block.end]
    spans = (stripped(text, start, end) for start, end in pairwise(edges))
    return tuple(block._replace(start=start, end=end) for start, end in spans if start < end)


def joined(blocks: Sequence[LayoutBlock]) -> list[LayoutBlock]:
    """The blocks, with neighbouring parts of the same block joined."""
    groups = [list(parts) for _, parts in groupby(blocks, key=attrgetter("of"))]
    return [parts[0]._replace(end=parts[-1].end) for parts in groups]


def items(text: str, block: LayoutBlock) -> tuple[str, ...]:
    """The items of a list, including nested items. Each item is on one line. A number or letter before the item stays,
    and a bullet is removed."""
    starts = [line.start for place, line in enumerate(_within(text, block)) if not place or _ITEM.match(line.text)]
    edges = [*starts, block.end]
    lines = (" ".join(text[start:end].split()) for start, end in pairwise(edges))
    return tuple(line[1:].lstrip() if line[:1] in "-*+•·–" else line for line in lines if line)


def members(text: str, block: LayoutBlock) -> tuple[str, ...]:
    """The members of a record, each on one line. A paragraph that is no record has none."""
    edges = [*_members(text, block), block.end]
    return tuple(" ".join(text[start:end].split()) for start, end in pairwise(edges))


def code(text: str, block: LayoutBlock) -> str:
    """The lines of code, without the fences and without the common indentation."""
    lines = text[block.start : block.end].split("\n")
    fence = _FENCE.match(lines[0])
    if fence is not None:
        lines = lines[1:-1] if len(lines) > 1 and closes(lines[-1], fence[1]) else lines[1:]
    return dedent("\n".join(line.rstrip() for line in lines))


def rows(text: str, block: LayoutBlock) -> tuple[tuple[str, ...], ...]:
    """The cells of each row of a table. The header is the first row."""
    header = text[slice(*block.header)].split("\n")[:1]
    return tuple(cells(line) for line in (*header, *(row.text for row in _within(text, block))) if line.strip())


def _lines(text: str) -> Iterator[_Line]:
    start = 0
    for line in text.splitlines(keepends=True):
        content = line.rstrip()
        yield _Line(start, start + len(content), content)
        start += len(line)


def _blocks(text: str, lines: Sequence[_Line]) -> Iterator[LayoutBlock]:
    at = 0
    while at < len(lines):
        line, blank_before = lines[at], at == 0 or not lines[at - 1].text
        if not line.text or _UNDERLINE.fullmatch(line.text):
            at += 1
            continue
        kind = _kind(lines, at, blank_before=blank_before)
        header = (line.start, lines[at + 1].end) if kind == "table" else (0, 0)
        end = _ends[kind](lines, at)
        first = at + 2 if kind == "table" else at
        start = line.start if kind == "code" else lines[first].start + lines[first].indent
        yield LayoutBlock(kind, start, lines[end - 1].end, start, header)
        at = end


def _kind(lines: Sequence[_Line], at: int, *, blank_before: bool) -> Kind:
    line = lines[at].text
    if _FENCE.match(line) or (blank_before and _INDENTED.match(line) and not _ITEM.match(line)):
        return "code"
    if _is_table(lines, at):
        return "table"
    if _ITEM.match(line):
        return "list"
    is_underlined = at + 1 < len(lines) and lines[at + 1].text and _UNDERLINE.fullmatch(lines[at + 1].text)
    return "heading" if _HEADING.match(line) or is_underlined else "paragraph"


def _is_table(lines: Sequence[_Line], at: int) -> bool:
    has_rule = at + 2 < len(lines) and is_rule(lines[at + 1].text)
    return has_rule and "|" in lines[at].text and "|" in lines[at + 2].text


def is_rule(line: str) -> bool:
    """Whether a line is the line of dashes below the header of a table."""
    return "|" in line and "-" in line and _RULE.fullmatch(line) is not None


def _place(lines: Sequence[_Line], at: int, is_end: Callable[[int], bool]) -> int:
    """The first place from `at` on at which a block ends, without the blank lines before it; else the end."""
    end = next((place for place in range(at, len(lines)) if is_end(place)), len(lines))
    while end > at and not lines[end - 1].text:
        end -= 1
    return end


def _end_of_code(lines: Sequence[_Line], at: int) -> int:
    fence = _FENCE.match(lines[at].text)
    if fence is None:
        return _place(lines, at + 1, lambda place: bool(lines[place].text) and not _INDENTED.match(lines[place].text))
    return _place(lines, at + 1, lambda place: closes(lines[place - 1].text, fence[1]) and place > at + 1)


def closes(line: str, fence: str) -> bool:
    """Whether a line closes the code after a fence. The line has at least as many of the same character as the fence,
    and no other characters."""
    mark = line.strip()
    return mark.startswith(fence) and not mark.strip(fence[0])


def _end_of_table(lines: Sequence[_Line], at: int) -> int:
    return _place(lines, at + 3, lambda place: "|" not in lines[place].text)


def _end_of_list(lines: Sequence[_Line], at: int) -> int:
    """The index of the line after a list. A list continues with items and with the lines directly below them. After a
    blank line it continues with items and indented lines. It ends at a fence, or at a heading, an underline or a table
    that is not indented further than the first item."""

    def ends(place: int) -> bool:
        line = lines[place]
        outside = bool(line.text) and line.indent <= lines[at].indent and not _ITEM.match(line.text)
        return _FENCE.match(line.text) is not None or (outside and (not lines[place - 1].text or _begins(lines, place)))

    return _place(lines, at + 1, ends)


def _end_of_paragraph(lines: Sequence[_Line], at: int) -> int:
    return _place(lines, at + 1, lambda place: not lines[place].text or _begins(lines, place))


def _begins(lines: Sequence[_Line], at: int) -> bool:
    line = lines[at].text
    patterns = (_FENCE.match, _HEADING.match, _ITEM.match, _UNDERLINE.fullmatch)
    return any(pattern(line) for pattern in patterns) or _is_table(lines, at)


_ends: Final[Mapping[Kind, Callable[[Sequence[_Line], int], int]]] = {
    "code": _end_of_code,
    "table": _end_of_table,
    "list": _end_of_list,
    "paragraph": _end_of_paragraph,
    "heading": lambda lines, at: at + 1,
}


def _within(text: str, block: LayoutBlock) -> list[_Line]:
    lines = _lines(text[block.start : block.end])
    return [_Line(block.start + line.start, block.start + line.end, line.text) for line in lines if line.text]


def _members(text: str, block: LayoutBlock) -> list[int]:
    """The positions at which the members of a record begin. A record has at least two, and begins with one."""
    starts = [line.start for line in _within(text, block) if _is_member(line.text)]
    return starts if len(starts) > 1 and starts[0] == block.start else []


def _is_member(line: str) -> bool:
    name, colon, _ = line.partition(": ")
    return bool(colon) and all(0 < len(part.split()) <= LONGEST_NAME for part in name.split(" > "))


def _items(text: str, block: LayoutBlock) -> list[int]:
    """The positions at which the outermost items of a list begin."""
    lines = [line for line in _within(text, block) if _ITEM.match(line.text)]
    margin = min((line.indent for line in lines[1:]), default=0)
    return [block.start, *(line.start for line in lines[1:] if line.indent == margin)]


def cells(line: str) -> tuple[str, ...]:
    """The cells of a row of a table."""
    inner = line.strip().removeprefix("|").removesuffix("|")
    return tuple(" ".join(cell.replace("\\|", "|").split()) for cell in re.split(r"(?<!\\)\|", inner))
