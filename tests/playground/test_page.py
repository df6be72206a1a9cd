"""The page in Debian's Chromium over the local host. `drive` is what runs there; what it saw is held here.

The pictures of docs are made where they are not there: delete them to have them made anew.
"""

import ast
import asyncio
import json
import re
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

import httpx
import pytest

from retrieval.local.wire import WireRequest, WireResponse
from tests.answer.material import blocks
from tests.answer.scripts import by_step, judgement, planned, routed
from tests.environments import ROOT, needs_browser, needs_node
from tests.playground.looking import QUESTION, SIZES
from tests.playground.served import ARABIC, LOADED, QUESTIONS, Seen, drive, furnish, page
from tests.rooms import NEEDS_MCP
from tests.running import served
from tests.scenarios.local_model.conftest import replies
from tests.scripted_azure import ScriptedAzure, by_search, delayed, document, failing, queries, replying
from tests.scripted_azure import found as finding
from tests.scripted_chat import ScriptedChat

pytestmark = pytest.mark.slow

CORPORA: Final = sorted(QUESTIONS)
CLOSEST: Final = {
    "earth-at-night": "In Phoenix the arterials run dead straight, one mile apart, with lamps set at even intervals",
    LOADED: "To rotate a key, add the new key, restart, move the callers, and remove the old key.",
}
"""What of each corpus answers its question, and has to be read first where no model writes."""

LARGEST_PICTURE: Final = 150_000
PICTURES: Final = {
    "playground.png",
    *(f"playground-{name}.png" for name in ("missing", "threshold", "plan", "steps", "cost", "code", "retrieve")),
}

CHOSEN: Final = {"id": "c1", "rationale": "It says why the grid is so sharp."}
READ: Final = {
    "blocks": blocks(
        "The arterials run dead straight, one mile apart, with lamps set at even intervals [c1].\n\n"
        "The ground is flat, trees are few, and dry desert air scatters little of the light [c1]."
    ),
    **judgement("c1"),
    "selected": [CHOSEN],
    "key_points": [],
}
PICTURED: Final = {
    "route": delayed(0.2, routed()),
    "plan": delayed(
        0.5,
        planned(
            QUESTION,
            "lamps along arterials and interstates",
            goals=["Explain why the grid is so visible", "Find which roads are lit and which are dark"],
        ),
    ),
    "answer": delayed(1.1, replying(json.dumps(READ))),
}
"""A model that takes its time, so that its steps are seen in the pictures."""


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with page() as address:
        furnish(address)
        yield address


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("size", SIZES)
def test_in_every_state_axe_finds_nothing(size: str, theme: str, address: str, tmp_path: Path) -> None:
    base = "earth-at-night" if theme == "light" else LOADED
    seen = drive("every_state", address, tmp_path, size=size, theme=theme, base=base, question=QUESTIONS[base][0])
    assert seen["states"] == {name: [] for name in seen["states"]}
    assert len(seen["states"]) == (17 if size in {"phone", "narrow"} else 16)


def test_everything_can_be_done_by_keyboard(address: str, tmp_path: Path) -> None:
    seen = drive("keyboard", address, tmp_path)
    assert {"base", "question", "ask", "summary", "tab-documents", "panel", "sought", "slider"} <= set(seen["reached"])
    assert seen["broken"] == "Why is the street grid\nof Phoenix so visible?"
    assert (seen["focused"], seen["tab"], seen["expanded"]) == ("question", "tab-steps", "true")
    assert seen["slid"].startswith("At 0.45: ") and seen["still"] == "slider"
    assert "Why it stands here" in seen["opened"] and seen["again"] == "again"
    assert "no model was asked" in seen["step"] and seen["pinned"] == "Pinned"
    assert json.loads(seen["code"])["method"] == "tools/call"


def test_a_first_visit_explains_itself(address: str, tmp_path: Path) -> None:
    seen = drive("first_visit", address, tmp_path, base=LOADED)
    assert (seen["chosen"], seen["calls"], seen["left"]) == (LOADED, 0, [])
    assert seen["about"] == "An example, recorded over the sample corpus without a model"
    assert seen["documents"] == 50 and len(seen["suggested"]) == 3
    assert seen["questions"] == ["What is a role?"]
    body = seen["after"][0]["body"]
    assert [message["content"][0]["text"] for message in body["messages"]] == [seen["suggested"][0]]


def test_what_was_left_out_of_the_files_that_were_loaded_is_told(tmp_path: Path) -> None:
    (tmp_path / "fine.md").write_text("A fine heron.")
    (tmp_path / "empty<b>.md").touch()
    with page(arguments=("--load", f"odd={tmp_path}")) as address:
        seen = drive("left_out", address, tmp_path)
    assert (seen["closed"], seen["opened"][-1]) == ([], "odd: empty<b>.md: empty")


@pytest.mark.parametrize("size", ["narrow", "middle"])
def test_a_new_answer_begins_at_the_top_of_the_conversation(size: str, address: str, tmp_path: Path) -> None:
    """Also below the example, and where it is asked again by the threshold."""
    seen = drive("in_view", address, tmp_path, size=size, question=QUESTIONS[LOADED][0])
    assert all(0 <= top <= 24 for top in seen["tops"]), seen["tops"]


@pytest.mark.parametrize("base", CORPORA)
def test_a_citation_shows_its_sentence_and_opens_its_document(base: str, address: str, tmp_path: Path) -> None:
    seen = drive("citation", address, tmp_path, base=base, question=QUESTIONS[base][0])
    answer = seen["calls"][0]["answer"]
    cited = answer["citations"][0]
    assert cited["source"] in seen["hint"] and cited["quote"][:40].split("\n")[0] in seen["hint"]
    chunk = next(one for one in answer["selected"] if one["id"] == cited["chunk_id"])
    assert seen["key"] == [chunk["doc_key"]]
    assert " ".join(chunk["text"].split()) == " ".join(seen["opened"].split())
    assert "UL" in seen["blocks"] and "BLOCKQUOTE" in seen["blocks"]
    assert CLOSEST[base] in seen["closest"][0] and CLOSEST[base] in " ".join(chunk["text"].split())


@pytest.mark.parametrize("size", ["narrow", "middle"])
def test_documents_of_a_file_are_told_apart_and_tabs_begin_at_their_top(
    size: str, address: str, tmp_path: Path
) -> None:
    seen = drive("places", address, tmp_path, size=size, base=LOADED, question=QUESTIONS[LOADED][0])
    assert len(seen["sought"]) == len(set(seen["sought"])) == 3 and set(seen["sought"]) <= set(seen["names"])
    for place, told in enumerate(seen["nexts"]):
        assert f"The next one, “{seen['names'][place + 1][:80]}" in told
    assert seen["positions"] == ["static"], "Figures that stay in view cut the answer."
    assert not [one for one in seen["snippets"] if "`" in one or "**" in one or "|" in one]
    assert re.fullmatch(r"(?:1 was|\d+ were) below it. Move it to see what another would do.", seen["lowest"])
    assert seen["begins"] == 0
    assert seen["closed"] == ([] if size == "narrow" else ["tab-documents"])
    assert seen["underlined"] == ["tab-code"]


@pytest.mark.parametrize(("size", "share"), [("phone", 0.5), ("narrow", 0.32), ("middle", 0.38), ("wide", 0.2)])
def test_open_settings_are_seen_whole_and_leave_room(size: str, share: float, address: str, tmp_path: Path) -> None:
    whole, height, page = drive("settings", address, tmp_path, size=size)["heights"]
    assert whole == height <= share * page


def test_a_tie_is_told(address: str, tmp_path: Path) -> None:
    seen = drive("places", address, tmp_path, size="middle", base=LOADED, question="What does the doctor check?")
    scores = [one["score"] for one in seen["calls"][0]["answer"]["explained"]["documents"]]
    equal = [one == next for one, next in pairwise(scores[:4])]
    assert equal == ["does not say what decides between equal scores" in told for told in seen["nexts"]]
    assert any(equal)


def test_a_passage_shows_no_marks_of_emphasis(address: str, tmp_path: Path) -> None:
    question = "What is throttled, what costs a leaked key, and what is planned by the model?"
    seen = drive("bold", address, tmp_path, base=LOADED, question=question)
    text = seen["calls"][0]["answer"]["answer_markdown"]
    assert "A leaked key" in text and r"\*\*" not in text
    assert "A leaked key" in seen["answer"] and "**" not in seen["answer"]


def test_a_document_that_is_missed_is_found_wherever_it_is(address: str, tmp_path: Path) -> None:
    words = {"here": "Bright Grid", "below": "Yemen", "elsewhere": "Carnival", "nowhere": "zzyzx"}
    seen = drive(
        "missing", address, tmp_path, base="earth-at-night", question=QUESTION, words=words, filter="page_number eq '9'"
    )
    said = seen["verdicts"]
    assert re.search(r"number 1, found with the score 4\.00", said["here"])
    assert re.search(r"found with the score \d\.\d\d|number \d", said["below"])
    assert said["nowhere"].startswith("No sub-query of this run found it.") and "nowhere" not in said["nowhere"]
    assert "A search for these words finds no such document either" in said["nowhere"]
    assert "The filter page_number eq '9' may have taken it away" in seen["filtered"]


def test_two_runs_are_compared_in_one_list_and_on_one_axis(address: str, tmp_path: Path) -> None:
    seen = drive("compared", address, tmp_path, base="earth-at-night", question=QUESTION)
    found = [call["answer"]["explained"]["documents"] for call in seen["calls"]]
    first, second = [[one["doc_key"] for one in documents if one["chunk_id"]] for documents in found]
    there = dict(seen["there"])
    assert len(second) < len(first)
    for key in second:
        assert there[key] == str(first.index(key) + 1)
    assert {key: there[key] for key in first[len(second) :]} == {
        key: str(place + 1) for place, key in enumerate(first) if place >= len(second)
    }
    assert "threshold – → 2, chunks – → 1" in seen["told"]
    assert seen["ticks"][0] == seen["ticks"][1] and seen["charts"][:2] == ["This run", "The pinned run"]
    assert seen["took"][0] == seen["took"][1]
    assert seen["opened"] == [0, 1], "A bar of the pinned run opens there."


def test_a_wrong_key_is_told_and_another_goes_on(address: str, tmp_path: Path) -> None:
    seen = drive("a_wrong_key", address, tmp_path)
    assert "cannot be listed" in seen["connection"] or "may not list" in seen["connection"]
    assert "Refused: 403" in seen["refused"] and seen["kept"] == QUESTION
    assert seen["documents"] == 50 and "name yours" in seen["asks_only"]
    assert "local-dev-key" not in seen["stored"] and "wrong" not in seen["stored"]


def test_a_key_field_stays_as_the_reader_left_it(address: str, tmp_path: Path) -> None:
    assert drive("emptied_key", address, tmp_path)["kept"] == ["", "local-dev-key", "", "local-admin-key"]


def test_a_text_is_written_from_the_side_of_its_script(address: str, tmp_path: Path) -> None:
    seen = drive("directions", address, tmp_path, base=ARABIC, question="متى تفتح المكتبة؟")
    assert seen["sides"] == dict.fromkeys(seen["sides"], "rtl") and seen["english"] == "ltr"


def test_a_service_that_is_away_leaves_the_question(address: str, tmp_path: Path) -> None:
    seen = drive("away", address, tmp_path)
    assert seen["problem"].startswith("No answer") and seen["question"] == QUESTION


def test_an_empty_corpus_and_a_courtesy_are_told_as_such(address: str, tmp_path: Path) -> None:
    seen = drive("empty", address, tmp_path)
    assert "The sub-queries found no document." in seen["empty"]
    assert seen["thanks"].startswith("Nothing was searched: this needed no documents.")
    assert "0 of 0 documents" in seen["line"] and "0 ranked queries" in seen["line"]


def test_behind_a_gateway_with_a_path_everything_is_asked_beneath_it(tmp_path: Path) -> None:
    with page({"BASE_PATH": "search"}) as address:
        seen = drive("beneath", address, tmp_path)
    assert seen["documents"] == 1 and "/search/agents/earth-at-night/answer" in seen["code"]


def test_an_answer_that_comes_as_events_is_the_same(address: str, tmp_path: Path) -> None:
    content = [{"type": "text", "text": QUESTION}]
    path = f"{address}/agents/earth-at-night/answer?detail=explained"
    body = {"messages": [{"role": "user", "content": content}]}
    answer = httpx.post(path, json=body, headers={"api-key": "local-dev-key"}, timeout=60).json()
    told: list[tuple[str, Any]] = [
        ("route", answer["route"]),
        ("plan", {"round": 0, **answer["plan"], "is_complete": True}),
        ("search", {"round": 0, **answer["activity"][2]["searches"][0]}),
        *(("activity", {"record": record}) for record in answer["activity"]),
        ("block", {"id": 0, "kind": "text", "markdown": answer["answer_markdown"], "citations": []}),
        ("end", answer),
    ]
    events = "".join(f"event: {name}\ndata: {json.dumps(data)}\n\n" for name, data in told)
    seen = drive("events", address, tmp_path, body=events)
    assert seen["documents"] == len(answer["explained"]["documents"])
    assert f"{len(answer['selected'])} of {seen['documents']} documents" in seen["turn"]
    broken = drive("events", address, tmp_path, body=events.partition("event: end")[0])
    assert "No answer" in broken["turn"] and "– of – documents" in broken["turn"]


async def test_a_search_that_fails_and_a_base_without_an_effort_are_told_in_the_turn(tmp_path: Path) -> None:
    rivers = finding(document("k1", 3.0, title="Rivers", content="Rivers run to harbours."))
    azure = ScriptedAzure(chat=queries("rivers", "roads"))
    azure.search = by_search({"roads": failing(503)}, otherwise=rivers)
    async with azure.listening():
        seen, stated = await asyncio.to_thread(_failing, azure.address, tmp_path)
    answer = seen["calls"][-1]["answer"]
    searches = [search for one in answer["activity"] for search in one.get("searches", ())]
    assert any("error" in search for search in searches) and answer["explained"]["documents"]
    assert "The step search “roads” failed" in seen["line"]
    named = "A model is connected, and the base atlas states no effort."
    assert (named in seen["line"], named in stated["line"]) == (True, False)


def _failing(endpoint: str, folder: Path) -> tuple[Seen, Seen]:
    """What is seen of a base that states no effort, and of the same base when it states one."""
    model = {"AZURE_OPENAI_ENDPOINT": endpoint, "AZURE_OPENAI_DEPLOYMENT": "scripted", "AZURE_OPENAI_API_KEY": "key"}
    search = {"AZURE_SEARCH_ENDPOINT": endpoint, "AZURE_SEARCH_API_KEY": "key"}
    needs_browser()
    with served(Path(sys.executable), environ={"AGENTS_STORE": "memory", **model, **search}) as address:
        agent = {"name": "atlas", "models": [], "targetIndexes": [{"indexName": "atlas"}]}
        headers = {"api-key": "local-admin-key"}
        path = f"{address}/agents('atlas')?api-version=2025-05-01-preview"
        assert httpx.put(path, json=agent, headers=headers, timeout=30).status_code == 201
        seen = drive("citation", address, folder, base="atlas", question="Which rivers and roads?")
        path = f"{address}/knowledgebases('atlas')?api-version=2026-08-01-preview"
        base = httpx.get(path, headers=headers, timeout=30).json() | {"retrievalReasoningEffort": {"kind": "low"}}
        assert httpx.put(path, json=base, headers=headers, timeout=30).is_success
        return seen, drive("citation", address, folder, base="atlas", question="Which rivers and roads?")


async def test_each_step_of_a_slow_model_is_shown_as_it_begins(tmp_path: Path) -> None:
    chat = ScriptedChat(replies)
    complete = chat.chat

    async def complete_when_shown(request: WireRequest) -> WireResponse:
        while not (tmp_path / f"shown-{len(chat.asked)}").exists():
            await asyncio.sleep(0.05)
        return await complete(request)

    chat.chat = complete_when_shown
    async with chat.listening():
        seen = await asyncio.to_thread(_beginning, chat.url, tmp_path)
    for (line, bars), name in zip(seen["lines"], ("plan", "read and answer"), strict=True):
        assert re.search(rf"The model is asked to {name}: [0-9.,]+ m?s…", line)
        assert f"Model {name}" in bars
    assert "qwen2.5:3b" in seen["detail"]


def _beginning(url: str, folder: Path) -> Seen:
    needs_browser()
    model = {"CHAT_URL": url, "CHAT_MODEL": "qwen2.5:3b"}
    with served(Path(sys.executable), environ={"AGENTS_STORE": "memory", **model}) as address:
        return drive("begins", address, folder, base="earth-at-night", question=QUESTION)


@pytest.fixture(scope="module")
def codes(address: str, tmp_path_factory: pytest.TempPathFactory) -> Seen:
    seen = drive("codes", address, tmp_path_factory.mktemp("codes"))
    assert not any("local-admin-key" in code for code in seen["codes"].values())
    return seen


@contextmanager
def listening() -> Iterator[tuple[str, list[tuple[str, dict[str, str], Any]]]]:
    """A server that keeps what is posted to it, and answers as the service might."""
    calls: list[tuple[str, dict[str, str], Any]] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            calls.append((self.path, {name.lower(): text for name, text in self.headers.items()}, json.loads(body)))
            content = b'{"answer_markdown": "answered"}'
            self.send_response(200)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, format: str, *arguments: object) -> None:
            """Nothing is logged."""

    server = HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", calls
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def _command(language: str, code: str, folder: Path) -> list[str]:
    match language:
        case "curl":
            return ["bash", "-c", code]
        case "python":
            return [sys.executable, "-c", code]
        case "javascript":
            needs_node()
            (folder / "ask.mjs").write_text(code, encoding="utf-8")
            return ["node", str(folder / "ask.mjs")]
        case "java":
            if shutil.which("javac") is None:
                pytest.skip("There is no JDK here.")
            (folder / "Ask.java").write_text(code, encoding="utf-8")
            return ["java", str(folder / "Ask.java")]
        case _:
            raise AssertionError(language)


@pytest.mark.parametrize("language", ["curl", "python", "javascript", "java"])
def test_the_code_that_is_copied_makes_exactly_this_call(
    language: str, codes: Seen, address: str, tmp_path: Path
) -> None:
    with listening() as (elsewhere, calls):
        code = codes["codes"][language].replace(address, elsewhere)
        command = _command(language, code, tmp_path)
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr
    assert "answered" in done.stdout
    (path, headers, body) = calls[0]
    sent = codes["calls"][0]
    assert (path.lstrip("/"), body) == (sent["path"], sent["body"])
    assert headers["api-key"] == "YOUR-KEY"


def test_the_csharp_that_is_copied_has_the_call(codes: Seen, address: str) -> None:
    """It is compiled where .NET is; here its literals are read, which are those of Python."""
    code = codes["codes"]["csharp"]
    literals = [ast.literal_eval(one) for one in re.findall(r'"(?:[^"\\]|\\.)*"', code)]
    sent = codes["calls"][0]
    assert [one for one in literals if one.startswith("http")] == [f"{address}/{sent['path']}"]
    assert [json.loads(one) for one in literals if one.startswith("{")] == [sent["body"]]
    assert code.count("(") == code.count(")") and code.count("{") == code.count("}")


@NEEDS_MCP
def test_the_mcp_call_that_is_copied_is_json_and_is_answered(codes: Seen, address: str) -> None:
    call = json.loads(codes["copied"])
    assert codes["copied"] == codes["codes"]["mcp"]
    headers = {"api-key": "local-dev-key", "accept": "application/json, text/event-stream"}
    answer = httpx.post(f"{address}/agents/earth-at-night/mcp", json=call, headers=headers, timeout=60).json()
    assert not answer["result"].get("isError"), answer
    lacking = "the conversation before the question; rerankerThreshold, maxFollowUps, maxQueries, maxChunks"
    assert lacking in codes["lacking"] and f"{address}/agents/earth-at-night/mcp" in codes["lacking"]


def test_the_raw_answer_is_the_answer(codes: Seen) -> None:
    assert json.loads(codes["raw"]) == codes["calls"][0]["answer"]


async def test_the_pictures_of_the_docs_are_there_and_small(tmp_path: Path) -> None:
    azure = ScriptedAzure(chat=by_step(PICTURED))
    async with azure.listening():
        await asyncio.to_thread(_pictures, azure.address, tmp_path)
    assert {picture.name for picture in tmp_path.glob("*.png")} == PICTURES
    for picture in sorted(tmp_path.glob("*.png")):
        kept = ROOT / "docs" / "calling" / picture.name
        assert picture.stat().st_size < LARGEST_PICTURE, picture.name
        if not kept.exists():
            shutil.copy(picture, kept)
        assert kept.stat().st_size < LARGEST_PICTURE


def _pictures(endpoint: str, folder: Path) -> None:
    model = {"AZURE_OPENAI_ENDPOINT": endpoint, "AZURE_OPENAI_DEPLOYMENT": "scripted", "AZURE_OPENAI_API_KEY": "key"}
    with page(model) as address:
        drive("pictures", address, folder, base="earth-at-night", question=QUESTION)
