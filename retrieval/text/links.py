"""Links and addresses in a text: finds the addresses of pages and mailboxes, replaces Markdown links by their labels,
and tells whether a text asks for an address. A model's short texts become plain text without addresses.

A retrieve needs no pattern of addresses. They are compiled at their first use, which takes 20 ms.
"""

import re
from collections.abc import Iterator
from functools import cache
from typing import Final

from retrieval.text.languages.language import ADDRESSING, recognised
from retrieval.text.length import clip
from retrieval.text.source_labels import visible

_LEAST_LETTERS: Final = 5
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
_ADDRESS_SIGN: Final = re.compile(r"://|\bwww\.|@", re.IGNORECASE)

_LONG_WORDS: Final = {word for word in ADDRESSING if len(word) >= _LEAST_LETTERS or word >= "\u2e80"}
_LONG: Final = "|".join(map(re.escape, sorted(_LONG_WORDS)))
_SHORT: Final = "|".join(map(re.escape, sorted(ADDRESSING - _LONG_WORDS)))
"""Short words in Latin letters. They count only as whole words, because many other words begin with them (`Urlaub`)."""

_ASKING: Final = re.compile(rf"(?<!{_LETTER})(?:(?:{_SHORT})(?!{_LETTER})|(?:{_LONG}))|(?:{_LONG})(?!{_LETTER})")
"""A pattern for the words that ask for an address. A word of five letters or more also counts at the beginning or end
of a longer word (`Kontaktadressen`). A Chinese, Japanese or Korean word counts at any position."""
_MARKUP: Final = str.maketrans("[]<>`|\\*_#", "()    /   ")

_MAILBOX: Final = (
    r"(?:[A-Za-z0-9._%+\-]{1,64}+|[;:&=$,])@(?:[^\W\u2e80-\U0010ffff]|-)++(?:\.(?:[^\W\u2e80-\U0010ffff]|-)++)++"
)
"""An email address. Renderers link it even without a blank before it."""

_SIGNS: Final = r"[^\s<>\"`|\\^{}\[\]“”„«»‘’「」『』【】，。；：！？、（）\x00-\x1f]"

_IN_HOST: Final = r"[^\W_\u2e80-\U0010ffff]"
_TOP: Final = r"(?:[^\W\d_\u2e80-\U0010ffff]{2,24}|xn--[A-Za-z0-9]{1,59})"
_HOST: Final = (
    rf"(?:(?<!{_IN_HOST})(?:{_IN_HOST}(?:{_IN_HOST}|-){{0,62}}+\.){{1,9}}{_TOP}"
    rf"|(?<![^\W_])[^\W_]{{0,62}}[\u2e80-\U0010ffff]\.{_TOP}|(?<![0-9])[0-9]{{1,3}}(?:\.[0-9]{{1,3}}){{3}})"
)

_BARE: Final = rf"{_HOST}\.?(?::[0-9]{{1,5}})?[/?#]{_SIGNS}*+"
"""The address of a page without a scheme, such as `plant.example/history`. Some renderers turn it into a link."""

FILES: Final = "pdf|docx|pptx|csv|tsv|jsonl?|x?html?|txt|text|rst|log|markdown|mdx"
"""Endings of file names that are not top-level domains."""

_SCHEME: Final = re.compile(r"\A(?:https?://(?=www\.)|mailto:)", re.IGNORECASE)
_LINKED: Final = re.compile(
    r"(?i:https?)://(?:[^&]|&(?!#?\w{1,32};))+|[A-Za-z0-9._%+\-]+@[A-Za-z0-9](?:[A-Za-z0-9\-]{0,61}[A-Za-z0-9])?"
    r"(?:\.[A-Za-z0-9](?:[A-Za-z0-9\-]{0,61}[A-Za-z0-9])?)+"
)


def asked_for(text: str) -> bool:
    """Whether a text may ask for an address. Also true if the text contains an address, or its language is not
    recognised."""
    small = text.casefold()
    return _ADDRESS_SIGN.search(text) is not None or _ASKING.search(small) is not None or recognised(text) is None


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


def plain(text: str, *, longest: int) -> str:
    """A short text of a model as plain text, on one line of at most `longest` characters, cut at a word. Addresses and
    the special characters of Markdown and HTML are removed or replaced."""
    return " ".join(_no_text().sub("", clip(visible(text), longest)).translate(_MARKUP).split())


def address_places(text: str) -> Iterator[tuple[int, int]]:
    """The start and end of each address in a text. `//` counts only before a host with a dot, because it often begins a
    comment."""
    at = 0
    while (match := _address().search(text, at)) is not None:
        address = trimmed(match[0])
        at = match.start() + max(len(address), 1)
        if not address.startswith("//") or "." in address[2:].partition("/")[0]:
            yield match.start(), at


def addresses(text: str) -> frozenset[str]:
    """The addresses in a text, in the form for comparing."""
    return frozenset(_same(text[start:end]) for start, end in address_places(text))


def bare_addresses(text: str) -> frozenset[str]:
    """The addresses without a scheme in a text, in the form for comparing and in lower case."""
    found = _no_scheme().findall(without_addresses(text))
    return frozenset(_same(trimmed(address)).casefold() for address in found)


def without_addresses(text: str) -> str:
    """The text with each address replaced by a blank. Those that only `bare_addresses` finds stay."""
    return _address().sub(" ", text)


def trimmed(address: str) -> str:
    """The address without the punctuation of a sentence at its end. A mailbox is returned unchanged."""
    if _mailbox().fullmatch(address):
        return address
    end = len(address)
    closing = address.count(")") - address.count("(")
    while end and (address[end - 1] in ".,;:!?'*_~" or (address[end - 1] == ")" and closing > 0)):
        closing -= address[end - 1] == ")"
        end -= 1
    return address[:end]


def _same(address: str) -> str:
    """The form in which addresses are compared. It has no final slashes, no `mailto:`, and no `http(s)://` before
    `www.`."""
    return _SCHEME.sub("", address).rstrip("/")


def may_be_linked(address: str) -> bool:
    """Whether every renderer turns the address into the same link. The link opens a page or an empty mail."""
    return _LINKED.fullmatch(address) is not None


@cache
def _address() -> re.Pattern[str]:
    """The address of a page or of a mailbox."""
    return re.compile(
        r"(?:(?:[A-Za-z][A-Za-z0-9+.\-]{1,15}://|//(?=\w)|[Ww][Ww][Ww]\.|(?:(?i:mailto|xmpp)):)"
        rf"{_SIGNS}++|{_MAILBOX})"
    )


@cache
def _mailbox() -> re.Pattern[str]:
    return re.compile(_MAILBOX)


@cache
def _no_scheme() -> re.Pattern[str]:
    """The address of a page without a scheme, or a bare domain. A bare domain counts only if its ending is rare in the
    names of files and programs. `ASP.NET` does not count."""
    return re.compile(
        rf"(?<![@/._\-])(?<!{_IN_HOST})(?:(?!{_IN_HOST}(?:{_IN_HOST}|-)*+\.(?i:{FILES}|js)(?!{_IN_HOST})){_BARE}"
        rf"|(?:{_IN_HOST}(?:{_IN_HOST}|-){{0,62}}+\.){{1,9}}(?:(?i:com|org|edu|gov|info|biz|example)|net)"
        rf"(?!{_IN_HOST}|[_\-]|\.{_IN_HOST}))"
    )


@cache
def _no_text() -> re.Pattern[str]:
    """The addresses that a plain text does not show."""
    return re.compile(
        r"(?:https?:|ftp:|mailto:|xmpp:|//|www\.)\S*+|[^\s@<>()\[\]]{1,64}+@[^\s@<>()\[\]]{1,255}+"
        rf"|{_BARE}\S*+",
        re.IGNORECASE,
    )
