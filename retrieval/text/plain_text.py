"""A model's texts for people beside its answer, as plain text: no addresses, and no signs of Markdown or HTML.

The model wrote them after it read documents, and nothing checks them against a chunk.
"""

import re
from typing import Final

from retrieval.text import addresses
from retrieval.text.clipped import clip
from retrieval.text.source_labels import visible

_ADDRESS: Final = re.compile(
    r"(?:https?:|ftp:|mailto:|xmpp:|//|www\.)\S*+|[^\s@<>()\[\]]{1,64}+@[^\s@<>()\[\]]{1,255}+"
    rf"|{addresses.BARE}\S*+",
    re.IGNORECASE,
)
_SIGNS: Final = str.maketrans("[]<>`|\\*_#", "()    /   ")


def plain(text: str, *, longest: int) -> str:
    """The text on one line of at most `longest` characters, cut at a word."""
    return " ".join(_ADDRESS.sub("", clip(visible(text), longest)).translate(_SIGNS).split())
