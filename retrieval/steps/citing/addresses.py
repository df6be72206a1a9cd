"""Addresses of pages and mailboxes in a text, and whether another text has the same."""

import re
from collections.abc import Iterable
from typing import Final

MAILBOX: Final = (
    r"(?:[A-Za-z0-9._%+\-]{1,64}+|[;:&=$,])@(?:[^\W\u2e80-\U0010ffff]|-)++(?:\.(?:[^\W\u2e80-\U0010ffff]|-)++)++"
)
"""Renderers make a link of it wherever it stands."""

PATTERN: Final = (
    r"(?:(?:[A-Za-z][A-Za-z0-9+.\-]{1,15}://|//(?=\w)|[Ww][Ww][Ww]\.|(?:(?i:mailto|xmpp)):)"
    r"[^\s<>\"`|\\^{}\[\]“”„«»‘’「」『』【】，。；：！？、（）\x00-\x1f]++"
    rf"|{MAILBOX})"
)
_MAILBOX: Final = re.compile(MAILBOX)
_ADDRESS: Final = re.compile(PATTERN)
_SCHEME: Final = re.compile(r"\A(?:https?://(?=www\.)|mailto:)", re.IGNORECASE)
_LINKED: Final = re.compile(rf"(?:https?://|www\.).*|(?:mailto:)?{MAILBOX}", re.IGNORECASE)


def trimmed(address: str) -> str:
    """Without the punctuation of the sentence that it stands in, which no mailbox ends in."""
    if _MAILBOX.fullmatch(address):
        return address
    end = len(address)
    closing = address.count(")") - address.count("(")
    while end and (address[end - 1] in ".,;:!?'*_~" or (address[end - 1] == ")" and closing > 0)):
        closing -= address[end - 1] == ")"
        end -= 1
    return address[:end]


def of(texts: Iterable[str]) -> frozenset[str]:
    """The addresses of texts, as `same` compares them."""
    return frozenset(same(trimmed(found)) for text in texts for found in _ADDRESS.findall(text))


def without(text: str) -> str:
    """The text with blanks in the place of addresses."""
    return _ADDRESS.sub(" ", text)


def same(address: str) -> str:
    """One form for what leads to the same page: without a last slash, a scheme or not before `www.` and mailboxes."""
    return _SCHEME.sub("", address).rstrip("/")


def may_be_linked(address: str) -> bool:
    """Whether following it opens a page or an empty letter, and does nothing else."""
    return _LINKED.fullmatch(address) is not None
