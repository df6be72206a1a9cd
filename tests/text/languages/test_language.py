"""The data of each language, and the rules that read it: what relates two things, what is a name."""

import re
from collections.abc import Iterator
from dataclasses import fields
from time import process_time

import pytest

from retrieval.text.languages.language import CODES, Language, language
from retrieval.text.sentences import sentences
from tests.sampling import sample
from tests.text.languages.named import NAMED

LANGUAGES = [language(code) for code in CODES]
every_language = pytest.mark.parametrize("one", LANGUAGES, ids=CODES)
LISTS = (
    "pointers",
    "stop_words",
    "asking",
    "dates",
    "nameless",
    "relations",
    "joining",
    "abbreviations",
    "numbered",
    "ordinals",
    "negations",
)


def test_each_code_has_its_own_data() -> None:
    assert [one.code for one in LANGUAGES] == list(CODES)


@every_language
def test_words_are_written_as_they_are_compared(one: Language) -> None:
    lists = {name: getattr(one, name) for name in LISTS}
    assert all(word == word.casefold().strip() for words in lists.values() for word in words)
    assert not any(" " in word for name in LISTS if name != "relations" for word in lists[name])
    empty = {name for name, words in lists.items() if not words}
    unlooked = {"dates", "nameless", "relations", "joining"} if one.names == "marks" else set[str]()
    assert empty <= {"ordinals", "numbered"} | unlooked
    assert not one.abbreviations & one.numbered


@every_language
def test_no_word_both_asks_and_points_back(one: Language) -> None:
    assert not one.asking & one.pointers
    assert not one.nameless & one.dates


@every_language
def test_frames_have_a_place_for_what_they_name_and_nothing_else(one: Language) -> None:
    frames = one.frames
    for name in (field.name for field in fields(frames)):
        said = getattr(frames, name)
        assert said and said == said.strip()
        places = {"failed": {"why"}, "other_language": {"languages"}}.get(name, set())
        assert set(re.findall(r"\{(\w*)\}", said)) == places


@every_language
def test_no_phrase_of_small_talk_is_of_two_kinds(one: Language) -> None:
    talk = one.small_talk
    kinds = (talk.greetings, talk.thanks, talk.farewells, talk.asides)
    assert sum(map(len, kinds)) == len(frozenset().union(*kinds))
    assert all(phrase == phrase.casefold() for kind in kinds for phrase in kind)


@pytest.mark.parametrize(
    ("code", "text", "expected"),
    [
        ("en", "the star of Kiss and Tell", True),
        ("en", "Ada Lovelace's father", True),
        ("en", "Ada Lovelace’s father", True),
        ("en", "the country containing Nugegoda", True),
        ("en", "a film directed in Rome", True),
        ("en", "a red king", False),
        ("en", "is Phoenix bright at night", False),
        ("en", "offers", False),
        ("de", "der Vater von Ada Lovelace", True),
        ("de", "hat der Film, der Ada Lovelace zeigt", True),
        ("de", "ist das Alter des Turms", True),
        ("de", "ist Phoenix in der Nacht hell", False),
        ("fr", "le père d’Ada Lovelace", True),
        ("fr", "est-ce que Paris brille", False),
        ("es", "el padre de Ada Lovelace", True),
        ("es", "brilla Phoenix", False),
    ],
)
def test_a_question_may_relate_two_things(code: str, text: str, expected: bool) -> None:
    assert language(code).relates(text) is expected


@pytest.mark.parametrize(
    ("code", "run", "expected"),
    [
        ("en", "Shirley Temple", "Shirley Temple"),
        ("en", "The Bay of Pigs", "Bay of Pigs"),
        ("en", "Monday", ""),
        ("en", "Kiss and Tell", "Kiss"),
        ("en", "American", ""),
        ("en", "Phoenix", "Phoenix"),
        ("de", "Bücherei", ""),
        ("de", "Die Bücherei", ""),
        ("de", "Ende März", ""),
        ("de", "Ada Lovelace", "Ada Lovelace"),
        ("de", "Frau Ada Lovelace", "Ada Lovelace"),
        ("de", "Johann Wolfgang von Goethe", "Johann Wolfgang von Goethe"),
        ("de", "Licht der Städte", ""),
        ("de", "Bau von Brücken", ""),
        ("de", "Tassen Kaffee", ""),
        ("de", "NASA", "NASA"),
        ("fr", "Les Halles", "Halles"),
        ("fr", "Victor Hugo", "Victor Hugo"),
        ("fr", "Lundi", ""),
        ("fr", "L’architecte Henri Lebrun", "Henri Lebrun"),
        ("fr", "L’Oréal", "L’Oréal"),
        ("fr", "D’après M Roy", "Roy"),
        ("es", "El Martes", ""),
        ("es", "Gabriel García Márquez", "Gabriel García Márquez"),
        ("zh", "VIIRS NASA", ""),
    ],
)
def test_a_name_is_what_the_language_writes_as_a_name(code: str, run: str, expected: str) -> None:
    assert " ".join(language(code).name_in(run.split())) == expected


def runs(text: str, joining: frozenset[str]) -> Iterator[list[str]]:
    """Words with a capital in a row, with joining words between, but for the first word of a sentence."""
    for place in sentences(text):
        run: list[str] = []
        for word in re.findall(r"\w[\w’-]*|[^\w\s]", text[place.start : place.end])[1:]:
            if word[0].isupper() or (run and word in joining):
                run.append(word)
            elif run:
                yield run
                run = []
        yield run


@pytest.mark.parametrize("code", NAMED)
def test_no_word_is_taken_for_a_name_that_is_none(code: str) -> None:
    """The first words of sentences, nouns, months, measures and forms of address are no names in any language."""
    text, names = NAMED[code]
    one = language(code)
    found = {" ".join(one.name_in(run)) for run in runs(text, one.joining)} - {""}
    assert found <= names
    assert len(found) >= len(names) - 1


@pytest.mark.parametrize("piece", sample(["a", "a ", "des ", ", d", "'", "的", "什", "A ", "A von ", "l’A "], every=4))
@every_language
def test_time_grows_with_the_text_and_not_with_its_square(one: Language, piece: str) -> None:
    """Texts are far larger than what is ever looked at: 4,000 characters of a turn, 2,000 of a document."""
    text = piece * (100_000 // len(piece))
    start = process_time()
    one.relates(text)
    one.points_back(text)
    one.words_of(text)
    one.name_in(text.split())
    assert process_time() - start < 2


@pytest.mark.parametrize(
    ("code", "denying", "affirming"),
    [
        ("en", "You don’t smoke here.", "A knot is here."),
        ("de", "Hier raucht niemand.", "Im Mai raucht man."),
        ("fr", "Il n’est jamais là.", "Il est là en mai."),
        ("es", "No hay nada.", "Hay un nodo."),
        ("it", "Non fuma.", "A maggio fuma."),
        ("pt", "Não há ninguém.", "Há alguém."),
        ("zh", "不可以吸烟。", "可以吸烟。"),
        ("ja", "喫煙できません。", "喫煙できます。"),
        ("ko", "피울 수 없습니다.", "피울 수 있습니다."),
    ],
)
def test_a_negation_is_told(code: str, denying: str, affirming: str) -> None:
    assert language(code).denies(denying) and not language(code).denies(affirming)
