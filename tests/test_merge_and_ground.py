"""Laws of merge, ground and account: nothing is lost, nothing is doubled, the order is the promised one."""

import json
from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st

from retrieval.account import account
from retrieval.ground import BYTES_PER_TOKEN, ground
from retrieval.merge import merge
from retrieval.model import Grounding, Hit, Page, RankerActivity, Reference, SearchActivity, Searched, Subquery

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)

scores = st.one_of(st.none(), st.floats(0, 4), st.sampled_from([0.0, 2.5, 4.0]))
texts = st.one_of(st.none(), st.text(max_size=40))
hits = st.builds(Hit, key=st.sampled_from("abcdefgh"), score=scores, title=texts, terms=texts, content=texts)
pages = st.builds(
    Page,
    hits=st.lists(hits, max_size=8, unique_by=lambda hit: hit.key).map(tuple),
    unreadable=st.integers(0, 2),
)
thresholds = st.floats(0, 4)
limits = st.one_of(st.none(), st.integers(0, 10))


def searched(page: Page) -> Searched:
    return Searched(subquery=Subquery(search="q", index="i"), page=page, started_at=NOON, elapsed_ms=1)


found = st.lists(pages.map(searched), min_size=1, max_size=4)


@given(found, thresholds, limits, st.integers(1, 200))
def test_every_document_found_is_returned_or_counted(
    found: list[Searched], threshold: float, limit: int | None, budget: int
) -> None:
    merged = merge(found, threshold=threshold, limit=limit)
    grounding = ground(merged.references, max_tokens=budget)
    *searches, ranker = account(found, planning=None, merged=merged, grounding=grounding, max_documents=None)
    assert isinstance(ranker, RankerActivity)
    for position, record in enumerate(searches):
        assert isinstance(record, SearchActivity)
        credited = sum(reference.subquery == position for reference in merged.references)
        gone = sum(count for reason, count in record.dropped.items() if reason != "budget")
        assert record.found == credited + gone
        assert record.dropped.get("budget", 0) <= credited
    over = sum(record.dropped.get("budget", 0) for record in searches if isinstance(record, SearchActivity))
    assert over == len(merged.references) - len(grounding.included)


@given(found, thresholds, limits)
def test_references_are_distinct_above_the_threshold_and_in_order(
    found: list[Searched], threshold: float, limit: int | None
) -> None:
    references = merge(found, threshold=threshold, limit=limit).references
    keys = [reference.hit.key for reference in references]
    assert len(set(keys)) == len(keys)
    ranked = [reference.hit.score for reference in references if reference.hit.score is not None]
    assert ranked == sorted(ranked, reverse=True)
    assert all(score >= threshold for score in ranked)
    unranked = [reference.hit.score is None for reference in references]
    assert unranked == sorted(unranked)
    assert limit is None or len(references) <= limit


@given(found, thresholds)
def test_a_document_that_any_sub_query_scored_is_judged_by_its_best_score(
    found: list[Searched], threshold: float
) -> None:
    kept = {reference.hit.key for reference in merge(found, threshold=threshold, limit=None).references}
    for key in {hit.key for one in found for hit in one.page.hits}:
        scores = [hit.score for one in found for hit in one.page.hits if hit.key == key and hit.score is not None]
        assert (key in kept) == (not scores or max(scores) >= threshold)


def test_equal_scores_are_ordered_by_sub_query_and_then_by_rank() -> None:
    first = Page(hits=(Hit(key="b", score=3.0), Hit(key="d", score=2.0), Hit(key="e", score=2.0)))
    second = Page(hits=(Hit(key="c", score=3.0), Hit(key="a", score=2.0)))
    merged = merge([searched(first), searched(second)], threshold=0, limit=None)
    assert [reference.hit.key for reference in merged.references] == ["b", "c", "d", "e", "a"]


@given(found)
def test_the_best_score_of_a_document_wins_and_is_credited_to_its_sub_query(found: list[Searched]) -> None:
    for reference in merge(found, threshold=0, limit=None).references:
        same = [hit for one in found for hit in one.page.hits if hit.key == reference.hit.key]
        best = max((hit.score for hit in same if hit.score is not None), default=None)
        assert reference.hit.score == best
        assert reference.hit in found[reference.subquery].page.hits


@given(found, st.permutations(range(4)))
def test_the_order_of_sub_queries_changes_no_score_that_is_kept(found: list[Searched], order: list[int]) -> None:
    shuffled = [found[position] for position in order if position < len(found)]
    kept = {ref.hit.key: ref.hit.score for ref in merge(found, threshold=1, limit=None).references}
    assert kept == {ref.hit.key: ref.hit.score for ref in merge(shuffled, threshold=1, limit=None).references}


references = st.lists(st.builds(Reference, hit=hits, subquery=st.just(0)), max_size=10)


@given(references, st.integers(1, 120))
def test_the_grounding_text_is_json_of_whole_documents_within_the_budget(
    references: list[Reference], budget: int
) -> None:
    grounding = ground(references, max_tokens=budget)
    assert len(grounding.text.encode("utf-8", "replace")) <= budget * BYTES_PER_TOKEN
    items = json.loads(grounding.text)
    assert [item["ref_id"] for item in items] == list(grounding.included)
    for item in items:
        hit = references[item.pop("ref_id")].hit
        fields = {"title": hit.title, "terms": hit.terms, "content": hit.content}
        assert item == {name: value for name, value in fields.items() if value is not None}


@given(references, st.integers(1, 120))
def test_only_a_document_larger_than_the_whole_budget_is_passed_over(references: list[Reference], budget: int) -> None:
    included = ground(references, max_tokens=budget).included
    alone = [bool(ground([reference], max_tokens=budget + 1).included) for reference in references]
    for position in range(max(included, default=0)):
        assert (
            position in included
            or not alone[position]
            or not ground([references[position]], max_tokens=budget).included
        )


def test_a_document_that_could_never_fit_does_not_hide_the_others() -> None:
    long, short = (Reference(hit=Hit(key=c, score=4.0, content=c * n), subquery=0) for c, n in (("a", 999), ("b", 9)))
    assert ground([long, short], max_tokens=20).included == (1,)


def test_nothing_found_is_an_empty_array() -> None:
    assert ground([], max_tokens=5000) == Grounding(text="[]", included=())


def test_ranking_is_counted_over_everything_scored_also_what_the_threshold_drops() -> None:
    page = Page(hits=(Hit(key="a", score=0.1, content="x" * 400), Hit(key="b", score=None, content="y" * 400)))
    merged = merge([searched(page)], threshold=2.5, limit=None)
    *_, ranker = account(
        [searched(page)], planning=None, merged=merged, grounding=ground((), max_tokens=1), max_documents=None
    )
    assert isinstance(ranker, RankerActivity)
    assert ranker.input_tokens == 1 + 100


def test_too_few_distinct_sub_queries_are_said() -> None:
    merged = merge([searched(Page())], threshold=0, limit=200)
    *_, ranker = account(
        [searched(Page())], planning=None, merged=merged, grounding=ground((), max_tokens=1), max_documents=200
    )
    assert isinstance(ranker, RankerActivity)
    assert ranker.warning is not None
    assert "takes 4 sub-queries; 1 distinct" in ranker.warning
