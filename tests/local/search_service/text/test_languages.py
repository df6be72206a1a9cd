"""Which language a text is recognised to be in, and what its words become."""

import pytest

from retrieval.local.search_service.text.analysis import ANALYZERS
from retrieval.local.search_service.text.languages import ENGLISH, recognised, stated, terms_of

TEXTS = {
    "en": "The lamp of the lighthouse was lit by the keeper, who had to climb all of its stairs.",
    "de": "Die Lampe des Leuchtturms wurde vom Wärter angezündet, der dafür alle Stufen steigen musste.",
    "fr": "La lampe du phare était allumée par le gardien, qui devait pour cela monter toutes les marches.",
    "es": "La lámpara del faro la encendía el guardián, que para ello tenía que subir todos los escalones.",
    "it": "La lampada del faro era accesa dal guardiano, che per questo doveva salire tutti i gradini.",
    "pt": "A lâmpada do farol era acesa pelo guarda, que para isso tinha de subir todos os degraus.",
    "nl": "De lamp van de vuurtoren werd door de wachter aangestoken, die daarvoor alle trappen op moest.",
    "sv": "Lampan i fyren tändes av vaktmästaren, som för den skull måste gå uppför alla trappor.",
    "pl": "Lampę latarni morskiej zapalał strażnik, który musiał w tym celu wejść po wszystkich schodach.",
    "tr": "Deniz fenerinin lambasını bekçi yakardı ve bunun için her gün bütün basamakları çıkmak zorundaydı.",
    "ro": "Lampa farului era aprinsă de paznic, care pentru aceasta trebuia să urce toate treptele sale.",
    "vi": "Ngọn đèn của hải đăng được người canh thắp lên, và vì vậy ông phải leo hết các bậc thang này.",
    "ru": "Лампу маяка зажигал смотритель, который для этого должен был подняться по всем ступеням.",
    "uk": "Лампу маяка запалював доглядач, який для цього мав піднятися всіма сходами, що там були.",
    "el": "Τη λάμπα του φάρου την άναβε ο φύλακας, που για αυτό έπρεπε να ανέβει όλα τα σκαλιά.",
    "ar": "كان حارس المنارة هو الذي يوقد المصباح كل ليلة بعد أن يصعد إلى أعلى السلم.",
    "hi": "प्रकाशस्तंभ का दीपक उसका रखवाला जलाता था और इसके लिए उसे सभी सीढ़ियाँ चढ़नी पड़ती थीं।",
}


@pytest.mark.parametrize(("code", "text"), TEXTS.items())
def test_the_language_of_a_text_is_that_of_its_common_words(code: str, text: str) -> None:
    assert recognised(text) == code
    assert recognised(text.upper()) == code


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Faro 7",
        "Capstan, bollard, fairlead.",
        "10 20 30 40",
        "灯塔的灯是由看守人点亮的。",
        "灯台の明かりは番人が灯した。",
        "ประภาคารหลังนี้มีคนเฝ้าอยู่",
    ],
)
def test_a_text_without_common_words_of_a_language_is_read_as_english(text: str) -> None:
    assert recognised(text) == ENGLISH


def test_a_foreign_title_does_not_make_an_english_sentence_foreign() -> None:
    assert recognised("Die Stadt ohne Juden is a film of 1924 about the expulsion of a people from a city.") == ENGLISH


@pytest.mark.parametrize(
    ("code", "one", "other"),
    [
        ("de", "Häfen", "Hafens"),
        ("es", "guardianes", "guardián"),
        ("ru", "маяками", "маяка"),
        ("tr", "fenerler", "fenerin"),
        ("it", "lampade", "lampada"),
        (ENGLISH, "lamps", "lamp"),
    ],
)
def test_forms_of_a_word_are_one_term(code: str, one: str, other: str) -> None:
    analyzer = terms_of(code).analyzer
    assert analyzer.terms(one) == analyzer.terms(other)


@pytest.mark.parametrize(
    ("code", "asked"),
    [("de", "wie viele welche"), ("es", "cuál quién dónde"), ("ru", "сколько какой кто"), (ENGLISH, "what how who")],
)
def test_words_that_ask_are_silent_in_their_language(code: str, asked: str) -> None:
    terms = terms_of(code)
    assert terms.silent.issuperset(terms.analyzer.terms(asked))


def test_an_analyzer_states_a_language_unless_texts_of_any_are_indexed_by_it() -> None:
    names = (
        "de.lucene",
        "de.microsoft",
        "es.lucene",
        "fr.microsoft",
        "en.microsoft",
        "standard.lucene",
        "zh-Hans.lucene",
    )
    assert [stated(ANALYZERS[name]) for name in names] == ["de", "de", "es", "fr", None, None, None]
