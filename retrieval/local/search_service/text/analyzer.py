"""An analyzer: how a text is cut into words, and what index term each word becomes."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

MAX_TOKEN = 255
"""Characters; the standard tokenizer cuts longer runs into pieces of this length."""

_CACHED_WORDS = 200_000
_RECENT_TEXTS = 16

Term = str | None
"""What a word becomes; None where the analyzer removes it and leaves a gap in the positions."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Token:
    """One index term; `start` and `end` count characters of the text it came from."""

    term: str
    position: int
    start: int
    end: int

    def becoming(self, term: str) -> "Token":
        """Another term in the same place."""
        return Token(term=term, position=self.position, start=self.start, end=self.end)


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
    """A tokenizer (a pattern whose matches are the words; None: the text as it is) and what a word becomes.

    `fold` is all that is done to a part of a word, as in a prefix or a pattern.
    """

    stacks = False
    """Whether several terms may stand at one position, and a term may hold blanks."""

    def __init__(
        self, words: re.Pattern[str] | None, normalize: Callable[[str], Term], fold: Callable[[str], str] = str.lower
    ) -> None:
        self.fold = fold
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

    def places(self, text: str) -> Sequence[Sequence[str]]:
        """The terms at every position, in order; none where a word was removed."""
        return [() if term is None else (term,) for term in self.positions(text)]

    def _pieces(self, text: str) -> list[str]:
        assert self._words is not None
        found = self._words.findall(text)
        if not found or max(map(len, found)) <= MAX_TOKEN:
            return found
        return [word[i : i + MAX_TOKEN] for word in found for i in range(0, len(word), MAX_TOKEN)]

    def _spans(self, text: str) -> Iterator[tuple[int, int]]:
        """Start and end of every word."""
        assert self._words is not None
        for match in self._words.finditer(text):
            for start in range(match.start(), match.end(), MAX_TOKEN):
                yield start, min(start + MAX_TOKEN, match.end())

    def tokens(self, text: str) -> list[Token]:
        """The terms with their places, for highlights and captions."""
        if self._words is None:
            return [Token(term=text, position=0, start=0, end=len(text))] if text else []
        found = ((self._terms[text[s:e]], place, s, e) for place, (s, e) in enumerate(self._spans(text)))
        return [Token(term=t, position=p, start=s, end=e) for t, p, s, e in found if t is not None]
