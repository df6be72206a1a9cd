"""Whether a text says that something is missing. English only; in doubt the answer is no."""

import re
from typing import Final

_SAYS_SO: Final = re.compile(
    r"\b(?:do|does|did|is|are|was|were|could|can) ?n[o'’]t (?:\w+ ){0,3}"
    r"(?:say|state|mention|contain|cover|include|specify|provide|answer|find|found|stated|mentioned|clear|enough)\b"
    r"|\bno (?:\w+ ){0,2}(?:information|details|mention|evidence)\b|\b(?:insufficient|incomplete|not enough|missing)\b",
    re.IGNORECASE,
)


def made(text: str) -> bool:
    """Whether the text says anywhere that something is not stated, not found or not clear."""
    return _SAYS_SO.search(text) is not None
