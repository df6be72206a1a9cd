"""JSON of a body, how much it holds and how deep: counted before it is parsed, as a parser would build all of it."""

import re
from typing import Any, Final

import pydantic_core

MOST: Final = 40_000
"""Objects, arrays and members of one text. A conversation of a thousand turns has 8,000."""

DEEPEST: Final = 200
"""Arrays and objects around a value: what pydantic-core is built to read, and `strict_json` like it."""

_TO_NEXT: Final = re.compile(rb'(?:"[^"\\]*+(?:\\.[^"\\]*+)*+(?:"|\\?\Z)|[^"\[{:]++)*+[\[{:]', re.DOTALL)
"""Strings and other scalar values, up to the next sign of structure."""


def read(body: bytes) -> Any:
    """The value of a body. pydantic-core keeps to `DEEPEST`, which bounds whoever walks over the value.

    Raises ValueError, which goes on where a sentence began with the body.
    """
    if holds_too_much(body):
        raise ValueError(f"has more than {MOST} objects, arrays and members")
    try:
        return pydantic_core.from_json(body, allow_inf_nan=False)
    except ValueError as error:
        raise ValueError(f"is not valid JSON: {error}") from None


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
