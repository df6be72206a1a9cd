"""Markdown, HTML and text."""

import re
from collections.abc import Iterator
from dataclasses import replace
from html import unescape
from pathlib import Path
from typing import TYPE_CHECKING, Final

from retrieval.local.documents.parts import Part, Unreadable
from retrieval.local.documents.sections import sections
from retrieval.local.documents.tables import table
from retrieval.local.documents.texts import text_of

if TYPE_CHECKING:
    from justhtml import JustHTML

_FRONT_MATTER: Final = re.compile(r"\A---[ \t]*\n(.{0,20000}?)\n---[ \t]*(?:\n|\Z)", re.DOTALL)
_TITLE: Final = re.compile(r"^title:[ \t]*[\"']?(.*?)[\"']?[ \t]*$", re.MULTILINE)
_EMPHASIS: Final = frozenset({"b", "em", "i", "strong"})
_UNSEEN: Final = "title, script, style, nav, template, noscript, img, svg"
_PERMALINK: Final = frozenset({"", "¶", "#", "§", "\u200b"})
_ESCAPE: Final = re.compile(r"\\([\\`*_{}\[\]()#+\-.!|<>~])")
_CELL: Final = re.compile(r"</t[dh]>")
_INLINE: Final = re.compile(r"</?(?:a|code|span|su[bp])>")
_TAG: Final = re.compile(r"<[^<>]*>")
_BLANKS: Final = re.compile(r"\s+")
_PARAGRAPH: Final = re.compile(r"\n[ \t]*\n")
MOST_TAGS: Final = 200_000


def read_text(path: Path) -> Iterator[Part]:
    yield Part(blocks=_PARAGRAPH.split(text_of(path)))


def read_markdown(path: Path) -> Iterator[Part]:
    """The title is that of the front matter, else the first heading of the first level."""
    text = text_of(path)
    front = _FRONT_MATTER.match(text)
    found = _TITLE.search(front[1]) if front else None
    yield from titled(text[front.end() :] if front else text, found[1] if found else "")


def titled(markdown: str, title: str) -> Iterator[Part]:
    parts = list(sections(markdown))
    first = next((part.heading_path[0] for part in parts if part.heading_path), "")
    yield from (
        Part(blocks=part.blocks, heading_path=part.heading_path, title=title or first) for part in parts if part.blocks
    )


def read_html(path: Path) -> Iterator[Part]:
    """Raises Unreadable."""
    yield from from_html(text_of(path))


def from_html(text: str) -> Iterator[Part]:
    """By the parser's own way from HTML5 to Markdown, without what no reader sees. Raises Unreadable."""
    from justhtml import JustHTML

    if text.count("<") > MOST_TAGS:
        raise Unreadable(f"a page has at most {MOST_TAGS:,} tags")
    try:
        page = JustHTML(text, sanitize=False)
        said = "".join(title.to_text() for title in page.query("title")[:1])
        for unseen in page.query(_UNSEEN):
            if unseen.parent is not None:
                unseen.parent.remove_child(unseen)
        _drop_permalinks(page)
        _simplify(page)
        for part in titled(page.to_markdown(), " ".join(said.split())):
            yield replace(part, blocks=[text for block in part.blocks for text in _plain(block)])
    except RecursionError:
        raise Unreadable("its elements are nested too deeply") from None


def _drop_permalinks(page: "JustHTML") -> None:
    """Removes the links of headings to themselves, which have no text or only a sign such as "¶"."""
    for link in page.query("a"):
        classes = (link.attrs or {}).get("class") or ""
        if link.parent is not None and ("headerlink" in classes.split() or link.to_text().strip() in _PERMALINK):
            link.parent.remove_child(link)


def _simplify(page: "JustHTML") -> None:
    """Emphasis loses its marks. A table stays HTML in the Markdown, where a blank line would end it: it is on one line,
    without attributes and comments."""
    from justhtml import Comment, Element, Node, Text

    nodes: list[tuple[Node | Text, bool]] = [(page.root, False)]
    while nodes:
        node, in_table = nodes.pop()
        in_table = in_table or node.name == "table"
        if isinstance(node, Element):
            node.name = "span" if node.name in _EMPHASIS else node.name
            node.attrs = {} if in_table else node.attrs
        elif in_table and isinstance(node, Text):
            node.data = _BLANKS.sub(" ", node.data or "")
        elif in_table and isinstance(node, Comment):
            node.data = ""
        nodes.extend((child, in_table) for child in node.children or ())


def _plain(block: str) -> Iterator[str]:
    """A block of Markdown without escapes; of a table, which is HTML there, the caption and a table of Markdown."""
    if not block.startswith("<table"):
        yield unescape(_ESCAPE.sub(r"\1", block))
        return
    caption, _, rows = block.rpartition("</caption>")
    yield _cell(caption)
    yield table([[_cell(cell) for cell in _CELL.split(row)[:-1]] for row in rows.split("</tr>")])


def _cell(html: str) -> str:
    return " ".join(unescape(_TAG.sub(" ", _INLINE.sub("", html))).split())
