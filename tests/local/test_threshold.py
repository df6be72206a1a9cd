"""What local bases and sources state: one threshold, by which every way to ask finds the same documents, and the fields
that a reference to a file shows."""

import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, Final

import pytest

from retrieval import compose
from retrieval.contracts.served_versions import CONTRACTS
from retrieval.local.corpora import THRESHOLD
from tests.conftest import Post
from tests.contracts.azure.versions import LACK_MESSAGES, SPECIFIED, THRESHOLDS
from tests.local.corpus_questions import PHOENIX, QUESTIONS, Question
from tests.mcp_messages import ACCEPT, calling
from tests.rooms import MCP, NEEDS_MCP, has_room

ADMIN: Final = "local-admin-key"
ROUTES: Final = ("agents", "knowledgebases") if has_room(MCP) else ()
"""Those of MCP."""

NEWEST: Final = "2026-08-01-preview"
BERLIN: Final = "What colour are the lamps of Berlin?"
BERLIN_KEY: Final = "earth_at_night_508_page_34_verbalized"
ASKED: Final = [
    PHOENIX,
    *(one for one in QUESTIONS if one.text.startswith(("Why has India set floodlights", "Why do hatchlings"))),
]
"""Questions that no effort follows up, with no more documents than an answer takes."""

DEPLOYING: Final = (
    "# Deploying\n\nThe harbour ferry is deployed at noon.\n\n## Costs\n\nA ferry ticket costs two euros.\n"
)


def conversation(question: str) -> dict[str, Any]:
    return {"messages": [{"role": "user", "content": [{"type": "text", "text": question}]}]}


def input_of(version: str, question: str) -> dict[str, Any]:
    """The question in the members that the version has."""
    intents = {"intents": [{"type": "semantic", "search": question}]}
    return intents if version in LACK_MESSAGES else conversation(question)


async def of_page(post: Post, base: str, question: str) -> set[str]:
    """What the playground shows as passing: the request that it sends."""
    answer = await post(conversation(question), f"/agents/{base}/answer?detail=explained")
    assert answer.status == 200, answer.body
    return {one["doc_key"] for one in answer.json["explained"]["documents"] if one["reason"] is None}


async def of_answer(post: Post, base: str, question: str) -> set[str]:
    answer = await post(conversation(question), f"/agents/{base}/answer")
    return {one["doc_key"] for one in answer.json["selected"]}


async def of_retrieve(post: Post, base: str, question: str, version: str) -> set[str]:
    route = next(route for route, other in CONTRACTS if other == version)
    body = input_of(version, question)
    answer = await post(body, f"/{route}('{base}')/retrieve?api-version={version}")
    assert answer.status == 200, answer.body
    return {one["docKey"] for one in answer.json["references"]}


async def of_mcp(post: Post, base: str, question: str, route: str, version: str = "2025-11-01-preview") -> set[str]:
    message = calling("knowledge_base_retrieve", {"queries": [question]})
    answer = await post(message, f"/{route}/{base}/mcp?api-version={version}", headers={"accept": ACCEPT})
    assert answer.status == 200, answer.body
    return {one["docKey"] for one in answer.json["result"]["structuredContent"]["references"]}


async def everywhere(post: Post, base: str, question: str) -> dict[str, set[str]]:
    return {
        "page": await of_page(post, base, question),
        "answer": await of_answer(post, base, question),
        **{f"mcp of {route}": await of_mcp(post, base, question, route) for route in ROUTES},
        **{version: await of_retrieve(post, base, question, version) for _, version in CONTRACTS},
    }


@pytest.fixture
async def loaded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[None]:
    (tmp_path / "deploy.md").write_text(DEPLOYING)
    for name, value in {"LOCAL": "1", "LOCAL_CORPORA": json.dumps({"harbour": str(tmp_path)})}.items():
        monkeypatch.setenv(name, value)
    await compose.end()
    yield
    await compose.end()


@pytest.mark.parametrize("question", ASKED, ids=lambda question: question.text)
async def test_page_answer_tools_and_every_version_find_the_same_documents(post: Post, question: Question) -> None:
    found = await everywhere(post, "earth-at-night", question.text)
    assert question.answers[0] in found["page"]
    assert {name: keys for name, keys in found.items() if keys != found["page"]} == {}


async def test_a_weak_hit_is_found_everywhere(post: Post) -> None:
    """Its score is 2.3 of 4: less than the default of the first version."""
    found = await everywhere(post, "earth-at-night", BERLIN)
    assert [name for name, keys in found.items() if BERLIN_KEY not in keys] == []


async def test_a_base_that_is_put_over_the_sample_or_a_folder_finds_them_too(post: Post, loaded: None) -> None:
    for source, question in (("earth_at_night", PHOENIX.text), ("harbour", "What does a ferry ticket cost?")):
        base = {"name": "mine", "knowledgeSources": [{"name": source}], "models": []}
        for path in ("agents", "knowledgebases"):
            version = "2025-08-01-preview" if path == "agents" else NEWEST
            put = await post(base, f"/{path}('mine')?api-version={version}", method="PUT", key=ADMIN)
            assert put.status in {200, 201}, put.body
        found = await everywhere(post, "mine", question)
        assert found["page"]
        assert {name: keys for name, keys in found.items() if keys != found["page"]} == {}


async def test_a_get_shows_the_threshold_where_the_version_has_it_and_a_put_of_it_changes_nothing(
    post: Post, loaded: None
) -> None:
    for name in ("earth-at-night", "harbour"):
        first = await post(b"", f"/agents('{name}')?api-version=2025-05-01-preview", method="GET", key=ADMIN)
        assert first.json["targetIndexes"][0]["defaultRerankerThreshold"] == THRESHOLD
    base = {"name": "mine", "knowledgeSources": [{"name": "harbour"}], "models": []}
    path = "/agents('mine')?api-version=2025-08-01-preview"
    put = await post(base, path, method="PUT", key=ADMIN)
    got = await post(b"", path, method="GET", key=ADMIN)
    listed = await post(b"", path.replace("('mine')", ""), method="GET", key=ADMIN)
    [mine] = [one for one in listed.json["value"] if one["name"] == "mine"]
    shown = [body["knowledgeSources"][0]["rerankerThreshold"] for body in (put.json, got.json, mine)]
    assert shown == [THRESHOLD] * 3
    again = await post(got.json, path, method="PUT", key=ADMIN)
    assert again.status == 200
    assert again.json["knowledgeSources"] == got.json["knowledgeSources"]


async def test_a_reference_to_a_folder_shows_file_heading_and_page_without_any_setting(
    post: Post, loaded: None
) -> None:
    body = {
        **conversation("What does a ferry ticket cost?"),
        "knowledgeSourceParams": [
            {"knowledgeSourceName": "harbour", "kind": "searchIndex", "includeReferenceSourceData": True}
        ],
    }
    answer = await post(body, f"/knowledgebases('harbour')/retrieve?api-version={NEWEST}")
    reference = answer.json["references"][0]
    assert reference["title"].startswith("deploy.md, Deploying")
    assert reference["sourceData"]["source"] == "deploy.md"
    [record] = [one for one in answer.json["activity"] if one["type"] == "searchIndex"]
    shown = [field["name"] for field in record["searchIndexArguments"]["sourceDataFields"]]
    assert shown == ["title", "text", "heading_path", "source", "page"]
    assert set(reference["sourceData"]) == set(shown)
    assert record["searchIndexArguments"]["semanticConfigurationName"] == "default"
    got = await post(b"", f"/knowledgesources('harbour')?api-version={NEWEST}", method="GET", key=ADMIN)
    fields = [field["name"] for field in got.json["searchIndexParameters"]["sourceDataFields"]]
    assert fields == ["source", "heading_path", "page"]


@NEEDS_MCP
async def test_where_nobody_states_one_the_record_has_the_versions_and_tools_of_agents_have_none(
    post: Post, loaded: None
) -> None:
    """A new source over the same index states none."""
    index = {"searchIndexName": "earth_at_night"}
    bare = {"name": "bare", "kind": "searchIndex", "searchIndexParameters": index}
    base = {"name": "bare", "knowledgeSources": [{"name": "bare"}], "models": []}
    for path, body in (("knowledgesources", bare), ("knowledgebases", base)):
        made = await post(body, f"/{path}?api-version={NEWEST}", key=ADMIN)
        assert made.status == 201, made.body
    for route, version in CONTRACTS:
        body = input_of(version, PHOENIX.text)
        answer = await post(body, f"/{route}('bare')/retrieve?api-version={version}")
        [search] = [one for one in answer.json["activity"] if {"queryTime", "count"} <= one.keys()]
        stated = {"value": THRESHOLDS.get(version, 0), "setBy": "version"}
        assert search.get("threshold") == (None if version in SPECIFIED else stated)
    agent, earlier, later = [
        len(await of_mcp(post, "bare", PHOENIX.text, route, version))
        for route, version in (("agents", ""), ("knowledgebases", "2025-11-01-preview"), ("knowledgebases", NEWEST))
    ]
    assert earlier < later == agent
