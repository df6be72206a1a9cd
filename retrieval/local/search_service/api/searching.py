"""One search: text ranking, filter, semantic ranking, page. It runs without waiting, so it sees one state."""

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from retrieval.local.search_service.api import reranking
from retrieval.local.search_service.definitions.index import SemanticConfiguration
from retrieval.local.search_service.engine import filters, ordering, vector_search
from retrieval.local.search_service.engine.filter_searches import Score
from retrieval.local.search_service.engine.index import LocalIndex
from retrieval.local.search_service.engine.recall import Recalled
from retrieval.local.search_service.engine.scoring import UNBOOSTED, Scoring
from retrieval.local.search_service.engine.text_index import Scored
from retrieval.local.search_service.engine.vector_search import FilterMode, ScoreRule
from retrieval.local.search_service.errors import InvalidArgument, SearchServiceError
from retrieval.local.search_service.features import debugging
from retrieval.local.search_service.features.additions import Additions, Answered, RankerAway
from retrieval.local.search_service.models import lexical_ranker
from retrieval.local.search_service.query import hybrid, projection, syntax
from retrieval.local.search_service.query import options as search_options
from retrieval.local.search_service.query.options import SearchOptions
from retrieval.local.search_service.query.tree import All, Mode, Query


@dataclass(frozen=True, slots=True)
class Found:
    """A document in its place. `reranked` is None where the semantic ranker did not look.

    `boosted` is what a scoring profile made of `reranked`, None where it had nothing to say.
    """

    ordinal: int
    score: float
    reranked: float | None = None
    boosted: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultPage:
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
        scoring: Scoring = UNBOOSTED,
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
        self._selection = filters.compile_filter(options.filter, index)
        self._vectors = vector_search.read(options.vector_queries, index)
        self._hybrid = hybrid.read(options.hybrid_search, is_hybrid=bool(options.search and self._vectors))
        self._vector_scores: ScoreRule = vector_scores
        self._scoring = scoring
        self._semantic = _configuration(index, options)
        self._debug = debugging.Debug(options, self._semantic)
        self._additions = Additions(index, options, self._query, self._fields)
        self._order = ordering.read(options.orderby, index.definition.paths) if options.orderby else ()
        self._ranker_away = ranker_away
        self.select = projection.shape(options.select or ("*",), index.definition)

    def run(self) -> ResultPage:
        skip, size = self._options.skip or 0, min(self._options.page, search_options.MAX_PAGE)
        question = self._question()
        needed = max(skip + size + 1, lexical_ranker.RANKED if question else 0)
        if self._order or self._additions.facets:
            needed = len(self._index) + 1
        recalled = self._recalled(needed)
        found = self._best(recalled, needed)
        total = self._total(found, needed) if self._options.count else None
        around = self._additions.counted(self._counted(found))
        if self._order:
            found = ordering.ordered(found, self._order, self._index.document)
        is_ranked = self._is_ranked(question)
        if question and self._semantic and is_ranked:
            found = self._reranked(question, self._semantic, found, recalled)
        ranked = [one.ordinal for one in found if one.reranked is not None]
        answered = self._additions.answered(question if is_ranked else None, self._semantic, ranked)
        page = found[skip : skip + size]
        told = self._told(page, recalled, ranked)
        return ResultPage(
            found=page,
            total=total,
            more=len(found) > skip + size,
            ranked_by=self._index.models.ranker.label if is_ranked else None,
            around={**around, **answered.around, **self._debug.around()},
            beside={one.ordinal: {**self._beside(one.ordinal, answered), **told[one.ordinal]} for one in page},
            missed=self._ranker_away if question else None,
        )

    def _is_ranked(self, question: str | None) -> bool:
        """Raises SearchServiceError 503 where the ranker is away and the caller wants that to be a failure."""
        if question is not None and self._ranker_away and self._options.semantic_error_handling == "fail":
            raise SearchServiceError(503, "ServiceUnavailable", f"Semantic ranking failed: {self._ranker_away}.")
        return question is not None and self._ranker_away is None

    def _beside(self, ordinal: int, answered: Answered) -> Mapping[str, Any]:
        return {**self._additions.highlighted(self._index.document(ordinal)), **answered.beside.get(ordinal, {})}

    def _told(
        self, page: Sequence[Found], recalled: Recalled, ranked: Sequence[int]
    ) -> Mapping[int, Mapping[str, Any]]:
        """What debug says of each document of the page."""
        documents = {one.ordinal: self._index.document(one.ordinal) for one in page}
        boosts = dict(zip(documents, self._scoring.multipliers(list(documents)).tolist(), strict=True))
        return self._debug.beside(documents, recalled, ranked, boosts)

    def _counted(self, found: Sequence[Found]) -> Iterable[int]:
        """The documents that facets count: all that match the text, and what vector queries found."""
        ordinals = [one.ordinal for one in found]
        is_hybrid = self._vectors and self._options.search
        if not is_hybrid or not self._hybrid.counts_all or not self._additions.facets:
            return ordinals
        return dict.fromkeys([*ordinals, *(one.ordinal for one in self._matching(len(self._index) + 1))])

    def _question(self) -> str | None:
        """What the semantic ranker is asked: nothing for an empty or `*` search without a query of its own."""
        if self._semantic is None:
            return None
        text = (self._options.semantic_query or self._options.search or "").strip()
        return None if text in ("", "*") else text

    def _best(self, recalled: Recalled, needed: int) -> list[Found]:
        """The best documents: at least `needed`, if there are so many. Vector queries find as many as they find."""
        found = recalled.fused(self._vector_scores)
        if self._scoring.boosts:
            found = self._scoring.best(found, None if self._vectors else needed)
        return _found(found)

    def _matching(self, needed: int) -> list[Found]:
        """The best `needed` documents by their text."""
        return _found(self._scored(needed))

    def _scored(self, needed: int) -> Scored:
        if self._selection.score is not None:
            return self._scored_by_filter(self._selection.score)[:needed]
        candidates = self._candidates(needed)
        passes, document = self._selection.passes, self._index.document
        if passes is not None:
            candidates = (one for one in candidates if passes(document(one[1])))
        return list(itertools.islice(candidates, needed))

    def _scored_by_filter(self, score: Score) -> Scored:
        """Every match. Without search text the searches within the filter are all there is to score."""
        passes, document = self._selection.passes, self._index.document
        base = 0.0 if isinstance(self._query, All) else 1.0
        found = [
            (base * own + score(document(ordinal)), ordinal)
            for own, ordinal in self._candidates(len(self._index) + 1)
            if passes is None or passes(document(ordinal))
        ]
        return sorted(found, key=lambda one: -one[0])

    def _recalled(self, needed: int) -> Recalled:
        """What the text found, and each vector query: not fused, and not boosted by a scoring profile."""
        if not self._vectors:
            return Recalled(self._scored(len(self._index) + 1 if self._scoring.boosts else needed))
        mode: FilterMode = self._options.vector_filter_mode or "preFilter"
        text = self._text_recalled() if self._options.search else None
        return Recalled(
            text, self._vectors, vector_search.lists(self._vectors, self._index, self._selection, mode=mode)
        )

    def _text_recalled(self) -> Scored:
        """The text's list in a fusion. A scoring profile says what is in it, and nothing of its order."""
        if not self._scoring.boosts:
            return self._scored(self._hybrid.text_recall)
        everything = self._scored(len(self._index) + 1)
        scores = {ordinal: score for score, ordinal in everything}
        return [(scores[one], one) for one in self._scoring.recalled(everything, self._hybrid.text_recall)]

    def _candidates(self, needed: int) -> Iterator[tuple[float, int]]:
        """Every match, best first. The text index is asked for more and more, as long as somebody takes them."""
        if isinstance(self._query, All):
            yield from ((1.0, ordinal) for ordinal in self._selection.candidates(self._index))
            return
        given, limit = 0, needed if self._selection.passes is None else 4 * needed
        while True:
            scored = self._index.text.search(
                self._query,
                fields=self._fields,
                mode=self._mode,
                limit=limit,
                within=self._selection.within,
                weights=self._scoring.weights,
            )
            yield from itertools.islice(scored, given, None)
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
        if not self._options.search or not self._hybrid.counts_all:
            return len(found)
        if any(ask.selection is not None for ask in self._vectors):  # then what they found need not pass the filter
            matching = self._matching(len(self._index) + 1)
            return len({one.ordinal for one in (*found, *matching)})
        text = self._matching(self._hybrid.text_recall + 1)
        if len(text) <= self._hybrid.text_recall:
            return len(found)
        near = self._index.text.among([one.ordinal for one in found])
        matched = self._index.text.count(self._query, fields=self._fields, mode=self._mode, within=near)
        return self._text_total() + len(found) - matched

    def _reranked(
        self, question: str, configuration: SemanticConfiguration, found: list[Found], recalled: Recalled
    ) -> list[Found]:
        """The best fifty by their semantic scores, in the text order among equals; the others as they were.

        Where the functions of a scoring profile have the last word, by what they make of those scores.
        """
        first = found[: lexical_ranker.RANKED]
        scored = reranking.Found(ordinals=[one.ordinal for one in first], recalled=recalled)
        scores = reranking.scores(self._index, self._options, scored, question=question, configuration=configuration)
        ranked = [Found(one.ordinal, one.score, score) for one, score in zip(first, scores, strict=True)]
        ranked.sort(key=lambda one: -(one.reranked or 0.0))
        if self._scoring.boosts and self._scoring.boosts_reranked:
            ranked = self._boosted(ranked, in_order=configuration.by_boosted)
        return ranked + found[lexical_ranker.RANKED :]

    def _boosted(self, ranked: list[Found], *, in_order: bool) -> list[Found]:
        multipliers = self._scoring.multipliers([one.ordinal for one in ranked]).tolist()
        boosted = [
            replace(one, boosted=(one.reranked or 0.0) * multiplier)
            for one, multiplier in zip(ranked, multipliers, strict=True)
        ]
        return sorted(boosted, key=lambda one: -(one.boosted or 0.0)) if in_order else boosted


def _found(scored: Scored) -> list[Found]:
    return [Found(ordinal, score) for score, ordinal in scored]


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
