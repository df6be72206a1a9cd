"""A follow-up that a model judges: where `auto` asks it, what happens without its help, and what the record tells."""

from typing import Final

import pytest

from retrieval.local.wire import WireService
from tests.answer.scripts import by_step, planned, selected, steps
from tests.scenarios.failures.conftest import Base
from tests.scenarios.failures.test_follow_up import ADA, keys, kinds, second
from tests.scripted_azure import ScriptedAzure, delayed, document, failing, found, stalling

PLAN: Final = planned("Rhine Bridge builder", next="The country of that builder")
MORE: Final = selected("c1", sufficient=False, more=("Ada Lovelace country",))
FOUND: Final = found(document("ada", 3.5, title="Ada Lovelace", content="An engineer from England."))
NOTHING_NEW: Final[dict[str, WireService]] = {
    "sufficient with the first chunk alone": selected("c1"),
    "nothing selected": selected(sufficient=False),
    "sufficient without a chunk": selected(),
    "the plan's query again": selected("c1", sufficient=False, more=("Rhine Bridge builder", "rhine bridge BUILDER")),
}
HANGING: Final = stalling()


async def test_auto_asks_a_model_to_judge_where_its_plan_has_a_next_step(azure: ScriptedAzure, base: Base) -> None:
    azure.chat, azure.search = by_step({"plan": PLAN, "judge": MORE}), second(FOUND)
    answer, at_medium = await base("planner", effort="auto"), await base("planner", effort="medium")
    assert steps(azure.chats) == ["plan", "judge"] * 2
    assert keys(answer) == keys(at_medium) == ["bridge", "ada", "road"]
    assert kinds(answer) == kinds(at_medium)
    assert azure.searches[1].json["search"] == "Ada Lovelace country"
    assert answer.json["activity"][-1]["retrievalReasoningEffort"]["kind"] == "medium"


async def test_the_record_of_a_search_says_that_a_model_guessed_it(azure: ScriptedAzure, base: Base) -> None:
    more = ({"query": "Ada Lovelace country", "guessed": True}, {"query": "Rhine country", "guessed": False})
    judge = selected("c1", sufficient=False, more=more)
    azure.chat, azure.search = by_step({"plan": PLAN, "judge": judge}), second(FOUND)
    answer = await base("planner", effort="medium")
    guesses = [record.get("guessed") for record in answer.json["activity"] if "count" in record]
    assert guesses == [None, True, None]


async def test_low_asks_no_model_to_judge(azure: ScriptedAzure, base: Base) -> None:
    azure.chat, azure.search = by_step({"plan": PLAN, "judge": MORE}), second(FOUND)
    assert keys(await base("planner", effort="low")) == ["bridge", "road"]
    assert steps(azure.chats) == ["plan"]


async def test_where_the_judge_of_auto_fails_the_rules_follow_up(azure: ScriptedAzure, base: Base) -> None:
    azure.chat, azure.search = by_step({"plan": PLAN, "judge": failing(500)}), second(found(ADA))
    answer = await base("planner", effort="auto")
    assert "ada" in keys(answer)
    assert answer.json["activity"][2]["error"]["message"]


@pytest.mark.parametrize("effort", ["auto", "medium"])
@pytest.mark.parametrize("judge", NOTHING_NEW)
async def test_a_judge_that_asks_for_nothing_new_leaves_the_rules_follow_up_and_is_told(
    judge: str, effort: str, azure: ScriptedAzure, base: Base
) -> None:
    azure.chat, azure.search = by_step({"plan": PLAN, "judge": NOTHING_NEW[judge]}), second(found(ADA))
    answer = await base("planner", effort=effort)
    assert steps(azure.chats) == ["plan", "judge"]
    assert keys(answer) == ["bridge", "road", "ada"]
    warning = answer.json["activity"][-1]["warning"]
    assert "asked for nothing new" in warning and "1 document of the follow-up" in warning


async def test_what_a_model_selected_stays_before_what_the_rules_place(azure: ScriptedAzure, base: Base) -> None:
    azure.chat = by_step({"plan": PLAN, "judge": selected("c4", "c1", "c3")})
    subjects = ("Herons nest on its banks.", "Barges load gravel upstream.", "Its mills grind rye and barley.")
    azure.search = second(found(ADA), *(document(f"d{n}", 1.1 - n / 20, content=one) for n, one in enumerate(subjects)))
    assert keys(await base("planner", effort="medium")) == ["d1", "bridge", "d0", "ada", "road", "d2"]


async def test_a_plan_without_a_next_step_leaves_the_judge_alone(azure: ScriptedAzure, base: Base) -> None:
    azure.chat = by_step({"plan": planned("Rhine Bridge builder"), "judge": selected("c1")})
    azure.search = second(found(ADA))
    answer = await base("planner", effort="medium")
    assert keys(answer) == ["bridge", "road"]
    assert answer.json["activity"][-1].get("warning") is None


@pytest.mark.parametrize(
    "said", ["None.", "none", "N/A", "n/a.", '""', "-", "(nothing)", "…", "`null`", "No.", "Empty", " "]
)
async def test_auto_asks_no_judge_where_the_next_step_says_that_it_is_none(
    said: str, azure: ScriptedAzure, base: Base
) -> None:
    azure.chat = by_step({"plan": planned("Rhine Bridge builder", next=said), "judge": MORE})
    azure.search = second(found(ADA))
    await base("planner", effort="auto")
    assert steps(azure.chats) == ["plan"]


@pytest.mark.parametrize("effort", ["auto", "medium"])
async def test_a_judge_that_hangs_leaves_the_rules_the_time_of_a_search(
    effort: str, azure: ScriptedAzure, base: Base
) -> None:
    azure.chat = by_step({"plan": PLAN, "judge": HANGING})
    azure.search = delayed(1, second(found(ADA)))
    answer = await base("planner", effort=effort, maxRuntimeInSeconds=10)
    assert answer.status == 200
    assert "ada" in keys(answer)


async def test_auto_asks_no_judge_that_has_less_time_than_the_plan_took(azure: ScriptedAzure, base: Base) -> None:
    azure.chat = by_step({"plan": delayed(3.5, PLAN), "judge": MORE})
    azure.search = delayed(2, second(found(ADA)))
    answer = await base("planner", effort="auto", maxRuntimeInSeconds=10)
    assert steps(azure.chats) == ["plan"]
    assert "ada" in keys(answer)
