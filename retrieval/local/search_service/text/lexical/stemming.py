"""Stemmers by their names: those of Snowball, and two small ones for English.

https://snowballstem.org. Where Azure's stemmer of a language is another than Snowball's, it is refused by name.
"""

from collections.abc import Callable
from typing import Final

import snowballstemmer

from retrieval.local.search_service.errors import InvalidArgument, Unsupported
from retrieval.local.search_service.text.analysis import POSSESSIVE, porter
from retrieval.local.search_service.text.lexical.token_filters import TokenFilter, changing

_SAME: Final = (
    "armenian basque catalan danish finnish french german greek hindi hungarian indonesian irish italian norwegian "
    "portuguese romanian russian spanish swedish turkish"
).split()

_STEMMERS: Final = {
    **{language: language for language in _SAME},
    "dutch": "dutch_porter",
    "dutchKp": "dutch",
    "german2": "german",
    "porter2": "english",
}
"""The names of the filter `stemmer`, and Snowball's."""

_REFUSED: Final = frozenset(
    "arabic brazilian bulgarian czech lightEnglish lovins lightFinnish lightFrench minimalFrench galician "
    "minimalGalician lightGerman minimalGerman lightHungarian lightItalian sorani latvian lightNorwegian "
    "minimalNorwegian lightNynorsk minimalNynorsk lightPortuguese minimalPortuguese portugueseRslp lightRussian "
    "lightSpanish lightSwedish".split()
)
_SNOWBALL: Final = {"english": "english", "kp": "dutch", "porter": "porter"}
_SNOWBALL_NAMES: Final = frozenset(
    "armenian basque catalan danish dutch english finnish french german german2 hungarian italian kp lovins norwegian "
    "porter portuguese romanian russian spanish swedish turkish".split()
)


def stemmer(language: str) -> TokenFilter:
    """Raises InvalidArgument for no language of the filter, Unsupported for one that is lacking here."""
    if language == "english":
        return changing(porter)
    if language == "possessiveEnglish":
        return changing(lambda term: term[:-2] if term.endswith(POSSESSIVE) else term)
    if language == "minimalEnglish":
        return changing(_singular)
    if language in _REFUSED:
        raise Unsupported(f"the stemmer of the language {language!r}")
    if language not in _STEMMERS:
        raise InvalidArgument(f"A stemmer has no language {language[:40]!r}.")
    return _of(_STEMMERS[language])


def snowball(language: str) -> TokenFilter:
    """Raises InvalidArgument for no language of the filter, Unsupported for one that is lacking here."""
    if language == "lovins":
        raise Unsupported("the Snowball stemmer 'lovins'")
    if language not in _SNOWBALL_NAMES:
        raise InvalidArgument(f"The Snowball stemmer has no language {language[:40]!r}.")
    return _of(_SNOWBALL.get(language) or _STEMMERS[language])


def _of(name: str) -> TokenFilter:
    stem: Callable[[str], str] = snowballstemmer.stemmer(name).stemWord
    return changing(lambda term: stem(term) or term)


def _singular(term: str) -> str:
    """Harman's S-stemmer: https://lucene.apache.org/core/6_6_1/analyzers-common/org/apache/lucene/analysis/en/."""
    if len(term) < 3 or not term.endswith("s") or term.endswith(("us", "ss")):
        return term
    if term.endswith("ies") and len(term) > 3 and term[-4] not in "ae":
        return f"{term[:-3]}y"
    if term.endswith("es") and term[-3] in "iaoe":
        return term
    return term[:-1]
