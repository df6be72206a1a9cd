"""Follow-up questions in five languages: which depend on earlier turns, and what is carried from these."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.model.search import LONGEST_SEARCH
from retrieval.text.user_message import leans_on_earlier_turns, standalone, terms
from tests.answer.found import texts
from tests.answer.material import user

LEANING = (
    "And what about its delta in the north of the country?",
    "Und wie viele Menschen wohnen dort in der alten Innenstadt von heute?",
    "Welche Farbe haben seine Fenster im zweiten Stock des Rathauses?",
    "Wie hoch ist er?",
    "Combien d’habitants vivent là dans la vieille ville aujourd’hui ?",
    "Quand la tour a-t-elle été repeinte en rouge pour la première fois ?",
    "¿Cuántas personas viven allí en el casco antiguo de la ciudad?",
    "那里的人口密度和面积分别是多少平方公里",
    "人口呢？",
)
ALONE = (
    "How do the street lamps of Phoenix glow at night?",
    "Können Sie mir sagen, wie hoch der Eiffelturm in Paris ohne Antenne ist?",
    "Welche Satelliten tragen Instrumente für Aufnahmen des Nachtlichts?",
    "Quelle est la hauteur de la tour Eiffel sans l’antenne à Paris ?",
    "¿Qué altura tiene la Torre Eiffel de París sin antena?",
    "红楼梦的作者曹雪芹出生在哪里",
)


@pytest.mark.parametrize("question", LEANING)
def test_a_question_that_points_back_or_says_little_depends_on_earlier_turns(question: str) -> None:
    assert leans_on_earlier_turns(question)


@pytest.mark.parametrize("question", ALONE)
def test_a_question_that_names_what_it_is_about_stands_alone(question: str) -> None:
    assert not leans_on_earlier_turns(question)
    assert standalone([user("Where is Cairo?"), user(question)]) == question


@pytest.mark.parametrize(
    ("earlier", "last", "expected"),
    [
        ("How bright is Cairo at night?", "And its delta?", "And its delta? bright Cairo night"),
        ("Wie hell ist Kairo in der Nacht?", "Und dort das Delta?", "Und dort das Delta? hell Kairo Nacht"),
        ("Quelle est la hauteur de la tour Eiffel ?", "Et son poids ?", "Et son poids ? hauteur tour Eiffel"),
        ("¿Cuál es la altura de la Torre Eiffel?", "¿Y su peso?", "¿Y su peso? altura Torre Eiffel"),
        ("东京的人口是多少？", "它的面积呢？", "它的面积呢？ 东京 人口"),
    ],
)
def test_the_content_words_of_the_turn_before_are_carried(earlier: str, last: str, expected: str) -> None:
    assert standalone([user(earlier), user(last)]) == expected


@given(st.lists(texts | st.text(alphabet="的东京是它a ?¿é", max_size=60), min_size=1, max_size=4))
def test_the_search_text_is_bounded_and_begins_with_the_question(said: list[str]) -> None:
    found = standalone(list(map(user, said)))
    assert len(found) <= LONGEST_SEARCH
    assert found.startswith(" ".join(said[-1].split())[:20])


@pytest.mark.parametrize("sign", ["的", "它 ", "什", "a'", "der ", "l’", "-"])
def test_hostile_texts_are_read_in_linear_time(sign: str) -> None:
    assert len(terms(sign * 100_000)) <= 2
    assert len(standalone([user(sign * 100_000), user(sign * 100_000)])) <= LONGEST_SEARCH
