"""The compatibility form of a text (NFKC), in time that is linear in the text.

A normaliser sorts the marks that follow a character by insertion, so that 40,000 of them take seconds. As the
Stream-Safe Text Format does, a joiner without meaning is put after every thirtieth mark. Unicode Standard Annex 15,
section 13: https://www.unicode.org/reports/tr15/#Stream_Safe_Text_Format
"""

import re
from typing import Final
from unicodedata import normalize

JOINER: Final = "\u034f"
MOST_MARKS: Final = 30
"""No language puts more marks on one character."""

MOST_GROWTH: Final = 4
"""The sign for a Japanese company is four characters; there is one for a whole prayer, of eighteen."""

_MARKS: Final = re.compile(rf"([^\w\s\x00-\x7f]{{{MOST_MARKS}}})(?=[^\w\s\x00-\x7f])")
"""What is neither a letter, a figure nor a blank: every mark is among it, and what else is may be parted as well."""


def nfkc(text: str) -> str:
    """The form for comparing texts that look alike; a text that would grow more than fourfold is cut."""
    if text.isascii():
        return text
    return normalize("NFKC", _MARKS.sub(rf"\1{JOINER}", text))[: MOST_GROWTH * len(text)]
