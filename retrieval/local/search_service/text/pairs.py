"""Scripts without blanks between words, without a dictionary: every two neighbouring signs are a term.

`Paired` cuts Thai, Lao, Khmer, Burmese and the like so, which Lucene's standard tokenizer leaves whole: nothing in them
would be found. `Bigrams` cuts Chinese, Japanese and Korean too, as Lucene's CJKAnalyzer:
https://lucene.apache.org/core/6_6_1/analyzers-common/org/apache/lucene/analysis/cjk/CJKAnalyzer.html. Azure's own
analyzers for these languages look words up in dictionaries.
"""

import re
import unicodedata
from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Final, TypeAlias

from retrieval.local.search_service.text.analyzer import MAX_TOKEN, Analyzer, Term
from retrieval.text.content_words import UNSPACED

Span: TypeAlias = tuple[int, int]

UNCUT: Final = re.compile(f"[{UNSPACED}]+")
"""A run of signs that the standard tokenizer leaves whole."""

_CJK: Final = re.compile(
    "[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff66-\uff9f\uac00-\ud7af\U00020000-\U0003ffff]+"
    f"|{UNCUT.pattern}"
)
_SIGN: Final = re.compile("[\uff66-\uff9d][\uff9e\uff9f]|.")  # a mark of half width belongs to the sign before it


def paired_spans(text: str, words: re.Pattern[str], runs: re.Pattern[str] = UNCUT) -> Iterator[Span]:
    """Start and end of every term: of `runs` each pair of signs, or the one sign; between them the matches of
    `words`."""
    at = 0
    for run in runs.finditer(text):
        yield from (match.span() for match in words.finditer(text, at, run.start()))
        at = run.end()
        signs = [sign.span() for sign in _SIGN.finditer(text, run.start(), at)]
        if len(signs) == 1:
            yield signs[0]
        for (start, _), (_, end) in pairwise(signs):
            yield start, end
    yield from (match.span() for match in words.finditer(text, at))


class Paired(Analyzer):
    """Words as of a pattern, and `runs` of signs in pairs."""

    runs = UNCUT

    def __init__(
        self, words: re.Pattern[str], normalize: Callable[[str], Term], fold: Callable[[str], str] = str.lower
    ) -> None:
        super().__init__(words, normalize, fold)
        self._between = words

    def _pieces(self, text: str) -> list[str]:
        if text.isascii() or not self.runs.search(text):
            return super()._pieces(text)
        return [text[start:end] for start, end in self._spans(text)]

    def _spans(self, text: str) -> Iterator[Span]:
        for start, end in paired_spans(text, self._between, self.runs):
            for place in range(start, end, MAX_TOKEN):
                yield place, min(place + MAX_TOKEN, end)


class Bigrams(Paired):
    """Chinese, Japanese and Korean in pairs too."""

    runs = _CJK

    def __init__(self, words: re.Pattern[str], stop_words: frozenset[str]) -> None:
        super().__init__(words, _normalized(stop_words), _folded)


def _folded(text: str) -> str:
    """Half and full width are the same. A few signs stand for several words: they stay one."""
    return "".join(unicodedata.normalize("NFKC", text).lower().split())


def _normalized(stop_words: frozenset[str]) -> Callable[[str], Term]:
    def normalize(word: str) -> Term:
        folded = _folded(word)
        return None if not folded or folded in stop_words else folded

    return normalize
