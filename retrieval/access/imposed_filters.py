"""Filters that a deployment imposes. They limit every search of a caller by the caller's claims, or by fixed values for
API keys.

Imposed filters are filter trees. They are joined by AND with the filter of every sub-query just before the sub-query
goes to the index. Code that runs before this step does not see or change them.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Final

from retrieval.errors import BackendRefused, NotAuthorized
from retrieval.filters import odata
from retrieval.filters.tree import Filter, In, Lambda, Path, all_of
from retrieval.model.caller import Caller, ImposedRule
from retrieval.model.search import Page, Subquery
from retrieval.ports import SearchIndex

EVERY_INDEX: Final = "*"
LONGEST_QUOTE: Final = 500
_ELEMENT: Final = "one"
_HALF: Final = re.compile(r"[\ud800-\udfff]")
"""Half of a surrogate pair is not a character. No document contains it, and no filter can express it."""


class ImposedFilters:
    """The rules of a deployment, by index name. The name `*` stands for every index. An index without an entry is not
    searched. A deployment without rules has no `ImposedFilters`."""

    def __init__(self, rules: Mapping[str, tuple[ImposedRule, ...]]) -> None:
        self._rules: dict[str, tuple[ImposedRule, ...]] = {}
        for index, of_index in rules.items():
            name = index.casefold()
            self._rules[name] = (*self._rules.get(name, ()), *of_index)

    @property
    def claims(self) -> frozenset[str]:
        """The claims that the rules use."""
        return frozenset(rule.claim for of_index in self._rules.values() for rule in of_index)

    def filter(self, caller: Caller, index: str) -> Filter | None:
        """The filter that limits the caller's searches of an index; None if the rules leave the index open.

        Raises NotAuthorized if a rule has no value for the caller, or the index has no entry.
        """
        if self._rules.keys().isdisjoint({EVERY_INDEX, index.casefold()}):
            raise NotAuthorized(f"No rule gives access to the index {index!r}.")
        rules = (*self._rules.get(EVERY_INDEX, ()), *self._rules.get(index.casefold(), ()))
        return all_of(_test(rule, caller) for rule in rules)

    def narrowed(self, index: SearchIndex, caller: Caller, names: Iterable[str]) -> SearchIndex:
        """A search index that finds only documents that the caller may see in the indexes of these names. Raises
        NotAuthorized."""
        return NarrowedIndex(index, {name: self.filter(caller, name) for name in names})


class NarrowedIndex:
    """A search index with a filter for each index name. Raises KeyError for an index name without an entry, so such an
    index is never searched."""

    def __init__(self, index: SearchIndex, filters: Mapping[str, Filter | None]) -> None:
        self._index = index
        self._filters = filters
        self._trees: dict[tuple[str, int], tuple[Filter | None, Filter | None]] = {}

    async def search(self, subquery: Subquery) -> Page:
        """Searches with the imposed filter. Raises UnsupportedFilter, BackendError. A BackendError does not quote the
        imposed filter."""
        target = subquery.target
        imposed = self._filters[target.index]
        narrow_target = replace(target, filter=self._join(target.index, target.filter), imposed_filter=imposed)
        try:
            return await self._index.search(replace(subquery, target=narrow_target))
        except BackendRefused as error:
            if error.code is None or imposed is None:
                raise
            raise _without_words(error, target.filter) from None

    def _join(self, index: str, caller_filter: Filter | None) -> Filter | None:
        """The imposed filter and the caller's filter, joined by AND. Sub-queries with the same filter share one tree,
        so that its OData text is made only once."""
        key = (index, id(caller_filter))
        if key not in self._trees:
            tree = all_of(part for part in (self._filters[index], caller_filter) if part is not None)
            self._trees[key] = (caller_filter, tree)
        return self._trees[key][1]


def _without_words(error: BackendRefused, caller_filter: Filter | None) -> BackendRefused:
    """The refusal with its code and the caller's own filter. It leaves out the service's message, because the message
    may quote the imposed filter."""
    callers_part = (
        "nothing of the filter"
        if caller_filter is None
        else f"the filter {odata.text(caller_filter)[:LONGEST_QUOTE]!r}"
    )
    message = f"{error.code or 'no code given'}. Of the search, {callers_part} is the caller's."
    return BackendRefused(error.service, status=error.status, message=message, code=error.code)


def _test(rule: ImposedRule, caller: Caller) -> Filter:
    values = rule.with_key if caller.kind == "key" else caller.claims.get(rule.claim, ())
    if not values or any(_HALF.search(value) for value in values):
        means = "An api-key is" if caller.kind == "key" else f"A caller without the claim {rule.claim!r} is"
        raise NotAuthorized(f"{means} not admitted to the documents of this index.")
    if rule.collection:
        return Lambda(Path(rule.path), "any", _ELEMENT, In(Path((_ELEMENT,)), values))
    return In(Path(rule.path), values)
