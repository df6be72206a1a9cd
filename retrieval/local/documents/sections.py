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

_ATTRIBUTES: Final = re.compile(r"[ \t]+\{(?:[ \t]*[#.][\w:.-]{1,100})+[ \t]*\}$")
"""The name and the classes of a heading, which no reader sees."""

_BLOCKS: Final = MarkdownIt("commonmark").enable("table").disable("inline")
_INLINE: Final = MarkdownIt("commonmark").disable("html_inline")


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


def titled(markdown: str, title: str) -> Iterator[Part]:
    """The parts that have a text; the title is the one given, else the first heading. Raises Unreadable."""
    parts = list(sections(markdown))
    first = next((part.heading_path[0] for part in parts if part.heading_path), "")
    yield from (
        Part(blocks=part.blocks, heading_path=part.heading_path, title=title or first) for part in parts if part.blocks
    )


def _plain(heading: str) -> str:
    """The heading as a reader sees it: without the marks of links, code and emphasis, and without escapes."""
    (inline,) = _INLINE.parseInline(_ATTRIBUTES.sub("", heading[:LONGEST_HEADING]))
    texts = (" " if token.type.endswith("break") else token.content for token in inline.children or ())
    return " ".join("".join(texts).split())
