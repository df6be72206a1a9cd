"""The follow-up by rules: when it pays, and what it searches."""

import pytest

from retrieval.errors import BackendUnavailable
from retrieval.model.conversation import Message
from retrieval.model.retrieval import Limits, Reference, RetrievalRequest
from retrieval.model.search import Page, Searched, SearchTarget, Subquery
from retrieval.retrieve import search_for_names
from retrieval.retrieve.plan import plan_by_rules
from retrieval.retrieve.search import searching
from retrieval.retrieve.search_for_names import NAMES, Lead, lead, relates
from tests.answer.found import NOON, QUESTION, chunk, searched


def reference(number: int, text: str, *, title: str | None = None, score: float | None = 2.5) -> Reference:
    return chunk(number, text, title=title, score=score).reference


FILM = reference(
    1,
    "Kiss and Tell is a 1945 American comedy film. It stars then 17-year-old Shirley Temple as Corliss Archer.",
    title="Kiss and Tell (1945 film)",
    score=2.9,
)
RADIO = reference(2, "A Date with Judy is a radio series of the Forties.", title="A Date with Judy", score=1.5)


def led(question: str = QUESTION, *found: Reference) -> Lead:
    lead_ = lead(question, found or (FILM, RADIO))
    assert lead_ is not None
    return lead_


def test_one_search_has_all_names_that_the_question_lacks_and_the_question() -> None:
    query = led().query.query
    assert "Shirley Temple" in query and "Judy" in query and query.endswith(QUESTION)
    assert "Corliss Archer" not in query.removesuffix(QUESTION) and "American" not in query


@pytest.mark.parametrize(
    ("question", "pays"),
    [
        (QUESTION, True),
        ("Which position did the woman who played Corliss Archer hold?", True),
        ("Are Ada Lovelace and Karl Brandt of the same country?", True),
        ("Kiss and Tell was the film that made Shirley Temple known.", False),
        ("Which position did she hold?", False),
        ("When did the country containing Nugegoda leave the empire?", True),
        ("Where is Cairo?", False),
        ("WHICH POSITION DID SHE HOLD OF ALL?", False),
        ("谁写了《红楼梦》的作者的传记？", False),
    ],
)
def test_it_pays_where_a_question_relates_something_named(question: str, pays: bool) -> None:
    assert relates(question) is pays


@pytest.mark.parametrize(("search", "answered"), [(QUESTION, True), ("Corliss Archer Kiss and Tell actress", False)])
def test_only_a_search_for_the_question_itself_tells_that_it_is_answered(search: str, answered: bool) -> None:
    complete = reference(1, FILM.hit.content or "", score=search_for_names.COMPLETE)
    target = SearchTarget(index="i", threshold=0)
    searched = Searched(
        subquery=Subquery(search=search, target=target),
        page=Page(hits=(complete.hit,)),
        started_at=NOON,
        elapsed_ms=1,
    )
    assert search_for_names.answers(QUESTION, [searched]) is answered


@pytest.mark.parametrize("courtesy", ["Hello! ", "Thanks. ", ""])
def test_a_courtesy_changes_neither_whether_it_pays_nor_what_is_searched(courtesy: str) -> None:
    complete = reference(1, FILM.hit.content or "", score=search_for_names.COMPLETE)
    target = SearchTarget(index="i", threshold=0)
    said = RetrievalRequest(
        messages=(Message(role="user", text=courtesy + QUESTION),),
        targets=(target,),
        limits=Limits(output_tokens=5_000, runtime=60.0),
    )
    found = Searched(
        subquery=Subquery(search=courtesy + QUESTION, target=target),
        page=Page(hits=(complete.hit,)),
        started_at=NOON,
        elapsed_ms=1,
    )
    planned = plan_by_rules.without_model(said)
    assert not search_for_names.searches_names(said, planned, [found])
    assert search_for_names.searches_names(said, planned, [])
    lead = searching.lead_of(said, planned, [found], [FILM, RADIO])
    assert lead is not None and lead.query.query.endswith(QUESTION)


def test_what_a_plan_looks_up_next_is_the_goal_of_the_search() -> None:
    made = lead("kiss and tell actress government post", (FILM, RADIO), next="The government position of that actress")
    assert made is not None and made.query.goal == "The government position of that actress"


def test_the_ten_rarest_names_of_a_document_are_searched() -> None:
    names = [f"Ada{number} Smith" for number in range(NAMES + 4)]
    crowd = reference(1, "; ".join(names))
    common = [reference(number, f"Ada{number} was there.") for number in range(2, 6)]
    made = lead(QUESTION, [crowd, *common])
    assert made is not None
    assert {*made.sources[0].searched} == {*names} - {f"Ada{number} Smith" for number in range(2, 6)}


def test_initials_and_the_bracket_of_a_title_are_no_words_of_a_name() -> None:
    film = reference(1, "A film by Albert S. Rogell.", title="Li'l Abner (1940 film)".replace("\\", ""))
    made = lead(QUESTION, [film])
    assert made is not None
    assert {("albert", "rogell"), ("li", "abner")} <= made.sources[0].names


@pytest.mark.parametrize(
    ("text", "asks"),
    [
        ("Patients of Lisbon who carry the HTLV virus produce antibodies in the blood.", False),
        ("Tell me who directed the film of Astrid Lindgren.", True),
        ("the director of Ronja, who was born in which town", True),
    ],
)
def test_a_statement_asks_nothing(text: str, asks: bool) -> None:
    assert relates(text) is asks


def test_who_is_in_most_documents_leads_nowhere() -> None:
    chat = [reference(number, f"Karl Brandt writes to her on day {number}.") for number in range(10)]
    assert lead(QUESTION, chat) is None


def test_without_new_names_there_is_nothing_to_follow() -> None:
    assert lead(QUESTION, (reference(1, "Corliss Archer is a girl in Kiss and Tell."),)) is None
    assert lead(QUESTION, ()) is None


def test_each_search_of_a_plan_brings_names() -> None:
    found = [reference(number, f"It was built by Engineer{number} Smith.") for number in range(1, 6)]
    three, five = lead(QUESTION, found), lead(QUESTION, found, searches=5)
    assert three is not None and "Engineer3" in three.query.query and "Engineer4" not in three.query.query
    assert five is not None and "Engineer5" in five.query.query


@pytest.mark.parametrize(("most", "searches"), [(None, 1), (1, 0), (2, 1)])
def test_the_sub_queries_of_a_target_bound_the_plan_and_the_follow_up_together(most: int | None, searches: int) -> None:
    target = SearchTarget(index="atlas", threshold=0, max_subqueries=most)
    done = Searched(subquery=Subquery(search=QUESTION, target=target), started_at=NOON, elapsed_ms=1)
    found = searching.for_names(led().query, [done])
    assert len(found) == searches
    assert not any(one.target.recall.rerank for one in found)


def test_a_target_that_failed_is_not_searched_again() -> None:
    assert searching.for_names(led().query, [searched("one", error=BackendUnavailable("The index", "failed."))]) == []
