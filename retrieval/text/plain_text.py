"""What a model says to people beside its answer, as plain text: no addresses, and no signs of Markdown or HTML.

It was written after reading what others wrote, and nothing checks it against a chunk.
"""

import re
from typing import Final

from retrieval.text import addresses
from retrieval.text.standalone_question import clip

_ADDRESS: Final = re.compile(
    r"(?:https?:|ftp:|mailto:|xmpp:|//|www\.)\S*+|[^\s@<>()\[\]]{1,64}+@[^\s@<>()\[\]]{1,255}+"
    rf"|{addresses.BARE}\S*+",
    re.IGNORECASE,
)
_SIGNS: Final = str.maketrans("[]<>`|\\*_#", "()    /   ")


def plain(text: str, *, longest: int) -> str:
    """One line, at most `longest` characters, cut at a word."""
    return " ".join(_ADDRESS.sub("", clip(text, longest)).translate(_SIGNS).split())
