"""Apps that the host does not load: each in a process of its own, with one clear sentence."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.environments import ROOT

HEAD = "import azure.functions as func\napp = func.FunctionApp()\n"
HANDLER = "async def f(req: func.HttpRequest) -> func.HttpResponse: ...\n"
OPEN = """
import asyncio, sys
from pathlib import Path
from retrieval.local.host import HostError, open_host
try:
    for root in sys.argv[1:]:
        asyncio.run(open_host(Path(root)))
except HostError as error:
    print(error)
else:
    print("loaded")
"""


def opened(*roots: Path) -> str:
    done = subprocess.run([sys.executable, "-c", OPEN, *roots], capture_output=True, text=True, check=False, cwd=ROOT)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def app(folder: Path, code: str) -> Path:
    folder.mkdir(exist_ok=True)
    (folder / "host.json").write_text('{"version": "2.0"}', encoding="utf-8")
    (folder / "function_app.py").write_text(code, encoding="utf-8")
    return folder


@pytest.mark.parametrize(
    ("code", "sentence"),
    [
        ("raise RuntimeError('no')", "RuntimeError: no"),
        ("def broken(:", "SyntaxError"),
        ("x = 1", "exactly one top-level FunctionApp, not 0"),
        (HEAD + "again = app", "exactly one top-level FunctionApp, not 2"),
        (HEAD + "@app.route(route='admin/x')\n" + HANDLER, "keeps routes"),
        (HEAD + "@app.route(route='a{')\n" + HANDLER, "neither a literal"),
        (HEAD + "@app.route(route='a')\ndef f(req, more): ...", "takes ['more', 'req']"),
        (HEAD + "@app.route(route='a')\ndef f(request): ...", "takes ['request']"),
        (HEAD + "@app.route(route='a')\ndef f(req) -> object: ...", "must be HttpResponse or str"),
        (HEAD + "@app.route(route='a')\ndef f(req: int): ...", "must be HttpRequest"),
        (HEAD + "@app.timer_trigger(arg_name='t', schedule='* * * * * *')\ndef f(t): ...", "HTTP functions only"),
    ],
)
def test_an_app_that_the_worker_would_not_load_is_refused(tmp_path: Path, code: str, sentence: str) -> None:
    assert sentence in opened(app(tmp_path / "app", code))


def test_a_folder_without_an_app_is_refused(tmp_path: Path) -> None:
    root = app(tmp_path / "app", "")
    (root / "function_app.py").unlink()
    assert "has no function_app.py" in opened(root)


def test_an_app_may_be_opened_again_but_no_other_in_the_same_process(tmp_path: Path) -> None:
    first = app(tmp_path / "one", HEAD + "@app.route(route='a')\n" + HANDLER)
    second = app(tmp_path / "two", HEAD + "@app.route(route='a')\n" + HANDLER)
    assert opened(first, first) == "loaded"
    assert "another one is live in this process" in opened(first, second)
