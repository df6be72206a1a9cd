"""What the names of a follow-up lead to, and how strongly."""

import pytest
from hypothesis import given

from retrieval.model.retrieval import Chunk
from retrieval.retrieve.search_for_names import LONGEST_QUERY, lead, linked_documents
from tests.answer.found import QUESTION, chunk_lists, texts
from tests.retrieve.test_search_for_names import FILM, RADIO, led, reference

PROTOCOL = reference(3, "She was Chief of Protocol of the United States.", title="Shirley Temple", score=None)
CHEESE = reference(4, "A cheese of goats, made since the Forties.", title="Cheese", score=None)


def test_a_document_about_a_name_is_led_to_by_the_document_that_has_it() -> None:
    first, *_ = linked_documents(led(), (FILM, RADIO), (CHEESE, PROTOCOL))
    assert (first.reference.hit.key, first.entitled) == ("k3", True)
    assert first.reference.hit.score is None and first.score == pytest.approx(2.9)
    assert all(one.strength < first.strength for one in linked_documents(led(), (FILM, RADIO), (CHEESE, PROTOCOL))[1:])


def test_a_document_without_a_ranked_source_has_no_score() -> None:
    film = reference(1, FILM.hit.content or "", title=FILM.hit.title, score=None)
    first, *_ = linked_documents(led(QUESTION, film), (film,), (PROTOCOL,))
    assert (first.reference.hit.key, first.reference.hit.score, first.score) == ("k3", None, None)


@pytest.mark.parametrize("title", ["Shirley Temple (actress)", "Shirley J. Temple"])
def test_a_title_is_the_name_without_its_bracket_and_initials(title: str) -> None:
    about = reference(3, "She was Chief of Protocol.", title=title, score=None)
    assert linked_documents(led(), (FILM, RADIO), (CHEESE, about))[0].entitled


def test_its_own_title_entitles_no_document() -> None:
    radio = reference(2, "A Date with Judy is a radio series; Shirley Temple heard it.", title="A Date with Judy")
    found = linked_documents(led(QUESTION, FILM, radio), (FILM, radio), ())
    assert {one.reference.hit.key: one.entitled for one in found}["k2"] is False


def test_of_two_documents_with_the_name_the_one_that_the_search_found_first_is_stronger() -> None:
    same = [reference(number, "Shirley Temple held a position.", title=f"Chapter {number}") for number in (5, 6)]
    for order in (same, same[::-1]):
        found = linked_documents(led(), (FILM, RADIO), order)
        assert [one.reference.hit.key for one in found[:2]] == [one.hit.key for one in order]


def test_the_first_documents_may_come_in_another_order_than_the_lead_saw_them() -> None:
    many = [reference(number, f"A road of stone{number}.", score=2 - number / 100) for number in range(10, 60)]
    made = lead(QUESTION, [FILM, *many])
    assert made is not None
    assert linked_documents(made, [*many[::-1], FILM], [PROTOCOL])[0].reference.hit.key == "k3"


@given(question=texts, chunks=chunk_lists())
def test_whatever_is_found_the_query_is_short_and_links_are_ordered(question: str, chunks: list[Chunk]) -> None:
    found = [one.reference for one in chunks]
    for asked in (question, f"Who of the two is {question} of Ada Lovelace?"):
        made = lead(asked, found)
        if made is not None:
            assert 0 < len(made.query.query) <= LONGEST_QUERY
            strengths = [one.strength for one in linked_documents(made, found[::-1], found)]
            assert strengths == sorted(strengths, reverse=True)
            assert all(0 <= (one.score or 0) <= 4 for one in linked_documents(made, found, found))
