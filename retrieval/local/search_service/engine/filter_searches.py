"""The full-text searches within one `$filter`: each is run once, and those that score add to a document's score.

https://learn.microsoft.com/azure/search/search-query-odata-full-text-search-functions: a document that passes the
filter by another branch of an `or` gets nothing from the branch that it does not match.
"""

from collections.abc import Callable, Mapping
from typing import Final, TypeAlias

from retrieval.filters import evaluate
from retrieval.filters.tree import And, Filter, IsMatch, Or
from retrieval.local.search_service.definitions.document import Document
from retrieval.local.search_service.engine.index import LocalIndex
from retrieval.local.search_service.errors import InvalidArgument
from retrieval.local.search_service.query import syntax

MAX_SEARCHES: Final = 100
"""Different searches within one filter: each of them may find every document."""

Score: TypeAlias = Callable[[Document], float]


class FilterSearches:
    """Answers `matches` for `retrieval.filters.evaluate`, and keeps the scores of what was found."""

    def __init__(self, index: LocalIndex) -> None:
        self._index = index
        self._key = index.definition.key
        self._found: dict[IsMatch, Mapping[str, float]] = {}

    def matches(self, match: IsMatch) -> evaluate.Predicate:
        """Raises InvalidArgument, Unsupported for the text of the search, and for too many of them."""
        found, key = self._scores(match), self._key
        return lambda document: document[key] in found

    def score(self, filter: Filter) -> Score | None:
        """What the searches of `filter` add for a document that passes it; None where none of them scores."""
        match filter:
            case IsMatch(scoring=True):
                found, key = self._scores(filter), self._key
                return lambda document: found.get(document[key], 0.0)
            case And(operands):
                scores = [score for one in operands if (score := self.score(one)) is not None]
                return (lambda document: sum(score(document) for score in scores)) if scores else None
            case Or(operands):
                return self._of_branches(operands)
            case _:
                return None

    def _of_branches(self, operands: tuple[Filter, ...]) -> Score | None:
        branches = [
            (evaluate.predicate(one, matches=self.matches), score)
            for one in operands
            if (score := self.score(one)) is not None
        ]
        if not branches:
            return None
        return lambda document: sum(score(document) for passes, score in branches if passes(document))

    def _scores(self, match: IsMatch) -> Mapping[str, float]:
        found = self._found.get(match)
        if found is None:
            if len(self._found) >= MAX_SEARCHES:
                raise InvalidArgument(f"The filter has more than {MAX_SEARCHES} full-text searches.")
            found = self._found[match] = self._run(match)
        return found

    def _run(self, match: IsMatch) -> Mapping[str, float]:
        index = self._index
        searchable = tuple(field.name for field in index.definition.searchable)
        for name in match.fields:
            if name not in searchable:
                raise InvalidArgument(
                    f"The field {name[:128]!r} in search.ismatch is not a searchable field of the index."
                )
        fields = tuple(dict.fromkeys(match.fields or searchable))
        query = syntax.read(match.search, syntax=match.query_type, mode=match.mode, fields=searchable)
        found = index.text.search(query, fields=fields, mode=match.mode, limit=max(len(index), 1))
        return {index.document(ordinal)[self._key]: score for score, ordinal in found}
