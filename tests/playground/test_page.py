"""The page in Debian's Chromium over the local host. `drive` is what runs there; what it saw is held here.

The pictures of README and docs are made where they are not there: delete them to have them made anew.
"""

import asyncio
import json
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any, Final, get_args

import httpx
import pytest

from tests.environments import ROOT, needs_browser, needs_node
from tests.playground.drive import MARKUP, QUESTION
from tests.running import served
from tests.scripted_azure import ScriptedAzure, in_turn, queries, replying
from tests.third_parties import (
    KnowledgeClient,
    browser,
    knowledge_client,
    knowledge_client_for_node,
    microsoft_client,
)

pytestmark = pytest.mark.slow

DRIVE: Final = Path(__file__).with_name("drive.py")
ADMIN: Final = {"api-key": "local-admin-key"}
FIELDS: Final = [
    {"name": "id", "type": "Edm.String", "key": True},
    {"name": "title", "type": "Edm.String", "searchable": True},
    {"name": "content", "type": "Edm.String", "searchable": True},
]
PRIORITIZED: Final = {
    "titleField": {"fieldName": "title"},
    "prioritizedContentFields": [{"fieldName": "content"}],
}
SEMANTIC: Final = {
    "defaultConfiguration": "usual",
    "configurations": [{"name": "usual", "prioritizedFields": PRIORITIZED}],
}
HOSTILE: Final = [
    {"@search.action": "upload", "id": str(n), "title": f"lamps {MARKUP}", "content": f"lamps {MARKUP} shine {n}"}
    for n in range(5)
]
LARGEST_PICTURE: Final = 150_000

Seen = dict[str, Any]


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """The local host, with an index that is empty and one whose documents are hostile."""
    needs_browser()
    with served(Path(sys.executable), environ={"AGENTS_STORE": "memory"}) as address:
        with httpx.Client(base_url=address, headers=ADMIN, timeout=30) as client:
            for name in ("empty", "hostile"):
                make(client, name)
            path = "/indexes('hostile')/docs/search.index?api-version=2026-04-01"
            assert client.post(path, json={"value": HOSTILE}).status_code == 200
        yield address


def make(client: httpx.Client, name: str) -> None:
    index = {"name": name, "fields": FIELDS, "semantic": SEMANTIC}
    assert client.put(f"/indexes('{name}')?api-version=2026-04-01", json=index).status_code == 201
    agent = {"name": name, "models": [], "targetIndexes": [{"indexName": name, "defaultRerankerThreshold": 0}]}
    assert client.put(f"/agents('{name}')?api-version=2025-05-01-preview", json=agent).status_code == 201


def drive(scenario: str, address: str, folder: Path) -> Seen:
    """What a scenario saw. In each, nothing came from elsewhere, nothing ran, and nothing is wider than the page."""
    command = [str(browser()), str(DRIVE), str(needs_browser()), scenario, address, str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=90)
    assert done.returncode == 0, done.stderr
    found: Seen = json.loads(done.stdout)
    for seen in found.values() if scenario == "every_view" else [found]:
        assert (seen["elsewhere"], seen["ran"], seen["wider"]) == ([], False, []), seen
        refused = [one for one in seen["said"] if not one.startswith("Failed to load resource")]
        assert refused == []
    return found


def test_at_three_widths_and_in_both_themes_axe_finds_nothing_serious(address: str, tmp_path: Path) -> None:
    found = drive("every_view", address, tmp_path)
    assert {name: seen["serious"] for name, seen in found.items()} == {name: [] for name in found}
    assert {name for name, seen in found.items() if seen["stacked"]} == {"narrow light", "narrow dark"}
    assert len(found) == 6


def test_the_three_questions_have_their_answer_on_the_page(address: str, tmp_path: Path) -> None:
    seen = drive("a_question", address, tmp_path)
    assert seen["running"] > 0
    assert seen["before"] == "At 2.50: 2 documents, as now."
    assert re.fullmatch(r"At 0\.80: \d+ documents, \d+ more than now\.", seen["lower"])
    assert len(seen["come"]) >= 1 and seen["again"] == 2 + len(seen["come"])
    assert (
        seen["time"].startswith("Most of it was")
        and "the slowest step, search" in seen["time"]
        and seen["axis"][0] == "0 ms"
    )
    assert "48 below the threshold" in seen["plan"] or "Rules planned 1 sub-query" in seen["plan"]
    assert seen["verdicts"]["Bright Grid"].startswith("It is there: number 1 of 2")
    assert seen["verdicts"]["Yemen"].startswith("It was found and dropped: ")
    assert "A threshold of 1.05 would bring it" in seen["verdicts"]["Yemen"]
    assert seen["filtered"].startswith("The filter takes it away. Without page_number eq '105'")
    assert seen["verdicts"]["no such document"].startswith("No sub-query finds it")
    assert "$0.0010" in seen["facts"] and re.search(r"Trace [0-9a-f]{32}", seen["facts"])
    assert seen["fields"] == ["id", "page_number"]
    assert "key" not in seen["link"] and "threshold=0.8" in seen["link"]
    assert seen["copied"] == seen["link"]
    assert seen["enough"].endswith("Effort: low was enough for auto: there was nothing to follow up.")


def test_a_citation_jumps_to_its_place_and_a_conversation_goes_on(address: str, tmp_path: Path) -> None:
    seen = drive("citations", address, tmp_path)
    assert seen["visible"] and len(seen["marked"]) > 40
    assert [turn[:20] for turn in seen["turns"][::2]] == ["Why is Phoenix so br", "And in dry nights?"]


def test_everything_can_be_done_by_keyboard(address: str, tmp_path: Path) -> None:
    seen = drive("keyboard", address, tmp_path)
    assert seen["reached"][:5] == ["key", "Use", "base", "q", "ask"]
    assert "Phoenix" in seen["read"]


def test_a_wrong_key_is_told_and_another_one_goes_on(address: str, tmp_path: Path) -> None:
    seen = drive("a_wrong_key", address, tmp_path)
    assert "not accepted" in seen["connection"] and "Refused with 403" in seen["refused"]
    assert seen["found"] == 2
    assert "local-dev-key" not in seen["stored"] and "wrong" not in seen["stored"]


def test_a_service_that_is_away_leaves_the_question(address: str, tmp_path: Path) -> None:
    seen = drive("away", address, tmp_path)
    assert "The service does not answer" in seen["problem"]
    assert seen["question"] == QUESTION


def test_while_an_answer_takes_long_time_passes_and_it_can_be_stopped(address: str, tmp_path: Path) -> None:
    seen = drive("silent", address, tmp_path)
    assert (seen["progress"], seen["serious"]) == ("Asking…", [])
    assert seen["stopped"].startswith("Stopped")


def test_an_empty_corpus_is_told_as_such(address: str, tmp_path: Path) -> None:
    assert drive("empty", address, tmp_path)["empty"].startswith("The sub-queries found no document at all.")


def test_documents_and_replies_with_markup_are_text(address: str, tmp_path: Path) -> None:
    seen = drive("hostile", address, tmp_path)
    assert seen["made"] == 0
    assert MARKUP in seen["documents"] and MARKUP in seen["answer"]
    assert seen["cites"] == ["1", "1"] and "a[1]" in seen["answer"], "a number in code cites nothing"


async def test_a_model_that_answers_with_markup_is_shown_and_compared_with_none(tmp_path: Path) -> None:
    chat = in_turn(queries(MARKUP, "street grid of Phoenix"), replying(MARKUP), queries("street grid of Phoenix"))
    azure = ScriptedAzure(chat=chat)
    async with azure.listening():
        seen = await asyncio.to_thread(with_a_model, azure.address, tmp_path)
    assert seen["made"] == 0
    assert MARKUP in seen["plan"] and "A model planned 3 sub-queries" in seen["plan"]
    assert "Model plan" in seen["bars"] and "2 calls Tokens 200 in, 40 out" in " ".join(seen["facts"].split())
    assert "in both" in seen["summary"]
    assert "Model" in seen["differs"] and "no call" in seen["sides"]


def with_a_model(endpoint: str, folder: Path) -> Seen:
    needs_browser()
    model = {"AZURE_OPENAI_ENDPOINT": endpoint, "AZURE_OPENAI_DEPLOYMENT": "scripted", "AZURE_OPENAI_API_KEY": "key"}
    with served(Path(sys.executable), environ={"AGENTS_STORE": "memory", **model}) as address:
        return drive("a_model", address, folder)


def test_behind_a_gateway_with_a_path_everything_is_asked_beneath_it(tmp_path: Path) -> None:
    needs_browser()
    with served(Path(sys.executable), environ={"AGENTS_STORE": "memory", "BASE_PATH": "search"}) as address:
        seen = drive("beneath", address, tmp_path)
    assert (seen["references"], seen["fields"]) == (2, ["id", "page_number"])


def test_two_hundred_references_a_follow_up_and_a_failed_sub_query_are_shown(address: str, tmp_path: Path) -> None:
    seen = drive("many", address, tmp_path)
    assert (seen["references"], seen["marks"], seen["serious"]) == (200, 200, [])
    assert "1 failed; the results of the others are here." in seen["plan"]
    assert "asks for fewer calls" in seen["plan"]
    assert [name.split()[0] for name in seen["bars"]] == [
        "The", "Model", "Search", "Search", "Search", "Ranking", "Model", "Follow-up",
    ]  # fmt: skip
    assert "$0.0054" in seen["facts"]


@pytest.fixture(scope="module")
def codes(address: str, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    found: dict[str, str] = drive("codes", address, tmp_path_factory.mktemp("codes"))["codes"]
    assert not any("local-admin-key" in code for code in found.values())
    return {name: code.replace("YOUR-KEY", "local-dev-key") for name, code in found.items()}


def ran(*command: str | Path) -> str:
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_curl_that_is_copied_runs(codes: dict[str, str]) -> None:
    assert "event: response.completed" in ran("bash", "-c", codes["curl"])


@pytest.mark.parametrize("version", ["11.6.0b12", "11.7.0b1", "11.7.0b2", "12.0.0", "12.1.0b2"])
def test_the_python_that_is_copied_runs(version: str, codes: dict[str, str]) -> None:
    clients = {one: partial(knowledge_client, one) for one in get_args(KnowledgeClient)}
    python = clients.get(version, microsoft_client)()
    found = json.loads(ran(python, "-c", codes[f"Python {version}"]))
    assert len(found) == (0 if version == "11.7.0b1" else 1), "This version cannot state a threshold."


def test_the_javascript_that_is_copied_runs(codes: dict[str, str], tmp_path: Path) -> None:
    needs_node()
    (tmp_path / "node_modules").symlink_to(knowledge_client_for_node("13.0.0") / "node_modules")
    (tmp_path / "ask.mjs").write_text(codes["JavaScript"], encoding="utf-8")
    assert [one["ref_id"] for one in json.loads(ran("node", tmp_path / "ask.mjs"))] == [0]


def test_the_mcp_call_that_is_copied_is_answered(codes: dict[str, str]) -> None:
    configured, _, posted = codes["MCP"].partition("# what a client then posts")
    server = json.loads(configured)["mcpServers"]["earth-at-night"]
    headers = {**server["headers"], "accept": "application/json, text/event-stream"}
    answer = httpx.post(server["url"], json=json.loads(posted), headers=headers, timeout=30)
    assert len(answer.json()["result"]["structuredContent"]["references"]) == 1


def test_the_pictures_of_the_docs_are_there_and_small(address: str, tmp_path: Path) -> None:
    drive("pictures", address, tmp_path)
    for picture in sorted(tmp_path.glob("*.png")):
        kept = ROOT / "docs" / "calling" / picture.name
        assert picture.stat().st_size < LARGEST_PICTURE, picture.name
        if not kept.exists():
            shutil.copy(picture, kept)
        assert kept.stat().st_size < LARGEST_PICTURE
