"""`serve` as people start it: corpora of their own, another search service behind it, settings that are wrong."""

import asyncio
import gzip
import json
import os
import pty
import socket
import subprocess
import sys
from collections.abc import Mapping
from http.client import HTTPConnection, HTTPResponse
from itertools import product
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from urllib.request import Request, urlopen

import pytest

from retrieval.errors import NotConfigured
from retrieval.local.server import serving
from retrieval.local.stand_in import stand_in
from tests.conftest import KEY, ask
from tests.local.documents.folder import CHUNKS, FILES, READ, mixed
from tests.running import searching, served, start_lines

ROOT = Path(__file__).resolve().parents[2]
THIS = Path(sys.executable)
HANDBOOK = [
    {"_id": "a/1 (old)", "title": "Holidays", "text": "Everybody has thirty days of holiday a year.", "year": 2021},
    {"_id": "a/2", "title": "Holidays", "text": "Everybody has thirty-two days of holiday a year.", "year": 2024},
    {"_id": "b", "title": "Travel", "text": "Trains come before planes.", "tags": ["travel", "green"]},
]


def retrieve(address: str, agent: str, body: object, headers: Mapping[str, str] | None = None) -> tuple[int, Any]:
    connection = HTTPConnection(urlsplit(address).netloc, timeout=30)
    target = f"/agents('{agent}')/retrieve?api-version=2025-05-01-preview"
    connection.request("POST", target, json.dumps(body), {"api-key": KEY, **(headers or {})})
    response = connection.getresponse()
    answer = json.loads(response.read())
    connection.close()
    return response.status, answer


@pytest.fixture
def handbook(tmp_path: Path) -> Path:
    path = tmp_path / "handbook.jsonl.gz"
    with gzip.open(path, "wt", encoding="utf-8") as file:
        file.writelines(json.dumps(document) + "\n" for document in HANDBOOK)
    return path


def test_a_loaded_file_is_an_index_and_an_agent_with_filterable_metadata(handbook: Path) -> None:
    with served(THIS, "--load", f"handbook={handbook}") as address:
        status, answer = retrieve(address, "handbook", ask("How many days of holiday?", filterAddOn="year gt 2022"))
        _, tagged = retrieve(address, "handbook", ask("trains", filterAddOn="tags/any(t: t eq 'green')"))
        _, sample = retrieve(address, "earth-at-night", ask("gas flares"))
    assert status == 200
    assert [reference["docKey"] for reference in answer["references"]] == ["a/2"]
    assert [reference["docKey"] for reference in tagged["references"]] == ["b"]
    assert sample["references"]


def test_loading_shows_progress_on_a_terminal(handbook: Path) -> None:
    terminal, end = pty.openpty()
    command = [sys.executable, "-m", "retrieval.local", "serve", "--port", "0", "--load", f"handbook={handbook}"]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=end, text=True) as process:
        assert process.stdout is not None
        assert any(line.startswith("ready ") for line in process.stdout)
        process.terminate()
    os.close(end)
    assert b"loading handbook: 3 of 3 documents" in os.read(terminal, 10_000)
    os.close(terminal)


def test_a_model_that_may_be_fetched_is_named_on_a_terminal_before_it_is_opened() -> None:
    terminal, end = pty.openpty()
    command = [sys.executable, "-m", "retrieval.local", "search", "--port", "0", "--model", "nobody/knows"]
    assert subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=end).returncode == 1
    os.close(end)
    assert os.read(terminal, 10_000).startswith(b"\ropening nobody/knows: what is not here yet is fetched\r\n")
    os.close(terminal)


def started(*arguments: str, environ: Mapping[str, str] | None = None) -> list[str]:
    """What a start prints up to `ready`."""
    command = [sys.executable, "-m", "retrieval.local", "serve", "--port", "0", *arguments]
    return start_lines(command, environ or {})


@pytest.mark.slow
def test_a_start_names_what_was_loaded_the_agents_the_key_and_a_call_that_works(tmp_path: Path) -> None:
    folder = mixed(tmp_path)
    with served(THIS, "--load", f"handbook={folder}", environ={"AGENTS_STORE": str(tmp_path / "agents.json")}):
        pass
    said = started("--load", f"handbook={folder}", environ={"AGENTS_STORE": str(tmp_path / "agents.json")})
    assert f"handbook: {READ} files, {CHUNKS} chunks, {FILES - READ} skipped" in said
    assert f"  handbook: {CHUNKS} documents" in said
    assert "key local-dev-key" in said
    assert any(line.startswith("try curl -s http://") and "/agents/handbook/answer" in line for line in said)
    assert said[-2] == f"Open {said[-1].removeprefix('ready ')}/ in a browser."
    with served(THIS, environ={"AGENTS_STORE": str(tmp_path / "agents.json")}) as address:
        status, answer = retrieve(address, "handbook", ask("days of holiday"))
        _, sample = retrieve(address, "earth-at-night", ask("gas flares"))
        ready = json.loads(urlopen(f"{address}/ready").read())
    assert (status, ready["status"], ready["search"]) == (502, "ready", "partlyLoaded")
    assert "The local search service has no such index (404). Make it" in answer["error"]["message"]
    assert sample["references"]
    without = started(environ={"AGENTS_STORE": str(tmp_path / "agents.json")})
    assert "  handbook: there is no index 'handbook': make it, or delete the agent" in without


def sent(address: str, method: str, path: str, body: object) -> int:
    """The status of a call by who may manage."""
    connection = HTTPConnection(urlsplit(address).netloc, timeout=30)
    connection.request(method, path, json.dumps(body), {"api-key": "local-admin-key"})
    status = connection.getresponse().status
    connection.close()
    return status


LAMPS = {
    "name": "lamps",
    "fields": [{"name": "id", "type": "Edm.String", "key": True}, {"name": "text", "type": "Edm.String"}],
    "semantic": {
        "defaultConfiguration": "usual",
        "configurations": [
            {"name": "usual", "prioritizedFields": {"prioritizedContentFields": [{"fieldName": "text"}]}}
        ],
    },
}


def make_lamps(address: str) -> None:
    """An index with a document, and an agent over it."""
    assert sent(address, "PUT", "/indexes/lamps?api-version=2026-04-01", LAMPS) == 201
    batch = {"value": [{"id": "1", "text": "Sodium lamps shine in yellow light."}]}
    assert sent(address, "POST", "/indexes/lamps/docs/index?api-version=2026-04-01", batch) == 200
    agent = {"name": "lamps", "models": [], "targetIndexes": [{"indexName": "lamps", "defaultRerankerThreshold": 0}]}
    assert sent(address, "PUT", "/agents/lamps?api-version=2025-05-01-preview", agent) == 201


def found(address: str, agent: str, text: str) -> list[str]:
    status, answer = retrieve(address, agent, ask(text))
    return [one["docKey"] for one in answer["references"]] if status == 200 else [str(status)]


def test_with_data_what_callers_make_is_there_again_indexes_and_definitions_together(
    handbook: Path, tmp_path: Path
) -> None:
    data, nowhere = ("--data", str(tmp_path / "kept")), {"AGENTS_STORE": ""}
    with served(THIS, *data, "--load", f"handbook={handbook}", environ=nowhere) as address:
        make_lamps(address)
        assert found(address, "lamps", "yellow lamps") == ["1"]
    said = started(*data, "--load", f"handbook={handbook}", environ=nowhere)
    assert any(line.startswith("handbook: as it was kept; ") for line in said)
    with served(THIS, *data, environ=nowhere) as address:
        assert found(address, "lamps", "yellow lamps") == ["1"]
        assert "b" in found(address, "handbook", "trains before planes")
        assert found(address, "earth-at-night", "gas flares")


@pytest.mark.slow
def test_without_data_neither_is(tmp_path: Path) -> None:
    with served(THIS, environ={"AGENTS_STORE": ""}) as address:
        make_lamps(address)
    with served(THIS, environ={"AGENTS_STORE": ""}) as address:
        assert found(address, "lamps", "yellow lamps") == ["404"]


def test_a_start_that_fails_leaves_the_folder_to_the_next(tmp_path: Path, handbook: Path) -> None:
    (tmp_path / "bad.jsonl").write_text("{", encoding="utf-8")
    with pytest.raises(NotConfigured, match="bad"):
        stand_in((("bad", str(tmp_path / "bad.jsonl")),), folder=str(tmp_path / "kept"))
    found = stand_in((("handbook", str(handbook)),), folder=str(tmp_path / "kept"))
    assert {agent.name for agent in found.agents} == {"earth-at-night", "handbook"}


@pytest.mark.slow
def test_a_folder_that_another_process_has_is_one_sentence(tmp_path: Path) -> None:
    with searching("--data", str(tmp_path)):
        command = [sys.executable, "-m", "retrieval.local", "serve", "--port", "0", "--data", str(tmp_path)]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=60)
    assert (done.returncode, len(done.stderr.splitlines())) == (1, 1)
    assert done.stderr.startswith("LOCAL_DATA: The data folder")


@pytest.mark.parametrize("command", ["serve", "index", "eval"])
def test_a_python_without_the_packages_is_told_which_one_has_them(command: str) -> None:
    bare = [sys.executable, "-S", "-m", "retrieval.local", command]
    ended = subprocess.run(bare, cwd=ROOT, capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stdout, len(ended.stderr.splitlines())) == (1, "", 1)
    assert ".venv/bin/python" in ended.stderr


def test_a_start_prints_both_keys_of_this_machine_and_names_that_nothing_has() -> None:
    said = started(environ={"AGENTS_STORE": "memory", "USER_TOKEN_AGENTS": "nobody"})
    assert "USER_TOKEN_AGENTS names nobody, which is neither an agent nor a knowledge base." in said
    assert {"key local-dev-key", "key that may manage, and calls the doctor: local-admin-key"} <= {*said}


@pytest.mark.slow
def test_a_call_without_a_key_is_refused_before_its_body_has_come_and_every_kind_of_key_has_it_read() -> None:
    """By `make run`, in the envelope of its contract."""
    paths, keys = ("/agents/earth-at-night/retrieve", "/indexes/earth_at_night/docs/index"), ("", "api-key: wrong\r\n")
    with served(environ={"AGENTS_STORE": "memory"}) as address:
        host, port = address.removeprefix("http://").split(":")
        for path, key in product(paths, keys):
            with socket.create_connection((host, int(port)), timeout=30) as connection:
                head = f"POST {path}?api-version=2025-05-01-preview HTTP/1.1\r\nHost: localhost\r\n{key}"
                connection.sendall(f"{head}Content-Length: 1000000\r\n\r\n".encode())
                answer = HTTPResponse(connection, method="POST")
                answer.begin()
                assert answer.status == (403 if key else 401)
                assert json.loads(answer.read())["error"]["code"]
        form = b"IndexId=earth-at-night&Query=Phoenix"
        bearer = {"x-acs-bearer-token": KEY, "content-type": "application/x-www-form-urlencoded"}
        with urlopen(Request(f"{address}/llm-local/index/retrieve", form, bearer)) as found:
            assert json.loads(found.read())["Data"]["Nodes"]


@pytest.mark.slow
def test_a_key_of_the_deployments_own_is_not_printed(tmp_path: Path) -> None:
    said = started(environ={"API_KEYS": "a-secret-of-mine", "AGENTS_STORE": str(tmp_path / "agents.json")})
    assert "key (one of API_KEYS)" in said and "a-secret-of-mine" not in "".join(said)


def test_two_commands_lead_from_a_folder_in_an_empty_home_to_a_cited_answer(tmp_path: Path) -> None:
    body = {
        "messages": [
            {"role": "user", "content": [{"type": "text", "text": "How many days of holiday does everybody have?"}]}
        ]
    }
    (tmp_path / "home").mkdir()
    environ = {"HOME": str(tmp_path / "home"), "LOAD": f"handbook={mixed(tmp_path)}"}
    with served(environ={**environ, "AGENTS_STORE": str(tmp_path / "agents.json")}) as address:
        connection = HTTPConnection(urlsplit(address).netloc, timeout=30)
        connection.request("POST", "/agents/handbook/answer", json.dumps(body), {"api-key": KEY})
        answer = json.loads(connection.getresponse().read())
        connection.close()
    assert "thirty-two days" in answer["answer_markdown"]
    assert answer["citations"][0]["source"] == "hr/leave.md, Leave > Holidays"


async def test_a_search_endpoint_takes_the_place_of_the_stand_in(tmp_path: Path) -> None:
    agents = tmp_path / "agents.json"
    agents.write_text(json.dumps([{"name": "night", "targetIndexes": [{"indexName": "earth_at_night"}]}]))
    async with serving(stand_in(()).service) as endpoint:
        settings = {
            "AZURE_SEARCH_ENDPOINT": endpoint,
            "AZURE_SEARCH_API_KEY": "local-dev-key",
            "AGENTS_FILE": str(agents),
            "LOCAL": "1",
        }
        status, answer = await _in_a_process(settings, "night", ask("gas flares"))
    assert status == 200
    assert answer["references"]


async def _in_a_process(settings: Mapping[str, str], agent: str, body: object) -> tuple[int, Any]:
    def run() -> tuple[int, Any]:
        with served(THIS, environ=settings) as address:
            return retrieve(address, agent, body)

    return await asyncio.to_thread(run)


def test_the_problems_of_agents_are_listed_with_the_others(tmp_path: Path) -> None:
    model = {"kind": "azureOpenAI", "azureOpenAIParameters": {"resourceUri": "http://example.org", "deploymentId": "d"}}
    definition = {"name": "a", "models": [model], "targetIndexes": [{"indexName": "i"}]}
    (tmp_path / "agents.json").write_text(json.dumps([definition]))
    settings = {
        "AZURE_SEARCH_ENDPOINT": "https://s.search.windows.net",
        "AGENTS_FILE": str(tmp_path / "agents.json"),
        "MAX_CONCURRENT_REQUESTS": "none",
    }
    done = subprocess.run(
        [sys.executable, "-m", "retrieval.local", "serve", "--port", "0"],
        cwd=ROOT,
        env={**os.environ, **settings},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == 1
    assert "MAX_CONCURRENT_REQUESTS must" in done.stderr
    assert "resourceUri of agent 'a' must be https" in done.stderr


@pytest.mark.parametrize(
    ("settings", "problems"),
    [
        ({"LOCAL": "perhaps", "AZURE_SEARCH_ENDPOINT": "http://example.org"}, ["LOCAL must", "must be https"]),
        (
            {"AZURE_SEARCH_ENDPOINT": "https://s.search.windows.net", "AGENTS_STORE": ""},
            ["AGENTS_FILE is missing"],
        ),
        (
            {"AZURE_SEARCH_ENDPOINT": "https://s.search.windows.net", "AGENTS_FILE": "nowhere.json"},
            ["AGENTS_FILE cannot be read"],
        ),
        (
            {"AZURE_SEARCH_ENDPOINT": "https://s.search.windows.net", "AGENTS_FILE": "pyproject.toml"},
            ["AGENTS_FILE is not a JSON array"],
        ),
    ],
)
def test_serving_ends_with_the_list_of_what_is_missing_or_malformed(
    settings: dict[str, str], problems: list[str]
) -> None:
    command = [sys.executable, "-m", "retrieval.local", "serve", "--port", "0"]
    done = subprocess.run(
        command, cwd=ROOT, env={**os.environ, **settings}, capture_output=True, text=True, check=False, timeout=60
    )
    assert done.returncode == 1
    assert all(problem in done.stderr for problem in problems)
    assert "Traceback" not in done.stderr


@pytest.mark.slow
def test_a_line_that_is_no_document_is_skipped_with_its_place_and_the_start_goes_on(tmp_path: Path) -> None:
    path = tmp_path / "broken.jsonl"
    lines = [
        '{"_id": "a", "text": "fine"}',
        '{"_id": 1}',
        "[]",
        "{",
        '{"_id": "", "text": "x"}',
        '{"_id": "b", "text": 1}',
    ]
    path.write_text("\n".join([*lines, '{"_id": "c", "text": "half \\ud800"}']))
    command = [sys.executable, "-m", "retrieval.local", "serve", "--port", "0", "--load", f"broken={path}"]
    said = start_lines(command, {"AGENTS_STORE": "memory"})
    assert [line.partition(":")[0] for line in said if line.startswith("  skipped ")] == [
        f"  skipped broken.jsonl, line {number}" for number in range(2, 8)
    ]


def test_deployed_without_settings_every_call_is_a_503_and_the_log_names_what_is_missing() -> None:
    code = """
import asyncio, logging
from pathlib import Path
logging.basicConfig(level=logging.WARNING)
from retrieval.local.host import host_over
from retrieval.local.host.engine import open_engine
from retrieval.local.host.sdk_engine import open_sdk
from retrieval.local.wire import WireRequest
async def ask():
    host = host_over(await open_engine(Path.cwd(), open_sdk))
    return await host(WireRequest(method="POST", target="/agents/x/retrieve?api-version=2025-05-01-preview"))
answer = asyncio.run(ask())
print(answer.status, answer.body.decode())
"""
    names = {"LOCAL", "API_KEYS", "ADMIN_API_KEYS", "AZURE_SEARCH_ENDPOINT"}
    environ = {name: value for name, value in os.environ.items() if name not in names}
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, env=environ, capture_output=True, text=True, check=False, timeout=60
    )
    assert done.stdout.startswith('503 {"error":{"code":"ServiceNotConfigured"'), done.stderr
    assert "AZURE_SEARCH_ENDPOINT" not in done.stdout
    assert "AZURE_SEARCH_ENDPOINT is missing" in done.stderr
    assert "API_KEYS is missing" in done.stderr
