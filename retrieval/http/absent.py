"""The 404 of an agent, a knowledge base or a knowledge source, in the words of the address that it was asked at."""

import re
from typing import Final

from retrieval.errors import NotFound

LONGEST_NAME: Final = 128
"""The most characters of a name in an answer."""

_BASES: Final = re.compile(r"/knowledgebases(?:[(/]|$)", re.IGNORECASE)
_SOURCES: Final = re.compile(r"/knowledgesources(?:[(/]|$)", re.IGNORECASE)


def absent(path: str, name: str) -> NotFound:
    if _SOURCES.search(path):
        kind = "knowledge source"
    else:
        kind = "knowledge base" if _BASES.search(path) else "knowledge agent"
    return NotFound(kind, name[:LONGEST_NAME])
