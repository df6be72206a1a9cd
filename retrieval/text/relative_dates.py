"""Whether a text names a time that depends on today's date: "yesterday", "the last three months", "l'année dernière".

The words of all languages are looked for, since a text is often too short for its language to be recognised.
"""

import re
from itertools import chain
from typing import Final

from retrieval.text.languages.known import KNOWN

NEAR: Final = 3
"""The most words between "last" and "months", counted with "months"."""

_WORD: Final = re.compile(r"[^\W\d_]+|\d+")
_SPACED: Final = [language for language in KNOWN if language.spaced]
_NOW: Final = frozenset(chain.from_iterable(language.now for language in _SPACED))
_SIGNS: Final = re.compile(
    "|".join(map(re.escape, sorted({word for language in KNOWN for word in language.now if word > "\u2e80"})))
)


def has_relative_date(text: str) -> bool:
    """Whether a text has a word such as "today", or a word such as "last" near a word such as "year"."""
    words = [match[0] for match in _WORD.finditer(text.casefold())]
    return not _NOW.isdisjoint(words) or _beside_a_period(words) or _SIGNS.search(text) is not None


def _beside_a_period(words: list[str]) -> bool:
    known = set(words)
    for language in _SPACED:
        if known.isdisjoint(language.periods) or known.isdisjoint(language.beside_periods):
            continue
        places = [at for at, word in enumerate(words) if word in language.periods]
        if any(
            language.beside_periods.intersection(words[max(at - NEAR, 0) : at + NEAR + 1]) - {words[at]}
            for at in places
        ):
            return True
    return False
