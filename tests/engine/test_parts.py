"""The parts of a question: each judged and quoted by itself."""

from retrieval.engine import evidence, parts
from retrieval.model.chunk import Chunk
from retrieval.model.evidence import Judgement
from tests.answering.found import asked, chunk

REFUNDS = chunk(1, "You can get a refund within 30 days.", title="Refund policy", score=3.2)
SHIPPING = chunk(2, "Standard shipping takes 3 to 5 days.", title="Shipping", score=3.0)
EXPRESS = chunk(3, "Express shipping costs 9 euros.", title="Express", score=2.9)
QUESTION = "What is the refund policy? How long does shipping take? How much does express shipping cost?"


def judged(*found: Chunk, question: str = QUESTION) -> Judgement:
    return evidence.judgement(asked(question, follow_ups=0), found, searched=(), most=8)


def test_each_part_says_which_chunks_speak_of_it() -> None:
    found = judged(REFUNDS, SHIPPING, EXPRESS).evidence.parts
    assert [one.text for one in found] == [
        "What is the refund policy?",
        "How long does shipping take?",
        "How much does express shipping cost?",
    ]
    assert [one.answered for one in found] == [True, True, True]
    assert "c1" in found[0].chunks and "c2" in found[1].chunks and "c3" in found[2].chunks
    assert "c1" not in found[1].chunks


def test_every_part_is_quoted() -> None:
    conversation = asked(QUESTION).messages
    quoted = {one.chunk.id for one in parts.quoted(conversation, [REFUNDS, SHIPPING, EXPRESS])}
    assert quoted == {"c1", "c2", "c3"}


def test_a_part_that_nothing_answers_is_missing_and_makes_it_insufficient() -> None:
    found = judged(REFUNDS, SHIPPING).evidence
    assert not found.sufficient
    assert found.missing == ("How much does express shipping cost?",)


def test_a_single_question_is_one_part() -> None:
    [found] = judged(REFUNDS, question="What is the refund policy?").evidence.parts
    assert (found.text, found.chunks, found.answered) == ("What is the refund policy?", ("c1",), True)
