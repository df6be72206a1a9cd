"""One search: text ranking, filter, semantic ranking, page. It runs without waiting, so it sees one state."""

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from retrieval.local.search_service import options as search_options
from retrieval.local.search_service import selection, semantic, simple_query
from retrieval.local.search_service.definition import SemanticConfiguration
from retrieval.local.search_service.documents import Document
from retrieval.local.search_service.errors import InvalidArgument
from retrieval.local.search_service.index import LocalIndex
from retrieval.local.search_service.options import SearchOptions
from retrieval.local.search_service.query import All, Mode, Query


@dataclass(frozen=True, slots=True)
class Found:
    """A document in its place. `reranked` is None where the semantic ranker did not look."""

    ordinal: int
    score: float
    reranked: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """`total` is given when it was asked for; `more` says that documents follow this page."""

    found: Sequence[Found]
    total: int | None
    more: bool
    ranked_by: str | None


class Search:
    """A request against an index, its names resolved. Building it raises for what the index does not have."""

    def __init__(self, index: LocalIndex, options: SearchOptions) -> None:
        self._index = index
        self._options = options
        self._mode: Mode = options.search_mode or "any"
        self._query: Query = simple_query.read(options.search or "", mode=self._mode)
        self._fields = _search_fields(index, options)
        self._passes = selection.compile_filter(options.filter, index) if options.filter else None
        self._semantic = _configuration(index, options)
        self.select = _selected(index, options)

    def run(self) -> Page:
        skip, size = self._options.skip or 0, min(self._options.page, search_options.MAX_PAGE)
        question = self._question()
        needed = max(skip + size + 1, semantic.RANKED if question else 0)
        found = self._best(needed)
        total = self._total(found, needed) if self._options.count else None
        if question and self._semantic is not None:
            found = self._reranked(question, self._semantic, found)
        return Page(
            found=found[skip : skip + size],
            total=total,
            more=len(found) > skip + size,
            ranked_by=semantic.LABEL if question else None,
        )

    def _question(self) -> str | None:
        """What the semantic ranker is asked: nothing for an empty or `*` search without a query of its own."""
        if self._semantic is None:
            return None
        text = (self._options.semantic_query or self._options.search or "").strip()
        return None if text in ("", "*") else text

    def _best(self, needed: int) -> list[Found]:
        candidates = self._candidates(needed)
        if self._passes is None:
            return list(itertools.islice(candidates, needed))
        passes, document = self._passes, self._index.document
        return list(itertools.islice((one for one in candidates if passes(document(one.ordinal))), needed))

    def _candidates(self, needed: int) -> Iterator[Found]:
        """Every match, best first. The text index is asked for more and more, as long as somebody takes them."""
        if isinstance(self._query, All):
            yield from (Found(ordinal, 1.0) for ordinal, _ in self._index.documents())
            return
        given, limit = 0, needed if self._passes is None else 4 * needed
        while True:
            scored = self._index.text.search(self._query, fields=self._fields, mode=self._mode, limit=limit)
            yield from (Found(ordinal, score) for score, ordinal in scored[given:])
            if len(scored) < limit:
                return
            given, limit = limit, limit * 8

    def _total(self, found: Sequence[Found], needed: int) -> int:
        if len(found) < needed:
            return len(found)
        if self._passes is not None:
            return len(self._best(len(self._index) + 1))
        if isinstance(self._query, All):
            return len(self._index)
        return self._index.text.count(self._query, fields=self._fields, mode=self._mode)

    def _reranked(self, question: str, configuration: SemanticConfiguration, found: list[Found]) -> list[Found]:
        """The best fifty by their semantic scores, in the text order among equals; the others as they were."""
        first = found[: semantic.RANKED]
        ranker = self._index.rankers[configuration.name]
        scores = ranker.scores(question, [(one.ordinal, self._index.document(one.ordinal)) for one in first])
        ranked = [Found(one.ordinal, one.score, score) for one, score in zip(first, scores, strict=True)]
        ranked.sort(key=lambda one: -(one.reranked or 0.0))
        return ranked + found[semantic.RANKED :]


def _search_fields(index: LocalIndex, options: SearchOptions) -> tuple[str, ...]:
    searchable = tuple(field.name for field in index.definition.searchable)
    for name in options.search_fields or ():
        if name not in searchable:
            raise InvalidArgument(f"The field {name[:128]!r} in searchFields is not a searchable field of the index.")
    return options.search_fields or searchable


def _selected(index: LocalIndex, options: SearchOptions) -> tuple[str, ...]:
    return retrievable(options.select or ("*",), index)


def retrievable(names: Sequence[str], index: LocalIndex) -> tuple[str, ...]:
    """The fields that `$select` means; a star stands for all. Raises InvalidArgument for what cannot be returned."""
    fields = index.definition.fields
    if "*" in names:
        return tuple(name for name, field in fields.items() if field.retrievable)
    for name in names:
        if name not in fields or not fields[name].retrievable:
            raise InvalidArgument(f"The field {name[:128]!r} in $select is not a retrievable field of the index.")
    return tuple(dict.fromkeys(names))


def _configuration(index: LocalIndex, options: SearchOptions) -> SemanticConfiguration | None:
    name = options.semantic_configuration
    if not options.is_semantic:
        if name is not None:
            raise InvalidArgument("semanticConfiguration needs queryType 'semantic' or a semanticQuery.")
        return None
    name = name or index.definition.default_configuration
    if name is None:
        raise InvalidArgument("The search is semantic, but neither it nor the index names a semantic configuration.")
    if name not in index.definition.configurations:
        raise InvalidArgument(f"The semantic configuration {name[:128]!r} does not exist in the index.")
    return index.definition.configurations[name]


def rendered(one: Found, document: Document, select: Sequence[str]) -> dict[str, Any]:
    """A document as it stands in `value`."""
    row: dict[str, Any] = {"@search.score": one.score}
    if one.reranked is not None:
        row["@search.rerankerScore"] = one.reranked
    for name in select:
        row[name] = document[name]
    return row
