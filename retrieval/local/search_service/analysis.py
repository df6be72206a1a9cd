"""Text to index terms, as Lucene's analyzers of the same names do it.

Sources: the standard tokenizer follows the word boundaries of UAX #29 (https://unicode.org/reports/tr29/); `en.lucene`
is the standard tokenizer, then possessive removal, lower case, Lucene's English stop words and the Porter stemmer.
Microsoft's own analyzers (`*.microsoft`) are proprietary lemmatizers: the Lucene analyzer of the language stands in.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import snowballstemmer

DEFAULT_ANALYZER = "standard.lucene"

MAX_TOKEN = 255
"""Characters; the standard tokenizer cuts longer runs into pieces of this length."""

_CACHED_WORDS = 200_000
_RECENT_TEXTS = 16

_SINGLE = "\u3040-\u309f\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"  # one ideograph, one token
_MARKS = (  # combining marks that Python's \\w leaves out
    "\u0300-\u036f\u0483-\u0487\u0591-\u05bd\u064b-\u0655"
    "\u0900-\u0903\u093a-\u094f\u0951-\u0957\u0e31\u0e34-\u0e3a\u0e47-\u0e4e"
)
_RUN = rf"(?:[^\W{_SINGLE}][{_MARKS}]*)+"
_WORDS = re.compile(rf"[{_SINGLE}]|{_RUN}(?:(?:(?<=[^\W\d_])['’.·:](?=[^\W\d_{_SINGLE}])|(?<=\d)['’.,;](?=\d)){_RUN})*")
_LETTERS = re.compile(r"[^\W\d_]+")
_BLANKS = re.compile(r"\S+")
_POSSESSIVE = ("'s", "’s", "＇s", "'S", "’S", "＇S")

# Lucene's EnglishAnalyzer.ENGLISH_STOP_WORDS_SET
ENGLISH_STOP_WORDS = frozenset(
    "a an and are as at be but by for if in into is it no not of on or such that the their then there these they "
    "this to was will with".split()
)

Term = str | None
"""What a word becomes; None where the analyzer removes it and leaves a gap in the positions."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Token:
    """One index term; `start` and `end` count characters of the text it came from."""

    term: str
    position: int
    start: int
    end: int


class _Terms(dict[str, Term]):
    """Word to term, computed once for each word; emptied when it has grown too large."""

    def __init__(self, normalize: Callable[[str], Term]) -> None:
        super().__init__()
        self._normalize = normalize

    def __missing__(self, word: str) -> Term:
        if len(self) >= _CACHED_WORDS:
            self.clear()
        term = self[word] = self._normalize(word)
        return term


class Analyzer:
    """A tokenizer (a pattern whose matches are the words; None: the text as it is) and what a word becomes."""

    def __init__(self, words: re.Pattern[str] | None, normalize: Callable[[str], Term]) -> None:
        self._words = words
        self._terms = _Terms(normalize)
        self._recent: dict[str, Sequence[Term]] = {}

    def positions(self, text: str) -> Sequence[Term]:
        """One entry a word, in order; None where a word was removed.

        The last few answers are kept: the text index and the semantic ranker ask for the same texts.
        """
        found = self._recent.get(text)
        if found is None:
            if len(self._recent) >= _RECENT_TEXTS:
                self._recent.clear()
            found = self._recent[text] = self._positions(text)
        return found

    def _positions(self, text: str) -> Sequence[Term]:
        terms = self._terms
        if self._words is None:
            return [text] if text else []
        return [terms[word] for word in self._pieces(text)]

    def terms(self, text: str) -> list[str]:
        return [term for term in self.positions(text) if term is not None]

    def _pieces(self, text: str) -> list[str]:
        assert self._words is not None
        found = self._words.findall(text)
        if not found or max(map(len, found)) <= MAX_TOKEN:
            return found
        return [word[i : i + MAX_TOKEN] for word in found for i in range(0, len(word), MAX_TOKEN)]

    def tokens(self, text: str) -> list[Token]:
        """The terms with their places, for highlights and captions."""
        if self._words is None:
            return [Token(term=text, position=0, start=0, end=len(text))] if text else []
        spans = (
            (start, min(start + MAX_TOKEN, match.end()))
            for match in self._words.finditer(text)
            for start in range(match.start(), match.end(), MAX_TOKEN)
        )
        found = ((self._terms[text[start:end]], place, start, end) for place, (start, end) in enumerate(spans))
        return [Token(term=t, position=p, start=s, end=e) for t, p, s, e in found if t is not None]


def _stemmed(stem: Callable[[str], str], stop_words: frozenset[str]) -> Callable[[str], Term]:
    def normalize(word: str) -> Term:
        lower = (word[:-2] if word.endswith(_POSSESSIVE) else word).lower()
        return None if lower in stop_words else stem(lower)

    return normalize


def _unless(stop_words: frozenset[str]) -> Callable[[str], Term]:
    def normalize(word: str) -> Term:
        lower = word.lower()
        return None if lower in stop_words else lower

    return normalize


porter: Callable[[str], str] = snowballstemmer.stemmer("porter").stemWord

_ENGLISH = Analyzer(_WORDS, _stemmed(porter, ENGLISH_STOP_WORDS))
_STANDARD = Analyzer(_WORDS, str.lower)
KEYWORD = Analyzer(None, str)

ANALYZERS: dict[str, Analyzer] = {
    "standard.lucene": _STANDARD,
    "standard": _STANDARD,
    "en.lucene": _ENGLISH,
    "en.microsoft": _ENGLISH,
    "keyword": KEYWORD,
    "simple": Analyzer(_LETTERS, str.lower),
    "stop": Analyzer(_LETTERS, _unless(ENGLISH_STOP_WORDS)),
    "whitespace": Analyzer(_BLANKS, str),
}
