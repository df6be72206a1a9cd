"""One search: text ranking, filter, semantic ranking, page. It runs without waiting, so it sees one state."""

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from retrieval.local.search_service import fusion, ordering, projection, selection, semantic, syntax, vector_search
from retrieval.local.search_service import options as search_options
from retrieval.local.search_service.additions import Additions, Answered, RankerAway
from retrieval.local.search_service.definition import SemanticConfiguration
from retrieval.local.search_service.documents import Document
from retrieval.local.search_service.errors import InvalidArgument, SearchServiceError
from retrieval.local.search_service.filter_searches import Score
from retrieval.local.search_service.fusion import Ranking
from retrieval.local.search_service.index import LocalIndex
from retrieval.local.search_service.options import SearchOptions
from retrieval.local.search_service.projection import Shape
from retrieval.local.search_service.query import All, Mode, Query
from retrieval.local.search_service.vector_search import FilterMode, ScoreRule

TEXT_RECALL = 1000
"""So many of the text matches take part in a fusion: https://learn.microsoft.com/azure/search/hybrid-search-ranking"""


@dataclass(frozen=True, slots=True)
class Found:
    """A document in its place. `reranked` is None where the semantic ranker did not look."""

    ordinal: int
    score: float
    reranked: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """`total` is given when it was asked for; `more` says that documents follow this page.

    `around` and `beside` are members of the envelope, and of documents by ordinal; `missed` says why the semantic
    ranker did not rank what it was asked to.
    """

    found: Sequence[Found]
    total: int | None
    more: bool
    ranked_by: str | None
    around: Mapping[str, Any]
    beside: Mapping[int, Mapping[str, Any]]
    missed: RankerAway | None


class Search:
    """A request against an index, its names resolved. Building it raises for what the index does not have."""

    def __init__(
        self,
        index: LocalIndex,
        options: SearchOptions,
        *,
        vector_scores: ScoreRule = "similarity",
        ranker_away: RankerAway | None = None,
    ) -> None:
        self._index = index
        self._options = options
        self._mode: Mode = options.search_mode or "any"
        searchable = tuple(field.name for field in index.definition.searchable)
        self._query: Query = syntax.read(
            options.search or "", syntax=options.syntax, mode=self._mode, fields=searchable
        )
        self._fields = _search_fields(options, searchable)
        self._selection = selection.compile_filter(options.filter, index)
        self._vectors = vector_search.read(options.vector_queries, index)
        self._vector_scores: ScoreRule = vector_scores
        self._semantic = _configuration(index, options)
        self._additions = Additions(index, options, self._query, self._fields)
        self._order = ordering.read(options.orderby, index.definition.paths) if options.orderby else ()
        self._ranker_away = ranker_away
        self.select = projection.shape(options.select or ("*",), index.definition)

    def run(self) -> Page:
        skip, size = self._options.skip or 0, min(self._options.page, search_options.MAX_PAGE)
        question = self._question()
        needed = max(skip + size + 1, semantic.RANKED if question else 0)
        if self._order or self._additions.facets:
            needed = len(self._index) + 1
        found = self._best(needed)
        total = self._total(found, needed) if self._options.count else None
        around = self._additions.counted(self._counted(found))
        if self._order:
            found = ordering.ordered(found, self._order, self._index.document)
        is_ranked = self._is_ranked(question)
        if question and self._semantic and is_ranked:
            found = self._reranked(question, self._semantic, found)
        ranked = [one.ordinal for one in found if one.reranked is not None]
        answered = self._additions.answered(question if is_ranked else None, self._semantic, ranked)
        page = found[skip : skip + size]
        return Page(
            found=page,
            total=total,
            more=len(found) > skip + size,
            ranked_by=semantic.LABEL if is_ranked else None,
            around={**around, **answered.around},
            beside={one.ordinal: self._beside(one.ordinal, answered) for one in page},
            missed=self._ranker_away if question else None,
        )

    def _is_ranked(self, question: str | None) -> bool:
        """Raises SearchServiceError 503 where the ranker is away and the caller wants that to be a failure."""
        if question is not None and self._ranker_away and self._options.semantic_error_handling == "fail":
            raise SearchServiceError(503, "ServiceUnavailable", f"Semantic ranking failed: {self._ranker_away}.")
        return question is not None and self._ranker_away is None

    def _beside(self, ordinal: int, answered: Answered) -> Mapping[str, Any]:
        return {**self._additions.highlighted(self._index.document(ordinal)), **answered.beside.get(ordinal, {})}

    def _counted(self, found: Sequence[Found]) -> Iterable[int]:
        """The documents that facets count: all that match the text, and what vector queries found."""
        ordinals = [one.ordinal for one in found]
        if not self._vectors or not self._options.search or not self._additions.facets:
            return ordinals
        return dict.fromkeys([*ordinals, *(one.ordinal for one in self._matching(len(self._index) + 1))])

    def _question(self) -> str | None:
        """What the semantic ranker is asked: nothing for an empty or `*` search without a query of its own."""
        if self._semantic is None:
            return None
        text = (self._options.semantic_query or self._options.search or "").strip()
        return None if text in ("", "*") else text

    def _best(self, needed: int) -> list[Found]:
        """The best documents: at least `needed`, if there are so many. Vector queries find as many as they find."""
        return self._fused() if self._vectors else self._matching(needed)

    def _matching(self, needed: int) -> list[Found]:
        """The best `needed` documents by their text."""
        if self._selection.score is not None:
            return self._scored_by_filter(self._selection.score)[:needed]
        candidates = self._candidates(needed)
        passes, document = self._selection.passes, self._index.document
        if passes is not None:
            candidates = (one for one in candidates if passes(document(one.ordinal)))
        return list(itertools.islice(candidates, needed))

    def _scored_by_filter(self, score: Score) -> list[Found]:
        """Every match. Without search text the searches within the filter are all there is to score."""
        passes, document = self._selection.passes, self._index.document
        base = 0.0 if isinstance(self._query, All) else 1.0
        found = [
            Found(one.ordinal, base * one.score + score(document(one.ordinal)))
            for one in self._candidates(len(self._index) + 1)
            if passes is None or passes(document(one.ordinal))
        ]
        return sorted(found, key=lambda one: -one.score)

    def _fused(self) -> list[Found]:
        text = [one.ordinal for one in self._matching(TEXT_RECALL)] if self._options.search else None
        mode: FilterMode = self._options.vector_filter_mode or "preFilter"
        lists = vector_search.lists(self._vectors, self._index, self._selection, mode=mode)
        if text is None and len(lists) == 1 and self._vector_scores == "similarity":
            metric = self._vectors[0].metric
            return [Found(ordinal, vector_search.similarity(likeness, metric)) for likeness, ordinal in lists[0]]
        rankings = [
            Ranking([ordinal for _, ordinal in found], ask.weight)
            for ask, found in zip(self._vectors, lists, strict=True)
        ]
        fused = fusion.fuse(rankings if text is None else [Ranking(text), *rankings])
        return [Found(ordinal, score) for score, ordinal in fused]

    def _candidates(self, needed: int) -> Iterator[Found]:
        """Every match, best first. The text index is asked for more and more, as long as somebody takes them."""
        if isinstance(self._query, All):
            yield from (Found(ordinal, 1.0) for ordinal in self._selection.candidates(self._index))
            return
        given, limit = 0, needed if self._selection.passes is None else 4 * needed
        while True:
            scored = self._index.text.search(
                self._query, fields=self._fields, mode=self._mode, limit=limit, within=self._selection.within
            )
            yield from (Found(ordinal, score) for score, ordinal in scored[given:])
            if len(scored) < limit:
                return
            given, limit = limit, limit * 8

    def _total(self, found: Sequence[Found], needed: int) -> int:
        """How many documents match: of the text all of them, of each vector query those that it found."""
        if self._vectors:
            return self._hybrid_total(found)
        return len(found) if len(found) < needed else self._text_total()

    def _text_total(self) -> int:
        if self._selection.passes is not None:
            return len(self._matching(len(self._index) + 1))
        if isinstance(self._query, All):
            return self._index.text.total(self._selection.within)
        return self._index.text.count(self._query, fields=self._fields, mode=self._mode, within=self._selection.within)

    def _hybrid_total(self, found: Sequence[Found]) -> int:
        if not self._options.search:
            return len(found)
        text = self._matching(TEXT_RECALL + 1)
        if len(text) <= TEXT_RECALL:
            return len(found)
        near = self._index.text.among([one.ordinal for one in found])
        matched = self._index.text.count(self._query, fields=self._fields, mode=self._mode, within=near)
        return self._text_total() + len(found) - matched

    def _reranked(self, question: str, configuration: SemanticConfiguration, found: list[Found]) -> list[Found]:
        """The best fifty by their semantic scores, in the text order among equals; the others as they were."""
        first = found[: semantic.RANKED]
        ranker = self._index.rankers[configuration.name]
        scores = ranker.scores(question, [(one.ordinal, self._index.document(one.ordinal)) for one in first])
        ranked = [Found(one.ordinal, one.score, score) for one, score in zip(first, scores, strict=True)]
        ranked.sort(key=lambda one: -(one.reranked or 0.0))
        return ranked + found[semantic.RANKED :]


def _search_fields(options: SearchOptions, searchable: tuple[str, ...]) -> tuple[str, ...]:
    for name in options.search_fields or ():
        if name not in searchable:
            raise InvalidArgument(f"The field {name[:128]!r} in searchFields is not a searchable field of the index.")
    return tuple(dict.fromkeys(options.search_fields or searchable))


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


def rendered(one: Found, document: Document, select: Shape, beside: Mapping[str, Any]) -> dict[str, Any]:
    """A document as it stands in `value`."""
    row: dict[str, Any] = {"@search.score": one.score}
    if one.reranked is not None:
        row["@search.rerankerScore"] = one.reranked
    row.update(beside)
    row.update(projection.project(document, select))
    return row
