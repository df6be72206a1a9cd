"""A text is read once, and its sentences have the words of their clauses."""

from typing import Final

import pytest
from hypothesis import given

from retrieval.text.text_values import ReadChunk, Reading
from tests.answer.found import texts
from tests.answer.material import chunk

TOLD: Final = "It isn't open, but three of its 1,250 lamps are lit: see https://x.example/a. Nobody knows why."


@pytest.mark.parametrize("name", ["words", "figures", "addresses", "written", "joined", "sentences"])
def test_a_reading_is_made_once(name: str) -> None:
    reading = Reading(TOLD)
    assert getattr(reading, name) is getattr(reading, name)


@given(texts)
def test_a_sentence_has_the_words_of_its_clauses(text: str) -> None:
    reading = Reading(text)
    for sentence in reading.sentences:
        assert frozenset[str]().union(*(one.words for one in sentence.clauses)) == sentence.words <= reading.words
    assert reading.language is not None or not reading.sentences


def test_clauses_deny_by_themselves() -> None:
    first, second = Reading(TOLD).sentences
    assert [one.denies for one in first.clauses][:2] == [True, False]
    assert second.clauses[0].denies


def test_a_chunk_is_read_with_what_is_known_beside_it() -> None:
    read = ReadChunk(chunk(1, TOLD))
    assert read.text is read.text
    assert [one.text for one in read.texts] == [TOLD, *(one for one in read.chunk.beside if one)]
