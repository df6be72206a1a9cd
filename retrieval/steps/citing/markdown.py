"""Markdown as blocks: what is code and stays as it is, what is prose and is checked.

A renderer must see no block that is not seen here, or unchecked text could pass as code and code as text. So only plain
code fences are taken as fences, and these are written anew: every line within the indentation, an end where it was
left out. A mark that another reader could take for a fence is escaped.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal, TypeAlias

Kind: TypeAlias = Literal[
    "text", "item", "heading", "row", "header", "delimiter", "definition", "code", "rule", "blank"
]

NESTED: Final = 4
"""Spaces from which a fence could belong to the paragraph before it; an empty line keeps them apart."""

_LINE_END: Final = re.compile(r"\r\n?")
_NO_LINE_END: Final = re.compile(r"[\x0b\x0c\x1c-\x1f\x85\u2028\u2029]")
_UNSEEN: Final = re.compile(r"[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]")
_HALF_CHARACTER: Final = re.compile(r"[\ud800-\udfff]")

_FENCE: Final = re.compile(r"( *+(?:(?:[-*+]|[0-9]{1,9}[.)]) {1,4}+)?)(`{3,}+(?=[^`]*$)|~{3,}+)(.*)")
_MARKS: Final = re.compile(
    r"(?:[ \t]*+(?:>|(?:[-*+]|[0-9]{1,9}[.)])(?=[ \t]|$)))*+[ \t]*+"
    r"(?P<heading>#{1,6}+(?=[ \t]|$)[ \t]*+)?(?:\[[ xX]\](?=[ \t])[ \t]*+)?"
)
_DEFINITION: Final = re.compile(
    r"\[(?P<name>[^\[\]\n]++)\]:[ \t]*+(?:|[^ \t]++[ \t]*+(?:\"[^\"]*+\"|'[^']*+'|\([^()]*+\))?[ \t]*+)"
)
_FOOTNOTE: Final = re.compile(r"\[\^[^\[\]\n]*+\]:")


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """A part of a text. `marks` are indentation and the marks of a list, quote or heading before the `text`.

    A `row` is one of a table, its first is the `header`; a `definition` is one of a link or a footnote. A text or an
    item may have several lines, the others one. Of code the text is all of it, fences included.
    """

    kind: Kind
    marks: str = ""
    text: str = ""


def blocks(text: str) -> tuple[Block, ...]:
    """The blocks in their order. Control characters are gone, every line end is one of Markdown's."""
    plain = _HALF_CHARACTER.sub("\ufffd", _UNSEEN.sub("", _NO_LINE_END.sub(" ", _LINE_END.sub("\n", text))))
    return tuple(_grouped(_each([_without_tabs(line) for line in plain.split("\n")])))


def joined(parts: Sequence[Block]) -> str:
    """The text of blocks, without empty lines at its ends or more than one in a row."""
    lines: list[str] = []
    for one in parts:
        if one.text:
            lines.append(f"{one.marks}{one.text}")
        elif one.kind == "blank" and lines and lines[-1]:
            lines.append("")
    return "\n".join(lines).rstrip()


def _each(lines: Sequence[str]) -> Iterator[Block]:
    """A block for every line but those of code, which are one."""
    at, before = 0, Block(kind="blank")
    while at < len(lines):
        fence = _FENCE.fullmatch(lines[at])
        if fence is None:
            before = _block(lines, at, table=before.kind in ("delimiter", "row"))
            at += 1
        else:
            if (fence[1].strip() or len(fence[1]) >= NESTED) and before.kind != "blank":
                yield Block(kind="blank")
            body = lines[at + 1 : _closing(lines, at + 1, fence[2])]
            before = _code(fence, body)
            at += len(body) + 2
        yield before


def _grouped(parts: Iterable[Block]) -> Iterator[Block]:
    """Lines that only go on are part of the text before them."""
    open_: list[Block] = []
    for one in parts:
        goes_on = one.kind == "text" and not one.marks.strip() and open_ and open_[0].kind in ("text", "item")
        if open_ and not goes_on:
            yield _whole(open_)
            open_ = []
        open_.append(one)
    if open_:
        yield _whole(open_)


def _whole(parts: Sequence[Block]) -> Block:
    first, *rest = parts
    return replace(first, text="\n".join([first.text, *(f"{one.marks}{one.text}" for one in rest)]))


def _block(lines: Sequence[str], at: int, *, table: bool) -> Block:
    line = lines[at]
    solid = set(line) - set(" \t")
    if not solid:
        return Block(kind="blank")
    if len(solid) == 1 and (solid == {"="} or (solid <= set("-*_") and line.count(min(solid)) >= 3)):
        return Block(kind="rule", text=line)
    marks = _marks(line)
    text = line[len(marks[0]) :]
    if "|" in text:
        follows = at + 1 < len(lines) and _is_delimiter(lines[at + 1])
        if _is_delimiter(text):
            return Block(kind="delimiter", marks=marks[0], text=text)
        if follows or table or text.startswith("|"):
            return Block(kind="header" if follows else "row", marks=marks[0], text=text)
    return Block(kind=_kind(marks, text), marks=marks[0], text=f"\\{text}" if text.startswith("~~~") else text)


def _kind(marks: tuple[str, bool], text: str) -> Kind:
    if _FOOTNOTE.match(text) or _DEFINITION.fullmatch(text):
        return "definition"
    if marks[1]:
        return "heading"
    return "item" if marks[0].strip(" \t>") else "text"


def _marks(line: str) -> tuple[str, bool]:
    """The marks before a text, and whether they make it a heading."""
    found = _MARKS.match(line)
    return ("", False) if found is None else (found[0], found["heading"] is not None)


def _is_delimiter(line: str) -> bool:
    """The line of a table that stands between its header and its rows."""
    return "|" in line and "-" in line and set(line) <= set("|-: \t>")


def _closing(lines: Sequence[str], start: int, fence: str) -> int:
    """Where the line is that ends a fence; the end of all where there is none."""
    for at in range(start, len(lines)):
        line = lines[at].strip(" \t")
        if len(line) >= len(fence) and set(line) == {fence[0]}:
            return at
    return len(lines)


def _code(fence: re.Match[str], body: Sequence[str]) -> Block:
    """The fence written anew, every line of it at least as far in as its first."""
    inset = " " * len(fence[1])
    inner = [line if line.startswith(inset) or not line.strip() else inset + line.lstrip(" ") for line in body]
    return Block(kind="code", text="\n".join([fence[0], *inner, inset + fence[2]]))


def _without_tabs(line: str) -> str:
    """Indentation in spaces."""
    rest = line.lstrip(" \t")
    return line[: len(line) - len(rest)].expandtabs(4) + rest
