"""`html_strip`: tags, comments, scripts and styles taken out of a text, entities read.

https://lucene.apache.org/core/6_6_1/analyzers-common/org/apache/lucene/analysis/charfilter/HTMLStripCharFilter.html.
A tag of a block, or of a line, leaves a line feed, so that words on either side stay two; another tag leaves nothing.
"""

import re
from collections.abc import Iterator
from html import unescape
from html.entities import html5
from typing import Final

from retrieval.local.search_service.text.lexical.read_text import ReadText, Replacement

_MARKUP: Final = re.compile(
    r"""  (?P<comment> <!--)
        | </?(?P<name> [A-Za-z][A-Za-z0-9:_-]*+) (?: [^<>"'] | "[^"<]*" | '[^'<]*' )*+ >
        | (?P<other> <[!?][^<>]*>)
        | (?P<entity> &(?: \#[0-9]{1,7} | \#[xX][0-9a-fA-F]{1,6} | [A-Za-z][A-Za-z0-9]{1,31} );?) """,
    re.VERBOSE,
)
_BLOCKS: Final = frozenset(
    "address article aside blockquote body br caption center dd details dialog dir div dl dt fieldset figcaption "
    "figure footer form frame frameset h1 h2 h3 h4 h5 h6 head header hr html iframe isindex legend li main menu nav "
    "noframes noscript ol optgroup option p pre script section select style summary table tbody td textarea tfoot th "
    "thead title tr ul".split()
)
_ENDS: Final = {name: re.compile(rf"</{name}\s*+>", re.IGNORECASE) for name in ("script", "style")}


def strip(text: ReadText) -> ReadText:
    return text.replaced(_replacements(text.text))


def _replacements(text: str) -> Iterator[Replacement]:
    last_comment = text.rfind("-->")
    unclosed: set[str] = set()
    at = 0
    while (match := _MARKUP.search(text, at)) is not None:
        end, new = match.end(), ""
        if match["comment"]:
            end = text.find("-->", end) + 3 if end <= last_comment else match.start()
        elif match["entity"]:
            new = _read(match[0])
        elif match["name"]:
            name = match["name"].lower()
            new = "\n" if name in _BLOCKS else ""
            end = _after(text, match, name, unclosed)
        at = max(end, match.start() + 1)
        if end > match.start() and new != match[0]:
            yield match.start(), end, new


def _read(entity: str) -> str:
    """The signs that an entity stands for; itself where it is none."""
    return unescape(entity) if entity.startswith("&#") else html5.get(entity[1:], entity)


def _after(text: str, tag: re.Match[str], name: str, unclosed: set[str]) -> int:
    """Where the tag ends, or what it holds where that is no text. `unclosed` are names with no further end."""
    if name not in _ENDS or tag[0].startswith("</") or name in unclosed:
        return tag.end()
    closed = _ENDS[name].search(text, tag.end())
    if closed is None:
        unclosed.add(name)
        return tag.end()
    return closed.end()
