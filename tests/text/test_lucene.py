"""A search text with boosts: what the service's parser of the full Lucene syntax reads in it."""

from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.local.search_service.query import lucene as parser
from retrieval.model.search import Boost
from retrieval.text import lucene

JAPANESE: Final = Boost(field="language", values=("ja-JP",), factor=2.0)
FIELDS: Final = {"language", "title"}
signs = st.text(alphabet=r'ab1é+-&|!(){}[]^"~*?:\/<>=. ', max_size=40) | st.sampled_from(["AND", "OR NOT", "&&", "a~2"])
boosts = st.lists(
    st.builds(
        Boost,
        field=st.sampled_from([None, "title"]),
        values=st.lists(signs.filter(lambda text: any(map(str.isalnum, text))), min_size=1, max_size=3).map(tuple),
        factor=st.floats(0.000001, 1_000_000),
    ),
    min_size=1,
    max_size=3,
)


def test_a_boost_has_the_published_form() -> None:
    """Documented: "Query a knowledge base", September 2026."""
    assert lucene.clause([JAPANESE]) == r"language:(ja\-JP)^2"


@pytest.mark.parametrize(
    ("boost", "written"),
    [
        (Boost(field="title", values=("a", "b c"), factor=0.5), 'title:(a OR "b c")^0.5'),
        (Boost(values=("lessons learned",), factor=3.25), '("lessons learned")^3.25'),
        (Boost(values=('say "when"', "OR"), factor=10), r'("say \"when\"" OR "OR")^10'),
        (Boost(values=("a:b)^9",), factor=1_000_000), r"(a\:b\)\^9)^1000000"),
    ],
)
def test_values_are_words_or_phrases_and_never_syntax(boost: Boost, written: str) -> None:
    assert lucene.clause([boost]) == written


def test_the_words_of_the_query_stay_what_must_be_found() -> None:
    text = lucene.boosted_text("Service guidance NOT for X-200 && more!", [JAPANESE])
    assert text == r"+(Service guidance not for X\-200 more\!) language:(ja\-JP)^2"
    read = parser.read(text, mode="any", fields=FIELDS)
    assert len(read.must) == len(read.should) == 1 and not read.must_not  # type: ignore[union-attr]


@given(signs, boosts)
def test_any_query_and_any_boost_can_be_read(search: str, boosts: list[Boost]) -> None:
    parser.read(lucene.boosted_text(search, boosts), mode="any", fields=FIELDS)
