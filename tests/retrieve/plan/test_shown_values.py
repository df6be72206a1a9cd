"""The values of fields that a prompt shows: those that the conversation could mean first, and none in parts."""

import time

import pytest

from retrieval.model.search import Facets
from retrieval.retrieve.plan.shown_values import facts_of, read_ahead

PAPERS = ("Reef Tidings", "Cape Courier", "theverge.com", "Sporting News", "Zeitung für Bäume", "朝日新聞", "The Age")
FACETS = Facets(values={"paper": PAPERS, "year": ("2019", "2020", "2021", "2022")}, languages=("en", "de"))


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
    values = facts_of([FACETS], said)["values"]
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
    start = time.process_time()
    for _ in range(3):
        facts_of([facets], "many words of a question " * 2_000)
    assert time.process_time() - start < 0.15


def test_values_that_were_read_ahead_take_a_prompt_no_time() -> None:
    values = [chr(0x4E00 + n) * 20 for n in range(6_000)]
    facets = Facets(values={f"f{field}": tuple(values[300 * field :][:300]) for field in range(20)})
    read_ahead(facets)
    start = time.process_time()
    facts_of([facets], "何")
    assert time.process_time() - start < 0.02
