"""Names in texts: in each language as it writes them, and nothing but words."""

import re

import pytest
from hypothesis import given

from retrieval.retrieve.search_for_names import LONGEST, names_in
from tests.answer.found import texts


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("The bridge was built by J. R. Smith near the Bay of Pigs.", ["J R Smith", "Bay of Pigs"]),
        (
            "Ada Lovelace and Karl Brandt of the Bay of Pigs met.",
            ["Ada Lovelace and Karl Brandt of the Bay of Pigs", "Ada Lovelace", "Karl Brandt"],
        ),
        ("A prize for Ada Lovelace was the Prize for Peace.", ["Ada Lovelace", "Prize", "Peace"]),
        ("Growth inhibits p53.", ["p53"]),
        ("作者写了《红楼梦》。", ["红楼梦"]),
        ("作者はシェイクスピアである。", ["シェイクスピア"]),
        ("Together they built it. They work together.", []),
        ("In March the American crew met on Monday.", []),
        ("Lovelace built the bridge. It was the pride of Lovelace.", ["Lovelace", "Lovelace"]),
        ("When Phoenix grew, a bridge was built.", ["Phoenix"]),
        ("The bridge was built by the USS NASA crew.", ["USS NASA"]),
        ("Die Brücke hat der Ingenieur Karl Brandt für die Stadt und das Land gebaut.", ["Ingenieur Karl Brandt"]),
    ],
)
def test_names_are_what_a_language_writes_as_names(text: str, names: list[str]) -> None:
    assert list(names_in(text)) == names


def test_a_title_of_one_word_is_a_name() -> None:
    assert list(names_in("Lovelace built the bridge.", title="Lovelace")) == ["Lovelace", "Lovelace"]


@given(text=texts, title=texts)
def test_names_are_short_and_made_of_words(text: str, title: str) -> None:
    for name in names_in(text, title=title):
        assert len(name) <= LONGEST
        assert re.fullmatch(r"[\w'’\- ]+", name.replace("・", " ").replace("·", " ")) or name in text
