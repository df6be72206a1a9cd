"""Both engines over the test app give the same answers; each runs in a process of its own."""

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.environments import ROOT, needs
from tests.third_parties import AZURE_PYTHON, worker_alone

CHUNKED = "transfer-encoding: chunked"
TRACE = "traceparent: 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
QUESTIONS: dict[str, dict[str, str]] = {
    "quoted name": {
        "method": "POST",
        "target": "/agents('my%20agent')/echo?api-version=1&a=1&a=2&empty=",
        "headers": "X-Twice: 1\nx-twice: 2\nContent-Type: application/json",
        "body": '{"ü": 1}',
    },
    "encoded quotes": {"method": "PUT", "target": "/AGENTS(%27a%27)/Echo", "body": "x"},
    "two slashes": {"method": "PUT", "target": "//agents('a')/echo", "body": "x"},
    "slash form": {"method": "POST", "target": "/agents/a/echo/", "body": "x"},
    "wrong method": {"method": "PUT", "target": "/agents/a/echo", "body": "x"},
    "unknown path": {"target": "/nowhere"},
    "any method": {"method": "DELETE", "target": "/any/a/b/"},
    "catch-all without a value": {"target": "/any"},
    "chunked": {"method": "POST", "target": "/agents/a/echo", "body": "whole", "chunked": "", "headers": CHUNKED},
    "json": {"method": "POST", "target": "/json", "body": '{"a": [1, null]}'},
    "bad json": {"method": "POST", "target": "/json", "body": '{"a": '},
    "json that is none": {"method": "POST", "target": "/json"},
    "sync function": {"target": "/thread"},
    "exception": {"target": "/raises"},
    "exception in a thread": {"target": "/raises-in-a-thread"},
    "context": {"target": "/context", "headers": TRACE},
    "plain text": {"target": "/text"},
    "nothing returned": {"target": "/answers/nothing"},
    "a dict returned": {"target": "/answers/a-dict"},
    "no content": {"target": "/answers/no-content"},
    "bytes": {"target": "/answers/bytes"},
    "own content length": {"target": "/answers/counted"},
    "cookies": {"target": "/answers/cookies"},
    "impossible status": {"target": "/answers/status-99"},
    "setting of the sample": {"target": "/settings/APP_GREETING"},
    "empty setting": {"target": "/settings/APP_EMPTY"},
}


def ask(python: Path, engine: str, settings: Mapping[str, str] | None = None) -> dict[str, Any]:
    """`errors` is what the process logged."""
    done = subprocess.run(
        [python, "-m", "tests.local.host.ask", engine],
        input=json.dumps(list(QUESTIONS.values())),
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT), **(settings or {})},
    )
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout)
    answers = dict(zip(QUESTIONS, said["answers"], strict=True))
    return {"title": said["title"], "listing": said["listing"], "answers": answers, "errors": done.stderr}


@pytest.fixture(scope="module")
def sdk() -> dict[str, Any]:
    return ask(Path(sys.executable), "sdk")


@pytest.fixture(scope="module")
def python_3_13() -> Path:
    needs(AZURE_PYTHON)
    return worker_alone()


@pytest.fixture(scope="module")
def runtime(python_3_13: Path) -> dict[str, Any]:
    return ask(python_3_13, "runtime")


def test_the_runtime_answers_as_the_sdk_does(sdk: dict[str, Any], runtime: dict[str, Any]) -> None:
    assert runtime["title"].startswith("runtime (azure-functions-runtime 1.3")
    assert runtime["listing"] == sdk["listing"]
    assert runtime["answers"] == sdk["answers"]


def test_the_sdk_engine_answers_the_same_with_the_other_line_of_the_sdk(sdk: dict[str, Any], python_3_13: Path) -> None:
    other = ask(python_3_13, "sdk")
    assert other["title"].startswith("sdk (azure-functions 2.")
    assert other["answers"] == sdk["answers"]


def test_both_engines_log_the_traceback_that_the_answer_does_not_show(
    sdk: dict[str, Any], runtime: dict[str, Any]
) -> None:
    for engine in (sdk, runtime):
        assert engine["answers"]["exception"] == {"status": 500, "headers": [], "body": ""}
        assert "Traceback" in engine["errors"]
        assert "LookupError: a reason for the log alone" in engine["errors"]
        assert "LookupError: another reason for the log alone" in engine["errors"]


def test_a_function_sees_the_request_as_the_worker_does(sdk: dict[str, Any]) -> None:
    assert json.loads(sdk["answers"]["quoted name"]["body"]) == {
        "method": "POST",
        "url": "http://local:7071/agents('my%20agent')/echo?api-version=1&a=1&a=2&empty=",
        "headers": {
            "host": "local:7071",
            "x-twice": "1,2",
            "content-type": "application/json",
            "content-length": "9",
        },
        "query": {"api-version": "1", "a": "1,2"},
        "route": {"name": "my agent"},
        "body": '{"ü": 1}',
    }


def test_what_happens_to_answers(sdk: dict[str, Any]) -> None:
    answers = sdk["answers"]
    assert {name: answer["status"] for name, answer in answers.items() if answer["status"] != 200} == {
        "two slashes": 404,
        "wrong method": 404,
        "unknown path": 404,
        "bad json": 400,
        "json that is none": 400,
        "exception": 500,
        "exception in a thread": 500,
        "nothing returned": 500,
        "a dict returned": 500,
        "no content": 204,
        "impossible status": 500,
    }
    assert answers["own content length"]["headers"] == [
        ["X-Kept", "yes"],
        ["content-type", "text/plain; charset=utf-8"],
    ]
    assert answers["cookies"]["headers"][1:] == [["set-cookie", "a=1; HttpOnly; Path=/"], ["set-cookie", "b=2; Secure"]]
    assert answers["plain text"]["body"].encode("latin-1").decode() == "día"
    assert answers["bytes"]["body"] == "\x00\xff"
    assert json.loads(answers["chunked"]["body"])["body"] == "whole"


def test_sync_functions_run_beside_the_event_loop(sdk: dict[str, Any]) -> None:
    assert sdk["answers"]["sync function"]["body"] == "false"


def test_the_environment_wins_over_the_settings_of_the_app() -> None:
    answers = ask(Path(sys.executable), "sdk", {"APP_GREETING": "from outside"})["answers"]
    assert answers["setting of the sample"]["body"] == "from outside"
    assert answers["empty setting"]["body"] == "(unset)"
