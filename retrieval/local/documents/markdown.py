"""Markdown as its readers see it: raw HTML is its text, notes stand where they are cited, nothing is hidden."""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from html import unescape
from textwrap import dedent
from typing import Final

from markdown_it import MarkdownIt

from retrieval.local.documents import mdx
from retrieval.local.documents.hypertext import from_html
from retrieval.local.documents.sections import MOST_LINES
from retrieval.local.documents.unseen import HIDDEN, NAMES

_BLOCKS: Final = MarkdownIt("commonmark").enable("table").disable(["inline", "reference"])
_NEEDED: Final = re.compile(r"<[A-Za-z/!]|\[\^|^import\s|&#?\w|\\[_<>#.!()&~$+-]", re.MULTILINE)
_CODE: Final = re.compile(r"(`{1,3}(?!`)[^`\n]{1,2000}+`{1,3})")
_ESCAPED: Final = re.compile(r"\\([_<>#.!()&~$+-])")
_ENTITY: Final = re.compile(r"&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z]\w{1,30});")
_VALUE: Final = r"[^<>\"']|\"[^\"]{0,2000}+\"|'[^']{0,2000}+'"
_MARKUP: Final = re.compile(rf"<!--.*?(?:-->|\Z)|<(/?)([A-Za-z][\w:.-]*+)((?:{_VALUE})*+)>", re.DOTALL)
_HIDDEN: Final = re.compile(r"\shidden(?!=[\"']?until-found)(?=[\s=/]|\Z)")
_STYLE: Final = re.compile(r"\sstyle\s*=\s*[\"'{]+([^\"}]{0,2000})")
_LABEL: Final = re.compile(r"\s(?:label|title)=\"([^\"]{1,200})\"")
_VOID: Final = frozenset({"br", "hr", "img", "input", "link", "meta", "source", "wbr", "area", "col", "embed", "track"})
_CLOSED_BY_A_BLOCK: Final = frozenset({"p", "li", "dt", "dd", "td", "th", "tr", "option"})
_INLINE: Final = frozenset("a b code em i kbd mark s small span strong sub sup u".split())
_TAG: Final = re.compile(
    rf"</?(a|abbr|b|bdi|bdo|big|br|cite|code|del|dfn|em|font|i|img|ins|kbd|mark|q|s|samp|small|span|strike|strong|sub|sup|"
    rf"time|tt|u|var|wbr)\b((?:{_VALUE})*+)/?>",
    re.IGNORECASE,
)
_TABULAR: Final = re.compile(r"<(?:table|dl)\b", re.IGNORECASE)
_WITHIN_A_LINE: Final = re.compile(rf"<([a-z]+)\b((?:{_VALUE})*+)>[^<]{{0,2000}}+</\1>")
_SIGNS: Final = re.compile(r"`+|<!--|-->")
_PARAGRAPHS: Final = re.compile(r"\n\s*\n")
_IMPORT: Final = re.compile(r"import\s+(?:[\w*{}\s,$]{1,500}\sfrom\s+)?[\"'][^\"'\n]{1,300}[\"'];?\s*")
_NOTE: Final = re.compile(r"^ {0,3}\[\^([^\]\s]{1,60})\]:[ \t]*", re.MULTILINE)
_CITED: Final = re.compile(r"[ \t]*\[\^([^\]\s]{1,60})\](?!:)")
_LONGEST_AGAIN: Final = 300
"""Characters of a note that stands at each of its citations; a longer one stands at the first."""

_MOST_AGAIN: Final = 50


@dataclass(frozen=True, slots=True)
class _Block:
    """A block of the outermost level; `kind` is that of its token."""

    kind: str
    text: str


def seen(markdown: str, *, is_mdx: bool = False) -> str:
    """The Markdown without what no reader sees, with notes where they are cited. Raises Unreadable."""
    if markdown.count("\n") >= MOST_LINES:
        return markdown
    markdown = mdx.plain(markdown) if is_mdx else markdown
    if not _NEEDED.search(markdown):
        return markdown
    footnotes: dict[str, str] = {}
    blocks = list(_without_notes(_visible(markdown), footnotes))
    return "\n\n".join(_with_notes(blocks, footnotes))


def _visible(markdown: str) -> Iterator[_Block]:
    """The blocks that a reader sees; of raw HTML the text."""
    lines, raw = markdown.splitlines(), _RawHtml()
    for token in _BLOCKS.parse("\n".join(lines)):
        if token.level or token.map is None:
            continue
        text = "\n".join(lines[slice(*token.map)]).rstrip()
        is_code = token.type in ("fence", "code_block")
        if token.type == "html_block" or (raw.is_hidden and not is_code):
            yield from (_Block("paragraph_open", block) for block in raw.texts(text))
        elif not raw.is_hidden and not _is_module(token.type, text):
            shown = text if is_code else _shown(text)
            yield from [_Block(token.type, shown)] if shown.strip() else []


def _is_module(kind: str, text: str) -> bool:
    """Whether a paragraph imports, as those of MDX do."""
    return kind == "paragraph_open" and bool(_IMPORT.match(text)) and not _IMPORT.sub("", text).strip()


def _shown(text: str) -> str:
    """A block without the comments, the hidden elements and the tags within its lines, and without escapes."""
    text = _without_comments(text)
    pieces = _CODE.split(text)
    return "".join(piece if number % 2 else _said(piece) for number, piece in enumerate(pieces))


def _said(text: str) -> str:
    text = _WITHIN_A_LINE.sub(lambda element: "" if _hides(element[1], element[2]) else element[0], text)
    text = _TAG.sub(lambda tag: " " if tag[1].lower() == "br" else "", text)
    return _ESCAPED.sub(r"\1", _ENTITY.sub(lambda entity: unescape(entity[0]), text))


def _without_comments(text: str) -> str:
    """The text without comments of HTML but those in code."""
    if "<!--" not in text:
        return text
    left = Counter(sign[0] for sign in _SIGNS.finditer(text))
    kept, start, code, comment = list[str](), 0, "", False
    for sign in _SIGNS.finditer(text):
        left[sign[0]] -= 1
        if comment and sign[0] == "-->":
            comment, start = False, sign.end()
        elif not comment and not code and sign[0] == "<!--":
            kept.append(text[start : sign.start()])
            comment = True
        elif not comment and sign[0][0] == "`" and (code == sign[0] or (not code and left[sign[0]])):
            code = "" if code else sign[0]
    return "".join(kept) + ("" if comment else text[start:])


class _RawHtml:
    """The raw HTML of a text, block by block: an element of one may end in another, with Markdown between them."""

    def __init__(self) -> None:
        self._open: list[tuple[str, bool]] = []
        self._names = Counter[str]()
        self._hidden = 0

    @property
    def is_hidden(self) -> bool:
        """Whether what follows is within a hidden element."""
        return self._hidden > 0

    def texts(self, html: str) -> list[str]:
        """The paragraphs and tables that a reader sees of a block. Raises Unreadable."""
        was_hidden, said = self.is_hidden, "".join(self._texts(html))
        while self._open and self._open[-1][0] in _CLOSED_BY_A_BLOCK:
            self._close(self._open[-1][0])
        if _TABULAR.search(html) and not was_hidden:
            return [block for part in from_html(html) for block in part.blocks]
        lines = "\n".join(line.strip() for line in unescape(said).splitlines())
        return [block for text in _PARAGRAPHS.split(lines) if (block := text.strip())]

    def _texts(self, html: str) -> Iterator[str]:
        start = 0
        for markup in _MARKUP.finditer(html):
            if not self._hidden:
                yield html[start : markup.start()]
            start = markup.end()
            if markup[2]:
                yield from self._tag(markup[2], markup[3], closes=bool(markup[1]))
        if not self._hidden:
            yield html[start:]

    def _tag(self, name: str, attributes: str, *, closes: bool) -> Iterator[str]:
        lower = name.lower()
        if closes:
            self._close(lower)
        elif lower not in _VOID and not attributes.endswith("/"):
            hides = _hides(lower, attributes)
            self._open.append((lower, hides))
            self._names[lower] += 1
            self._hidden += hides
        if not self._hidden:
            yield "" if lower in _INLINE else "\n" if lower == "br" else "\n\n"
            yield from _LABEL.findall(attributes) if name[0].isupper() else []

    def _close(self, name: str) -> None:
        while self._names[name]:
            last, hides = self._open.pop()
            self._names[last] -= 1
            self._hidden -= hides
            if last == name:
                return


def _hides(name: str, attributes: str) -> bool:
    style = _STYLE.search(attributes)
    return name in NAMES or bool(_HIDDEN.search(attributes)) or bool(style and HIDDEN.search(style[1].replace("'", "")))


def _without_notes(blocks: Iterator[_Block], footnotes: dict[str, str]) -> Iterator[_Block]:
    """The blocks that are no notes; the notes go into `footnotes` by their labels, with what is indented below them."""
    last = ""
    for block in blocks:
        if last and block.kind == "code_block":
            footnotes[last] += f" {dedent(block.text)}"
            continue
        before, *parts = _NOTE.split(block.text) if block.kind == "paragraph_open" else [block.text]
        for label, text in zip(parts[::2], parts[1::2], strict=True):
            footnotes.setdefault(label, text.strip())
        last = parts[-2] if parts else ""
        if before.strip():
            yield _Block(block.kind, before.rstrip())


def _with_notes(blocks: list[_Block], footnotes: dict[str, str]) -> Iterator[str]:
    """The texts with each note after its citation; of a heading below it. Notes that nothing cites stand at the end."""
    cited = Counter[str]()

    def note(citation: re.Match[str]) -> str:
        label = citation[1]
        text = " ".join(footnotes.get(label, "").split())
        again = cited[label] and (len(text) > _LONGEST_AGAIN or cited[label] > _MOST_AGAIN)
        cited[label] += 1
        return citation[0] if label not in footnotes else f" [{label}]" if again else f" [{label}: {text}]"

    for block in blocks:
        if block.kind in ("fence", "code_block"):
            yield block.text
        elif block.kind == "heading_open":
            yield _CITED.sub(lambda citation: citation[0] if citation[1] not in footnotes else "", block.text)
            yield from (note(citation).strip() for citation in _CITED.finditer(block.text) if citation[1] in footnotes)
        else:
            yield _CITED.sub(note, block.text)
    yield from (f"[{label}: {text}]" for label, text in footnotes.items() if label not in cited)
