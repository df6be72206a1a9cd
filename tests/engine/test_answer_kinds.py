"""The kind of answer that a question asks for, and the sentences that have one."""

from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.engine import answer_kinds
from retrieval.engine.answer_kinds import Kind


@pytest.mark.parametrize(
    ("question", "asked"),
    [
        ("How many lamps burn?", {"number"}),
        ("how much does it cost", {"number"}),
        ("What is the population of Cairo?", {"number"}),
        ("Wie viele Lampen brennen?", {"number"}),
        ("¿Cuántas lámparas arden?", {"number"}),
        ("东京的人口是多少", {"number"}),
        ("When was the plant opened?", {"date"}),
        ("In which year did it close?", {"date"}),
        ("Wann wurde es eröffnet?", {"date"}),
        ("Quand a-t-il ouvert ?", {"date"}),
        ("いつ開きましたか", {"date"}),
        ("Who built the harbour?", {"name"}),
        ("By whom was it built?", {"name"}),
        ("Which company runs it?", {"name"}),
        ("¿Quién lo construyó?", {"name"}),
        ("Wer hat es gebaut?", {"name"}),
        ("谁重建了东翼？", {"name"}),
        ("Who built it, and when was it opened?", {"name", "date"}),
        ("How do I reset the meter?", {"steps"}),
        ("how to reset the meter", {"steps"}),
        ("What are the steps to file a claim?", {"steps"}),
        ("What does a lamp cost?", {"number"}),
        ("Was kostet eine Lampe?", {"number"}),
        ("图书馆几点开放？", {"date"}),
        ("Which cities went dark?", {"name"}),
        ("Wie bekomme ich einen Ausweis?", {"steps"}),
        ("怎样办理借书证？", {"steps"}),
        ("Wie lange brennen wir die Lampen?", {"number"}),
        ("What happens when a lamp burns out?", set()),
        ("What did the woman who portrayed Corliss Archer do?", set()),
        ("How do we know that the earth is round?", set()),
        ("How does the meter work?", set()),
        ("Why is the street grid so visible?", set()),
        ("gas flares", set()),
    ],
)
def test_the_words_that_ask_tell_the_kind(question: str, asked: set[Kind]) -> None:
    assert answer_kinds.asked_for(question) == asked


@pytest.mark.parametrize(
    ("kind", "question", "sentence"),
    [
        ("number", "How many lamps burn?", "The harbour has 1,500 lamps."),
        ("number", "How many lamps burn?", "There are forty of them."),
        ("number", "How many moons are there?", "It has one moon."),
        ("number", "How long do they burn?", "The lamps burn all night."),
        ("number", "东京的人口是多少", "东京的人口约为一千四百万。"),
        ("date", "When did it open?", "The plant opened in 1998."),
        ("date", "When did it open?", "It opened on the 3rd of May."),
        ("date", "What time does it open?", "It opens at 9:30."),
        ("date", "When did it open?", "It opened three years ago."),
        ("date", "When do boats go out?", "They leave before the tide turns."),
        ("date", "Wann öffnet es?", "Es öffnet im März."),
        ("date", "When do lamps burn?", "The lamps burn only at night."),
        ("date", "When do lamps burn?", "They are lit on winter evenings."),
        ("date", "图书馆几点开放？", "图书馆周六上午十点开放。"),
        ("number", "How much of it burned?", "It lost four fifths of its lamps."),
        ("steps", "Wie bekomme ich einen Ausweis?", "Bitte an der Theke melden."),
        ("steps", "怎样办理借书证？", "请到一楼借阅台办理。"),
        ("steps", "How do I open it?", "It is simple: 1. Turn the key. 2. Lift the lid."),
        ("name", "Who built the harbour?", "The harbour was built by Ada Byron."),
        ("name", "Who keeps the lamps?", "The lamps are kept by the harbour office."),
        ("name", "Who built it?", "东京是日本的首都。"),
        ("steps", "How do I reset the meter?", "Press the button for ten seconds."),
        ("steps", "How do I reset the meter?", "To reset it, hold the button."),
        ("steps", "How do I file a claim?", "Claimants must send a form."),
        ("steps", "How do I file a claim?", "You can send the form by mail."),
    ],
)
def test_a_sentence_that_has_one(kind: Kind, question: str, sentence: str) -> None:
    assert answer_kinds.gives(kind, sentence, question=question)


@pytest.mark.parametrize(
    ("kind", "question", "sentence"),
    [
        ("number", "How many lamps burn?", "The lamps of the harbour burn all the time."),
        ("number", "How many lamps burned in 1998?", "In 1998 the lamps burned."),
        ("number", "How many lamps burn?", "One of the lamps was lit on 3 May 1998, in June 1999 another."),
        ("date", "When did it open?", "The plant opened to great applause."),
        ("date", "When did it open?", "The plant made paint when it opened."),
        ("date", "When did the lamps of 1998 burn?", "The lamps of 1998 burned."),
        ("date", "When do lamps burn?", "Each night's image shows every lamp."),
        ("date", "When do lamps burn?", "The polar night needs them."),
        ("name", "Who opens it?", "Press the button and the door opens."),
        ("steps", "How do I map them?", "A background must be subtracted."),
        ("name", "Who built the harbour of Ostia?", "The harbour of Ostia was built well."),
        ("name", "Who built it?", "It was built in June."),
        ("steps", "How do I reset the meter?", "The meter shows what was used."),
        ("steps", "How do I reset the meter?", "Meters were first built of brass."),
    ],
)
def test_a_sentence_that_has_none(kind: Kind, question: str, sentence: str) -> None:
    assert not answer_kinds.gives(kind, sentence, question=question)


@pytest.mark.parametrize(
    ("question", "what"),
    [
        ("Where is it?", True),
        ("Wo ist es?", True),
        ("为什么？", True),
        ("Is it open?", False),
        ("Ist es offen?", False),
    ],
)
def test_a_question_for_something_is_told_from_a_question_whether_something_is_so(question: str, what: bool) -> None:
    assert answer_kinds.asks_what(question) is what


@given(question=st.text(), sentence=st.text(), kind=st.sampled_from(["number", "date", "name", "steps"]))
def test_no_text_is_too_odd_to_be_looked_at(question: str, sentence: str, kind: Kind) -> None:
    assert isinstance(answer_kinds.gives(kind, sentence, question=question), bool)
    assert answer_kinds.asked_for(question) <= set(answer_kinds.ASKING)
    answer_kinds.is_vague(question)


@pytest.mark.parametrize(
    "piece", ["when ", "how many ", "and ", "by  ", "2 ", "1.1.", "May ", "a ", ": ", "two years ", "9"]
)
def test_time_grows_with_the_text_and_not_with_its_square(piece: str) -> None:
    """Texts are far larger than what is ever looked at: 2,000 characters of a question, 600 of a sentence."""
    text = piece * (100_000 // len(piece))
    start = process_time()
    answer_kinds.asked_for(text)
    for kind in answer_kinds.ASKING:
        answer_kinds.gives(kind, text, question="when and how many?")
    assert process_time() - start < 2
