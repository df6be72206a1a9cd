"""A round of retrieval for an answer: each query in each target at once, the documents as chunks, all counted."""

import asyncio
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, TypeAlias

from retrieval import telemetry
from retrieval.answer import AnswerRequest, Chunk, Gathered, OmitReason, QueryPlan, RoundActivity
from retrieval.errors import BackendRefused, BackendTimeout, RetrievalFailed, UnsupportedFilter
from retrieval.filters.tree import all_of
from retrieval.merge import merge
from retrieval.model import DropReason, SearchActivity, Searched, SearchTarget, Subquery
from retrieval.model_calls import ModelCalls
from retrieval.pipeline import search_all
from retrieval.ports import Clock, SearchIndex
from retrieval.steps import chunks, selection

NOTHING_LEFT: Final = "The filter of the plan left nothing, so the search was made again without it."
ONE_INDEX: Final = "The filter of the plan is about the fields of {index!r} and held there alone."
CANNOT_SAY: Final = "The index cannot answer the filter of the plan, so the search was made without it."

MOST_CHUNKS: Final = 16
CHUNK_TOKENS: Final = 8_000

Counts: TypeAlias = Counter[DropReason | OmitReason]


@dataclass(frozen=True, slots=True, kw_only=True)
class Round:
    """What a round found. `searched` holds the searches whose documents went on.

    `given_up` says why these were made without the plan's filter, where it had one.
    """

    searched: tuple[Searched, ...]
    gathered: Gathered
    given_up: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """The searches with one filter, and what they came to."""

    searched: tuple[Searched, ...]
    gathered: Gathered
    dropped: tuple[Mapping[DropReason, int], ...]

    @property
    def omitted(self) -> Counts:
        """Documents that became no chunk, by reason."""
        counts: Counts = Counter(self.gathered.omitted)
        for of_search in self.dropped:
            counts.update(of_search)
        return counts


class Rounds:
    """Retrieves for one call, until a time of the loop, and records it. The filter of the plan may be given up."""

    def __init__(self, request: AnswerRequest, calls: ModelCalls, *, index: SearchIndex, clock: Clock) -> None:
        self._request = request
        self._calls = calls
        self._index = index
        self._clock = clock

    async def retrieve(self, plan: QueryPlan, *, until: float, known: Sequence[Chunk] = (), round: int = 0) -> Round:
        """Raises RetrievalFailed where every search of the first round failed, other than by our own time limit.

        Raises UnsupportedFilter for a filter of the caller that a target cannot say.
        """
        start = asyncio.get_running_loop().time()
        with telemetry.step("round", attributes={telemetry.ROUND: round}) as step:
            attempts, notes = await self._attempts(plan, until=until, known=known, round=round)
            gathered = sum(len(one.gathered.chunks) for one in attempts)
            step.set({telemetry.QUERIES: len(plan.queries), telemetry.GATHERED: gathered})
        if any(isinstance(one.error, BackendTimeout) for one in attempts[-1].searched):
            self._calls.ended_by.add("runtime")
        self._record(attempts, start=start, round=round, notes=notes)
        if round == 0:
            _check(attempts[-1].searched)
        given_up = next((note for note in notes if note in (NOTHING_LEFT, CANNOT_SAY)), None)
        return Round(searched=attempts[-1].searched, gathered=attempts[-1].gathered, given_up=given_up)

    async def _attempts(
        self, plan: QueryPlan, *, until: float, known: Sequence[Chunk], round: int
    ) -> tuple[list[Attempt], tuple[str, ...]]:
        bare = replace(plan, filter=None)
        if plan.filter is None:
            return [await self._attempt(bare, until=until, known=known, round=round)], ()
        try:
            first = await self._attempt(plan, until=until, known=known, round=round)
        except UnsupportedFilter:
            return [await self._attempt(bare, until=until, known=known, round=round)], (CANNOT_SAY,)
        if first.gathered.chunks or not _may_be_the_filter(first.searched):
            return [first], self._where(plan)
        return [first, await self._attempt(bare, until=until, known=known, round=round)], (NOTHING_LEFT,)

    def _where(self, plan: QueryPlan) -> tuple[str, ...]:
        """With other targets beside the one that the filter is about, a note."""
        return (ONE_INDEX.format(index=plan.filter_index),) if len(self._request.targets) > 1 else ()

    async def _attempt(self, plan: QueryPlan, *, until: float, known: Sequence[Chunk], round: int) -> Attempt:
        subqueries = [
            Subquery(
                search=planned.query,
                target=_filtered(target, plan),
                history=plan.history,
                user_token=self._request.user_token,
            )
            for target in self._request.targets
            for planned in plan.queries
        ]
        searched = await search_all(self._index, subqueries, deadline=until, clock=self._clock)
        with telemetry.step("merge"):
            merged = merge(searched)
        references = selection.turns(merged.references) if plan.by == "model" else merged.references
        tokens = CHUNK_TOKENS if self._calls.model is None else int(CHUNK_TOKENS * self._calls.scale)
        gathered = chunks.gather(references, known=known, most=MOST_CHUNKS, tokens=tokens, round=round)
        return Attempt(searched=tuple(searched), gathered=gathered, dropped=merged.dropped)

    def _record(self, attempts: Sequence[Attempt], *, start: float, round: int, notes: tuple[str, ...]) -> None:
        calls, omitted = self._calls, sum((one.omitted for one in attempts), start=Counts())
        searches = [
            SearchActivity(searched=searched, found=searched.page.found, dropped=dropped)
            for one in attempts
            for searched, dropped in zip(one.searched, one.dropped, strict=True)
        ]
        calls.activity.append(
            RoundActivity(
                round=round,
                started_ms=calls.at(start),
                elapsed_ms=calls.at(asyncio.get_running_loop().time()) - calls.at(start),
                searches=tuple(searches),
                found=sum(search.found for search in searches),
                omitted={reason: count for reason, count in omitted.items() if count},
                gathered=sum(len(one.gathered.chunks) for one in attempts),
                notes=notes,
            )
        )


def _filtered(target: SearchTarget, plan: QueryPlan) -> SearchTarget:
    if plan.filter is None or target.index != plan.filter_index:
        return target
    return replace(target, filter=all_of([one for one in (target.filter, plan.filter) if one is not None]))


def _may_be_the_filter(searched: Sequence[Searched]) -> bool:
    """Whether nothing came because of the filter: a search answered, or the service refused what it was asked."""
    return any(one.error is None or isinstance(one.error, BackendRefused) for one in searched)


def _check(searched: Sequence[Searched]) -> None:
    errors = [one.error for one in searched if one.error is not None]
    if len(errors) == len(searched) and not all(isinstance(error, BackendTimeout) for error in errors):
        raise RetrievalFailed(errors)
