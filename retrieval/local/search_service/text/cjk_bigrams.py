"""Chinese, Japanese and Korean without a dictionary: every two neighbouring signs are a term, as Lucene's CJKAnalyzer.

https://lucene.apache.org/core/6_6_1/analyzers-common/org/apache/lucene/analysis/cjk/CJKAnalyzer.html. Azure's own
analyzers for these languages look words up in dictionaries.
"""

import re
import unicodedata
from collections.abc import Callable, Iterator
from itertools import pairwise

from retrieval.local.search_service.text.analyzer import MAX_TOKEN, Analyzer, Term

_SIGNS = re.compile(
    "[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff66-\uff9f\uac00-\ud7af\U00020000-\U0003ffff]+"
)
_SIGN = re.compile("[\uff66-\uff9d][\uff9e\uff9f]|.")  # a mark of half width belongs to the sign before it


class Bigrams(Analyzer):
    """Runs of CJK signs in pairs, a sign without a neighbour by itself; between them words as of `words`."""

    def __init__(self, words: re.Pattern[str], stop_words: frozenset[str]) -> None:
        super().__init__(words, _normalized(stop_words), _folded)
        self._between = words

    def _pieces(self, text: str) -> list[str]:
        return [text[start:end] for start, end in self._spans(text)]

    def _spans(self, text: str) -> Iterator[tuple[int, int]]:
        at = 0
        for run in _SIGNS.finditer(text):
            yield from self._words_of(text, at, run.start())
            at = run.end()
            signs = [sign.span() for sign in _SIGN.finditer(text, run.start(), at)]
            if len(signs) == 1:
                yield signs[0]
            for (start, _), (_, end) in pairwise(signs):
                yield start, end
        yield from self._words_of(text, at, len(text))

    def _words_of(self, text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
        for match in self._between.finditer(text, start, end):
            for place in range(match.start(), match.end(), MAX_TOKEN):
                yield place, min(place + MAX_TOKEN, match.end())


def _folded(text: str) -> str:
    """Half and full width are the same. A few signs stand for several words: they stay one."""
    return "".join(unicodedata.normalize("NFKC", text).lower().split())


def _normalized(stop_words: frozenset[str]) -> Callable[[str], Term]:
    def normalize(word: str) -> Term:
        folded = _folded(word)
        return None if not folded or folded in stop_words else folded

    return normalize
