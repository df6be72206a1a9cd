"""Text to index terms, as Lucene's analyzers of the same names do it.

Sources: the standard tokenizer follows the word boundaries of UAX #29 (https://unicode.org/reports/tr29/); `en.lucene`
is the standard tokenizer, then possessive removal, lower case, Lucene's English stop words and the Porter stemmer.
Microsoft's own analyzers (`*.microsoft`) are proprietary lemmatizers: the Lucene analyzer of the language stands in.
For Chinese, Japanese and Korean that is always pairs of signs (`cjk`), where Azure uses dictionaries. What the standard
tokenizer does not cut, as Thai, is in pairs of signs for each of them.
"""

import re
from collections.abc import Callable

import snowballstemmer

from retrieval.local.search_service.text import french, german, spanish
from retrieval.local.search_service.text.analyzer import MAX_TOKEN, Analyzer, Term, Token
from retrieval.local.search_service.text.pairs import Bigrams, Paired

__all__ = [
    "ANALYZERS",
    "BLANKS",
    "DEFAULT_ANALYZER",
    "ENGLISH_STOP_WORDS",
    "KEYWORD",
    "LETTERS",
    "MAX_TOKEN",
    "POSSESSIVE",
    "WORDS",
    "Analyzer",
    "Term",
    "Token",
    "porter",
]

DEFAULT_ANALYZER = "standard.lucene"

_SINGLE = "\u3040-\u309f\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"  # one ideograph, one token
_MARKS = (  # combining marks that Python's \\w leaves out
    "\u0300-\u036f\u0483-\u0487\u0591-\u05bd\u064b-\u0655"
    "\u0900-\u0903\u093a-\u094f\u0951-\u0957\u0e31\u0e34-\u0e3a\u0e47-\u0e4e"
)
_RUN = rf"(?:[^\W{_SINGLE}][{_MARKS}]*)+"
WORDS = re.compile(rf"[{_SINGLE}]|{_RUN}(?:(?:(?<=[^\W\d_])['’.·:](?=[^\W\d_{_SINGLE}])|(?<=\d)['’.,;](?=\d)){_RUN})*")
LETTERS = re.compile(r"[^\W\d_]+")
BLANKS = re.compile(r"\S+")
POSSESSIVE = ("'s", "’s", "＇s", "'S", "’S", "＇S")

# Lucene's EnglishAnalyzer.ENGLISH_STOP_WORDS_SET
ENGLISH_STOP_WORDS = frozenset(
    "a an and are as at be but by for if in into is it no not of on or such that the their then there these they "
    "this to was will with".split()
)


def _stemmed(stem: Callable[[str], str], stop_words: frozenset[str]) -> Callable[[str], Term]:
    def normalize(word: str) -> Term:
        lower = (word[:-2] if word.endswith(POSSESSIVE) else word).lower()
        return None if lower in stop_words else stem(lower)

    return normalize


def _unless(stop_words: frozenset[str]) -> Callable[[str], Term]:
    def normalize(word: str) -> Term:
        lower = word.lower()
        return None if lower in stop_words else lower

    return normalize


_stem_word: Callable[[str], str] = snowballstemmer.stemmer("porter").stemWord


def porter(word: str) -> str:
    """The stem, never empty: like Lucene's stemmer it leaves words of one or two letters as they are."""
    return _stem_word(word) if len(word) > 2 else word


_ENGLISH = Paired(WORDS, _stemmed(porter, ENGLISH_STOP_WORDS))
_STANDARD = Paired(WORDS, str.lower)
_FRENCH = Paired(WORDS, french.normalize)
_GERMAN = Paired(WORDS, german.normalize)
_SPANISH = Paired(WORDS, spanish.normalize)
_BIGRAMS = Bigrams(WORDS, ENGLISH_STOP_WORDS)
KEYWORD = Analyzer(None, str, str)

_CJK = ("zh-Hans", "zh-Hant", "ja", "ko")

ANALYZERS: dict[str, Analyzer] = {
    "standard.lucene": _STANDARD,
    "standard": _STANDARD,
    "en.lucene": _ENGLISH,
    "en.microsoft": _ENGLISH,
    "fr.lucene": _FRENCH,
    "fr.microsoft": _FRENCH,
    "de.lucene": _GERMAN,
    "de.microsoft": _GERMAN,
    "es.lucene": _SPANISH,
    "es.microsoft": _SPANISH,
    **{f"{language}.{maker}": _BIGRAMS for language in _CJK for maker in ("lucene", "microsoft")},
    "keyword": KEYWORD,
    "simple": Analyzer(LETTERS, str.lower),
    "stop": Analyzer(LETTERS, _unless(ENGLISH_STOP_WORDS)),
    "whitespace": Analyzer(BLANKS, str, str),
}
