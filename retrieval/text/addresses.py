"""Finds the addresses of pages and mailboxes in a text, and normalizes them for comparison."""

import re
from collections.abc import Iterator
from typing import Final

_MAILBOX: Final = (
    r"(?:[A-Za-z0-9._%+\-]{1,64}+|[;:&=$,])@(?:[^\W\u2e80-\U0010ffff]|-)++(?:\.(?:[^\W\u2e80-\U0010ffff]|-)++)++"
)
"""An email address. Renderers link it even without a blank before it."""

_SIGNS: Final = r"[^\s<>\"`|\\^{}\[\]“”„«»‘’「」『』【】，。；：！？、（）\x00-\x1f]"

_LETTER: Final = r"[^\W_\u2e80-\U0010ffff]"
_TOP: Final = r"(?:[^\W\d_\u2e80-\U0010ffff]{2,24}|xn--[A-Za-z0-9]{1,59})"
_HOST: Final = (
    rf"(?:(?<!{_LETTER})(?:{_LETTER}(?:{_LETTER}|-){{0,62}}+\.){{1,9}}{_TOP}"
    rf"|(?<![^\W_])[^\W_]{{0,62}}[\u2e80-\U0010ffff]\.{_TOP}|(?<![0-9])[0-9]{{1,3}}(?:\.[0-9]{{1,3}}){{3}})"
)

BARE: Final = rf"{_HOST}\.?(?::[0-9]{{1,5}})?[/?#]{_SIGNS}*+"
"""The address of a page without a scheme, such as `plant.example/history`. Some renderers turn it into a link."""

FILES: Final = "pdf|docx|pptx|csv|tsv|jsonl?|x?html?|txt|text|rst|log|markdown|mdx"
"""Endings of file names that are not top-level domains."""

_NO_SCHEME: Final = re.compile(
    rf"(?<![@/._\-])(?<!{_LETTER})(?:(?!{_LETTER}(?:{_LETTER}|-)*+\.(?i:{FILES}|js)(?!{_LETTER})){BARE}"
    rf"|(?:{_LETTER}(?:{_LETTER}|-){{0,62}}+\.){{1,9}}(?:(?i:com|org|edu|gov|info|biz|example)|net)"
    rf"(?!{_LETTER}|[_\-]|\.{_LETTER}))"
)
"""The address of a page without a scheme, or a bare domain. A bare domain counts only if its ending is rare in the
names of files and programs. `ASP.NET` does not count."""

_ADDRESS: Final = re.compile(
    r"(?:(?:[A-Za-z][A-Za-z0-9+.\-]{1,15}://|//(?=\w)|[Ww][Ww][Ww]\.|(?:(?i:mailto|xmpp)):)"
    rf"{_SIGNS}++|{_MAILBOX})"
)
_IS_MAILBOX: Final = re.compile(_MAILBOX)
_SCHEME: Final = re.compile(r"\A(?:https?://(?=www\.)|mailto:)", re.IGNORECASE)
_LINKED: Final = re.compile(
    r"(?i:https?)://(?:[^&]|&(?!#?\w{1,32};))+|[A-Za-z0-9._%+\-]+@[A-Za-z0-9](?:[A-Za-z0-9\-]{0,61}[A-Za-z0-9])?"
    r"(?:\.[A-Za-z0-9](?:[A-Za-z0-9\-]{0,61}[A-Za-z0-9])?)+"
)


def places(text: str) -> Iterator[tuple[int, int]]:
    """The start and end of each address in a text. `//` counts only before a host with a dot, because it often begins a
    comment."""
    at = 0
    while (match := _ADDRESS.search(text, at)) is not None:
        address = trimmed(match[0])
        at = match.start() + max(len(address), 1)
        if not address.startswith("//") or "." in address[2:].partition("/")[0]:
            yield match.start(), at


def of(text: str) -> frozenset[str]:
    """The addresses in a text, in the form of `same`."""
    return frozenset(same(text[start:end]) for start, end in places(text))


def without_scheme(text: str) -> frozenset[str]:
    """The addresses without a scheme in a text, in the form of `same` and in lower case."""
    bare_addresses = _NO_SCHEME.findall(without(text))
    return frozenset(same(trimmed(address)).casefold() for address in bare_addresses)


def without(text: str) -> str:
    """The text with each match of `_ADDRESS` replaced by a blank. Addresses that only `without_scheme` finds stay."""
    return _ADDRESS.sub(" ", text)


def trimmed(address: str) -> str:
    """The address without the punctuation of a sentence at its end. A mailbox is returned unchanged."""
    if _IS_MAILBOX.fullmatch(address):
        return address
    end = len(address)
    closing = address.count(")") - address.count("(")
    while end and (address[end - 1] in ".,;:!?'*_~" or (address[end - 1] == ")" and closing > 0)):
        closing -= address[end - 1] == ")"
        end -= 1
    return address[:end]


def same(address: str) -> str:
    """The form in which addresses are compared. It has no final slashes, no `mailto:`, and no `http(s)://` before
    `www.`."""
    return _SCHEME.sub("", address).rstrip("/")


def may_be_linked(address: str) -> bool:
    """Whether every renderer turns the address into the same link. The link opens a page or an empty mail."""
    return _LINKED.fullmatch(address) is not None
