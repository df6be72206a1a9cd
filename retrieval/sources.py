"""The name of a source and what it says, as citations and tools show it: one rule for all of them."""

import re
from typing import Final

from retrieval.model import Hit

LONGEST_TITLE: Final = 200

_UNSEEN: Final = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
"""Control characters, line ends, halves of surrogate pairs."""

_NO_BRACKETS: Final = str.maketrans("[]", "()")


def label(hit: Hit) -> str:
    """`{title} - {key}`, or the key alone without a title; one line without brackets, so that `[label]` is a citation.

    Of a title at most 200 characters. Labels are for people: two documents may share one, their keys tell them apart.
    """
    key, title = _plain(hit.key), _plain(hit.title or "")[:LONGEST_TITLE].rstrip()
    return f"{title} - {key}" if title else key


def passage(hit: Hit) -> str:
    """What a document says: its content, without one its terms, without those its title; empty where all are blank."""
    return next((text for text in (hit.content, hit.terms, hit.title) if text and not text.isspace()), "")


def _plain(text: str) -> str:
    return " ".join(_UNSEEN.sub(" ", text).translate(_NO_BRACKETS).split())
