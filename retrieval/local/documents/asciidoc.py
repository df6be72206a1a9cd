"""AsciiDoc as Markdown: headings, code, lists and tables. No well-kept reader in Python has a licence that fits.

Nothing is included; directives that would include a file are left out and named.
"""

import re
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Final

from retrieval.local.documents.asciidoc_tables import SIGNS, table
from retrieval.local.documents.parts import Part, Unreadable
from retrieval.local.documents.sections import MOST_LINES, titled
from retrieval.local.documents.texts import text_of

MOST_NAMED: Final = 20
"""Files of `include::`."""

_ATTRIBUTE: Final = re.compile(r":!?([A-Za-z0-9_][\w-]{0,100})!?:(?:[ \t]+(.{0,500}))?$")
_HEADING: Final = re.compile(r"(={1,6})[ \t]+(\S.*)$")
_BLOCK_TITLE: Final = re.compile(r"\.([^ \t.].*)$")
_BLOCK_ATTRIBUTES: Final = re.compile(r"\[[^\[\]]{0,500}\]$|\[\[[^\[\]]{0,500}\]\]$")
_INCLUDE: Final = re.compile(r"include::(.{1,300}?)\[.{0,300}\]$")
_PICTURE: Final = re.compile(r"(?:image|video|audio)::?[^\s\[\]]{1,300}\[([^\[\]]{0,300})\]")
_CONDITION: Final = re.compile(r"(?:ifdef|ifndef|ifeval|endif)::")
_LIST_ITEM: Final = re.compile(r"(\*{1,5}|\.{1,5}|-)[ \t]+(\S.*)$")
_LINK: Final = re.compile(r"(?:link:|xref:|mailto:|(?=https?://))([^\s\[\]<>]{1,500})\[([^\[\]]{0,300})\]")
_CROSS: Final = re.compile(r"<<#?([^<>,]{1,200})(?:,[ \t]*([^<>]{1,200}))?>>")
_NOTE: Final = re.compile(r"footnote:[\w-]{0,100}\[([^\[\]]{1,1000})\]")
_AS_IT_IS: Final = re.compile(r"`\+([^`+]{1,500})\+`")
_ADMONITION: Final = re.compile(
    r"\[(?:(NOTE|TIP|IMPORTANT|WARNING|CAUTION)\b[^\[\]]{0,300}|(?:quote|verse),[ \t]*([^\[\]]{1,300}))\]$"
)
"""What the block below is, or of whom."""

_TERM: Final = re.compile(r"(\S.{0,300}?)(?:::|;;)(?:[ \t]+(.+))?$")
_BOX: Final = re.compile(r"^\[([ x*])\](?=[ \t])")
_REFERENCE: Final = re.compile(r"\{([A-Za-z0-9_][\w-]{0,100})\}")
_MACRO: Final = re.compile(r"\b(?:kbd|btn|stem|latexmath|asciimath|pass|footnoteref):[\w,]{0,20}\[([^\[\]]{1,1000})\]")
_MENU: Final = re.compile(r"\bmenu:([^\[\]]{1,200})\[([^\[\]]{0,200})\]")
_RULE: Final = frozenset({"'''", "<<<", "---", "***"})
_CODE: Final = frozenset({"-", ".", "+", "`"})
_FRAMES: Final = frozenset({"=", "*", "_"})


def read_asciidoc(path: Path) -> Iterator[Part]:
    """The title is that of the document. Raises Unreadable."""
    included: list[str] = []
    text = text_of(path)
    if text.startswith("-----BEGIN PGP "):
        raise Unreadable("a key or a signature of PGP")
    lines = text.split("\n")
    if len(lines) <= MOST_LINES:
        lines = list(_markdown(iter(lines), included))
    yield from titled("\n".join(lines), "")
    for name in included[:MOST_NAMED]:
        yield Part(blocks=(), left_out=f"what it includes of {name}")
    if len(included) > MOST_NAMED:
        yield Part(blocks=(), left_out=f"what it includes of {len(included) - MOST_NAMED:,} more")


def _markdown(lines: Iterator[str], included: list[str]) -> Iterator[str]:
    attributes: dict[str, str] = {}
    about = ""
    for line in map(str.rstrip, lines):
        sign = _delimiter(line)
        if sign in _CODE:
            yield from _fenced(_until(lines, line))
        elif sign == "/":
            for _ in _until(lines, line):
                pass
        elif line in SIGNS:
            yield from (
                "",
                table(list(_until(lines, line)), SIGNS[line], about, partial(_inline, attributes=attributes)),
            )
            yield ""
        elif found := _INCLUDE.match(line):
            included.append(found[1])
        elif found := _ATTRIBUTE.match(line):
            attributes[found[1].lower()] = (found[2] or "").strip()
        elif found := _ADMONITION.match(line):
            yield from (f"{(found[1] or found[2]).strip()}:", "")
        elif not (sign in _FRAMES or line.startswith("//") or _CONDITION.match(line) or _BLOCK_ATTRIBUTES.match(line)):
            yield from _line(line, attributes)
        about = line if _BLOCK_ATTRIBUTES.match(line) else about if _BLOCK_TITLE.match(line) else ""


def _delimiter(line: str) -> str:
    """The sign of a line that begins or ends a block: four or more of one sign, or `--` and a fence of Markdown."""
    if line.startswith("```"):
        return "`"
    return line[0] if len(line) >= 4 and line == line[0] * len(line) and line[0] in "-.+=*_/" else ""


def _until(lines: Iterator[str], end: str) -> Iterator[str]:
    """The lines up to one like the first, or up to the end."""
    closing = "```" if end.startswith("```") else end
    for line in lines:
        if line.rstrip() == closing:
            return
        yield line.rstrip()


def _fenced(lines: Iterator[str]) -> Iterator[str]:
    code = list(lines)
    longest = max([2, *(len(line) - len(line.lstrip("`")) for line in map(str.lstrip, code))])
    fence = "`" * (longest + 1)
    yield from ("", fence, *code, fence, "")


def _line(line: str, attributes: dict[str, str]) -> Iterator[str]:
    if line.strip() == "+" or line in _RULE:
        yield ""
    elif found := _HEADING.match(line):
        yield from ("", f"{'#' * len(found[1])} {_inline(found[2], attributes)}", "")
    elif found := _LIST_ITEM.match(line.lstrip()):
        indent = "  " * (len(found[1]) - 1)
        item = _BOX.sub(lambda box: "☐" if box[1] == " " else "☒", _inline(found[2], attributes), count=1)
        yield f"{indent}{'1.' if found[1][0] == '.' else '-'} {item}"
    elif found := _BLOCK_TITLE.match(line):
        yield from (_inline(found[1], attributes), "")
    elif found := _TERM.match(line):
        yield from (_inline(f"{found[1]}: {found[2] or ''}".rstrip(), attributes), "")
    else:
        yield _inline(line, attributes)


def _inline(text: str, attributes: dict[str, str]) -> str:
    """Links and pictures by their labels; attributes by their values, once."""
    said = _REFERENCE.sub(lambda found: attributes.get(found[1].lower(), found[0]), text)
    said = _PICTURE.sub(r"\1", said)
    said = _LINK.sub(lambda found: found[2] or found[1], said)
    said = _CROSS.sub(lambda found: found[2] or found[1], said)
    said = _MENU.sub(lambda found: " > ".join(filter(None, found.groups())), _MACRO.sub(r"\1", said))
    return _AS_IT_IS.sub(r"`\1`", _NOTE.sub(r"(\1)", said)).removesuffix(" +")
