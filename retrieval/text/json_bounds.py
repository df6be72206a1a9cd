"""How much a JSON text holds, counted before it is parsed: a parser would build all of it."""

import re
from typing import Final

MOST: Final = 40_000
"""Objects, arrays and members of one text. A conversation of a thousand turns has 8,000."""

_TO_NEXT: Final = re.compile(rb'(?:"[^"\\]*+(?:\\.[^"\\]*+)*+(?:"|\\?\Z)|[^"\[{:]++)*+[\[{:]', re.DOTALL)
"""Strings and other scalar values, up to the next sign of structure."""


def holds_too_much(text: bytes) -> bool:
    """Whether it has more than 40,000 objects, arrays and members; characters within strings do not count.

    Linear in the text.
    """
    if text.count(b"[") + text.count(b"{") + text.count(b":") <= MOST:
        return False
    at = 0
    for _ in range(MOST + 1):
        found = _TO_NEXT.match(text, at)
        if found is None:
            return False
        at = found.end()
    return True
