"""The sample corpus has the shape its README promises, and its questions name chunks that exist."""

import json
import re
from collections import Counter
from pathlib import Path

from .corpus_questions import PHOENIX, QUESTIONS

CORPUS = Path(__file__).parents[2] / "retrieval" / "local" / "corpus" / "earth_at_night.jsonl"
LINES = CORPUS.read_text(encoding="utf-8").splitlines()
CHUNKS: list[dict[str, str]] = [json.loads(line) for line in LINES]
KEYS = [chunk["id"] for chunk in CHUNKS]
PAGE_105 = "earth_at_night_508_page_105_verbalized"


def test_there_are_at_least_eighty_chunks() -> None:
    assert len(CHUNKS) >= 80


def test_no_two_chunks_share_a_key_a_title_or_a_text() -> None:
    for member in ("id", "title", "content"):
        assert len({chunk[member] for chunk in CHUNKS}) == len(CHUNKS)


def test_no_two_chunks_open_with_the_same_three_words() -> None:
    openings = Counter(tuple(chunk["content"].split()[:3]) for chunk in CHUNKS)
    assert [opening for opening, times in openings.items() if times > 1] == []


def test_every_chunk_has_the_five_members_and_all_are_strings() -> None:
    for chunk in CHUNKS:
        assert list(chunk) == ["id", "page_number", "title", "terms", "content"]
        assert {type(value) for value in chunk.values()} == {str}


def test_every_key_names_its_page_in_characters_that_azure_allows() -> None:
    for chunk in CHUNKS:
        assert re.fullmatch(r"[A-Za-z0-9_=-]+", chunk["id"])
        assert re.fullmatch(rf"earth_at_night_508_page_{chunk['page_number']}_verbalized(_b)?", chunk["id"])
        assert 11 <= int(chunk["page_number"]) <= 160


def test_every_title_terms_and_content_is_of_the_promised_length() -> None:
    for chunk in CHUNKS:
        assert 2 <= len(chunk["title"].split()) <= 6, chunk["id"]
        assert 3 <= len(chunk["terms"].split(", ")) <= 7, chunk["id"]
        assert 90 <= len(chunk["content"].split()) <= 170, chunk["id"]


def test_every_content_is_one_paragraph_of_whole_sentences() -> None:
    for chunk in CHUNKS:
        assert chunk["content"] == " ".join(chunk["content"].split()), chunk["id"]
        assert re.fullmatch(r"[A-ZÀ-Þ].*[.?!]", chunk["content"]), chunk["id"]


def test_the_pages_of_the_published_example_are_present() -> None:
    assert {"earth_at_night_508_page_104_verbalized", PAGE_105} <= set(KEYS)


def test_only_page_105_says_most_of_the_published_question() -> None:
    asked = _words(PHOENIX.text) - _words("is the so from of whereas")
    said = {chunk["id"]: len(asked & _words(chunk["content"])) / len(asked) for chunk in CHUNKS}
    assert said.pop(PAGE_105) == 1
    assert max(said.values()) <= 0.5


def test_questions_name_chunks_that_exist_and_only_those_from_elsewhere_name_none() -> None:
    for question in QUESTIONS:
        assert set(question.answers) <= set(KEYS)
        assert (question.answers == ()) == (question.wording == "elsewhere")
        assert (question.earlier != ()) == (question.wording == "follow_up")


def test_there_are_forty_questions_and_a_dozen_from_elsewhere() -> None:
    asked = [question for question in QUESTIONS if question.answers]
    assert len(asked) >= 40
    assert len(QUESTIONS) - len(asked) >= 12
    assert len({question.text for question in QUESTIONS}) == len(QUESTIONS)


def _words(text: str) -> set[str]:
    return set(re.findall(r"\w+", text.lower()))
