"""Analyzers against what Lucene's analyzers of the same names give."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.local.search_service.text.analysis import ANALYZERS, MAX_TOKEN, Token


@pytest.mark.parametrize(
    ("analyzer", "text", "terms"),
    [
        ("standard.lucene", "One's <two/>", ["one's", "two"]),
        ("standard.lucene", "Wi-Fi 3.14 example.com a1_b", ["wi", "fi", "3.14", "example.com", "a1_b"]),
        ("standard.lucene", "e.g. 1,000, x,y", ["e.g", "1,000", "x", "y"]),
        ("standard.lucene", "東京 tower", ["東", "京", "tower"]),
        ("standard.lucene", "nai\u0308ve Ünï", ["nai\u0308ve", "ünï"]),
        ("standard.lucene", "🛶 \x00", []),
        ("en.lucene", "The boat's running dogs are not flying", ["boat", "run", "dog", "fly"]),
        ("en.lucene", "us vitamin S's ED", ["us", "vitamin", "s", "ed"]),
        ("en.lucene", "The Skipper’s relational conditions", ["skipper", "relat", "condit"]),
        ("en.microsoft", "running", ["run"]),
        ("de.lucene", "Die Häuser der Straßen, Aepfel und Büchereien", ["haus", "strass", "apfel", "bucherei"]),
        ("de.lucene", "neue Quellen, das Haus des Kindes, Städten", ["neu", "quell", "haus", "kind", "stadt"]),
        ("de.lucene", "abenteuerlichste Reise, feuert, die Kunst", ["abenteuerlich", "reis", "feuert", "kun"]),
        ("de.microsoft", "ihren Kindern", ["kind"]),
        ("es.lucene", "Las bibliotecas están cerradas los sábados", ["bibliotec", "cerrad", "sabad"]),
        ("es.lucene", "luces, países y canción; meses, tres", ["luz", "pais", "cancion", "mes", "tres"]),
        ("es.microsoft", "de la lámpara", ["lampar"]),
        ("keyword", "New York", ["New York"]),
        ("whitespace", "New-York  City", ["New-York", "City"]),
        ("simple", "New-York 5th", ["new", "york", "th"]),
        ("stop", "The New-York", ["new", "york"]),
    ],
)
def test_an_analyzer_gives_the_terms_of_its_namesake(analyzer: str, text: str, terms: list[str]) -> None:
    assert ANALYZERS[analyzer].terms(text) == terms


def test_a_stop_word_leaves_a_gap() -> None:
    assert ANALYZERS["en.lucene"].positions("state of the art") == ["state", None, None, "art"]
    assert ANALYZERS["en.lucene"].tokens("of Arts") == [Token(term="art", position=1, start=3, end=7)]


def test_a_run_without_end_is_cut() -> None:
    assert [len(term) for term in ANALYZERS["standard.lucene"].terms("a" * 600)] == [MAX_TOKEN, MAX_TOKEN, 90]


@given(st.sampled_from(sorted(ANALYZERS)), st.text(max_size=200))
def test_terms_positions_and_tokens_agree(name: str, text: str) -> None:
    analyzer = ANALYZERS[name]
    tokens = analyzer.tokens(text)
    assert [token.term for token in tokens] == analyzer.terms(text)
    positions = analyzer.positions(text)
    assert [positions[token.position] for token in tokens] == analyzer.terms(text)
