"""Completions of the last word typed, ordered by the number of documents that have them.

oneTerm               the word alone: washington medic -> medicaid
oneTermWithContext    after the word before it, as the documents have them: -> washington medicaid
twoTerms              with the word that follows it in the documents: -> medicaid coverage
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from itertools import islice, pairwise
from typing import Any, Final

from retrieval.local.search_service.definitions import paths
from retrieval.local.search_service.engine.index import LocalIndex
from retrieval.local.search_service.engine.suggestion_index import words
from retrieval.local.search_service.features.suggest_options import AutocompleteOptions
from retrieval.local.search_service.features.suggesting import Typed, allowed_documents, covered, source

MAX_READ: Final = 2_000
"""Documents that are read for pairs of words."""


def autocomplete(index: LocalIndex, options: AutocompleteOptions) -> dict[str, Any]:
    """The answer as the wire has it. Raises InvalidArgument, BadFilter, Unsupported."""
    return covered(options, _Completer(index, options).rows())


class _Completer:
    """One request, its names resolved."""

    def __init__(self, index: LocalIndex, options: AutocompleteOptions) -> None:
        self._index = index
        self._options = options
        self._suggestions, self._fields = source(options, index)
        self._allowed = allowed_documents(options, index)
        self._typed = Typed.read(options, self._suggestions)

    def rows(self) -> list[dict[str, Any]]:
        typed, mode = self._typed, self._options.autocomplete_mode
        if typed is None:
            return []
        if mode == "twoTerms":
            counts = self._pairs(typed.begun, lambda pair: pair[0] in typed.begun)
        elif mode == "oneTermWithContext" and typed.whole:
            known = typed.whole[-1]
            counts = self._pairs(typed.begun, lambda pair: pair[0] in known and pair[1] in typed.begun)
        else:
            counts = self._words(typed.begun)
        best = sorted(counts.items(), key=lambda one: (-one[1], one[0]))[: self._options.page]
        return [self._row(completion) for completion, _ in best]

    def _row(self, completion: tuple[str, ...]) -> dict[str, Any]:
        """`queryPlusText` is what was typed, up to where the completion begins, and the completion.

        Tags are around the word that was completed, whole, and in `queryPlusText` alone: as recorded of the service
        (`po` with the tags `<b>` gives the text `pool` and the query `<b>pool</b>`).
        """
        with_context = self._options.autocomplete_mode == "oneTermWithContext" and len(completion) == 2
        begun = 1 if with_context else 0
        before, after = self._options.tags or ("", "")
        marked = " ".join(f"{before}{word}{after}" if at == begun else word for at, word in enumerate(completion))
        start = words(self._options.search)[-2 if with_context else -1].start
        return {"text": " ".join(completion), "queryPlusText": self._options.search[:start] + marked}

    def _words(self, begun: Iterable[str]) -> Counter[tuple[str, ...]]:
        counts = {(word,): len(self._documents([word])) for word in begun}
        return Counter({word: count for word, count in counts.items() if count})

    def _pairs(self, begun: Iterable[str], wanted: Callable[[tuple[str, str]], bool]) -> Counter[tuple[str, ...]]:
        """How many documents say each wanted pair, of the oldest MAX_READ that have a word of `begun`."""
        counts: Counter[tuple[str, ...]] = Counter()
        for ordinal in islice(sorted(self._documents(begun)), MAX_READ):
            counts.update({pair for text in self._texts(ordinal) for pair in _neighbours(text) if wanted(pair)})
        return counts

    def _documents(self, group: Iterable[str]) -> set[int]:
        """Those that have a word of the group and pass the filter."""
        fields = [self._suggestions.fields[path] for path in self._fields]
        found = {ordinal for word in group for field in fields for ordinal in field.documents(word)}
        return found if self._allowed is None else found & self._allowed

    def _texts(self, ordinal: int) -> Iterator[str]:
        document = self._index.document(ordinal)
        return (str(text) for path in self._fields for text in paths.values(document, path))


def _neighbours(text: str) -> Iterator[tuple[str, str]]:
    return pairwise(token.term for token in words(text))
