"""A number with its noun: `1 document`, `2,000 documents`, `3 sub-queries`, `0 searches`."""

import re
from typing import Final

_IES: Final = re.compile(r"(?<=[^aeiou])y\Z")
_ES: Final = re.compile(r"(?:s|x|ch|sh)\Z")


def how_many(count: int, noun: str) -> str:
    """The number with the noun in the singular or plural. `noun` is a singular with a regular plural."""
    plural = _IES.sub("ies", noun) if _IES.search(noun) else noun + ("es" if _ES.search(noun) else "s")
    return f"{count:,} {noun if count == 1 else plural}"
