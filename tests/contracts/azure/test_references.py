"""The references of an answer: the documents of its text, their number, ids and scores, and the order of the list."""

import json
import re
from collections.abc import AsyncIterator, Callable, Coroutine
from pathlib import Path
from typing import Any, Final

import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st

from tests.answer.material import blocks
from tests.answer.scripts import by_step, planned, selected
from tests.conftest import Post, ask, deploying
from tests.contracts.azure.versions import since
from tests.laws import law
from tests.scripted_azure import ScriptedAzure, document, found, replying
from tests.scripted_azure.scripts import by_search

AGENTS: Final = ("2025-05-01-preview", "2025-08-01-preview")
INTENTS_ONLY: Final = "2026-04-01"
BASES: Final = since("2025-11-01-preview", INTENTS_ONLY)
WITH_AUTO: Final = since("2026-08-01-preview")
QUESTION: Final = "Which country is the builder of the Rhine Bridge from?"
COUNTED: Final = since("2026-05-01-preview", "2026-10-01")
"""The versions with a `warning` of a search, and with `maxOutputDocuments`."""

Retrieve = Callable[..., Coroutine[Any, Any, Any]]


@pytest.fixture
async def retrieve(
    azure: ScriptedAzure, post: Post, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[Retrieve]:
    """The answer of a base with a model, or of an agent, to a question that most plans search, or to intents."""
    parameters = {"resourceUri": azure.address, "deploymentId": "planner", "apiKey": "k"}
    agent = {
        "name": "atlas",
        "models": [{"kind": "azureOpenAI", "azureOpenAIParameters": parameters}],
        "targetIndexes": [{"indexName": "atlas", "defaultRerankerThreshold": 1.0}],
    }
    file = tmp_path / "agents.json"
    file.write_text(json.dumps([agent]))
    settings = {
        "AZURE_SEARCH_ENDPOINT": azure.address,
        "AZURE_SEARCH_API_KEY": "search-key",
        "AGENTS_FILE": str(file),
        "API_KEYS": "local-dev-key",
        "LOCAL": "0",
    }

    async def send(version: str, *intents: str, effort: str | None = None, **members: object) -> Any:
        noun = "agents" if version in AGENTS else "knowledgebases"
        asked = {"intents": [{"type": "semantic", "search": text} for text in intents]} if intents else ask(QUESTION)
        stated = {} if effort is None else {"retrievalReasoningEffort": {"kind": effort}}
        answer = await post(asked | stated | members, f"/{noun}('atlas')/retrieve?api-version={version}")
        assert answer.status == 200, answer.body
        return answer.json

    async with deploying(settings, monkeypatch):
        yield send


def texts(answer: Any) -> list[dict[str, Any]]:
    content: list[dict[str, Any]] = json.loads(answer["response"][0]["content"][0]["text"])
    return content


def ids(answer: Any) -> list[int]:
    return [int(one["id"]) for one in answer["references"]]


def searches(answer: Any) -> list[Any]:
    return [one for one in answer["activity"] if "count" in one]


def page(count: int, *, name: str = "d", best: float = 3.9) -> list[dict[str, object]]:
    return [document(f"{name}{place}", best - place / 100) for place in range(count)]


READABLE: Final = st.builds(
    document,
    st.integers(0, 30).map("doc-{}".format),
    st.none() | st.floats(0, 4),
    title=st.sampled_from(["Roads of Ada Lovelace", "Rivers"]),
    content=st.integers(1, 40).map(lambda size: "A road of Rhine Bridge. " * size * size),
)


@law(60, suppress=(HealthCheck.function_scoped_fixture,))
@given(
    version=st.sampled_from((*AGENTS, *BASES)),
    effort=st.sampled_from(("low", "medium", "auto")),
    is_written=st.booleans(),
    is_planned=st.booleans(),
    pages=st.lists(st.lists(READABLE, max_size=30), min_size=1, max_size=3),
)
async def test_what_a_text_cites_is_referred_to_and_what_is_referred_to_stands_in_the_text(
    version: str,
    effort: str,
    is_written: bool,
    is_planned: bool,
    pages: list[list[dict[str, object]]],
    azure: ScriptedAzure,
    retrieve: Retrieve,
) -> None:
    queries = [QUESTION, "query b", "query c"][: len(pages)]
    scripts = (found(*page) for page in pages)
    azure.search = by_search(dict(zip(queries, scripts, strict=True)), otherwise=found(*READ))
    azure.chat = by_step({"plan": planned(*reversed(queries)), "judge": SELECTED, "answer": WRITTEN})
    members = _members(version, effort, is_written=is_written)
    is_planned = version == INTENTS_ONLY or (version in BASES and is_planned)
    answer = await retrieve(version, *(queries if is_planned else ()), **members)
    text, listed = answer["response"][0]["content"][0]["text"], ids(answer)
    assert sorted(listed) == list(range(len(listed))), "ids have no gaps"
    if "outputMode" in members:
        assert {int(number) for number in re.findall(r"\[ref_id:(\d+)\]", text)} <= set(listed)
    elif version == AGENTS[0]:
        assert {one["ref_id"] for one in texts(answer)} <= set(listed)
    else:
        assert [one["ref_id"] for one in texts(answer)] == sorted(listed)
    if version == AGENTS[0]:
        assert listed == sorted(listed)
    else:
        _is_listed_as_its_record_says(answer)
        _scores_are_the_rankers(answer, [*pages, READ])


READ: Final = [document("read", None, title="Ada Lovelace", content="Of England."), document("more", 2.0)]
SELECTED: Final = selected("c2", sufficient=False, more=("query d",))
WRITTEN: Final = replying(json.dumps({"blocks": blocks("A road of Rhine Bridge [c1, c2]."), "missing": []}))


def _members(version: str, effort: str, *, is_written: bool) -> dict[str, Any]:
    """The members of a body that the version has."""
    if version in AGENTS or version == INTENTS_ONLY:
        return {}
    known = effort if effort != "auto" or version in WITH_AUTO else "medium"
    return {"effort": known} | ({"outputMode": "answerSynthesis"} if is_written else {})


def _is_listed_as_its_record_says(answer: Any) -> None:
    efforts = [one["retrievalReasoningEffort"] for one in answer["activity"] if "retrievalReasoningEffort" in one]
    scores = [one["rerankerScore"] for one in answer["references"] if one.get("rerankerScore") is not None]
    if efforts == [{"kind": "medium"}]:
        assert ids(answer) == sorted(ids(answer))
    else:
        assert scores == sorted(scores, reverse=True)
        before = dict(zip(ids(answer)[1:], ids(answer), strict=False))
        unscored = [int(one["id"]) for one in answer["references"] if one.get("rerankerScore") is None]
        assert all(before.get(id, -1) == id - 1 for id in unscored), "it follows the reference with the id before"


def _scores_are_the_rankers(answer: Any, pages: list[list[dict[str, object]]]) -> None:
    given = {(one["id"], one["@search.rerankerScore"]) for some in pages for one in some}
    assert all((one["docKey"], one.get("rerankerScore")) in given for one in answer["references"])


@pytest.mark.parametrize("version", [version for version in BASES if version != INTENTS_ONLY])
async def test_ten_documents_ground_an_answer_at_low_and_the_others_are_counted(
    version: str, azure: ScriptedAzure, retrieve: Retrieve
) -> None:
    azure.chat, azure.search = by_step({"plan": planned(QUESTION)}), found(*page(50))
    answer = await retrieve(version, effort="low")
    assert ids(answer) == [one["ref_id"] for one in texts(answer)] == list(range(10))
    (search,) = searches(answer)
    assert search["count"] == 50
    assert search.get("dropped", {"limit": 40}) == {"limit": 40}
    if version in COUNTED:
        assert search["warning"] == "Documents beyond the ten of this effort: 40."


async def test_twenty_documents_ground_an_answer_whose_record_says_medium(
    azure: ScriptedAzure, retrieve: Retrieve
) -> None:
    azure.chat = by_step({"plan": planned(QUESTION), "judge": selected("c30", "c2", sufficient=False)})
    azure.search = found(*page(50))
    answer = await retrieve("2026-10-01", effort="medium")
    assert ids(answer) == list(range(20))
    assert searches(answer)[0]["warning"] == "Documents beyond the twenty of this effort: 30."
    azure.chat = by_step({"plan": planned(QUESTION)})
    assert len(ids(await retrieve("2026-10-01", effort="medium"))) == 10, "nobody judged, and the record says low"


@pytest.mark.parametrize(
    ("version", "members", "number"),
    [
        ("2026-10-01", {"maxOutputDocuments": 3}, 3),
        ("2026-10-01", {"maxOutputDocuments": 50}, 50),
        (
            "2026-10-01",
            {
                "knowledgeSourceParams": [
                    {"knowledgeSourceName": "atlas", "kind": "searchIndex", "maxOutputDocuments": 50}
                ]
            },
            50,
        ),
        (
            "2026-08-01-preview",
            {
                "knowledgeSourceParams": [
                    {"knowledgeSourceName": "atlas", "kind": "searchIndex", "resultsProcessing": "none"}
                ]
            },
            50,
        ),
    ],
)
async def test_a_number_that_a_caller_states_holds_and_what_is_not_ranked_has_none(
    version: str, members: dict[str, object], number: int, azure: ScriptedAzure, retrieve: Retrieve
) -> None:
    azure.chat, azure.search = by_step({"plan": planned(QUESTION)}), found(*page(50))
    answer = await retrieve(version, effort="low", **members)
    assert sorted(ids(answer)) == list(range(number))


@pytest.mark.parametrize("version", BASES)
@pytest.mark.parametrize("effort", ["minimal", "low"])
async def test_what_a_caller_planned_is_bounded_by_the_tokens_alone(
    version: str, effort: str, azure: ScriptedAzure, retrieve: Retrieve
) -> None:
    azure.search = found(*page(50))
    answer = await retrieve(version, QUESTION, effort=None if version == INTENTS_ONLY else effort)
    assert len(ids(answer)) == 50
    size = {"maxOutputSize": 100} if version == "2025-11-01-preview" else {"maxOutputSizeInTokens": 100}
    few = await retrieve(version, QUESTION, effort=None if version == INTENTS_ONLY else effort, **size)
    assert 0 < len(ids(few)) == len(texts(few)) < 10


async def test_an_agent_of_the_first_version_refers_to_all_that_was_found(
    azure: ScriptedAzure, retrieve: Retrieve
) -> None:
    azure.chat, azure.search = by_step({"plan": planned(QUESTION)}), found(*page(50))
    answer = await retrieve(AGENTS[0])
    assert len(ids(answer)) == 50
    assert len(ids(await retrieve(AGENTS[1]))) == 10


async def test_the_documents_are_the_best_and_their_ids_take_turns(azure: ScriptedAzure, retrieve: Retrieve) -> None:
    azure.chat = by_step({"plan": planned("query b", QUESTION)})
    azure.search = by_search(
        {QUESTION: found(*page(20, name="a")), "query b": found(*page(3, name="b", best=2.0))}, otherwise=found()
    )
    answer = await retrieve("2026-10-01", effort="low")
    by_id = sorted(answer["references"], key=lambda one: int(one["id"]))
    assert [one["docKey"] for one in by_id] == ["a0", "b0", *(f"a{place}" for place in range(1, 9))]
    assert [one["docKey"] for one in answer["references"]] == [*(f"a{place}" for place in range(9)), "b0"]


async def test_a_reader_like_azures_own_demo_finds_what_it_needs(azure: ScriptedAzure, retrieve: Retrieve) -> None:
    """It looks up activities by their ids, and documents by the `ref_id` of a citation."""
    azure.chat = by_step(
        {
            "plan": planned("query b", QUESTION),
            "answer": replying(
                json.dumps({"blocks": blocks("What a0 tells [c1]. What b0 tells [c2]."), "missing": []})
            ),
        }
    )
    azure.search = by_search(
        {QUESTION: found(*page(20, name="a")), "query b": found(*page(30, name="b"))}, otherwise=found()
    )
    params = {
        "knowledgeSourceName": "atlas",
        "kind": "searchIndex",
        "includeReferences": True,
        "includeReferenceSourceData": True,
    }
    for version in BASES:
        is_old = version == INTENTS_ONLY
        mode = {} if is_old else {"outputMode": "answerSynthesis"}
        answer = await retrieve(
            version, *(["query b", QUESTION] if is_old else []), knowledgeSourceParams=[params], **mode
        )
        activities = {one["id"]: one for one in answer["activity"]}
        documents = {one["id"]: one for one in answer["references"]}
        for one in answer["references"]:
            assert activities[one["activitySource"]]["searchIndexArguments"]["search"] in (QUESTION, "query b")
            assert one["docKey"] == one["sourceData"]["id"] and one["sourceData"]["content"]
        cited = re.findall(r"\[ref_id:(\d+)\]", answer["response"][0]["content"][0]["text"])
        assert is_old or len(cited) == 2
        assert all(documents[number]["sourceData"]["content"].endswith("tells.") for number in cited)


async def test_47_found_3_grounded_3_references_at_medium_listed_by_id(
    azure: ScriptedAzure, retrieve: Retrieve
) -> None:
    """As in a real answer of 2026-05-01-preview."""
    azure.chat = by_step({"plan": planned(QUESTION), "judge": selected("c3", "c2")})
    azure.search = found(
        *(document(f"d{place}", 3.9 - place / 100, content=f"road-{place} " * 750) for place in range(47))
    )
    answer = await retrieve("2026-05-01-preview", effort="medium")
    assert [(one["id"], one["docKey"]) for one in answer["references"]] == [("0", "d2"), ("1", "d1"), ("2", "d0")]
    (search,) = searches(answer)
    assert (search["count"], search["dropped"]) == (47, {"budget": 44})


async def test_never_more_than_10_at_low_though_searches_counted_17_and_16(
    azure: ScriptedAzure, retrieve: Retrieve
) -> None:
    """As in a real answer of 2025-11-01-preview."""
    azure.chat = by_step({"plan": planned("query b", QUESTION)})
    pages = {QUESTION: found(*page(17, name="a", best=2.8)), "query b": found(*page(16, name="b", best=2.75))}
    azure.search = by_search(pages, otherwise=found())
    answer = await retrieve("2025-11-01-preview", effort="low")
    assert sorted(one["count"] for one in searches(answer)) == [16, 17]
    assert sorted(ids(answer)) == list(range(10))
    by_id = sorted(answer["references"], key=lambda one: int(one["id"]))
    assert [one["docKey"][0] for one in by_id] == [*"abababaaaa"], "in turns, beginning with the best"


@pytest.mark.parametrize("version", ["2025-08-01-preview", *(one for one in BASES if one != INTENTS_ONLY)])
async def test_a_document_that_two_searches_found_counts_where_its_score_passes_the_threshold(
    version: str, azure: ScriptedAzure, retrieve: Retrieve
) -> None:
    azure.chat = by_step({"plan": planned("query b", QUESTION)})
    low, high = document("both", 0.9), document("both", 2.0)
    azure.search = by_search({QUESTION: found(document("a", 3.9), low), "query b": found(high)}, otherwise=found())
    answer = await retrieve(version, effort=None if version in AGENTS else "low")
    assert {one["docKey"]: one["rerankerScore"] for one in answer["references"]} == {"a": 3.9, "both": 2.0}
    assert [one["count"] for one in searches(answer)] == [1, 1]
    assert all(one.get("dropped", {}) in ({}, {"threshold": 1}) for one in searches(answer))
