"""Laws of merge, ground and activity: nothing is lost, nothing is doubled, the order is the promised one."""

import json
from collections import Counter
from dataclasses import replace
from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st

from retrieval.model.activity import RankerActivity, SearchActivity
from retrieval.model.retrieval import Merged, Reference
from retrieval.model.search import Hit, Page, Recall, Searched, SearchTarget, Subquery
from retrieval.retrieve.grounding import Documents, activity_of, choose, text_of
from retrieval.retrieve.search.merge import merge
from retrieval.text.length import BYTES_PER_TOKEN, ranked_tokens, tokens

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)

scores = st.one_of(st.none(), st.floats(0, 4), st.sampled_from([0.0, 2.5, 4.0]))
texts = st.one_of(st.none(), st.text(max_size=40))
anything: dict[str, st.SearchStrategy[object]] = {
    "title": texts,
    "terms": texts,
    "content": texts,
    "source": st.just({}),
    "raised": st.none(),
}
hits = st.builds(Hit, key=st.sampled_from("abcdefgh"), score=scores, **anything)
pages = st.builds(
    Page,
    hits=st.lists(hits, max_size=8, unique_by=lambda hit: hit.key).map(tuple),
    unreadable=st.integers(0, 2),
    excluded=st.integers(0, 2),
    cut=st.booleans(),
)
limits = st.one_of(st.none(), st.integers(0, 10))


def targets(name: str) -> st.SearchStrategy[SearchTarget]:
    return st.builds(SearchTarget, index=st.just(name), threshold=st.floats(0, 4), max_documents=limits)


def searched(page: Page, target: SearchTarget) -> Searched:
    return Searched(subquery=Subquery(search="q", target=target), page=page, started_at=NOON, elapsed_ms=1)


@st.composite
def searches_of_targets(draw: st.DrawFn) -> list[Searched]:
    """Up to three targets, each with the same number of sub-queries, as the plan makes them."""
    names, count = draw(st.integers(1, 3)), draw(st.integers(1, 3))
    chosen = [draw(targets(name)) for name in "xyz"[:names]]
    return [searched(draw(pages), target) for target in chosen for _ in range(count)]


found = searches_of_targets()
ANYTHING = SearchTarget(index="i", threshold=0)


@given(found, st.integers(1, 200), st.one_of(st.none(), st.integers(1, 9)))
def test_every_document_found_is_returned_or_counted(found: list[Searched], budget: int, most: int | None) -> None:
    merged = merge(found)
    choice = choose(merged.references, max_tokens=budget, most=most)
    documents = Documents(searched=list(found), merged=merged, first=len(found))
    *searches, ranker = activity_of(documents, left_out=choice.left_out, usual=most, effort="low")
    assert isinstance(ranker, RankerActivity)
    for position, record in enumerate(searches):
        assert isinstance(record, SearchActivity)
        credited = sum(reference.subquery == position for reference in merged.references)
        not_in_text = record.dropped.get("budget", 0) + record.beyond
        assert record.found == credited + sum(record.dropped.values()) - not_in_text
        assert not_in_text <= credited and record.beyond <= record.dropped.get("limit", 0)
    records = [record for record in searches if isinstance(record, SearchActivity)]
    over = sum(record.dropped.get("budget", 0) + record.beyond for record in records)
    assert over == len(merged.references) - len(choice.documents)
    assert most is None or len(choice.documents) <= most


@given(found)
def test_references_are_distinct_within_their_target_and_in_order(found: list[Searched]) -> None:
    references = merge(found).references
    keys = [(reference.target.index, reference.hit.key) for reference in references]
    assert len(set(keys)) == len(keys)
    ranked = [reference.hit.score for reference in references if reference.hit.score is not None]
    assert ranked == sorted(ranked, reverse=True)
    unranked = [reference.hit.score is None for reference in references]
    assert unranked == sorted(unranked)


@given(found)
def test_each_target_has_its_own_threshold_and_limit(found: list[Searched]) -> None:
    references = merge(found).references
    for reference in references:
        score = reference.hit.score
        below = score is not None and score < reference.target.threshold
        assert not below or found[reference.subquery].page.cut
    for target in {one.subquery.target for one in found}:
        kept = sum(reference.target == target for reference in references)
        assert target.max_documents is None or kept <= target.max_documents


@given(found)
def test_a_target_gets_what_it_would_get_alone(found: list[Searched]) -> None:
    together = merge(found).references
    for target in {one.subquery.target for one in found}:
        alone = merge([one for one in found if one.subquery.target == target]).references
        assert [one.hit for one in alone] == [one.hit for one in together if one.target == target]


@given(st.lists(pages, min_size=1, max_size=4), st.floats(0, 4))
def test_a_document_that_any_sub_query_scored_is_judged_by_its_best_score(pages: list[Page], threshold: float) -> None:
    target = SearchTarget(index="i", threshold=threshold)
    found = [searched(replace(page, cut=False), target) for page in pages]
    kept = {reference.hit.key for reference in merge(found).references}
    for key in {hit.key for one in found for hit in one.page.hits}:
        scores = [hit.score for one in found for hit in one.page.hits if hit.key == key and hit.score is not None]
        assert (key in kept) == (not scores or max(scores) >= threshold)


def test_equal_scores_are_ordered_by_sub_query_and_then_by_rank() -> None:
    first = Page(hits=(Hit(key="b", score=3.0), Hit(key="d", score=2.0), Hit(key="e", score=2.0)))
    second = Page(hits=(Hit(key="c", score=3.0), Hit(key="a", score=2.0)))
    merged = merge([searched(first, ANYTHING), searched(second, ANYTHING)])
    assert [reference.hit.key for reference in merged.references] == ["b", "c", "d", "e", "a"]


@given(found)
def test_the_best_score_of_a_document_wins_and_is_credited_to_its_sub_query(found: list[Searched]) -> None:
    lenient = [_lenient(one) for one in found]
    for reference in merge(lenient).references:
        same = [one for one in lenient if one.subquery.target == reference.target]
        scores = [hit.score for one in same for hit in one.page.hits if hit.key == reference.hit.key]
        assert reference.hit.score == max((score for score in scores if score is not None), default=None)
        assert reference.hit in found[reference.subquery].page.hits
        assert found[reference.subquery].subquery.target.index == reference.target.index


@given(found, st.permutations(range(9)))
def test_the_order_of_sub_queries_changes_no_score_that_is_kept(found: list[Searched], order: list[int]) -> None:
    lenient = [_lenient(one) for one in found]
    shuffled = [lenient[position] for position in order if position < len(lenient)]
    kept = {(ref.target.index, ref.hit.key): ref.hit.score for ref in merge(lenient).references}
    assert kept == {(ref.target.index, ref.hit.key): ref.hit.score for ref in merge(shuffled).references}


def _lenient(one: Searched) -> Searched:
    return searched(one.page, SearchTarget(index=one.subquery.target.index, threshold=0))


@st.composite
def searches_of_sources(draw: st.DrawFn, *, limited: bool = True) -> list[Searched]:
    """Up to three sources over two indexes, some of which are not to be reranked."""
    names = "abc"[: draw(st.integers(1, 3))]
    chosen = [
        SearchTarget(
            index=draw(st.sampled_from("xy")),
            source=name,
            threshold=draw(st.floats(0, 4)),
            max_documents=draw(limits) if limited else None,
            recall=Recall(rerank=draw(st.booleans())),
        )
        for name in names
    ]
    return [searched(draw(pages), target) for target in chosen for _ in range(draw(st.integers(1, 3)))]


@given(searches_of_sources())
def test_every_document_of_every_source_is_returned_once_or_counted(found: list[Searched]) -> None:
    merged = merge(found)
    for position, (one, dropped) in enumerate(zip(found, merged.dropped, strict=True)):
        credited = sum(reference.subquery == position for reference in merged.references)
        assert one.page.found == credited + sum(dropped.values())
        assert one.subquery.target.recall.rerank or "threshold" not in dropped
    documents = [(reference.target.index, reference.hit.key) for reference in merged.references]
    assert len(set(documents)) == len(documents)
    kept = Counter(reference.target.source for reference in merged.references)
    for target in {one.subquery.target for one in found}:
        assert target.max_documents is None or kept[target.source] <= target.max_documents


@given(searches_of_sources(limited=False))
def test_where_a_source_is_not_reranked_the_sub_queries_take_turns(found: list[Searched]) -> None:
    turns: Counter[int] = Counter()
    rounds = []
    for reference in merge(found).references:
        rounds.append(turns[reference.subquery])
        turns[reference.subquery] += 1
    if not all(one.subquery.target.recall.rerank for one in found):
        assert rounds == sorted(rounds)
    for position, one in enumerate(found):
        if not one.subquery.target.recall.rerank:
            of_it = [ref.hit for ref in merge(found).references if ref.subquery == position]
            assert of_it == [hit for hit in one.page.hits if hit in of_it]


references = st.lists(st.builds(Reference, hit=hits, target=st.just(ANYTHING), subquery=st.just(0)), max_size=10)


@given(references, st.integers(1, 120))
def test_the_grounding_text_is_json_of_whole_documents_within_the_budget(
    references: list[Reference], budget: int
) -> None:
    documents = choose(references, max_tokens=budget).documents
    text = text_of(documents.items())
    assert len(text.encode("utf-8", "replace")) <= budget * BYTES_PER_TOKEN
    items = json.loads(text)
    assert [item["ref_id"] for item in items] == list(documents)
    for item in items:
        hit = references[item.pop("ref_id")].hit
        fields = {"title": hit.title, "terms": hit.terms, "content": hit.content}
        assert item == {name: value for name, value in fields.items() if value is not None}


@given(references, st.integers(1, 120))
def test_only_a_document_larger_than_the_whole_budget_is_passed_over(references: list[Reference], budget: int) -> None:
    included = choose(references, max_tokens=budget).documents
    alone = [bool(choose([reference], max_tokens=budget + 1).documents) for reference in references]
    for position in range(max(included, default=0)):
        assert (
            position in included
            or not alone[position]
            or not choose([references[position]], max_tokens=budget).documents
        )


def test_a_document_that_could_never_fit_does_not_hide_the_others() -> None:
    long, short = (Hit(key="a", score=4.0, content="a" * 999), Hit(key="b", score=4.0, content="b" * 9))
    references = [Reference(hit=hit, target=ANYTHING, subquery=0) for hit in (long, short)]
    assert list(choose(references, max_tokens=20).documents) == [1]


def test_nothing_found_is_an_empty_array() -> None:
    choice = choose([], max_tokens=5000)
    assert (text_of(choice.documents.items()), choice.left_out) == ("[]", {})


def test_ranking_is_counted_over_everything_scored_also_what_the_threshold_drops() -> None:
    page = Page(hits=(Hit(key="a", score=0.1, content="x" * 400), Hit(key="b", score=None, content="y" * 400)))
    ranker = ranking([searched(page, SearchTarget(index="i", threshold=2.5))])
    assert ranker.input_tokens == 1 + 100


long_texts = st.builds(
    lambda text, times: text * times, st.text(min_size=1, max_size=40), st.sampled_from([1, 50, 999])
)


@given(st.lists(st.builds(Hit, key=st.just("a"), **{**anything, "content": long_texts, "terms": texts | long_texts})))
def test_a_summary_of_a_document_has_its_texts_and_at_most_2048_tokens(hits: list[Hit]) -> None:
    summaries = [sum(map(tokens, (hit.title, hit.terms, hit.content))) for hit in hits if hit.score is not None]
    assert ranked_tokens("query", hits) == sum(tokens("query") + min(summary, 2_048) for summary in summaries)


def test_too_few_distinct_sub_queries_are_said() -> None:
    ranker = ranking([searched(Page(), SearchTarget(index="atlas", threshold=0, max_documents=200))])
    assert ranker.warning is not None
    assert "documents of 'atlas' takes 4 sub-queries; 1 distinct" in ranker.warning


def test_what_a_target_could_not_do_is_said_for_each_target() -> None:
    atlas, base = (SearchTarget(index=name, threshold=2.5, max_documents=100) for name in ("atlas", "base"))
    two_of_each = [searched(Page(), atlas)] * 2 + [searched(Page(most=20, cut=True), base)] * 2
    assert ranking(two_of_each).warning == (
        "Ranking 100 documents of 'base' takes 5 sub-queries; 2 distinct could be planned, so at most 40 documents "
        "were ranked. 'base' applied its own threshold; that of the request, 2.5, was not applied to it."
    )


def ranking(found: list[Searched]) -> RankerActivity:
    merged = Merged(references=(), dropped=tuple({} for _ in found))
    documents = Documents(searched=list(found), merged=merged, first=len(found))
    *_, ranker = activity_of(documents, left_out={}, effort="low")
    assert isinstance(ranker, RankerActivity)
    return ranker
