"""The places of a follow-up's documents: few, by what leads to them, and all accounted for."""

from collections import Counter
from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from retrieval.model.retrieval import Merged, Reference
from retrieval.model.search import Hit, SearchTarget
from retrieval.retrieve.search.merge import KEPT, give_places, note_of_places
from retrieval.retrieve.search_for_names import Linked


def reference(key: str, score: float | None, *, subquery: int = 0, threshold: float = 0) -> Reference:
    target = SearchTarget(index="atlas", threshold=threshold)
    return Reference(hit=Hit(key=key, score=score), target=target, subquery=subquery)


def first(count: int) -> Merged:
    return Merged(references=tuple(reference(f"k{n}", 3 - n / 10) for n in range(count)), dropped=({},))


def second(*keys: str) -> Merged:
    return Merged(references=tuple(reference(key, None, subquery=1) for key in keys), dropped=({},))


def link(key: str, score: float | None, strength: float, *, entitled: bool, **place: float) -> Linked:
    """A document that no ranker scored, with the score of its link."""
    threshold, subquery = place.get("threshold", 0), int(place.get("subquery", 1))
    found = reference(key, None, subquery=subquery, threshold=threshold)
    return Linked(reference=found, score=score, strength=strength, entitled=entitled)


def linked(*keys: str, score: float | None = 2.0, strength: float = 1.5, entitled: bool = False) -> tuple[Linked, ...]:
    return tuple(link(key, score, strength, entitled=entitled) for key in keys)


def keys(merged: Merged) -> list[str]:
    return [one.hit.key for one in merged.references]


def both(*keys: str, links: Sequence[Linked], most: int | None = None) -> Merged:
    return give_places(first(12), second(*keys), links, most=most)


def test_three_linked_documents_follow_the_first_five() -> None:
    merged = both("a", "b", "c", "d", links=linked("a", "b", "c", "d"))
    assert keys(merged) == ["k0", "k1", "k2", "k3", "k4", "a", "b", "c", *(f"k{n}" for n in range(5, 12))]
    assert merged.dropped[1] == {"limit": 1}
    assert note_of_places(merged, first=1)[0].startswith("3 documents") and note_of_places(first(3), first=1) == ()


def test_the_strongest_comes_before_the_fifth_where_it_leads() -> None:
    links = (*linked("a", strength=1.6), *linked("b", strength=1.5), *linked("c", strength=1.5))
    assert keys(both("a", "b", "c", links=links))[:8] == ["k0", "k1", "k2", "k3", "a", "k4", "b", "c"]


def test_whose_title_is_a_name_comes_third() -> None:
    names = ("a", "b", "c", "d")
    merged = both(*names, links=(*linked("x"), *linked(*names, entitled=True)))
    assert keys(merged)[:8] == ["k0", "k1", "a", "b", "k2", "k3", "k4", "x"]
    merged = both(*names, links=linked(*names, entitled=True))
    assert keys(merged)[:8] == ["k0", "k1", "a", "b", "c", "k2", "k3", "k4"]


def test_few_documents_are_followed_by_those_that_are_linked() -> None:
    assert keys(give_places(first(2), second("a"), linked("a"))) == ["k0", "k1", "a"]


def test_a_document_at_its_place_has_the_score_of_a_ranker_or_none() -> None:
    merged = both("a", "b", links=(*linked("a", score=4.0, entitled=True), *linked("b", score=0.5)))
    scores = {one.hit.key: one.hit.score for one in merged.references}
    assert (scores["a"], scores["b"], scores["k0"]) == (None, None, 3.0)


def test_what_is_below_its_threshold_is_counted_for_that() -> None:
    low = (link("a", 1.0, 2.0, entitled=True, threshold=2),)
    merged = give_places(first(3), second("a"), low)
    assert (keys(merged), merged.dropped[1]) == (["k0", "k1", "k2"], {"threshold": 1})


def test_a_document_that_has_a_place_beyond_the_limit_has_that_reason() -> None:
    merged = both("a", "b", "c", links=linked("a", "b", "c"), most=6)
    assert keys(merged) == ["k0", "k1", "k2", "k3", "k4", "a"]
    assert {hit: reason for (_, hit), reason in merged.lost.items() if hit in "abc"} == {"b": "limit", "c": "limit"}


def test_a_known_document_that_moves_up_is_credited_to_the_search_that_led_to_it() -> None:
    merged = both("k11", links=linked("k11"))
    assert (keys(merged).index("k11"), merged.references[5].subquery) == (5, 1)
    assert merged.dropped == ({"duplicate": 1}, {})


def test_a_known_document_that_is_linked_and_found_again_is_counted_for_the_search_that_found_it_again() -> None:
    known = link("k11", 1.9, 1.5, entitled=False, subquery=0)
    merged = both("k11", links=(known,))
    assert (keys(merged).index("k11"), merged.references[5].subquery) == (5, 0)
    assert merged.dropped == ({}, {"duplicate": 1})


def test_a_limit_takes_of_each_search_in_turns_where_scores_are_not_of_one_ranker() -> None:
    references = tuple(reference(f"k{n}", 3 - n / 10, subquery=int(n > 7)) for n in range(10))
    found = Merged(references=references, dropped=({}, {}))
    entitled = link("a", 2.0, 1.5, entitled=True, subquery=2)
    more = Merged(references=(reference("a", None, subquery=2),), dropped=({},))
    assert keys(give_places(found, more, (entitled,), most=4)) == ["k0", "k1", "a", "k2"]
    assert keys(give_places(found, more, (entitled,), most=4, in_turns=True)) == ["k0", "k1", "a", "k8"]


@given(
    st.lists(st.floats(0, 4), max_size=30),
    st.lists(st.tuples(st.integers(0, 40), st.floats(0, 4), st.floats(0, 3), st.booleans()), max_size=16),
    st.one_of(st.none(), st.integers(1, 20)),
)
def test_every_document_is_returned_or_counted_whatever_is_placed(
    scores: list[float], found: list[tuple[int, float, float, bool]], most: int | None
) -> None:
    references = tuple(reference(f"k{n}", score) for n, score in enumerate(sorted(scores, reverse=True)))
    leads = {f"k{n}": (score, strength, entitled) for n, score, strength, entitled in found}
    more = second(*leads)
    links = tuple(
        link(key, score, strength, entitled=entitled)
        for key, (score, strength, entitled) in sorted(leads.items(), key=lambda one: -one[1][1])
    )
    once = Merged(references=references, dropped=({},))
    merged, whole = (give_places(once, more, links, most=limit) for limit in (most, None))
    assert len({one.key for one in merged.references}) == len(merged.references) <= (most or 100)
    returned = Counter(one.subquery for one in merged.references)
    assert returned[0] + sum(merged.dropped[0].values()) == len(references)
    assert returned[1] + sum(merged.dropped[1].values()) == len(more.references)
    assert keys(merged) == keys(whole)[:most], "the order does not depend on how many are asked for"
    assert {one.key for one in references[:KEPT]} <= {one.key for one in whole.references[:10]}
