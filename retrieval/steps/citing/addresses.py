"""Addresses of the web in a text, and whether another text has the same."""

import re
from collections.abc import Iterable
from typing import Final

PATTERN: Final = (
    r"(?:[A-Za-z][A-Za-z0-9+.\-]{1,15}://|//(?=\w)|[Ww][Ww][Ww]\.)"
    r"[^\s<>\"`|\\^{}\[\]“”„«»‘’「」『』【】，。；：！？、（）\x00-\x1f]++"
)
_ADDRESS: Final = re.compile(PATTERN)
_SCHEME: Final = re.compile(r"https?://(?=www\.)", re.IGNORECASE)
_LINKED: Final = re.compile(r"(?:https?://|www\.)", re.IGNORECASE)


def trimmed(address: str) -> str:
    """Without the punctuation of the sentence that it stands in."""
    end = len(address)
    closing = address.count(")") - address.count("(")
    while end and (address[end - 1] in ".,;:!?'*_~" or (address[end - 1] == ")" and closing > 0)):
        closing -= address[end - 1] == ")"
        end -= 1
    return address[:end]


def of(texts: Iterable[str]) -> frozenset[str]:
    """The addresses of texts, as `same` compares them."""
    return frozenset(same(trimmed(found)) for text in texts for found in _ADDRESS.findall(text))


def same(address: str) -> str:
    """One form for what leads to the same page: without a last slash, and `www.` with or without a scheme."""
    return _SCHEME.sub("", address).rstrip("/")


def is_web(address: str) -> bool:
    """Whether following it opens a page, and nothing else."""
    return _LINKED.match(address) is not None
