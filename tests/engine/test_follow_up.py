"""The bridge: names of the first documents become queries, and nothing else of the documents does."""

import re

import pytest
from hypothesis import given

from retrieval.engine.follow_up import LONGEST_NAME, LONGEST_QUERY, follow_ups, named
from retrieval.model.chunk import Chunk
from tests.answering.found import QUESTION, chunk, chunk_lists, texts

FILM = chunk(
    1,
    "Kiss and Tell is a 1945 American comedy film. It stars then 17-year-old Shirley Temple as Corliss Archer. "
    "In the film, two teenage girls cause their parents much concern.",
    title="Kiss and Tell (1945 film)",
)
RADIO = chunk(2, "A Date with Judy is a radio series of the Forties.", title="A Date with Judy")


def queries(question: str, *texts: str) -> list[str]:
    chunks = [chunk(number, text) for number, text in enumerate(texts, 1)]
    return [one.query for one in follow_ups(question, chunks)]


def test_the_name_that_stands_nearest_to_the_question_comes_first() -> None:
    first, *_ = follow_ups(QUESTION, [FILM, RADIO])
    assert first.query == "Shirley Temple government position held woman portrayed Corliss Archer Kiss"
    assert first.goal == "What is said of Shirley Temple"


def test_what_the_question_names_is_not_looked_for_again() -> None:
    assert queries("Who wrote Moby Dick?", "Moby Dick is a novel.") == []


def test_names_may_hold_small_words_initials_and_figures() -> None:
    found = queries(
        "Who built the bridge?", "The bridge was built by J. R. Smith.", "The bridge is by the Bay of Pigs."
    )
    assert [query.removesuffix(" built bridge") for query in found] == ["J R Smith", "Bay of Pigs"]
    assert queries("Which gene inhibits growth?", "Growth inhibits p53.") == ["p53 gene inhibits growth"]


def test_titles_in_marks_and_katakana_are_names() -> None:
    assert queries("作者的出生地是哪里", "作者写了《红楼梦》。")[0].startswith("红楼梦 ")
    assert queries("作者はどこで生まれたか", "作者はシェイクスピアである。")[0].startswith("シェイクスピア ")


def test_only_the_first_three_documents_are_read() -> None:
    assert queries("Who built the bridge?", *["The bridge is old."] * 3, "The bridge is by Ada Lovelace.") == []


def test_no_two_queries_share_a_word_of_their_names() -> None:
    text = "The bridge was built by Ada Lovelace. Ada King built the bridge. Charles Babbage built no bridge."
    assert [query.split()[0] for query in queries("Who built the bridge?", text)] == ["Ada", "Charles"]


@pytest.mark.parametrize(
    ("question", "text", "expected"),
    [
        ("Which position did Corliss Archer hold?", "Anything.", True),
        ("which position did corliss archer hold?", "Corliss Archer is a girl.", True),
        ("which position did she hold?", "Corliss Archer is a girl.", False),
        ("Which position did she hold?", "Corliss Archer is a girl.", False),
        ("what inhibits p53?", "p53 is a gene.", True),
        ("WHICH POSITION DID SHE HOLD?", "Corliss Archer is a girl.", False),
        ("WHICH POSITION DID CORLISS ARCHER HOLD?", "Corliss Archer is a girl.", True),
    ],
)
def test_a_question_names_something_whatever_its_case(question: str, text: str, expected: bool) -> None:
    assert named(question, [chunk(1, text)]) is expected


@pytest.mark.parametrize(
    "text",
    [
        "Together they built the bridge. They work together.",
        "Since then the bridge was built anew.",
        "READ THIS NOW: the bridge was built.",
        "IMPORTANT NOTICE ABOUT THE BRIDGE THAT WAS BUILT",
        "# Materials\n\nThe bridge was built of materials.",
    ],
)
def test_the_first_word_of_a_sentence_and_shouting_are_no_names(text: str) -> None:
    assert queries("Who built the bridge?", text) == []


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Lovelace built the bridge. It was the pride of Lovelace.", "Lovelace"),
        ("Since Phoenix grew, a bridge was built. Since then, or since it stands, it glows.", "Phoenix"),
        ("Ada Lovelace built the bridge.", "Ada Lovelace"),
        ("The bridge was built by the USS NASA crew.", "USS NASA"),
        ("p53 built the bridge.", "p53"),
    ],
)
def test_a_name_at_the_start_of_a_sentence_is_one_where_it_stands_inside_one_too(text: str, name: str) -> None:
    assert queries("Who built the bridge?", text)[0].removesuffix(" built bridge") == name


def test_a_title_of_one_word_is_a_name() -> None:
    (found,) = follow_ups("Who built the bridge?", [chunk(1, "Lovelace built the bridge.", title="Lovelace")])
    assert found.query == "Lovelace built bridge"


@given(question=texts, chunks=chunk_lists())
def test_queries_are_few_short_distinct_and_made_of_words(question: str, chunks: list[Chunk]) -> None:
    found = follow_ups(question, chunks, most=2)
    assert len(found) == len({one.query for one in found}) <= 2
    for one in found:
        assert 0 < len(one.query) <= LONGEST_QUERY and len(one.goal) <= LONGEST_NAME + 20
        assert re.fullmatch(r"[\w'’\- ]+", one.query.replace("・", " ").replace("·", " "))
        assert follow_ups(question, chunks, most=2) == found
