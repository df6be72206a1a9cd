"""`python -m retrieval.local search` and `make search`, as programs behind a pipe."""

import json
import os
import signal
import subprocess
import sys
from http.client import HTTPConnection
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from azure.core.credentials import AzureKeyCredential
from azure.core.exceptions import ClientAuthenticationError, HttpResponseError
from azure.search.documents import SearchClient
from azure.search.documents.indexes import SearchIndexClient

from retrieval.local.known_hosts import named_hosts
from retrieval.local.server import address_of, listen
from tests.environments import ROOT
from tests.running import free_port, searching
from tests.sampling import sample

COMMAND = [sys.executable, "-m", "retrieval.local", "search"]


def run(*arguments: str) -> tuple[int, str, str]:
    done = subprocess.run(
        [*COMMAND, *arguments], capture_output=True, text=True, check=False, cwd=ROOT, stdin=subprocess.DEVNULL
    )
    return done.returncode, done.stdout, done.stderr


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    lines = [json.dumps({"_id": str(n), "title": f"Bird {n}", "text": "It flies."}) for n in range(3)]
    (tmp_path / "birds.jsonl").write_text("\n".join(lines), encoding="utf-8")
    return tmp_path / "birds.jsonl"


@pytest.mark.parametrize("with_signal", sample([signal.SIGINT, signal.SIGTERM], every=2))
def test_it_says_what_it_holds_and_then_ready_and_ends_in_silence(corpus: Path, with_signal: signal.Signals) -> None:
    command = [*COMMAND, "--port", "0", "--load", f"birds={corpus}", "--query-key", "look", "--admin-key", "all"]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            lines = [process.stdout.readline() for _ in range(3)]
            address = lines[2].removeprefix("ready ").strip()
            assert lines[:2] == ["indexes:\n", "  birds: 3 documents\n"]
            assert SearchClient(address, "birds", AzureKeyCredential("look")).get_document_count() == 3
            with pytest.raises(HttpResponseError):
                list(SearchIndexClient(address, AzureKeyCredential("look")).list_index_names())
            assert list(SearchIndexClient(address, AzureKeyCredential("all")).list_index_names()) == ["birds"]
            with pytest.raises((ClientAuthenticationError, HttpResponseError)):
                list(SearchIndexClient(address, AzureKeyCredential("local-dev-key")).list_index_names())
            process.send_signal(with_signal)
            assert process.communicate(timeout=60) == ("", "")
            assert process.returncode == 0
        finally:
            process.kill()


def test_make_search_starts_it(tmp_path: Path) -> None:
    port = free_port()
    command = ["make", "--silent", "search", f"PORT={port}", f"DATA={tmp_path}"]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, start_new_session=True) as process:
        try:
            assert process.stdout is not None
            assert [process.stdout.readline() for _ in range(4)] == [
                "no indexes yet\n",
                "key local-dev-key\n",
                "key that may manage: local-admin-key\n",
                f"ready http://127.0.0.1:{port}\n",
            ]
            address = f"http://127.0.0.1:{port}"
            assert list(SearchIndexClient(address, AzureKeyCredential("local-admin-key")).list_index_names()) == []
            with pytest.raises(HttpResponseError, match="Forbidden"):
                list(SearchIndexClient(address, AzureKeyCredential("local-dev-key")).list_index_names())
        finally:
            os.killpg(process.pid, signal.SIGINT)
            process.wait(timeout=20)


@pytest.mark.parametrize(
    ("arguments", "host", "status"),
    [
        ((), "attacker.example", 403),
        ((), "localhost:9", 200),
        (("--admin-key", "local-admin-key-of-mine"), "attacker.example", 200),
    ],
)
def test_with_the_keys_that_everybody_knows_only_this_machine_is_answered(
    arguments: tuple[str, ...], host: str, status: int
) -> None:
    key = "local-admin-key-of-mine" if "--admin-key" in arguments else "local-admin-key"
    with searching(*arguments) as address:
        connection = HTTPConnection("127.0.0.1", urlsplit(address).port, timeout=30)
        connection.request("GET", "/indexes?api-version=2026-04-01", headers={"host": host, "api-key": key})
        assert connection.getresponse().status == status
        connection.close()


def test_the_hosts_that_are_answered_are_where_it_listens_and_those_of_the_setting() -> None:
    assert named_hosts("192.168.7.7", {"PUBLIC_HOSTS": "box.lan,box"}) == ["192.168.7.7", "box.lan", "box"]
    assert named_hosts("0.0.0.0", {"PUBLIC_HOSTS": ""}) == ["0.0.0.0"]


def test_a_port_in_use_is_one_line() -> None:
    with listen("127.0.0.1", 0) as listener:
        listener.listen()
        address = address_of(listener).removeprefix("http://")
        code, _, err = run("--port", address.rpartition(":")[2])
    assert (code, err) == (1, f"Cannot listen on {address}: address already in use.\n")


def test_a_folder_that_cannot_be_used_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    code, out, err = run("--port", "0", "--data", str(tmp_path / "file"))
    assert (code, out, len(err.splitlines())) == (1, "", 1)
    assert "cannot be used" in err


def test_a_corpus_that_has_no_document_is_refused_with_what_was_skipped(tmp_path: Path) -> None:
    (tmp_path / "bad.jsonl").write_text("{}", encoding="utf-8")
    code, out, err = run("--port", "0", "--load", f"bad={tmp_path / 'bad.jsonl'}")
    assert (code, out) == (1, "")
    assert [line.split(",")[0] for line in err.splitlines()] == [
        "bad: 1 file",
        "  skipped bad.jsonl",
        "bad.jsonl has no document.",
    ]


WRONG = [("--load", "one"), ("--port", "x"), ("--data",), ("--colour", "red"), ("--language", "x")]


@pytest.mark.parametrize("arguments", sample([(arguments,) for arguments in WRONG], every=len(WRONG)))
def test_a_wrong_argument_ends_with_two(arguments: tuple[str, ...]) -> None:
    code, out, err = run(*arguments)
    assert (code, out) == (2, "")
    assert "Traceback" not in err
