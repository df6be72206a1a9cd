"""Answers of every kind, more and stranger than a run makes them: long lists, unknown ids, half surrogate pairs."""

from collections import Counter
from datetime import UTC, datetime
from typing import Final, TypeVar, get_args

from hypothesis import strategies as st

from retrieval.errors import BackendThrottled, BackendTimeout, BackendUnavailable, BadModelReply, RankerAway
from retrieval.filters.tree import Compare, Filter, Path, String
from retrieval.model.activity import (
    AnswerActivity,
    By,
    DropReason,
    Limit,
    OmitReason,
    RoundActivity,
    SearchActivity,
    Step,
    StepActivity,
)
from retrieval.model.answer import (
    Answer,
    Citation,
    Evidence,
    Judgement,
    KeyPoint,
    QueryResult,
    Removed,
    RemovedKind,
    RouteDecision,
    Selected,
    Unfounded,
    Unquoted,
    Written,
)
from retrieval.model.retrieval import Chunk, PlannedQuery, QueryPlan, Reference
from retrieval.model.search import Hit, Page, Searched, SearchTarget, Subquery

NOW: Final = datetime(2026, 11, 20, 19, 17, 17, tzinfo=UTC)

Value = TypeVar("Value")

texts: Final = st.text(st.characters(exclude_categories=()), max_size=12)
counts: Final = st.integers(0, 50)
milliseconds: Final = st.integers(0, 230_000)
by: Final = st.sampled_from(get_args(By))


def many(of: st.SearchStrategy[Value], most: int) -> st.SearchStrategy[tuple[Value, ...]]:
    return st.lists(of, max_size=most).map(tuple)


def chunk(number: int, *, text: str, source: str = "", score: float | None = 2.0, round: int = 0) -> Chunk:
    """The chunk `c<number>` of the index `atlas`."""
    target = SearchTarget(index="atlas", threshold=0)
    reference = Reference(hit=Hit(key=f"k{number}", score=score), target=target, subquery=0)
    return Chunk(id=f"c{number}", source=source or f"k{number}", text=text, reference=reference, round=round)


ids: Final = st.integers(1, 30).map("c{}".format)
chunks: Final = st.builds(
    chunk,
    st.integers(1, 26),
    text=texts,
    source=texts,
    score=st.none() | st.floats(0, 4) | st.just(3),
    round=st.sampled_from([0, 1]),
)
planned: Final = st.builds(PlannedQuery, query=texts, goal=texts)
_routes: Final = st.builds(RouteDecision, run_rag=st.booleans(), reply=texts, by=by, notes=many(texts, 2))
_plans: Final = st.builds(
    QueryPlan, queries=many(planned, 6), filter_text=texts | st.just(""), by=by, notes=many(texts, 2)
)
_results: Final = st.builds(QueryResult, query=planned, chunks=many(chunks, 26))
_evidence: Final = st.just(Evidence()) | st.builds(
    Evidence,
    sufficient=st.booleans(),
    confidence=st.none() | st.floats() | st.floats(0, 1),
    key_points=many(st.builds(KeyPoint, text=texts, chunks=many(ids, 3)), 12),
    missing=many(texts, 6),
    follow_ups=many(planned, 6),
    by=by,
)
_judgements: Final = st.builds(
    Judgement,
    selected=many(st.builds(Selected, chunk=chunks, rationale=texts), 12),
    evidence=_evidence,
    notes=many(texts, 2),
)
_citations: Final = st.builds(Citation, chunk=ids) | st.builds(
    Citation, chunk=ids, quote=texts, start=counts, end=counts
)
_removed: Final = st.builds(Removed, kind=st.sampled_from(get_args(RemovedKind)), text=texts, reason=texts)
_unquoted: Final = st.builds(Unquoted, text=texts, chunks=many(ids, 3))
_unfounded: Final = st.builds(Unfounded, figure=texts, text=texts, chunks=many(ids, 3))
written: Final = st.builds(
    Written,
    markdown=texts,
    citations=many(_citations, 15),
    removed=many(_removed, 3),
    unquoted=many(_unquoted, 3),
    unfounded=many(_unfounded, 3),
    by=by,
)

_failures: Final = st.one_of(
    st.builds(BackendTimeout, texts, seconds=st.floats(0, 230)),
    st.builds(BackendThrottled, texts),
    st.builds(BackendUnavailable, texts, texts),
)
_steps: Final = st.builds(
    StepActivity,
    step=st.sampled_from(get_args(Step)),
    by=by,
    prompt=st.none() | texts,
    started_ms=milliseconds,
    elapsed_ms=milliseconds,
    input_tokens=counts,
    output_tokens=counts,
    error=st.none() | _failures | st.builds(BadModelReply, texts),
    skipped=st.none() | st.sampled_from(get_args(Limit)),
    notes=many(texts, 2),
)
_dropped: Final = st.dictionaries(st.sampled_from(get_args(DropReason)), counts)
_omitted: Final = st.dictionaries(st.sampled_from(get_args(OmitReason)), counts)
_filters: Final[st.SearchStrategy[Filter | None]] = st.none() | st.just(Compare(Path(("kind",)), "eq", String("road")))


def search(
    query: str,
    *,
    returned: int,
    dropped: dict[DropReason, int] | None = None,
    filter: Filter | None = None,
    error: BackendTimeout | BackendThrottled | BackendUnavailable | None = None,
    unranked: RankerAway | None = None,
    elapsed_ms: int = 40,
) -> SearchActivity:
    """A search of which so many documents went on."""
    counted = dropped or {}
    target = SearchTarget(index="atlas", threshold=0, filter=filter)
    searched = Searched(
        subquery=Subquery(search=query, target=target),
        page=Page(unranked=unranked),
        error=error,
        started_at=NOW,
        elapsed_ms=elapsed_ms,
    )
    return SearchActivity(searched=searched, found=returned + sum(counted.values()), dropped=counted)


def counted(
    searches: tuple[SearchActivity, ...],
    *,
    gathered: int,
    omitted: dict[OmitReason, int] | None = None,
    round: int = 0,
    started_ms: int = 0,
    elapsed_ms: int = 0,
    notes: tuple[str, ...] = (),
) -> RoundActivity:
    """A round of searches: of what they returned, `gathered` became chunks, and the rest is in `omitted`."""
    every: Counter[DropReason | OmitReason] = Counter(omitted or {})
    for one in searches:
        every.update(one.dropped)
    return RoundActivity(
        round=round,
        started_ms=started_ms,
        elapsed_ms=elapsed_ms,
        searches=searches,
        found=gathered + sum(every.values()),
        omitted=dict(every),
        gathered=gathered,
        notes=notes,
    )


_searches: Final = st.builds(
    search,
    texts,
    returned=counts,
    dropped=_dropped,
    filter=_filters,
    error=st.none() | _failures,
    unranked=st.none() | st.builds(RankerAway, texts, cause=texts),
    elapsed_ms=milliseconds,
)
_rounds: Final = st.builds(
    counted,
    many(_searches, 4),
    gathered=counts,
    omitted=_omitted,
    round=st.sampled_from([0, 1]),
    started_ms=milliseconds,
    elapsed_ms=milliseconds,
    notes=many(texts, 2),
)
activities: Final[st.SearchStrategy[AnswerActivity]] = _steps | _rounds

answers: Final = st.builds(
    Answer,
    route=_routes,
    plan=st.none() | _plans,
    results=many(_results, 6),
    judgement=st.none() | _judgements,
    written=written,
    ended_by=many(st.sampled_from(get_args(Limit)), 2),
    activity=many(activities, 6),
)


def crowded(*, confidence: float = 0.5) -> Answer:
    """An answer with more of everything than the six payloads have room for, all of it different."""
    found = tuple(chunk(number, text=f"t{number}", source=f"s{number}") for number in range(1, 27))
    queries = tuple(PlannedQuery(query=f"q{number}", goal=f"g{number}") for number in range(6))
    evidence = Evidence(
        sufficient=False,
        confidence=confidence,
        key_points=tuple(KeyPoint(text=f"p{one.id}", chunks=(one.id,)) for one in found),
        missing=tuple(f"m{number}" for number in range(6)),
        follow_ups=queries,
        by="model",
    )
    return Answer(
        route=RouteDecision(run_rag=True, by="model"),
        plan=QueryPlan(queries=queries, by="model"),
        results=(QueryResult(query=queries[0], chunks=found),),
        judgement=Judgement(selected=tuple(Selected(chunk=one) for one in found), evidence=evidence),
        written=Written(markdown="x", citations=tuple(Citation(chunk=one.id) for one in found), by="model"),
    )
