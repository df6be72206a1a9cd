"""The words of a conversation with their weights: what counts, what is carried, what hostile turns cost."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.model.conversation import Message
from retrieval.retrieve.plan import plan_by_rules
from retrieval.text.languages.language import KNOWN, Language
from tests.laws import law

LEAVE = ("What is the parental leave policy?", "Birth Parents get 16 weeks of leave, other Parents 8.")


def conversation(*texts: str) -> tuple[Message, ...]:
    return tuple(Message(role="assistant" if at % 2 else "user", text=text) for at, text in enumerate(texts))


def weights(*texts: str) -> dict[str, float]:
    found = plan_by_rules.weighed_words(conversation(*texts))
    assert found is not None
    return dict(found.words)


def test_a_first_question_has_no_weights() -> None:
    assert plan_by_rules.weighed_words(conversation("What is the parental leave policy?")) is None


def test_words_lose_weight_with_each_turn_and_add_up() -> None:
    found = weights("Is there a policy for pets?", "", "And for leave?", "", "How much leave is it?")
    assert found["leave"] == 1.35
    assert found["policy"] == found["pets"] == round(0.35**2, 2)


def test_the_rarest_words_of_the_last_answer_count_a_fifth() -> None:
    found = weights("Who decides?", "The Board of Trustees decides, and the Board meets on 31 March.", "When is that?")
    assert {word for word, weight in found.items() if weight == 0.2} >= {"Board", "Trustees", "March", "31", "meets"}


def test_the_labels_that_an_answer_cites_are_no_words_of_it() -> None:
    said = "“The Board decides.” [concepts/tools.md, Tools > Boards] [Tools - concepts-tools-md-73e1e47f-12]"
    found = weights("Who decides?", said, "When is that?")
    assert {word for word, weight in found.items() if weight == 0.2} == {"Board"}


@pytest.mark.parametrize("language", KNOWN, ids=lambda language: language.code)
def test_the_sentences_that_frame_an_answer_are_no_words_of_it(language: Language) -> None:
    frames = language.frames
    failed = frames.failed.format(why="The chat model did not answer within 5 s")
    for opening in (frames.unread, failed, frames.nothing, frames.other_language.format(languages="German, French")):
        found = weights("Who decides?", f"{opening}\n\n> The Board decides.", "When is that?")
        assert {word for word, weight in found.items() if weight == 0.2} == {"Board"}


def test_a_fragment_is_ranked_with_what_it_leans_on() -> None:
    found = plan_by_rules.weighed_words(conversation(*LEAVE, "How much is it?"))
    assert found is not None
    assert found.ranked == "How much is it? parental leave policy"
    assert found.embedded == "How much is it? leave parental policy Parents"
    assert plan_by_rules.shown_query("How much is it?", found).startswith("How much is it? leave parental policy")


def test_a_question_that_says_enough_is_ranked_as_it_stands() -> None:
    question = "Which form do employees with twins fill in?"
    found = plan_by_rules.weighed_words(conversation(*LEAVE, question))
    assert found is not None and found.ranked == found.embedded == question


def test_numbers_keep_their_dots_and_signs_do_not_count() -> None:
    assert set(weights("Is 6.15.0 out?", "Yes.", "«Does 6.15.0 differ from 6.14.0?»")) >= {"6.15.0", "6.14.0"}


@law()
@given(st.lists(st.text(max_size=300), min_size=1, max_size=6))
def test_any_conversation_has_few_words_with_positive_weights(texts: list[str]) -> None:
    found = plan_by_rules.weighed_words(conversation(*texts, *([""] if len(texts) % 2 else []), "And then?"))
    if found is not None:
        assert len(found.words) <= plan_by_rules.MOST_WORDS and max(len(found.ranked), len(found.embedded)) <= 2_000
        assert all(word and weight >= plan_by_rules.WEIGHTS.least for word, weight in found.words)
