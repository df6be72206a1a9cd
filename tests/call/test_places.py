"""The places of a follow-up's documents: few, at the end of the first ten, in order of score, and all accounted for."""

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from retrieval.call.places import chosen, placed
from retrieval.model.retrieval import Merged, Reference
from retrieval.model.search import Hit, SearchTarget
from retrieval.rules.follow_up import Linked

TARGET = SearchTarget(index="atlas", threshold=0)


def reference(key: str, score: float | None, *, subquery: int = 0, threshold: float = 0) -> Reference:
    target = SearchTarget(index="atlas", threshold=threshold)
    return Reference(hit=Hit(key=key, score=score), target=target, subquery=subquery)


def first(count: int) -> Merged:
    return Merged(references=tuple(reference(f"k{n}", 3 - n / 10) for n in range(count)), dropped=({},))


def second(*keys: str) -> Merged:
    return Merged(references=tuple(reference(key, None, subquery=1) for key in keys), dropped=({},))


def linked(*keys: str, score: float | None = 2.0, strength: float = 1.5, entitled: bool = False) -> tuple[Linked, ...]:
    found = (reference(key, score, subquery=1) for key in keys)
    return tuple(Linked(reference=one, strength=strength, entitled=entitled) for one in found)


def keys(merged: Merged) -> list[str]:
    return [one.hit.key for one in merged.references]


def test_three_linked_documents_follow_the_first_seven() -> None:
    merged = placed(first(12), second("a", "b", "c", "d"), linked("a", "b", "c", "d"))
    assert keys(merged)[:10] == [*(f"k{n}" for n in range(7)), "a", "b", "c"]
    assert keys(merged)[10:] == [f"k{n}" for n in range(7, 12)]
    assert merged.dropped[1] == {"limit": 1}


def test_two_more_have_places_where_a_name_is_their_title() -> None:
    names = ("a", "b", "c", "d", "e", "f")
    assert keys(placed(first(12), second(*names), linked(*names, entitled=True)))[5:10] == ["a", "b", "c", "d", "e"]


def test_a_doubt_keeps_what_the_first_round_found() -> None:
    assert placed(first(12), second("a"), linked("a", strength=0.9)).references == first(12).references


def test_few_documents_are_followed_by_those_that_are_linked() -> None:
    assert keys(placed(first(2), second("a"), linked("a"))) == ["k0", "k1", "a"]


def test_of_fewer_documents_a_share_is_for_the_follow_up() -> None:
    assert keys(placed(first(12), second("a", "b", "c"), linked("a", "b", "c"), most=4)) == ["k0", "k1", "k2", "a"]
    assert keys(placed(first(12), second("a"), linked("a"), most=1)) == ["k0"]


def test_what_is_below_its_threshold_is_counted_for_that() -> None:
    low = (Linked(reference=reference("a", 1.0, subquery=1, threshold=2), strength=2.0, entitled=True),)
    merged = placed(first(3), second("a"), low)
    assert (keys(merged), merged.dropped[1]) == (["k0", "k1", "k2"], {"threshold": 1})


def test_a_known_document_that_moves_up_is_credited_to_the_search_that_led_to_it() -> None:
    merged = placed(first(12), second("k11"), linked("k11"))
    assert keys(merged).index("k11") == 9
    assert merged.references[9].subquery == 1
    assert merged.dropped == ({"duplicate": 1}, {})


def test_a_known_document_that_is_linked_and_found_again_is_counted_for_the_search_that_found_it_again() -> None:
    known = Linked(reference=reference("k11", 1.9), strength=1.5, entitled=False)
    merged = placed(first(12), second("k11"), (known,))
    assert (keys(merged).index("k11"), merged.references[9].subquery) == (9, 0)
    assert merged.dropped == ({}, {"duplicate": 1})


def test_a_known_document_that_moves_up_loses_the_score_that_an_order_raised_it_to() -> None:
    raised = reference("best", 0.5)._replace(raised=1.0)
    found = Merged(references=(*first(4).references, raised, reference("next", 1.0)), dropped=({},))
    to_raised = Linked(reference=raised, strength=1.5, entitled=True)
    merged = placed(found, second("a"), (to_raised, *linked("a", entitled=True)), most=5)
    assert [(one.hit.key, one.score) for one in merged.references[3:]] == [("best", 2.7), ("a", 2.7)]


def test_unranked_documents_stay_unranked() -> None:
    unranked = Merged(references=tuple(reference(f"k{n}", None) for n in range(12)), dropped=({},))
    assert all(one.hit.score is None for one in placed(unranked, second("a"), linked("a")).references)


@given(
    st.lists(st.floats(0, 4), max_size=30),
    st.lists(st.tuples(st.integers(0, 40), st.floats(0, 4), st.floats(0, 3), st.booleans()), max_size=16),
    st.one_of(st.none(), st.integers(1, 20)),
)
def test_scores_never_rise_and_every_document_is_returned_or_counted(
    scores: list[float], found: list[tuple[int, float, float, bool]], most: int | None
) -> None:
    references = tuple(reference(f"k{n}", score) for n, score in enumerate(sorted(scores, reverse=True)))
    leads = {f"k{n}": (score, strength, entitled) for n, score, strength, entitled in found}
    more = second(*leads)
    links = tuple(
        Linked(reference=reference(key, score, subquery=1), strength=strength, entitled=entitled)
        for key, (score, strength, entitled) in sorted(leads.items(), key=lambda one: -one[1][1])
    )
    merged = placed(Merged(references=references, dropped=({},)), more, links, most=most)
    given_ = [one.hit.score for one in merged.references]
    assert given_ == sorted(given_, key=lambda score: -(score or 0))
    assert len({one.key for one in merged.references}) == len(merged.references) <= (most or 100)
    returned = Counter(one.subquery for one in merged.references)
    assert returned[0] + sum(merged.dropped[0].values()) == len(references)
    assert returned[1] + sum(merged.dropped[1].values()) == len(more.references)
    assert len(chosen(links, references, places=10)) <= 5
