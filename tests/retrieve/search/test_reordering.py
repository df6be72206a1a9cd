"""The order beyond scores: what a model selected, the best of each query, and the turns of searches."""

from hypothesis import example, given
from hypothesis import strategies as st

from retrieval.model.retrieval import Merged, Reference
from retrieval.model.search import Hit, Page, Recall, Searched, SearchTarget, Subquery
from retrieval.retrieve.search.merge import best_of_each, in_order, in_turns
from tests.answer.found import NOON

TARGET = SearchTarget(index="atlas", threshold=1.0)
scores = st.one_of(st.none(), st.floats(1, 4))
places = st.lists(st.integers(0, 5), max_size=6)


def reference(key: str, score: float | None, *, target: SearchTarget = TARGET, subquery: int = 0) -> Reference:
    return Reference(hit=Hit(key=key, score=score), target=target, subquery=subquery)


def searched(query: str, *keys: str) -> Searched:
    page = Page(hits=tuple(Hit(key=key, score=1.0) for key in keys))
    return Searched(subquery=Subquery(search=query, target=TARGET), page=page, started_at=NOON, elapsed_ms=1)


def merged(*references: Reference) -> Merged:
    return Merged(references=references, dropped=({},))


def keys(found: Merged) -> list[str]:
    return [reference.hit.key for reference in found.references]


def test_who_comes_first_keeps_its_own_score() -> None:
    found = in_order(merged(reference("a", 3.0), reference("b", 2.0), reference("c", 1.5)), [("atlas", "c")])
    assert [(one.hit.key, one.hit.score) for one in found.references] == [("c", 1.5), ("a", 3.0), ("b", 2.0)]


def test_searches_take_turns_beginning_with_that_of_the_best_document_each_with_its_best_first() -> None:
    found = [("a", 2.2, 0), ("b", 2.5, 1), ("c", 2.1, 0), ("d", 2.4, 1), ("e", 2.3, 1), ("f", None, 2), ("g", None, 1)]
    references = [reference(key, score, subquery=subquery) for key, score, subquery in found]
    assert [one.hit.key for one in in_turns(references)] == ["b", "a", "d", "c", "e", "g", "f"]


def test_what_a_source_leaves_in_the_order_of_its_search_stays() -> None:
    plain = SearchTarget(index="atlas", threshold=0, recall=Recall(rerank=False))
    found = merged(reference("a", None, target=plain), reference("b", None, target=plain))
    assert in_order(found, [("atlas", "b")]) == found


def test_the_best_document_of_each_query_comes_before_the_second_of_any() -> None:
    references = [reference(key, score) for key, score in (("a", 3.9), ("b", 3.8), ("c", 3.7), ("d", 1.2), ("e", 1.1))]
    first = best_of_each(references, [searched("one part", "a", "b", "c"), searched("the other", "a", "d", "e")])
    assert first == (("atlas", "a"),)
    first = best_of_each(
        references, [searched("one part", "a", "b", "c"), searched("the other", "gone", "d", "e", "b")]
    )
    assert keys(in_order(merged(*references), first)) == ["a", "d", "b", "c", "e"]


def test_one_query_leaves_the_order_of_scores() -> None:
    assert best_of_each([reference("a", 3.0)], [searched("all", "a"), searched("all", "a")]) == ()


@example([3.0, 2.5, 1.0], [2], [0, 1])
@given(st.lists(scores, max_size=6), places, places)
def test_whatever_came_first_before_no_score_changes_and_unranked_documents_stay_last(
    given: list[float | None], earlier: list[int], first: list[int]
) -> None:
    by_score = sorted(given, key=lambda score: -(score or 0.0))
    before = merged(*(reference(f"k{place}", score) for place, score in enumerate(by_score)))
    once = in_order(before, [("atlas", f"k{place}") for place in earlier])
    after = in_order(once, [("atlas", f"k{place}") for place in first])
    unranked = [one.hit.score is None for one in after.references]
    assert sorted(after.references, key=repr) == sorted(before.references, key=repr)
    assert unranked == sorted(unranked)
    wanted = [key for place in dict.fromkeys(first) if (key := f"k{place}") in keys(before)]
    ranks = {one.hit.key: one.hit.score is None for one in before.references}
    assert [key for key in keys(after) if key in wanted] == sorted(wanted, key=lambda key: ranks[key])
