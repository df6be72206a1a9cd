"""What is handed on where a model judged: the documents that it selected and as many more, or all that fits."""

import json
from collections import Counter
from collections.abc import AsyncIterator, Callable, Coroutine
from pathlib import Path
from typing import Any, Final

import pytest

from tests.answer.material import blocks
from tests.answer.scripts import by_step, planned, selected
from tests.conftest import Post, ask, deploying
from tests.contracts.azure.versions import CONVERSING, FIRST, LATEST, LIMITED, ROUTES, SIZED, SPECIFIED
from tests.mcp_messages import ACCEPT, calling
from tests.rooms import MCP, cases
from tests.scripted_azure import ScriptedAzure, document, found, replying
from tests.scripted_azure.scripts import by_search
from tests.telemetry.recording import Recording, recording

QUESTION: Final = "Which country is the builder of the Rhine Bridge from?"
VERSIONS: Final = (FIRST, "2025-08-01-preview", *CONVERSING)
OWN: Final = tuple(version for version in VERSIONS if version not in SPECIFIED)
"""Those whose records have members of ours."""

NEEDING: Final = {"mcp": MCP}
WARNING: Final = "Documents left out because a model called others sufficient: 4."
PAGES: Final = tuple(
    document(f"page{place}", 4.0 - place / 10, content=f"What stands on page {place}.") for place in range(1, 9)
)

Retrieve = Callable[..., Coroutine[Any, Any, Any]]


@pytest.fixture
async def retrieve(
    azure: ScriptedAzure, post: Post, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[Retrieve]:
    """The answer of a base at medium effort, `plain` or `whole`, which grounds everything. `setting` is that of
    GROUNDING."""
    parameters = {"resourceUri": azure.address, "deploymentId": "planner", "apiKey": "k"}
    model = {"models": [{"kind": "azureOpenAI", "azureOpenAIParameters": parameters}]}
    source = {"name": "s", "kind": "searchIndex", "searchIndexParameters": {"searchIndexName": "atlas"}}
    bases = [
        {"name": "plain", "knowledgeSources": [{"name": "s"}], **model},
        {"name": "whole", "knowledgeSources": [{"name": "s"}], "groundEverything": True, **model},
    ]
    file = tmp_path / "agents.json"
    file.write_text(json.dumps({"knowledgeSources": [source], "knowledgeBases": bases}))
    azure.search = found(*PAGES)
    azure.chat = by_step({"plan": planned(QUESTION), "judge": selected("c3", "c1")})
    settings = {
        "AZURE_SEARCH_ENDPOINT": azure.address,
        "AZURE_SEARCH_API_KEY": "search-key",
        "AGENTS_FILE": str(file),
        "API_KEYS": "local-dev-key",
        "AGENT_EFFORT": "medium",
        "LOCAL": "0",
    }

    async def send(
        version: str, *, base: str = "plain", setting: str = "", status: int = 200, **members: object
    ) -> Any:
        async with deploying({**settings, "GROUNDING": setting}, monkeypatch):
            if version == "mcp":
                arguments = {"messages": [{"role": "user", "content": QUESTION}], **members}
                body, target = calling("knowledge_base_retrieve", arguments), f"/knowledgebases/{base}/mcp"
            else:
                body, target = ask(QUESTION) | members, f"/{ROUTES[version]}('{base}')/retrieve?api-version={version}"
            answer = await post(body, target, headers={"accept": ACCEPT} if version == "mcp" else {})
        assert answer.status == status, answer.body
        return answer.json["result"]["structuredContent"] if version == "mcp" else answer.json

    yield send


def texts(answer: Any) -> list[str]:
    text = answer["grounding"] if "grounding" in answer else answer["response"][0]["content"][0]["text"]
    return [one["content"] for one in json.loads(text)]


def pages(*places: int) -> list[str]:
    return [f"What stands on page {place}." for place in places]


def ranking(answer: Any) -> Any:
    return answer["activity"][-1]


def dropped(answer: Any) -> Counter[str]:
    return sum((Counter(one["dropped"]) for one in answer["activity"] if "dropped" in one), start=Counter[str]())


def is_whole(answer: Any) -> bool:
    return texts(answer) == pages(3, 1, 2, 4, 5, 6, 7, 8)


@pytest.mark.parametrize("version", cases([*VERSIONS, "mcp"], NEEDING))
async def test_what_a_model_called_sufficient_is_handed_on_with_as_many_of_the_next_best(
    retrieve: Retrieve, version: str
) -> None:
    answer = await retrieve(version)
    assert texts(answer) == pages(3, 1, 2, 4)
    keys = [one["docKey"] for one in sorted(answer["references"], key=lambda one: int(one["id"]))]
    assert keys[:4] == ["page3", "page1", "page2", "page4"]
    assert len(keys) == (8 if version == FIRST else 4), "2025-05 lists all that was found"
    if version in (*OWN, "mcp"):
        assert (ranking(answer)["selected"], ranking(answer)["isSufficient"]) == (["0", "1"], True)
        assert dropped(answer) == {"not needed": 4}
    else:
        assert {"selected", "isSufficient"}.isdisjoint(ranking(answer))
        assert [one["warning"] for one in answer["activity"] if "count" in one] == [WARNING]


@pytest.mark.parametrize("version", cases([*VERSIONS, "mcp"], NEEDING))
async def test_what_a_model_called_insufficient_has_all_that_fits(
    azure: ScriptedAzure, retrieve: Retrieve, version: str
) -> None:
    azure.chat = by_step({"plan": planned(QUESTION), "judge": selected("c3", "c1", sufficient=False)})
    answer = await retrieve(version)
    assert is_whole(answer)
    if version in (*OWN, "mcp"):
        assert (ranking(answer)["selected"], ranking(answer)["isSufficient"]) == (["0", "1"], False)
        assert dropped(answer) == {}


async def test_what_was_followed_up_has_all_that_fits(azure: ScriptedAzure, retrieve: Retrieve) -> None:
    judge = selected("c3", sufficient=False, more=("Rhine Bridge",))
    azure.chat = by_step({"plan": planned(QUESTION), "judge": judge})
    azure.search = by_search({"Rhine Bridge": found(document("bridge", 2.0))}, otherwise=found(*PAGES))
    answer = await retrieve("2026-08-01-preview")
    keys = [one["docKey"] for one in answer["references"]]
    assert (keys[0], len(keys)) == ("page3", 9)
    assert ranking(answer)["selected"] == ["0"]


@pytest.mark.parametrize("version", cases([*OWN, "mcp"], NEEDING))
async def test_the_record_of_a_follow_up_says_whether_a_model_guessed_it(
    azure: ScriptedAzure, retrieve: Retrieve, version: str
) -> None:
    more = ({"query": "Rhine Bridge", "guessed": True}, "Konstanz")
    azure.chat = by_step({"plan": planned(QUESTION), "judge": selected("c3", sufficient=False, more=more)})
    searches = [one for one in (await retrieve(version))["activity"] if "count" in one]
    assert [bool(one.get("guessed")) for one in searches] == [False, True, False]


@pytest.mark.parametrize(("named", "handed_on"), [("Ada Lovelace", 5), ("somebody", 2)])
@pytest.mark.parametrize("effort", ["auto", "medium"])
async def test_where_the_rules_followed_up_all_that_fits_is_handed_on(
    azure: ScriptedAzure, retrieve: Retrieve, effort: str, named: str, handed_on: int
) -> None:
    """A model calls one document sufficient although its plan had a next step: the rules look for names in it."""
    bridge = document("bridge", 3.0, title="Rhine Bridge", content=f"The bridge was built by {named}.")
    roads = [document(f"road{place}", 1.2, content="A road along the river.") for place in range(4)]
    azure.search = found(bridge, *roads)
    plan = planned("Rhine Bridge builder", next="Which country is the builder from?")
    azure.chat = by_step({"plan": plan, "judge": selected("c1")})
    answer = await retrieve("2026-08-01-preview", retrievalReasoningEffort={"kind": effort})
    assert (len(answer["references"]), len(azure.searches)) == (handed_on, 2 if handed_on == 5 else 1)
    assert (ranking(answer)["selected"], ranking(answer)["isSufficient"]) == (["0"], True)


@pytest.mark.parametrize("version", cases([*OWN, "mcp"], NEEDING))
async def test_where_no_model_judged_nothing_is_said_and_all_that_fits_is_handed_on(
    azure: ScriptedAzure, retrieve: Retrieve, version: str
) -> None:
    azure.chat = by_step({"plan": planned(QUESTION)})
    answer = await retrieve(version)
    assert len(texts(answer)) == 8
    assert ranking(answer).get("selected") is ranking(answer).get("isSufficient") is None
    assert version == "mcp" or {"selected", "isSufficient"}.isdisjoint(ranking(answer))


SOURCE: Final = {"knowledgeSourceName": "s", "kind": "searchIndex", "maxOutputDocuments": 50}
STATED: Final = [
    *((version, {"maxOutputDocuments": 8}) for version in LIMITED),
    *((version, {"knowledgeSourceParams": [SOURCE]}) for version in LIMITED),
    *((version, {"maxOutputSize": 5_000}) for version in SIZED),
    *((version, {"maxOutputSizeInTokens": 5_000}) for version in LIMITED),
    *((version, {"groundEverything": True}) for version in LATEST),
    pytest.param("mcp", {"groundEverything": True}, marks=pytest.mark.room(MCP)),
]


@pytest.mark.parametrize(("version", "members"), STATED)
async def test_a_caller_who_states_a_limit_or_wants_everything_gets_all_that_fits(
    retrieve: Retrieve, version: str, members: dict[str, object]
) -> None:
    assert is_whole(await retrieve(version, **members))


@pytest.mark.parametrize("version", cases(["2025-08-01-preview", *CONVERSING, "mcp"], NEEDING))
async def test_a_definition_and_the_setting_bring_all_that_fits_back(retrieve: Retrieve, version: str) -> None:
    assert is_whole(await retrieve(version, base="whole"))
    assert is_whole(await retrieve(version, setting="all"))
    assert texts(await retrieve(version, setting="needed")) == pages(3, 1, 2, 4)


@pytest.mark.parametrize("version", cases([*LATEST, "mcp"], NEEDING))
async def test_a_caller_overrules_the_definition_and_the_setting(retrieve: Retrieve, version: str) -> None:
    answer = await retrieve(version, base="whole", setting="all", groundEverything=False)
    assert texts(answer) == pages(3, 1, 2, 4)


@pytest.mark.parametrize("version", [version for version in CONVERSING if version not in LATEST])
async def test_other_versions_refuse_the_member_and_name_those_that_have_it(retrieve: Retrieve, version: str) -> None:
    refused = await retrieve(version, status=400, groundEverything=True)
    assert all(latest in refused["error"]["message"] for latest in LATEST)


async def test_a_selected_document_that_does_not_fit_is_counted_and_not_named(
    azure: ScriptedAzure, retrieve: Retrieve
) -> None:
    azure.search = found(document("long", 4.0, content="word " * 6_000), *PAGES)
    azure.chat = by_step({"plan": planned(QUESTION), "judge": selected("c1", "c4")})
    answer = await retrieve("2026-08-01-preview")
    assert texts(answer) == pages(3, 1, 2, 4)
    assert ranking(answer)["selected"] == ["0"]
    assert dropped(answer) == {"budget": 1, "not needed": 4}


async def test_an_unranked_document_that_a_model_selected_is_handed_on(
    azure: ScriptedAzure, retrieve: Retrieve
) -> None:
    unranked = {"@search.score": 9.0, "id": "unranked", "content": "What stands nowhere."}
    azure.search = found(*PAGES, unranked)
    azure.chat = by_step({"plan": planned(QUESTION), "judge": selected("c9")})
    answer = await retrieve("2026-08-01-preview")
    keys = [one["docKey"] for one in answer["references"]]
    assert keys == ["page1", "unranked"]
    assert ranking(answer)["selected"] == ["1"]


async def test_an_answer_is_written_from_what_is_handed_on(azure: ScriptedAzure, retrieve: Retrieve) -> None:
    written = replying(json.dumps({"blocks": blocks("It stands on page 3.")}))
    azure.chat = by_step({"plan": planned(QUESTION), "judge": selected("c3"), "answer": written})
    answer = await retrieve("2026-10-01", outputMode="answerSynthesis")
    shown = azure.chats[-1].json["messages"][-1]["content"]
    assert [page in shown for page in pages(3, 1, 2)] == [True, True, False]
    assert len(answer["references"]) == 2


async def test_telemetry_and_the_log_count_what_was_not_needed(
    retrieve: Retrieve, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO")
    told: Recording
    with recording() as told:
        await retrieve("2026-10-01")
    assert told.total("retrieval.documents.dropped", retrieval__reason="not needed") == 4
    assert " returned=4 " in caplog.text
    assert " not_needed=4" in caplog.text
