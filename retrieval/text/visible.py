"""A text as its reader sees it: without what orders, hides or marks text and is no text itself.

Bidirectional controls show words in another order than they are in, and invisible characters hide words from a reader
that a model reads. Joiners and variation selectors stay: scripts and emoji are spelled with them. Of a flag that is
spelled with tags its black flag stays. Reference: https://www.unicode.org/reports/tr9/, tr36.
"""

import re
from typing import Final

_UNSEEN: Final = re.compile(
    r"[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b\u200e\u200f"
    r"\u202a-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff0-\ufffb\U0001d173-\U0001d17a\U000e0000-\U000e00ff]"
)
_HALF_CHARACTER: Final = re.compile(r"[\ud800-\udfff]")


def visible(text: str) -> str:
    """Without control characters but blanks and line ends, and with U+FFFD for halves of surrogate pairs."""
    return text if text.isascii() and text.isprintable() else whole(_UNSEEN.sub("", text))


def whole(text: str) -> str:
    """With U+FFFD for halves of surrogate pairs, which UTF-8 cannot carry."""
    return _HALF_CHARACTER.sub("\ufffd", text)
