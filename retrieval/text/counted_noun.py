"""Numbers in sentences: a number with its noun (`1 document`, `2,000 documents`, `3 sub-queries`, `0 searches`), and a
list with the number of the items that it leaves out (`'a', 'b' and 3 more`)."""

import re
from collections.abc import Sequence
from typing import Final

_IES: Final = re.compile(r"(?<=[^aeiou])y\Z")
_ES: Final = re.compile(r"(?:s|x|ch|sh)\Z")


def how_many(count: int, noun: str) -> str:
    """The number with the noun in the singular or plural. `noun` is a singular with a regular plural."""
    plural = _IES.sub("ies", noun) if _IES.search(noun) else noun + ("es" if _ES.search(noun) else "s")
    return f"{count:,} {noun if count == 1 else plural}"


def listed(items: Sequence[str], *, most: int) -> str:
    """The first `most` items, and the number of the others."""
    shown = ", ".join(items[:most])
    return f"{shown} and {len(items) - most} more" if len(items) > most else shown


def listed_names(names: Sequence[str], *, most: int) -> str:
    """The same for names, each in quotes and with at most 128 characters."""
    return listed([repr(name[:128]) for name in names], most=most)
