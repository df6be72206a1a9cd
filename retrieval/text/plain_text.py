"""Converts short texts without citations to plain text: a model's questions, its reply without a search, or the reason
why it wrote no answer. Addresses and the special characters of Markdown and HTML are removed or replaced.
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
