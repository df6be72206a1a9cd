"""How the semantic ranker reads each language: what a word becomes, and which words ask rather than tell.

The language of a text is that of its stop words, each of which counts the less, the more languages have it. Stop words
are those of stopwords-iso (https://github.com/stopwords-iso/stopwords-iso), stems Snowball's (https://snowballstem.org).
Chinese, Japanese, Korean, Thai and the like, and texts without a language, are read as the English analyzer cuts them.
"""

from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Final

import snowballstemmer
from stopwordsiso import stopwords

from retrieval.local.search_service.text.analysis import ANALYZERS, WORDS, Analyzer
from retrieval.local.search_service.text.pairs import Paired

ENGLISH: Final = "en"

READ: Final = 400
"""Characters at the beginning of a text, of which its language is recognised."""

LEAST: Final = 1.5
LEAD: Final = 1.3
"""Another language than English is recognised by stop words that count so much, and so many times what the English ones
of the text do. Chosen by counting the passages whose language was recognised, over all sets of parallel texts at hand;
no set was kept back for it."""

ASKING: Final = frozenset(
    "what which who whom whose when where why how do does did done doing have has had having am been being were can "
    "could would should shall may might must i me my we us our you your he him his she her its them those so than too "
    "very just about whereas while also any some more most other between from all each both few own same only once "
    "here again further much many please like get want know tell give show find explain describe".split()
)

_OF_FIELDS: Final = ("de", "es", "fr")
_STEMMERS: Final = {
    "ar": "arabic", "ca": "catalan", "cs": "czech", "da": "danish", "de": "german", "el": "greek", "es": "spanish",
    "et": "estonian", "eu": "basque", "fa": "persian", "fi": "finnish", "fr": "french", "ga": "irish", "hi": "hindi",
    "hu": "hungarian", "hy": "armenian", "id": "indonesian", "it": "italian", "lt": "lithuanian", "nl": "dutch",
    "no": "norwegian", "pl": "polish", "pt": "portuguese", "ro": "romanian", "ru": "russian", "sv": "swedish",
    "tr": "turkish",
}  # fmt: skip
_UNSTEMMED: Final = ("bg", "he", "uk", "vi")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LanguageTerms:
    """What the words of a language become, and the terms of those words that count only where there is nothing else."""

    analyzer: Analyzer
    silent: frozenset[str]


@cache
def terms_of(code: str) -> LanguageTerms:
    """For the code of a language that a text is recognised to be in."""
    if code == ENGLISH:
        return _terms(ANALYZERS["en.lucene"], ASKING)
    return _terms(Paired(WORDS, _stem(code)), ASKING | stopwords(code))


def stated(analyzer: Analyzer) -> str | None:
    """The language that the analyzer of a field is of. None for English too: texts of any language are indexed so."""
    return next((code for code in _OF_FIELDS if ANALYZERS[f"{code}.lucene"] is analyzer), None)


def recognised(text: str) -> str:
    """The code of the language of a text; English where none is recognised."""
    counts: defaultdict[str, float] = defaultdict(float)
    for word in frozenset(WORDS.findall(text[:READ].lower())):
        for code, count in _counts().get(word, ()):
            counts[code] += count
    least = max(LEAST, LEAD * counts[ENGLISH])
    best = max(counts, key=counts.__getitem__)
    return best if counts[best] >= least else ENGLISH


@cache
def _counts() -> Mapping[str, tuple[tuple[str, float], ...]]:
    """Each stop word with the languages that have it, and how much it counts for them."""
    languages: defaultdict[str, list[str]] = defaultdict(list)
    for code in (ENGLISH, *_STEMMERS, *_UNSTEMMED):
        for word in stopwords(code):
            if not word.isdigit():
                languages[word].append(code)
    return {word: tuple((code, 1 / len(codes)) for code in codes) for word, codes in languages.items()}


def _terms(analyzer: Analyzer, asking: frozenset[str]) -> LanguageTerms:
    terms = (analyzer.terms(word) for word in asking)
    return LanguageTerms(analyzer=analyzer, silent=frozenset(one[0] for one in terms if len(one) == 1))


def _stem(code: str) -> Callable[[str], str]:
    if code not in _STEMMERS:
        return str.lower
    stem: Callable[[str], str] = snowballstemmer.stemmer(_STEMMERS[code]).stemWord

    def normalize(word: str) -> str:
        lower = word.lower()
        return stem(lower) or lower

    return normalize
