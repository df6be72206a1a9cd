"""The judgement without a model: its two signals, what happens without one, when a follow-up is worth its while."""

import math
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.engine import answer_kinds, follow_up, quotes
from retrieval.engine import evidence as prior
from retrieval.errors import BackendUnavailable
from retrieval.model.chunk import Chunk
from retrieval.model.conversation import Message
from retrieval.model.evidence import Judgement
from retrieval.text.languages.en import ENGLISH
from tests.answering.found import QUESTION, asked, chunk, chunk_lists, searched, stands, texts

LAMPS = "The lamps of the harbour burn all night."
HAY = "Hay is cut in June."


def judged(question: str, *chunks: Chunk, most: int = 8, follow_ups: int = 1) -> Judgement:
    return prior.judgement(asked(question, follow_ups=follow_ups), chunks, searched=(), most=most)


def ids(judgement: Judgement) -> list[str]:
    return [one.chunk.id for one in judgement.selected]


def test_the_score_counts_twice_and_what_is_said_once() -> None:
    all_said = judged("do lamps burn in the harbour?", chunk(1, LAMPS, score=2.0), chunk(2, HAY, score=1.0))
    none_said = judged("does the ferry sail?", chunk(1, LAMPS, score=2.0), chunk(2, HAY, score=1.0))
    assert all_said.evidence.confidence == pytest.approx(prior.CERTAIN * (2 * 0.5 + 1) / 3, abs=0.001)
    assert none_said.evidence.confidence == pytest.approx(prior.UNANSWERED * prior.CERTAIN * 2 * 0.5 / 3, abs=0.001)
    assert (all_said.evidence.sufficient, none_said.evidence.sufficient) == (True, False)


def test_a_ranker_that_is_away_leaves_what_is_said() -> None:
    evidence = judged("do lamps burn in the harbour?", chunk(1, LAMPS, score=None), chunk(2, HAY, score=None)).evidence
    assert (evidence.confidence, evidence.sufficient) == (prior.CERTAIN, True)


@pytest.mark.parametrize("question", ["lamps?", "Lamps", "what about it?", "?"])
def test_a_question_that_does_not_say_what_it_asks_is_never_answered_enough(question: str) -> None:
    evidence = judged(question, chunk(1, LAMPS, score=4.0)).evidence
    assert (evidence.confidence, evidence.sufficient) == (prior.UNANSWERED * prior.CERTAIN, False)
    assert evidence.missing == (ENGLISH.frames.more,)


def test_a_short_question_that_asks_something_may_be() -> None:
    assert judged("what are lamps?", chunk(1, LAMPS, score=4.0)).evidence.sufficient


@pytest.mark.parametrize(
    ("question", "beside", "answer", "kind"),
    [
        ("How many lamps burn in the harbour?", LAMPS, "Forty lamps burn in the harbour.", "number"),
        (
            "When did the lamps of the harbour first burn?",
            "The harbour lamps burn brightly.",
            "The harbour lamps first burned in 1903.",
            "date",
        ),
        ("Who lit the lamps of the harbour?", LAMPS, "The harbour lamps were lit by Ada Byron.", "name"),
        ("How do I light the harbour lamps?", LAMPS, "To light the harbour lamps, turn the key twice.", "steps"),
    ],
)
def test_without_the_kind_of_answer_among_the_quotes_it_is_not_enough(
    question: str, beside: str, answer: str, kind: answer_kinds.Kind
) -> None:
    without, given = (judged(question, chunk(1, text, score=4.0)).evidence for text in (beside, f"{beside} {answer}"))
    assert (without.sufficient, without.missing[0]) == (False, ENGLISH.frames.lacking[kind])
    assert given.sufficient and given.confidence > without.confidence


def test_a_number_of_another_matter_is_no_answer() -> None:
    others = [chunk(1, "Phoenix is a city in the desert.", score=3.9), chunk(2, "Thirty million people live in Tokyo.")]
    evidence = judged("How many people live in Phoenix?", *others, follow_ups=0).evidence
    assert (evidence.sufficient, evidence.missing) == (False, (ENGLISH.frames.lacking["number"],))


def test_of_a_conversation_the_last_message_is_judged_and_the_earlier_ones_help_to_quote() -> None:
    request = asked("Tell me of the harbour lamps.", "They burn.", "and all night?")
    found = prior.judgement(request, [chunk(1, f"{HAY} {LAMPS}", score=3.0)], searched=(), most=8)
    assert found.evidence.key_points[0].text == LAMPS
    assert found.evidence.confidence == pytest.approx(prior.CERTAIN * (2 * 0.75 + 1) / 3, abs=0.001)


def test_without_chunks_nothing_is_selected_and_the_user_is_asked() -> None:
    found = judged("do lamps burn?")
    assert (found.selected, found.evidence.sufficient, found.evidence.confidence) == ((), False, 0.0)
    assert found.evidence.missing == (ENGLISH.frames.more,)


def test_courtesies_do_not_count() -> None:
    bare, polite = (
        judged(text, chunk(1, LAMPS), chunk(2, HAY))
        for text in ("which lamps burn?", "hello, which lamps burn? thanks!")
    )
    assert polite == bare


def test_thanks_after_a_question_that_nobody_answered_leave_the_question() -> None:
    turns = [Message(role="user", text=text) for text in ("Which lamps burn?", "thanks")]
    request = replace(asked("x"), messages=tuple(turns))
    found = prior.judgement(request, [chunk(1, LAMPS), chunk(2, HAY)], searched=(), most=8)
    assert found == judged("Which lamps burn?", chunk(1, LAMPS), chunk(2, HAY))


def test_a_sentence_that_says_nothing_of_the_question_is_no_key_point_and_without_one_it_is_not_enough() -> None:
    text = "The kettle boils at 100 degrees, see https://kettle.example. Its handle is green."
    evidence = judged("At how many degrees does the kettle boil?", chunk(1, text, score=4.0)).evidence
    assert (evidence.sufficient, evidence.key_points) == (False, ())


def test_the_best_are_selected_in_their_order() -> None:
    found = judged("do lamps burn?", *(chunk(number, f"{LAMPS} {number}") for number in range(1, 13)), most=8)
    assert ids(found) == [f"c{number}" for number in range(1, 9)]
    assert found.selected[0].rationale == "The search scored it 2.50 of 4."


FIRST = (
    chunk(1, "Kiss and Tell is a film. It stars Shirley Temple as Corliss Archer.", score=2.9),
    *(chunk(number, f"A film of the year {1930 + number}.", score=1.0) for number in range(2, 11)),
)


def test_a_name_that_was_not_looked_for_makes_it_insufficient() -> None:
    evidence = judged(QUESTION, *FIRST).evidence
    lead = follow_up.lead(QUESTION, [one.reference for one in FIRST])
    assert lead is not None and evidence.follow_ups == (lead.query,)
    assert evidence.follow_ups[0].query.startswith("Shirley Temple ")
    assert not evidence.sufficient


def test_a_call_that_may_not_follow_up_is_judged_by_its_confidence() -> None:
    with_one, without = judged(QUESTION, *FIRST).evidence, judged(QUESTION, *FIRST, follow_ups=0).evidence
    assert without.follow_ups == ()
    assert (without.confidence, without.sufficient) == (with_one.confidence, with_one.confidence >= prior.SUFFICIENT)


def test_a_score_near_complete_needs_no_follow_up() -> None:
    complete = chunk(
        1,
        "Corliss Archer of Kiss and Tell was portrayed by a woman who held the government position of envoy.",
        score=3.8,
    )
    evidence = judged(QUESTION, complete, *FIRST[1:]).evidence
    assert evidence.sufficient and evidence.follow_ups == () and evidence.missing == ()


def test_the_last_places_are_for_what_the_follow_up_led_to_though_it_was_known_before() -> None:
    new = chunk(11, "Shirley Temple became Chief of Protocol.", round=1)
    found = prior.judgement(asked(QUESTION), (*FIRST, new), searched=(), most=8, found=(new, FIRST[9]))
    assert ids(found) == ["c1", "c2", "c3", "c4", "c5", "c6", "c11", "c10"]
    assert found.selected[-2].rationale == "The follow-up found it."
    assert found.evidence.follow_ups == ()


def test_a_follow_up_of_others_counts_by_its_round_and_has_at_most_half_of_the_places() -> None:
    new = [chunk(number, "Shirley Temple became Chief of Protocol.", round=1) for number in range(11, 17)]
    found = prior.judgement(asked(QUESTION), (*FIRST, *new), searched=(searched("another"),), most=4)
    assert ids(found) == ["c1", "c2", "c11", "c12"]


def test_scores_of_a_follow_up_say_nothing_of_the_question() -> None:
    new = chunk(11, HAY, round=1, score=4.0)
    with_it = prior.judgement(asked(QUESTION), (*FIRST, new), searched=(), most=8).evidence.confidence
    assert with_it < 0.9 and with_it == pytest.approx(judged(QUESTION, *FIRST).evidence.confidence, abs=0.05)


def test_searches_that_failed_are_noted() -> None:
    failed = searched("one", error=BackendUnavailable("The index", "failed."))
    found = prior.judgement(asked("do lamps burn?"), [chunk(1, LAMPS)], searched=(failed, searched("two")), most=8)
    assert found.notes == ("1 of 2 searches failed; their documents were not judged.",)


@given(question=texts.filter(str.strip), chunks=chunk_lists(), most=st.integers(1, 8), follow_ups=st.integers(0, 1))
def test_the_limits_hold_whatever_is_found(question: str, chunks: list[Chunk], most: int, follow_ups: int) -> None:
    request = asked(question, follow_ups=follow_ups)
    found = prior.judgement(request, chunks, searched=(), most=most)
    evidence = found.evidence
    known = {one.id: one.text for one in chunks}
    assert (
        evidence.by == "rules" and 0 <= evidence.confidence <= prior.CERTAIN < 1 and math.isfinite(evidence.confidence)
    )
    assert len(found.selected) == len(set(ids(found))) == min(most, len(chunks))
    assert len(evidence.key_points) <= quotes.MOST and len(evidence.missing) <= 3 and len(evidence.follow_ups) <= 3
    assert all(stands(point.text, known[point.chunks[0]]) for point in evidence.key_points)
    assert all(point.chunks[0] in ids(found) for point in evidence.key_points)
    if evidence.sufficient:
        assert found.selected and evidence.key_points and not evidence.missing and not evidence.follow_ups
    else:
        assert evidence.missing
    assert prior.judgement(request, chunks, searched=(), most=most) == found
