"""The signals of evidence, alone and ranked within an index."""

import pytest
from hypothesis import given

from retrieval.engine import signals
from retrieval.model.calibration import Calibration
from retrieval.model.chunk import Chunk
from tests.answering.found import chunk, chunk_lists, texts

LAMPS = chunk(1, "The lamps of the harbour burn all night. Hay is cut in June.", score=3.0)
HAY = chunk(2, "Hay is cut in June.", score=1.0)


def test_a_sentence_and_not_a_whole_text_has_a_share_of_the_question() -> None:
    found = signals.signals("Do harbour lamps burn in June?", [LAMPS], [LAMPS])
    assert found["sentenceShare"] == pytest.approx(0.75)
    assert (found["rankerScore"], found["rankerLead"]) == (3.0, 3.0)
    assert "searchScore" not in found


def test_a_score_leads_by_what_the_tenth_lacks() -> None:
    many = [chunk(number, "x", score=4 - number / 5) for number in range(1, 12)]
    assert signals.signals("lamps", many, [])["rankerLead"] == pytest.approx(1.8)


def test_without_a_ranker_the_sentences_count_alone_and_without_words_the_scores() -> None:
    away = signals.signals("harbour lamps", [chunk(1, LAMPS.text, score=None)], [LAMPS])
    assert signals.together(away, None) == away["sentenceShare"] == 1.0
    assert signals.together(signals.signals("?", [LAMPS], [LAMPS]), None) == 0.75
    assert signals.together({}, None) == 0.0


def test_a_calibration_ranks_the_signals_it_knows() -> None:
    known = Calibration(index="atlas", signals={"rankerScore": (2.0, 3.0, 4.0), "other": (0.0, 1.0)})
    assert signals.together(signals.signals("lamps", [LAMPS], [LAMPS]), known) == 0.5
    unknown = Calibration(index="atlas", signals={})
    assert signals.together({"rankerScore": 4.0}, unknown) == 1.0


@given(question=texts, chunks=chunk_lists())
def test_signals_are_finite_and_together_a_share(question: str, chunks: list[Chunk]) -> None:
    found = signals.signals(question, chunks, chunks[:3])
    known = Calibration(index="atlas", signals=dict.fromkeys(signals.CALIBRATED, (0.0, 1.0, 2.0)))
    for calibration in (None, known):
        assert 0 <= signals.together(found, calibration) <= 1
