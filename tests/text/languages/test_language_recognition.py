"""The language of a text: of questions and sentences in five languages, and English in doubt."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.model.conversation import Message
from retrieval.text.languages.language import CODES, READ, language, language_of, language_of_conversation, recognised
from tests.answer.found import texts
from tests.answer.material import user

SAID = {
    "en": (
        "Which fires glow?",
        "Who wrote La vida es sueño?",
        "Who directed Die Hard?",
        "was it hot?",
        "Which lamps of 東京 burn at night?",
        "The library is open until 31 March.",
    ),
    "de": (
        "Wo liegt Phoenix?",
        "Warum leuchtet Phoenix?",
        "Was kostet das?",
        "Und dort?",
        "Gibt es Parkplätze?",
        "WANN ÖFFNET DIE BÜCHEREI?",
        "Bis 31. März geöffnet",
        "Die Bücherei ist am Samstag bis 14 Uhr offen.",
    ),
    "fr": (
        "Où est la gare ?",
        "Combien ?",
        "Et à Paris ?",
        "comment ça marche",
        "horaires de la bibliothèque",
        "La bibliothèque est fermée le lundi.",
    ),
    "es": (
        "¿Y en Berlín?",
        "¿Por qué se ve Phoenix?",
        "cuando abre la biblioteca",
        "Puedo renovar en línea?",
        "La biblioteca está cerrada los lunes.",
    ),
    "it": ("Dov'è la biblioteca?", "come si chiama il presidente?", "La biblioteca è chiusa il lunedì."),
    "pt": ("Qual é a capital do Brasil?", "onde fica a biblioteca", "A biblioteca está fechada às segundas."),
    "zh": ("东京的人口是多少", "VIIRS 是什么", "iPhone 15 的价格是多少", "圖書館星期一不開放。"),
    "ja": ("作者はどこで生まれたか", "図書館は月曜日に休みです。"),
    "ko": ("저자는 어디에서 태어났나요?", "도서관은 월요일에 쉽니다."),
}
DOUBTFUL = (
    "",
    "VIIRS",
    "Los Angeles population",
    "la dolce vita plot",
    "Der Spiegel circulation",
    "mars rover images",
    "mayo clinic",
    "comment on this",
    "1998, 3.5 %",
)


@pytest.mark.parametrize(("code", "text"), [(code, text) for code in SAID for text in SAID[code]])
def test_a_text_is_recognised_by_its_commonest_words_and_signs(code: str, text: str) -> None:
    found = recognised(text)
    assert found is not None and found.code == code


@pytest.mark.parametrize("text", DOUBTFUL)
def test_in_doubt_a_text_is_read_as_english(text: str) -> None:
    assert recognised(text) is None
    assert language_of(text).code == "en"


@given(texts | st.text(), st.text())
def test_every_text_has_a_language_which_what_is_after_its_beginning_does_not_change(text: str, after: str) -> None:
    beginning = text.ljust(READ)[:READ]
    assert language_of(beginning + after) is language_of(beginning)
    assert language_of(text).code in SAID


@pytest.mark.parametrize("sign", ["der ", "a", "的", "¿", "'", "ß", "\u0301", "\ud800", " "])
def test_hostile_texts_are_read_at_their_beginning_only(sign: str) -> None:
    assert language_of(sign * 1_000_000) is language_of((sign * READ)[:READ])


def test_a_conversation_is_in_the_language_of_its_last_turn_that_has_one() -> None:
    said = [user("Wo liegt Phoenix?"), Message(role="assistant", text="It is in the desert."), user("VIIRS?")]
    assert language_of_conversation(said).code == "de"
    assert language_of_conversation([*said, user("Where is it?")]).code == "en"
    assert language_of_conversation([]).code == "en"


@pytest.mark.parametrize("code", CODES)
def test_frames_are_recognised_as_their_own_language(code: str) -> None:
    frames = language(code).frames
    for frame in (frames.nothing, frames.unsearched, frames.left_out, frames.unread, frames.failed.format(why="VIIRS")):
        found = recognised(frame)
        assert found is not None and found.code == code, frame
