"""`python -m retrieval.local serve`, as a program behind a pipe."""

import contextlib
import http.client
import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from retrieval.local.__main__ import BadArgument, read_corpora
from retrieval.local.server import address_of, listen
from tests.environments import ROOT

APP = Path(__file__).parent / "app"


def command(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "tests.local.host.run", "serve", "--root", str(APP), *arguments]


def run(*arguments: str, problems: str = "") -> tuple[int, str, str]:
    done = subprocess.run(
        command(*arguments),
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT,
        env={**os.environ, "START_PROBLEMS": problems},
        stdin=subprocess.DEVNULL,
    )
    return done.returncode, done.stdout, done.stderr


class Served:
    """A running command; `lines` is what it printed up to `ready`."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.process = process
        self.lines: list[str] = []
        assert process.stdout is not None
        for line in process.stdout:
            self.lines.append(line.rstrip("\n"))
            if line.startswith("ready "):
                break
        assert self.lines[-1].startswith("ready "), process.communicate()

    @property
    def address(self) -> str:
        return self.lines[-1].removeprefix("ready ")

    def get(self, path: str) -> str:
        with contextlib.closing(self.open(path)) as connection:
            return connection.getresponse().read().decode()

    def open(self, path: str) -> http.client.HTTPConnection:
        connection = http.client.HTTPConnection(urlsplit(self.address).netloc)
        connection.request("GET", path)
        return connection

    def end(self, with_signal: signal.Signals) -> tuple[int, str, str]:
        self.process.send_signal(with_signal)
        out, err = self.process.communicate(timeout=60)
        return self.process.returncode, out, err


@contextlib.contextmanager
def served(*arguments: str, **settings: str) -> Iterator[Served]:
    with subprocess.Popen(
        command("--port", "0", *arguments),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=ROOT,
        env={**os.environ, **settings},
    ) as process:
        try:
            yield Served(process)
        finally:
            process.kill()


def test_it_prints_the_engine_the_functions_and_then_ready_through_a_pipe() -> None:
    with served() as service:
        assert service.lines[0].startswith(("engine: sdk (", "engine: runtime ("))
        assert service.lines[1] == "functions:"
        assert f"  echo_odata: [POST,PUT] {service.address}/agents('{{name}}')/echo" in service.lines
        assert service.address.startswith("http://127.0.0.1:")
        assert service.get("/text") == "día"


@pytest.mark.parametrize("with_signal", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_it_cleanly_and_in_silence(with_signal: signal.Signals) -> None:
    with served() as service, contextlib.closing(service.open("/text")) as kept_alive:
        assert kept_alive.getresponse().read().decode() == "día"
        assert service.end(with_signal) == (0, "", "")


def test_a_request_that_never_ends_does_not_keep_it_alive() -> None:
    with served() as service, contextlib.closing(service.open("/waits")) as connection:
        assert service.get("/text") == "día"
        code, out, err = service.end(signal.SIGTERM)
        assert (code, out) == (0, "")
        assert "Traceback" not in err
        with pytest.raises(http.client.RemoteDisconnected):
            connection.getresponse()


def test_requests_are_told_only_when_asked_for() -> None:
    with served("--verbose") as service:
        service.get("/text?q=%20")
        assert re.fullmatch(r"GET /text\?q=%20 200 \d+ ms\n", service.end(signal.SIGINT)[1])


def test_a_traceback_goes_to_standard_error_and_not_to_the_client() -> None:
    with served() as service:
        assert service.get("/raises") == ""
        code, out, err = service.end(signal.SIGINT)
    assert (code, out) == (0, "")
    assert "LookupError: a reason for the log alone" in err


def test_the_corpora_are_in_the_environment_before_the_app_is_imported(tmp_path: Path) -> None:
    for name in ("a.jsonl", "b.jsonl.gz"):
        (tmp_path / name).touch()
    loads = ("--load", f"one={tmp_path}/a.jsonl", "--load", f"two={tmp_path}/b.jsonl.gz")
    models = ("--model", str(tmp_path), "--ranker", "Xenova/ms-marco-MiniLM-L-6-v2")
    with served(*loads, "--language", "de", "--kind", "azureBlob", *models) as service:
        corpora = json.loads(service.get("/settings/LOCAL_CORPORA"))
        assert service.get("/settings/LOCAL_LANGUAGE") == "de"
        assert service.get("/settings/LOCAL_KIND") == "azureBlob"
        assert service.get("/settings/LOCAL_MODEL") == str(tmp_path.resolve())
        assert service.get("/settings/LOCAL_RANKER") == "Xenova/ms-marco-MiniLM-L-6-v2"
    assert corpora == {"one": str(tmp_path.resolve() / "a.jsonl"), "two": str(tmp_path.resolve() / "b.jsonl.gz")}


def test_what_is_missing_is_named_line_by_line() -> None:
    code, out, err = run("--port", "0", problems="A is missing.;B is malformed.")
    assert (code, err) == (1, "A is missing.\nB is malformed.\n")
    assert "ready" not in out


def test_a_port_in_use_is_one_line() -> None:
    with listen("127.0.0.1", 0) as listener:
        listener.listen()
        port = urlsplit(address_of(listener)).port
        code, _, err = run("--port", str(port))
    assert (code, err) == (1, f"Cannot listen on 127.0.0.1:{port}: address already in use.\n")


def test_an_app_that_cannot_be_loaded_shows_its_traceback_and_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "host.json").write_text('{"version": "2.0"}', encoding="utf-8")
    (tmp_path / "function_app.py").write_text("import no_such_module", encoding="utf-8")
    code, _, err = run("--root", str(tmp_path), "--port", "0")
    assert code == 1
    assert "Traceback" in err
    assert err.splitlines()[-1].startswith("The function app cannot be loaded: ModuleNotFoundError: No module")


def test_a_folder_without_host_json_is_one_line(tmp_path: Path) -> None:
    code, _, err = run("--root", str(tmp_path), "--port", "0")
    assert (code, len(err.splitlines())) == (1, 1)
    assert "host.json" in err


@pytest.mark.parametrize(
    "arguments",
    [("--load", "one"), ("--load", "one=/nowhere.jsonl"), ("--port", "70000"), ("--port", "x"), ("--engine", "sdk")],
)
def test_a_wrong_argument_ends_with_two(arguments: tuple[str, ...]) -> None:
    code, out, err = run(*arguments)
    assert (code, out) == (2, "")
    assert "Traceback" not in err


@pytest.mark.parametrize(
    ("load", "name"),
    [
        ("./docs", "docs"),
        ("docs/", "docs"),
        (".", "our-files"),
        ("Our Plans (2026)", "our-plans-2026"),
        ("docs/hand_book.v2.jsonl.gz", "hand_book"),
        ("a=b", "a-b"),
        ("x=docs", "x"),
    ],
)
def test_a_path_alone_has_the_name_of_its_folder_or_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, load: str, name: str
) -> None:
    here = tmp_path / "Our Files"
    for folder in ("docs", "Our Plans (2026)", "a=b"):
        (here / folder).mkdir(parents=True)
    (here / "docs" / "hand_book.v2.jsonl.gz").touch()
    monkeypatch.chdir(here)
    path = load.removeprefix("x=")
    assert read_corpora([load]) == {name: str((here / path).resolve())}


@pytest.mark.parametrize(
    ("pairs", "reason"),
    [
        (["x"], "there is no such file or folder"),
        (["Hand", "Book=../kb"], "no name or path can have a space"),
        (["=a.jsonl"], "must be NAME=PATH"),
        (["x="], "must be NAME=PATH"),
        (["X=a.jsonl"], "lower-case"),
        (["a b=a.jsonl"], "lower-case"),
        (["x=missing.jsonl"], "no such file or folder"),
        (["x=a.jsonl", "x=a.jsonl"], "twice"),
    ],
)
def test_a_bad_corpus_is_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, pairs: list[str], reason: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.jsonl").touch()
    with pytest.raises(BadArgument, match=reason) as refusal:
        read_corpora(pairs)
    assert str(refusal.value).startswith(tuple(f"--load {pair}: " for pair in pairs))
    assert "\n" not in str(refusal.value)
