"""What the rules search beside a model's plan: in a conversation, and where the plan has hardly a word of it."""

import json
from typing import Any, Final

import pytest

from retrieval.local.wire import WireRequest, WireResponse, WireService
from tests.answer.scripts import by_step, planned, selected
from tests.conftest import Response
from tests.scenarios.failures.conftest import QUESTION_OF_TWO, Base
from tests.scenarios.failures.test_follow_up import ADA, keys, second
from tests.scripted_azure import ScriptedAzure, document, failing, found, streaming
from tests.scripted_azure.streams import ending, pieces

INVENTED: Final = ("annual rainfall of the Atacama desert", "SELECT price FROM orders", "sourdough starters at home")
TURNS: Final = (
    ("user", "Who built the Rhine Bridge at Konstanz?"),
    ("assistant", "Ada Lovelace built it."),
    ("user", "And when was it opened?"),
)

ALONE: Final = "Which museum in Geneva shows meteorites of the Sahara?"


def messages(*turns: tuple[str, str]) -> list[dict[str, Any]]:
    return [{"role": role, "content": [{"type": "text", "text": text}]} for role, text in turns]


def finding(**by_word: tuple[str, ...]) -> WireService:
    """A search service that finds the documents of the first word that the search has; scores fall from 3.9."""

    async def answer(request: WireRequest) -> WireResponse:
        search = json.loads(request.body)["search"].casefold()
        names = next((names for word, names in by_word.items() if word in search), ())
        documents = [document(name, 3.9 - n / 10, content=f"On {name}.") for n, name in enumerate(names)]
        return await found(*documents)(request)

    return answer


def by_place(answer: Response) -> list[str]:
    """The keys of the references by their ids; the list itself may be by score."""
    return [one["docKey"] for one in sorted(answer.json["references"], key=lambda one: int(one["id"]))]


def warning(answer: Response) -> str:
    return str(answer.json["activity"][-1].get("warning", ""))


@pytest.mark.parametrize("effort", ["low", "auto", "medium"])
async def test_earlier_turns_do_not_bury_a_question_that_stands_alone(
    effort: str, azure: ScriptedAzure, base: Base
) -> None:
    azure.search = finding(konstanz=("r1", "b", "r2"), geneva=("a", "b"))
    answer = await base("plain", effort=effort, messages=messages(*TURNS[:2], ("user", ALONE)))
    assert sorted(one.json["search"] == ALONE for one in azure.searches) == [False, True]
    assert by_place(answer) == ["a", "r1", "b", "r2"]


async def test_a_question_that_leans_on_earlier_turns_is_searched_once(azure: ScriptedAzure, base: Base) -> None:
    azure.search = finding(konstanz=("r1", "b"))
    assert by_place(await base("plain", messages=messages(*TURNS))) == ["r1", "b"]
    assert len(azure.searches) == 1


async def test_beside_a_plan_a_question_that_stands_alone_is_searched_alone(azure: ScriptedAzure, base: Base) -> None:
    azure.chat, azure.search = by_step({"plan": planned("Geneva museum meteorites")}), finding(geneva=("a",))
    await base("planner", effort="low", messages=messages(*TURNS[:2], ("user", ALONE)))
    assert {one.json["search"] for one in azure.searches} == {"Geneva museum meteorites", ALONE}


@pytest.mark.parametrize("effort", ["low", "auto", "medium"])
async def test_in_a_conversation_the_rules_query_is_searched_after_the_plan(
    effort: str, azure: ScriptedAzure, base: Base
) -> None:
    azure.chat = by_step({"plan": planned("opening date of the bridge"), "judge": selected(sufficient=False)})
    plan, rules = tuple("abcdefg"), ("r1", "b", "r2", "r3")
    azure.search = finding(konstanz=rules, opening=plan)
    answer = await base("planner", effort=effort, messages=messages(*TURNS))
    weighed, query = sorted((one.json["search"] for one in azure.searches), key=len, reverse=True)
    assert query == "opening date of the bridge" and "Konstanz^" in weighed
    assert by_place(answer) == ["a", "b", "c", "d", "e", "r1", "f", "r2", "g", "r3"]
    assert warning(answer) == ""


async def test_a_plan_that_repeats_the_last_message_keeps_the_earlier_turns(azure: ScriptedAzure, base: Base) -> None:
    azure.chat = by_step({"plan": planned("And when was it opened?")})
    azure.search = finding(konstanz=("bridge",), opened=("shop",))
    answer, without = [await base(name, effort="auto", messages=messages(*TURNS)) for name in ("planner", "plain")]
    assert by_place(answer) == ["shop", "bridge"] and keys(without) == ["bridge"]


@pytest.mark.parametrize("most", [2, 5])
async def test_a_limit_of_documents_keeps_the_plans_first_ones(most: int, azure: ScriptedAzure, base: Base) -> None:
    azure.chat = by_step({"plan": planned("opening date of the bridge")})
    azure.search = finding(konstanz=("r1", "r2"), opening=tuple("abcdefg"))
    answer = await base("planner", effort="auto", messages=messages(*TURNS), maxOutputDocuments=most)
    assert keys(answer) == list("abcde")[:most]


async def test_a_plan_with_as_many_queries_as_allowed_is_searched_alone(azure: ScriptedAzure, base: Base) -> None:
    queries = ("Konstanz bridge", "Rhine Bridge opening", "Ada Lovelace bridge")
    azure.chat, azure.search = by_step({"plan": planned(*queries)}), found()
    await base("planner", effort="auto", messages=messages(*TURNS))
    assert [one.json["search"] for one in azure.searches] == list(queries)


@pytest.mark.parametrize("count", [1, 2, 3])
@pytest.mark.parametrize("effort", ["low", "auto"])
async def test_where_a_plan_is_invented_the_first_ten_are_those_of_the_question(
    effort: str, count: int, azure: ScriptedAzure, base: Base
) -> None:
    azure.chat = by_step({"plan": planned(*INVENTED[:count])})
    other = tuple(f"o{n}" for n in range(10))
    azure.search = finding(bridge=tuple("abcdefghijkl"), desert=other, select=other, sourdough=other)
    answer, without = [await base(name, effort=effort) for name in ("planner", "plain")]
    assert by_place(answer) == by_place(without) == list("abcdefghij")
    assert len(azure.searches) == 1 + min(count + 1, 3)
    assert QUESTION_OF_TWO in [one.json["search"] for one in azure.searches][:-1]
    assert "hardly a word" in warning(answer)


@pytest.mark.parametrize("query", ["which is the", "what?", "???", "$", "的"])
async def test_a_plan_without_a_content_word_is_weak(query: str, azure: ScriptedAzure, base: Base) -> None:
    azure.chat, azure.search = by_step({"plan": planned(query)}), finding(bridge=("bridge",))
    answer = await base("planner", effort="low")
    assert by_place(answer) == ["bridge"]
    assert "hardly a word" in warning(answer)


async def test_an_invented_plan_of_a_conversation_follows_the_rules_query(azure: ScriptedAzure, base: Base) -> None:
    azure.chat = by_step({"plan": planned(*INVENTED)})
    azure.search = finding(konstanz=tuple("abcdefghijkl"), desert=("o1",), select=("o2",), sourdough=("o3",))
    answer, without = [await base(name, effort="auto", messages=messages(*TURNS)) for name in ("planner", "plain")]
    assert by_place(answer) == by_place(without) == list("abcdefghij")
    assert len(azure.searches) == 4


@pytest.mark.parametrize("turns", [(), TURNS[:2]], ids=["alone", "in a conversation"])
async def test_an_invented_plan_that_breaks_off_leaves_the_first_ten_to_the_rules(
    turns: tuple[tuple[str, str], ...], azure: ScriptedAzure, base: Base
) -> None:
    asked = messages(*turns, ("user", "And which bridge was it?" if turns else QUESTION_OF_TWO))
    azure.chat = streaming(*pieces(json.dumps({"queries": INVENTED})[:-20], 9), ending("length"))
    other = tuple(f"o{n}" for n in range(10))
    azure.search = finding(bridge=tuple("abcdefghijkl"), desert=other, select=other, sourdough=other)
    answer, without = [await base(name, effort="low", messages=asked) for name in ("planner", "plain")]
    assert by_place(answer) == by_place(without) == list("abcdefghij")
    assert "searched too" in warning(answer)


@pytest.mark.parametrize("plan", [failing(500), streaming(*pieces("{}", 9), ending())], ids=["fails", "is empty"])
async def test_where_a_plan_has_no_query_a_question_that_stands_alone_leads_as_without_a_model(
    plan: WireService, azure: ScriptedAzure, base: Base
) -> None:
    azure.chat, azure.search = by_step({"plan": plan}), finding(konstanz=("r1", "b", "r2"), geneva=("a", "b"))
    answer = await base("planner", effort="low", messages=messages(*TURNS[:2], ("user", ALONE)))
    assert by_place(answer) == ["a", "r1", "b", "r2"]


async def test_while_an_invented_plan_is_written_a_place_stays_free(azure: ScriptedAzure, base: Base) -> None:
    azure.chat = streaming(*pieces(json.dumps({"queries": INVENTED, "next": ""}), 9), ending())
    azure.search = finding(bridge=("bridge",))
    answer = await base("planner", effort="low")
    assert keys(answer) == ["bridge"]
    assert sorted(one.json["search"] for one in azure.searches) == sorted([*INVENTED[:2], QUESTION_OF_TWO])


@pytest.mark.parametrize(
    ("question", "query"),
    [
        (QUESTION_OF_TWO, "builder Rhine Bridge"),
        ("Wer hat die Brücke über den Rhein gebaut und wann wurde sie eröffnet?", "builder of the Rhine crossing"),
        ("Rhine Bridge builder", "crossings of a river"),
    ],
    ids=["a plan with words of the question", "a plan in another language", "a question of no language"],
)
async def test_other_plans_are_searched_as_they_are(
    question: str, query: str, azure: ScriptedAzure, base: Base
) -> None:
    azure.chat, azure.search = by_step({"plan": planned(query)}), found()
    answer = await base("planner", effort="low", messages=messages(("user", question)))
    assert [one.json["search"] for one in azure.searches] == [query]
    assert warning(answer) == ""


async def test_an_invented_plan_is_followed_up_as_without_a_model(azure: ScriptedAzure, base: Base) -> None:
    azure.chat, azure.search = by_step({"plan": planned(INVENTED[0])}), second(found(ADA))
    assert keys(await base("planner", effort="auto")) == ["bridge", "road", "ada"]


async def test_queries_that_were_not_kept_are_told_wherever_that_happened(azure: ScriptedAzure, base: Base) -> None:
    azure.chat = by_step({"plan": planned(*(f"Rhine Bridge builder {number}" for number in range(8)))})
    azure.search = found()
    assert warning(await base("planner", effort="low")).startswith("3 of 8 queries were kept")
