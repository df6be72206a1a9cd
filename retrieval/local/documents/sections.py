"""Markdown by its headings: one part for each, with the path of headings that leads there.

The blocks are CommonMark's, with tables (markdown-it); a `#` in code or in a list is no heading. Its nesting is bounded
by the parser.
"""

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Final

from markdown_it import MarkdownIt
from markdown_it.token import Token

from retrieval.local.documents.parts import Part, Unreadable

MOST_LINES: Final = 100_000
LONGEST_HEADING: Final = 300
"""Characters; of a title too."""

_BLOCKS: Final = MarkdownIt("commonmark").enable("table").disable("inline")
_LINK: Final = re.compile(r"!?\[([^\]\n]{0,500})\]\([^)\n]{0,2000}\)")
_MARKS: Final = re.compile(r"[*`]+|(?<!\w)_+|_+(?!\w)")


def sections(text: str) -> Iterator[Part]:
    """The parts in the order of the text; what is before the first heading has an empty path. Raises Unreadable."""
    lines = text.splitlines()
    if len(lines) > MOST_LINES:
        raise Unreadable(f"a text with headings has at most {MOST_LINES:,} lines")
    tokens = _BLOCKS.parse("\n".join(lines))
    path: dict[int, str] = {}
    blocks: list[str] = []
    for token, following in pairwise([*tokens, Token("end", "", 0)]):
        if token.level or token.map is None:
            continue
        if token.type == "heading_open":
            yield Part(blocks=blocks, heading_path=tuple(path.values()))
            depth = int(token.tag[1:])
            path = {level: one for level, one in path.items() if level < depth} | {depth: _plain(following.content)}
            blocks = []
        else:
            blocks.append("\n".join(lines[slice(*token.map)]).rstrip())
    yield Part(blocks=blocks, heading_path=tuple(path.values()))


def _plain(heading: str) -> str:
    """A heading without the marks of links, code and emphasis."""
    return _MARKS.sub("", _LINK.sub(r"\1", heading[:LONGEST_HEADING])).strip()
