"""Facets that a question names: what counts as named, and what it changes of the scores. The values that a prompt
shows: those that the conversation could mean first, and none in parts."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.model.search import Facets, Hit, Page, Preference, SearchTarget
from retrieval.retrieve.plan.facet_preferences import SHARE, facts_of, preferences_of, values_to_show, with_preferences
from tests.processor import process_time

FACETS = Facets(
    values={
        "source": ("The Harbour Post", "Tidings", "ReefWatch.net", "Coast News - Weather", "It Is"),
        "category": ("sports", "open water", "技术", "เทคโนโลยี"),
        "year": ("2021", "2023"),
        "id": ("1204", "2300000"),
    },
    dates=("published_at",),
)


def said(question: str) -> dict[str, set[str]]:
    return {one.field: {*one.values, *one.years} for one in preferences_of(question, FACETS)}


@pytest.mark.parametrize(
    ("question", "fields"),
    [
        ("What did the Harbour Post write?", {"source": {"The Harbour Post"}}),
        ("Who, says Coast News, saw the storm?", {"source": {"Coast News - Weather"}}),
        ("Did ReefWatch see the storm?", {"source": {"ReefWatch.net"}}),
        ("ReefWatch or Tidings?", {"source": {"ReefWatch.net", "Tidings"}}),
        ("Which tidings came?", {}),
        ("Tidings of the storm?", {}),
        ("What does 'tidings' say?", {"source": {"Tidings"}}),
        ("'Tidings' of the storm?", {"source": {"Tidings"}}),
        ("Que dit l'tidings ?", {}),
        ("Que dit l’tidings ?", {}),
        ("Which sports are for winter?", {}),
        ("What is new in the sports category?", {"category": {"sports"}}),
        ("category sports, please", {"category": {"sports"}}),
        ("Who swims in open water?", {"category": {"open water"}}),
        ("It is cold", {}),
        ("技术部门在哪里？", {"category": {"技术"}}),
        ("แผนกเทคโนโลยีอยู่ที่ไหน", {"category": {"เทคโนโลยี"}}),
        ("What happened in 2023?", {"year": {"2023"}, "published_at": {"2023"}}),
        ("What of number 1204?", {}),
        ("How much are 20230 euros?", {}),
        ("", {}),
    ],
)
def test_a_value_is_named_where_there_is_no_doubt(question: str, fields: dict[str, set[str]]) -> None:
    assert said(question) == fields


def test_in_german_a_capital_alone_makes_no_name() -> None:
    facets = Facets(values={"abteilung": ("Technik",)})
    assert preferences_of("Wie arbeitet die Technik in diesem Haus?", facets) == ()
    assert len(preferences_of("Wie arbeitet die Abteilung Technik in diesem Haus?", facets)) == 1


def page(*scores: float | None, source: str = "ab") -> Page:
    hits = (
        Hit(key=str(n), score=score, source={"id": str(n), "kind": source[n % len(source)]})
        for n, score in enumerate(scores)
    )
    return Page(hits=tuple(hits))


A = Preference(field="kind", values=frozenset("a"))
TARGET = SearchTarget(index="tides", threshold=1.0, preferences=(A,))


def test_a_document_gets_a_part_of_what_it_lacks_and_its_field_is_not_shown() -> None:
    found = with_preferences(page(2.0, 3.0), TARGET)
    assert [(one.score, one.placing) for one in found.hits] == [(3.0, 3.0), (2.0, 2.0 + SHARE)]
    assert [dict(one.source) for one in found.hits] == [{"id": "1"}, {"id": "0"}]
    assert found.preferred == 1


def test_a_field_that_is_asked_for_stays() -> None:
    found = with_preferences(page(2.0, 3.0), replace(TARGET, fields=("kind",)))
    assert [one.source["kind"] for one in found.hits] == ["b", "a"]


def test_a_document_of_two_named_facets_comes_before_a_document_of_one() -> None:
    both = replace(TARGET, preferences=(A, Preference(field="id", values=frozenset("0"))))
    assert [one.key for one in with_preferences(page(2.0, 2.1, 3.0, source="aab"), both).hits] == ["2", "0", "1"]


def test_of_documents_with_the_same_score_the_preferred_is_first() -> None:
    assert [one.key for one in with_preferences(page(3.0, 3.0, 1.0, source="bab"), TARGET).hits] == ["1", "0", "2"]


def test_years_are_those_at_the_beginning_of_a_date() -> None:
    hits = tuple(Hit(key=key, score=score, source={"at": f"{key}-04-01T00:00:00Z"}) for key, score in YEARS)
    target = replace(TARGET, preferences=(Preference(field="at", years=frozenset({"2021"})),))
    assert [one.placing for one in with_preferences(Page(hits=hits), target).hits] == [3.0, 2.0 + SHARE]


YEARS = (("2023", 3.0), ("2021", 2.0))

SCORES = st.lists(st.none() | st.floats(0, 4), max_size=12)


@given(SCORES, st.text("ab", min_size=1, max_size=12), st.floats(0, 4))
def test_laws_of_a_preference(scores: list[float | None], kinds: str, threshold: float) -> None:
    """Nothing is lost, the score is the ranker's own; the placing score is not lower, passes neither the best nor the
    threshold, and is not given where there was none."""
    before = page(*scores, source=kinds)
    found = with_preferences(before, replace(TARGET, threshold=threshold))
    assert {one.key: one.score for one in found.hits} == {one.key: one.score for one in before.hits}
    kept = {one.key: one.placing for one in found.hits}
    assert kept.keys() == {one.key for one in before.hits}
    best = max((one for one in scores if one is not None), default=0.0)
    for old, new in zip(scores, (kept[one.key] for one in before.hits), strict=True):
        if old is None:
            assert new is None
        else:
            assert new is not None and old <= new <= max(best, old) + 1e-9
            assert (old >= threshold) is (new >= threshold)


@given(SCORES, st.sampled_from("ab"))
def test_what_all_documents_have_or_none_changes_nothing(scores: list[float | None], kind: str) -> None:
    before = page(*scores, source=kind)
    found = with_preferences(before, TARGET)
    assert [one.score for one in found.hits] == scores and found.preferred == 0


@given(st.text(max_size=300), st.lists(st.text(max_size=100), max_size=20))
def test_any_question_and_any_values_can_be_read(question: str, values: list[str]) -> None:
    for one in preferences_of(question, Facets(values={"a_b": tuple(values)}, dates=("at",))):
        assert one.values <= set(values)


def test_a_question_that_repeats_a_value_takes_no_moment() -> None:
    sections = tuple(f"Daily News - Section {number}" for number in range(300))
    facets = Facets(values={f"source_{number}": sections for number in range(20)})
    preferences_of("warm", facets)
    begun = process_time()
    found = preferences_of("Daily News " * 4_000, facets)
    assert process_time() - begun < 0.05
    assert sum(len(one.values) for one in found) == 6_000


PAPERS = ("Reef Tidings", "Cape Courier", "theverge.com", "Sporting News", "Zeitung für Bäume", "朝日新聞", "The Age")
OF_PAPERS = Facets(values={"paper": PAPERS, "year": ("2019", "2020", "2021", "2022")}, languages=("en", "de"))


@pytest.mark.parametrize(
    ("said", "first"),
    [
        ("What did the Sporting News write of Bonds?", "Sporting News"),
        ("what did sporting news write", "Sporting News"),
        ("What does The Verge say of phones?", "theverge.com"),
        ("Was schrieb die Zeitung für Bäume?", "Zeitung für Bäume"),
        ("朝日新聞は何と書いたか", "朝日新聞"),
        ("What was in the Courier?", "Cape Courier"),
    ],
)
def test_a_value_that_the_question_names_comes_first(said: str, first: str) -> None:
    values = facts_of([OF_PAPERS], said)["values"]
    assert isinstance(values, dict) and values["paper"][0] == first
    assert len(values["paper"]) == 3 and values["year"] == ["2019", "2020", "2021"]


def test_a_value_is_named_wherever_it_stands_among_many_fields_and_values() -> None:
    many = {f"f{number}": tuple(f"word{number}x{value}" for value in range(300)) for number in range(19)}
    values = facts_of([Facets(values={**many, "last": (*many["f1"], "Rare Gazette")})], "In the Rare Gazette?")[
        "values"
    ]
    assert isinstance(values, dict) and len(values) == 8 and values["last"][0] == "Rare Gazette"


def test_an_address_is_shown_whole_where_it_is_meant_and_else_not_at_all() -> None:
    short, long = "https://example.com/roads", "https://example.com/" + "x" * 100
    facets = Facets(values={"url": (long, short, "example.com/fords"), "title": ("word " * 30, "Roads")})
    assert facts_of([facets], "Which example?") == {"values": {"title": ["Roads"]}}
    assert facts_of([facets], f"What does {short} say?")["values"] == {"url": [short], "title": ["Roads"]}
    assert facts_of([facets], "tolls") == {"values": {"title": ["Roads"]}}


def test_without_facets_there_is_nothing_to_show() -> None:
    assert facts_of([], "roads") == {} == facts_of([Facets()], "roads")
    assert facts_of([Facets(languages=("de",)), Facets(languages=("de", "fr"))], "") == {"languages": ["de", "fr"]}


def test_many_values_take_no_time_to_speak_of() -> None:
    facets = Facets(
        values={f"f{field}": tuple(f"value {field} {n} of many" for n in range(300)) for field in range(20)}
    )
    start = process_time()
    for _ in range(3):
        facts_of([facets], "many words of a question " * 2_000)
    assert process_time() - start < 0.15


def test_values_that_were_values_to_show_take_a_prompt_no_time() -> None:
    values = [chr(0x4E00 + n) * 20 for n in range(6_000)]
    facets = Facets(values={f"f{field}": tuple(values[300 * field :][:300]) for field in range(20)})
    values_to_show(facets)
    start = process_time()
    facts_of([facets], "何")
    assert process_time() - start < 0.02
