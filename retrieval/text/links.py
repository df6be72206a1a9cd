"""Replaces Markdown links by their labels, tells whether a text asks for the address of a page, and converts a model's
short texts without citations to plain text.
"""

import re
from collections.abc import Iterator
from functools import cache
from typing import Final

from retrieval.text.clipped import clip
from retrieval.text.languages.recognition import ADDRESSING, recognised
from retrieval.text.source_labels import visible

LEAST_LETTERS: Final = 5
"""Words in Latin letters with at least this many letters are long. See `_ASKING`."""

_CODE: Final = r"(?<!`)(?P<ticks>`++)(?:[^`]++|(?!(?P=ticks)(?!`))`++)*+(?P=ticks)"
"""Code between backticks. The next run with the same number of backticks closes it."""

_EMPHASIS: Final = re.compile(
    rf"{_CODE}|(?<![A-Za-z0-9*\\])(?P<marks>\*{{2,3}}|(?<!['\"])\*(?![).,;:/'\"]))(?=[^\s*])"
    r"(?P<text>(?:[^*`]++|`[^*`]*+`)++)(?<![\s\\])(?P=marks)(?![A-Za-z0-9*])"
)
"""Emphasis. One asterisk before punctuation or after a quotation mark is no emphasis, as in `count(*)` or '*.py'."""

_ESCAPE: Final = re.compile(
    rf"{_CODE}|(?<!\\)\\(?P<text>\*(?!\.\w)|(?<=\w\\)_(?=\w)|(?<=[0-9]\\)\.|(?<=^\\)[-+#>])", re.MULTILINE
)
_LINK: Final = re.compile(
    rf"{_CODE}|(?<![\w\])\\])!?\[(?P<text>(?:[^\[\]\n`]++|`[^\[\]\n`]*+`)++)\]"
    r"\((?=[^()\s]{0,999}[/#.:])[^()\s]{1,1000}+(?:[ \t]{1,3}\"[^\"\n]{0,200}+\")?\)"
)
"""A link whose target can be an address. A bracket directly after a word does not begin a link, because it is usually
an index in a program."""

_LETTER: Final = r"[^\W\d_\u2e80-\U0010ffff]"
_ADDRESS: Final = re.compile(r"://|\bwww\.|@", re.IGNORECASE)

_LONG_WORDS: Final = {word for word in ADDRESSING if len(word) >= LEAST_LETTERS or word >= "\u2e80"}
_LONG: Final = "|".join(map(re.escape, sorted(_LONG_WORDS)))
_SHORT: Final = "|".join(map(re.escape, sorted(ADDRESSING - _LONG_WORDS)))
"""Short words in Latin letters. They count only as whole words, because many other words begin with them (`Urlaub`)."""

_ASKING: Final = re.compile(rf"(?<!{_LETTER})(?:(?:{_SHORT})(?!{_LETTER})|(?:{_LONG}))|(?:{_LONG})(?!{_LETTER})")
"""A pattern for the words that ask for an address. A word of five letters or more also counts at the beginning or end
of a longer word (`Kontaktadressen`). A Chinese, Japanese or Korean word counts at any position."""
_SIGNS: Final = str.maketrans("[]<>`|\\*_#", "()    /   ")


def asked_for(text: str) -> bool:
    """Whether a text may ask for an address. Also true if the text contains an address, or its language is not
    recognised."""
    small = text.casefold()
    return _ADDRESS.search(text) is not None or _ASKING.search(small) is not None or recognised(text) is None


def without_targets(text: str) -> str:
    """The text with each link replaced by its label. Code between backticks is unchanged."""
    return _LINK.sub(_text_of, text) if "](" in text else text


def as_rendered(text: str) -> str:
    """The text with each link replaced by its label, and without the marks of emphasis and escapes."""
    return without_marks(without_targets(text))


def without_marks(text: str) -> str:
    """The text without the asterisks of emphasis and the backslashes of escapes. Code between backticks, underscores
    and the other backslashes, as in LaTeX, stay."""
    for signs in (_EMPHASIS, _EMPHASIS, _ESCAPE):
        text = signs.sub(_text_of, text)
    return text


def unread(text: str) -> Iterator[tuple[int, int]]:
    """The start and end of each part of a text that a renderer hides: the parts before and after the label of each link
    outside code."""
    for link in _LINK.finditer(text) if "](" in text else ():
        if link["text"] is not None:
            yield link.start(), link.start("text")
            yield link.end("text"), link.end()


def _text_of(match: re.Match[str]) -> str:
    """The text of a link, of emphasis or of an escape; code as it stands."""
    return match[0] if match["text"] is None else match["text"]


@cache
def _no_text() -> re.Pattern[str]:
    """Addresses, which a plain text does not show. A retrieve needs none, and compiling it takes 20 ms."""
    from retrieval.text import addresses

    return re.compile(
        r"(?:https?:|ftp:|mailto:|xmpp:|//|www\.)\S*+|[^\s@<>()\[\]]{1,64}+@[^\s@<>()\[\]]{1,255}+"
        rf"|{addresses.BARE}\S*+",
        re.IGNORECASE,
    )


def plain(text: str, *, longest: int) -> str:
    """A short text of a model as plain text, on one line of at most `longest` characters, cut at a word. Addresses and
    the special characters of Markdown and HTML are removed or replaced."""
    return " ".join(_no_text().sub("", clip(visible(text), longest)).translate(_SIGNS).split())
