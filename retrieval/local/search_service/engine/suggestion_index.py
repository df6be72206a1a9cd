"""The words of a suggester's fields: which documents have them, and which words begin like another.

Words are cut as the standard analyzer does it, but Thai and the like are not in pairs, and are never stemmed: what is
suggested can be read.
"""

from bisect import bisect_left, insort
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Final

from retrieval.local.search_service.definitions import paths
from retrieval.local.search_service.definitions.document import Document
from retrieval.local.search_service.definitions.suggesters import Suggester
from retrieval.local.search_service.text.analysis import WORDS, Analyzer, Token

_ANALYZER: Final = Analyzer(WORDS, str.lower)


def words(text: str) -> list[Token]:
    """The words of a text in lower case, with their places."""
    return _ANALYZER.tokens(text)


class FieldWords:
    """One field: how often each document has each word, and how many words it has."""

    def __init__(self) -> None:
        self._documents: dict[str, dict[int, int]] = {}
        self._lengths: dict[int, int] = {}

    def add(self, ordinal: int, counts: Mapping[str, int]) -> None:
        for word, count in counts.items():
            self._documents.setdefault(word, {})[ordinal] = count
        self._lengths[ordinal] = sum(counts.values())

    def remove(self, ordinal: int, counts: Mapping[str, int]) -> None:
        del self._lengths[ordinal]
        for word in counts:
            del self._documents[word][ordinal]
            if not self._documents[word]:
                del self._documents[word]

    def documents(self, word: str) -> Mapping[int, int]:
        """Ordinals, each with the number of times."""
        return self._documents.get(word, {})

    def share(self, ordinal: int, count: int) -> float:
        """How much of the field so many words are; above 0, up to 1."""
        return count / self._lengths[ordinal]


class SuggestionIndex:
    """Kept in step with the documents of its index."""

    def __init__(self, suggester: Suggester) -> None:
        self.fields = {path: FieldWords() for path in suggester.fields}
        self._vocabulary: list[str] = []
        self._uses: Counter[str] = Counter()

    def add(self, ordinal: int, document: Document) -> None:
        for path, field in self.fields.items():
            counts = _counts(document, path)
            if counts:
                field.add(ordinal, counts)
            for word in counts:
                if not self._uses[word]:
                    insort(self._vocabulary, word)
                self._uses[word] += 1

    def remove(self, ordinal: int, document: Document) -> None:
        for path, field in self.fields.items():
            counts = _counts(document, path)
            if counts:
                field.remove(ordinal, counts)
            self._uses.subtract(counts.keys())
            for word in counts:
                if not self._uses[word]:
                    del self._uses[word]
                    del self._vocabulary[bisect_left(self._vocabulary, word)]

    def beginning(self, start: str, *, fuzzy: bool) -> list[str]:
        """The words that begin with `start`; with `fuzzy`, also where one character of it is wrong or missing."""
        if fuzzy:
            return [word for word in self._vocabulary if _begins_nearly(word, start)]
        return list(self._from(start))

    def like(self, word: str, *, fuzzy: bool) -> list[str]:
        """The word itself; with `fuzzy`, also those that differ in one character."""
        if fuzzy:
            return [other for other in self._vocabulary if _is_near(other, word)]
        return [word]

    def _from(self, start: str) -> Iterator[str]:
        for place in range(bisect_left(self._vocabulary, start), len(self._vocabulary)):
            if not self._vocabulary[place].startswith(start):
                return
            yield self._vocabulary[place]


def _counts(document: Document, path: str) -> Counter[str]:
    return Counter(token.term for text in paths.values(document, path) for token in words(text))


def _begins_nearly(word: str, start: str) -> bool:
    return any(_is_near(word[:length], start) for length in (len(start) - 1, len(start), len(start) + 1) if length > 0)


def _is_near(word: str, other: str) -> bool:
    """At most one insertion, deletion or substitution apart."""
    if abs(len(word) - len(other)) > 1:
        return False
    if word == other:
        return True
    same = next((place for place, pair in enumerate(zip(word, other, strict=False)) if pair[0] != pair[1]), None)
    if same is None:
        return True
    return word[same + 1 :] == other[same + 1 :] or word[same + 1 :] == other[same:] or word[same:] == other[same + 1 :]
