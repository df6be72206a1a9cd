"""A follow-up over HTTP: who gets one, what it searches, what its record says, and what fails in it."""

import json
from pathlib import Path
from typing import Any, Final

import pytest

from retrieval import compose
from retrieval.local.wire import WireRequest, WireResponse, WireService
from tests.answer.scripts import by_step, planned, selected, steps
from tests.conftest import Post, Response, ask
from tests.contracts.azure.versions import CONVERSING, FIRST
from tests.mcp_messages import ACCEPT, calling
from tests.rooms import MCP, cases
from tests.scenarios.failures.conftest import CALLER_KEY, Base, Retrieve
from tests.scenarios.failures.conftest import QUESTION_OF_TWO as QUESTION
from tests.scenarios.failures.test_events import events
from tests.scripted_azure import ScriptedAzure, document, failing, found

BRIDGE: Final = document("bridge", 3.0, title="Rhine Bridge", content="The bridge was built by Ada Lovelace.")
ROAD: Final = document("road", 1.2, title="Road", content="A road along the river.")
ADA: Final = {
    "@search.score": 4.0,
    "id": "ada",
    "title": "Ada Lovelace",
    "content": "An engineer from England.",
}
EVENTS: Final = {"accept": "text/event-stream"}


def second(after: WireService, *further: dict[str, object]) -> WireService:
    """A search service that knows Ada Lovelace by her name only."""
    first = found(BRIDGE, ROAD, *further)

    async def answer(request: WireRequest) -> WireResponse:
        return await (after if "Lovelace" in json.loads(request.body)["search"] else first)(request)

    return answer


def keys(answer: Response) -> list[str]:
    return [one["docKey"] for one in answer.json["references"]]


def kinds(answer: Response) -> list[str]:
    return [one["type"] for one in answer.json["activity"]]


async def test_an_agent_without_a_model_searches_once_more_for_the_names(
    azure: ScriptedAzure, retrieve: Retrieve
) -> None:
    azure.search = second(found(ADA))
    answer = await retrieve(QUESTION, agent="plain")
    assert keys(answer) == ["bridge", "road", "ada"]
    assert kinds(answer) == ["AzureSearchQuery", "AzureSearchQuery", "AzureSearchSemanticRanker"]
    assert [one["activitySource"] for one in answer.json["references"]] == [0, 0, 1]
    first, more = (one.json for one in azure.searches)
    assert first["queryType"] == "semantic" and "queryType" not in more and "semanticConfiguration" not in more
    assert more["search"].startswith("Ada Lovelace ")


FURTHER: Final = [document(f"road{n}", 1.15 - n / 20, content="A road along the river.") for n in range(3)]


@pytest.mark.parametrize("most", [1, 2, 3, 6])
async def test_the_order_does_not_depend_on_how_many_documents_are_asked_for(
    azure: ScriptedAzure, base: Base, most: int
) -> None:
    azure.search = second(found(ADA), *FURTHER)
    answer = await base(effort="auto", maxOutputDocuments=most)
    assert keys(answer) == ["bridge", "road", "ada", "road0", "road1", "road2"][:most]


async def test_a_document_that_only_the_follow_up_found_has_no_score_and_the_record_tells_its_place(
    azure: ScriptedAzure, base: Base
) -> None:
    azure.search = second(found(ADA), *FURTHER)
    answer = await base(effort="auto")
    placed = answer.json["references"][2]
    assert (placed["docKey"], placed["id"], placed.get("rerankerScore")) == ("ada", "2", None)
    assert answer.json["activity"][-1]["warning"].startswith("1 document of the follow-up")


async def test_a_document_that_the_first_round_ranked_keeps_that_score_at_its_place(
    azure: ScriptedAzure, base: Base
) -> None:
    more = [document(f"more{n}", 1.14 - n / 20, content="A road along the river.") for n in range(3)]
    azure.search = second(found(ADA), *more, {**ADA, "@search.rerankerScore": 1.0})
    answer = await base(effort="auto")
    placed = answer.json["references"][2]
    assert (placed["docKey"], placed["activitySource"], placed["rerankerScore"]) == ("ada", 1, 1.0)


async def test_a_document_that_was_ranked_below_the_threshold_keeps_that_score_at_its_place(
    azure: ScriptedAzure, base: Base
) -> None:
    azure.search = second(found(ADA), {**ADA, "@search.rerankerScore": 1.0})
    params = {"knowledgeSourceName": "atlas", "kind": "searchIndex", "rerankerThreshold": 1.1}
    answer = await base(effort="auto", knowledgeSourceParams=[params])
    placed = answer.json["references"][2]
    assert (placed["docKey"], placed["activitySource"], placed.get("rerankerScore")) == ("ada", 1, 1.0)
    first, more = (one for one in answer.json["activity"] if "count" in one)
    assert (first["count"], first["dropped"], more["count"]) == (2, {"threshold": 1}, 1)


@pytest.mark.parametrize(("effort", "searches"), [("low", 1), ("auto", 2), ("medium", 2), (None, 1)])
async def test_the_effort_that_a_caller_states_holds(
    azure: ScriptedAzure, base: Base, effort: str | None, searches: int
) -> None:
    azure.search = second(found(ADA))
    answer = await base(effort=effort)
    assert len(azure.searches) == searches
    done = answer.json["activity"][-1]["retrievalReasoningEffort"]["kind"]
    assert (done, "ada" in keys(answer)) == (("medium", True) if searches == 2 else ("low", False))
    assert [one.get("rerankerScore") for one in answer.json["references"]][:2] == [3.0, 1.2]


async def test_a_setting_says_the_effort_of_those_who_cannot_state_one(
    azure: ScriptedAzure, retrieve: Retrieve, settings: dict[str, str]
) -> None:
    settings["AGENT_EFFORT"] = "low"
    azure.search = second(found(ADA))
    assert keys(await retrieve(QUESTION, agent="plain")) == ["bridge", "road"]


@pytest.mark.parametrize("version", [FIRST, "2025-08-01-preview", *CONVERSING])
@pytest.mark.parametrize(("effort", "searches"), [("low", 1), ("auto", 2), ("minimal", 1)])
async def test_the_effort_of_the_setting_takes_the_place_of_the_default_of_every_version(
    azure: ScriptedAzure, base: Base, settings: dict[str, str], version: str, effort: str, searches: int
) -> None:
    settings["AGENT_EFFORT"] = effort
    azure.search = second(found(ADA))
    assert (await base(version=version)).status == 200
    assert len(azure.searches) == searches


async def test_the_effort_of_the_setting_gives_way_to_a_caller_and_a_definition(
    azure: ScriptedAzure, base: Base, settings: dict[str, str]
) -> None:
    settings["AGENT_EFFORT"] = "auto"
    azure.search = second(found(ADA))
    await base(effort="low")
    assert len(azure.searches) == 1, "the caller states one"
    agents = json.loads(Path(settings["AGENTS_FILE"]).read_text())
    low = {"name": "low", "knowledgeSources": [{"name": "s"}], "retrievalReasoningEffort": {"kind": "low"}}
    source = {"name": "s", "kind": "searchIndex", "searchIndexParameters": {"searchIndexName": "atlas"}}
    file = {"agents": agents, "knowledgeBases": [low], "knowledgeSources": [source]}
    Path(settings["AGENTS_FILE"]).write_text(json.dumps(file))
    await compose.end()
    compose.service.cache_clear()
    await base("low")
    assert len(azure.searches) == 2, "the definition states one"


@pytest.mark.parametrize("version", ["2026-04-01", *CONVERSING])
async def test_intents_are_searched_as_the_version_says_whatever_the_setting(
    azure: ScriptedAzure, base: Base, settings: dict[str, str], version: str
) -> None:
    intents = [{"type": "semantic", "search": QUESTION}]
    azure.search = second(found(ADA))
    before = (await base(version=version, intents=intents)).json["activity"][-1]["retrievalReasoningEffort"]
    settings["AGENT_EFFORT"] = "medium"
    await compose.end()
    compose.service.cache_clear()
    after = (await base(version=version, intents=intents)).json["activity"][-1]["retrievalReasoningEffort"]
    assert (len(azure.searches), after) == (2, before)


async def test_a_setting_that_is_no_effort_is_named_in_the_log(
    azure: ScriptedAzure, retrieve: Retrieve, settings: dict[str, str], caplog: pytest.LogCaptureFixture
) -> None:
    settings["AGENT_EFFORT"] = "high"
    assert (await retrieve(QUESTION, agent="plain")).status == 503
    assert "AGENT_EFFORT must be one of minimal, low, medium, auto." in caplog.text


async def test_what_a_caller_planned_is_not_followed_up(azure: ScriptedAzure, base: Base) -> None:
    azure.search = second(found(ADA))
    await base(effort="auto", intents=[{"type": "semantic", "search": QUESTION}])
    assert len(azure.searches) == 1


async def test_a_follow_up_that_fails_leaves_what_was_found_and_is_told(azure: ScriptedAzure, base: Base) -> None:
    azure.search = second(failing(403))
    answer = await base(effort="auto")
    assert (answer.status, keys(answer)) == (206, ["bridge", "road"])
    assert answer.json["activity"][1]["error"]["message"]
    assert "error" not in {name for name, value in answer.json["activity"][0].items() if value}


async def test_what_scores_below_its_threshold_is_counted_and_not_returned(azure: ScriptedAzure, base: Base) -> None:
    azure.search = second(found({**ADA, "title": "Mathematics", "content": "A machine of Charles; Ada saw it."}))
    params = [{"knowledgeSourceName": "atlas", "kind": "searchIndex", "rerankerThreshold": 2.9}]
    answer = await base(effort="auto", knowledgeSourceParams=params)
    assert keys(answer) == ["bridge"]
    assert answer.json["activity"][1]["dropped"] == {"threshold": 1}


async def test_auto_asks_no_model_more_and_follows_up_what_it_planned(azure: ScriptedAzure, base: Base) -> None:
    azure.chat, azure.search = by_step({"plan": planned("Rhine Bridge builder")}), second(found(ADA))
    answer = await base("planner", effort="auto")
    assert steps(azure.chats) == ["plan"]
    assert kinds(answer) == ["modelQueryPlanning", "searchIndex", "searchIndex", "agenticReasoning"]
    assert "ada" in keys(answer)


async def test_at_medium_a_model_judges_and_asks_for_what_is_missing(azure: ScriptedAzure, base: Base) -> None:
    judge = selected("c1", sufficient=False, more=("Ada Lovelace country",))
    azure.chat = by_step({"plan": planned("Rhine Bridge builder"), "judge": judge})
    azure.search = second(found(document("ada", 3.5, title="Ada Lovelace", content="An engineer from England.")))
    answer = await base("planner", effort="medium")
    assert steps(azure.chats) == ["plan", "judge"]
    assert kinds(answer) == [
        "modelQueryPlanning",
        "searchIndex",
        "modelQueryPlanning",
        "searchIndex",
        "agenticReasoning",
    ]
    assert keys(answer) == ["bridge", "ada", "road"], "what the model selected comes first"
    assert [reference["activitySource"] for reference in answer.json["references"]] == [1, 3, 1]
    assert [reference["rerankerScore"] for reference in answer.json["references"]] == [3.0, 3.5, 1.2]
    assert [reference["id"] for reference in answer.json["references"]] == ["0", "1", "2"]
    assert azure.searches[1].json["search"] == "Ada Lovelace country"


async def test_at_medium_enough_is_enough(azure: ScriptedAzure, base: Base) -> None:
    azure.chat = by_step({"plan": planned("Rhine Bridge builder"), "judge": selected("c1")})
    azure.search = second(found(ADA))
    answer = await base("planner", effort="medium")
    assert kinds(answer) == ["modelQueryPlanning", "searchIndex", "agenticReasoning"], "no further search, no record"
    assert [record["id"] for record in answer.json["activity"]] == [0, 1, 2]


async def test_the_tokens_of_a_judgement_without_a_further_search_count_with_the_plan(
    azure: ScriptedAzure, base: Base
) -> None:
    azure.chat = by_step({"plan": planned("Rhine Bridge builder"), "judge": selected("c1")})
    azure.search = second(found(ADA))
    [low] = [record for record in (await base("planner", effort="low")).json["activity"] if "inputTokens" in record]
    medium, *_ = (await base("planner", effort="medium")).json["activity"]
    assert (medium["inputTokens"], medium["outputTokens"]) == (2 * low["inputTokens"], 2 * low["outputTokens"])


async def test_events_of_a_judgement_without_a_further_search_are_not_sent(azure: ScriptedAzure, base: Base) -> None:
    azure.chat = by_step({"plan": planned("Rhine Bridge builder"), "judge": selected("c1")})
    azure.search = second(found(ADA))
    told = events(await base("planner", effort="medium", headers=EVENTS))
    for name in ("activity.started", "activity.completed"):
        records = [(data["id"], data["type"]) for event, data in told if event == name]
        assert sorted(records) == [(0, "modelQueryPlanning"), (1, "searchIndex"), (2, "agenticReasoning")]


async def test_a_planted_document_passes_no_threshold_and_no_limit_though_a_model_selects_it(
    azure: ScriptedAzure, base: Base
) -> None:
    azure.chat = by_step({"plan": planned("Rhine Bridge builder"), "judge": selected("c3", "c2")})
    azure.search = found(BRIDGE, document("second", 2.8), document("planted", 2.6))
    assert keys(await base("planner", effort="medium")) == ["planted", "second", "bridge"]
    params = [{"knowledgeSourceName": "atlas", "kind": "searchIndex", "rerankerThreshold": 2.7}]
    assert keys(await base("planner", effort="medium", knowledgeSourceParams=params)) == ["second", "bridge"]
    assert keys(await base("planner", effort="medium", maxOutputDocuments=2)) == ["second", "bridge"]


DOORS: Final[dict[str, tuple[str, dict[str, Any], bool]]] = {
    **{
        f"agents {version}": (f"/agents('planner')/retrieve?api-version={version}", ask(QUESTION), True)
        for version in ("2025-05-01-preview", "2025-08-01-preview")
    },
    "MCP": (
        "/agents/planner/mcp",
        calling("knowledge_base_retrieve", {"messages": [{"role": "user", "content": QUESTION}]}),
        True,
    ),
    **{
        f"bases {version}": (f"/knowledgebases('planner')/retrieve?api-version={version}", ask(QUESTION), False)
        for version in (
            "2025-11-01-preview",
            "2026-05-01-preview",
            "2026-08-01-preview",
            "2026-10-01",
            "2026-11-01-preview",
        )
    },
}
"""The address, the body, and whether a call is followed up that states no effort."""


@pytest.mark.parametrize("door", cases(DOORS, {"MCP": MCP}))
async def test_with_a_model_too_whoever_cannot_state_an_effort_is_followed_up_for_one_call(
    door: str, azure: ScriptedAzure, base: Base, post: Post
) -> None:
    await base("planner", effort="low")
    target, body, followed = DOORS[door]
    azure.recorded.clear()
    azure.chat, azure.search = by_step({"plan": planned("Rhine Bridge builder")}), second(found(ADA))
    answer = await post(body, target, headers={"accept": ACCEPT} if door == "MCP" else {}, key=CALLER_KEY)
    assert answer.status == 200
    assert steps(azure.chats) == ["plan"]
    assert ("Lovelace" in azure.searches[-1].json["search"]) is followed
    assert ("`next`" in azure.chats[0].json["messages"][0]["content"]) is followed
    assert '"auto"' not in answer.body.decode()


async def test_a_complete_answer_to_the_plans_own_query_does_not_keep_the_follow_up_away(
    azure: ScriptedAzure, base: Base
) -> None:
    azure.chat = by_step({"plan": planned("Rhine Bridge builder")})
    complete = found({**BRIDGE, "@search.rerankerScore": 3.9}, ROAD)

    async def search(request: WireRequest) -> WireResponse:
        return await (found(ADA) if "Lovelace" in json.loads(request.body)["search"] else complete)(request)

    azure.search = search
    assert "ada" in keys(await base("planner", effort="auto"))
    azure.chat = by_step({"plan": planned(QUESTION)})
    assert "ada" not in keys(await base("planner", effort="auto"))


@pytest.mark.parametrize(("next", "followed"), [("The country of that builder", True), ("", False)])
async def test_the_plan_itself_says_that_something_is_to_be_looked_up(
    next: str, followed: bool, azure: ScriptedAzure, base: Base
) -> None:
    azure.chat = by_step({"plan": planned("rhine bridge builder", next=next)})
    azure.search = second(found(ADA))
    answer = await base("planner", effort="auto", **ask("rhine bridge builder country"))
    assert ("ada" in keys(answer)) is followed


async def test_a_conversation_is_not_followed_up_by_rules(azure: ScriptedAzure, base: Base) -> None:
    azure.chat, azure.search = by_step({"plan": planned("Rhine Bridge builder", next="More")}), second(found(ADA))
    turns = [("user", "Tell me of bridges."), ("assistant", "There are many."), ("user", QUESTION)]
    messages = [{"role": role, "content": [{"type": "text", "text": text}]} for role, text in turns]
    assert "ada" not in keys(await base("planner", effort="auto", messages=messages))
    assert "`next`" not in azure.chats[0].json["messages"][0]["content"]


async def test_where_the_model_that_judges_fails_the_rules_follow_up(azure: ScriptedAzure, base: Base) -> None:
    azure.chat, azure.search = by_step({"plan": planned("Rhine Bridge builder")}), second(found(ADA))
    answer = await base("planner", effort="medium")
    assert "ada" in keys(answer)
    assert answer.json["activity"][2]["type"] == "modelQueryPlanning"
    assert answer.json["activity"][2]["error"]["message"]


async def test_events_tell_the_judge_and_both_rounds_with_the_ids_of_their_records(
    azure: ScriptedAzure, base: Base
) -> None:
    judge = selected("c1", sufficient=False, more=("Ada Lovelace country",))
    azure.chat = by_step({"plan": planned("Rhine Bridge builder"), "judge": judge})
    azure.search = second(found(document("ada", 3.5, title="Ada Lovelace")))
    told = events(await base("planner", effort="medium", headers=EVENTS))
    records = {one["id"]: one["type"] for one in told[-1][1]["response"]["activity"]}
    assert {one["id"]: one["type"] for name, one in told if name == "activity.started"} == records
    assert [one["id"] for name, one in told if name == "activity.completed"] == [0, 1, 2, 3, 4]
