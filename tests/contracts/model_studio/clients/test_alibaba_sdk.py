"""Alibaba's own SDKs, unmodified, each in an environment of its own, against this service's Retrieve."""

import json
import os
import subprocess
from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial
from pathlib import Path
from typing import Any, Final, Literal

import pytest

from tests.clients.lazily import Lazily
from tests.environments import needs_java, needs_node
from tests.running import served
from tests.third_parties import alibaba_client, alibaba_client_for_java, alibaba_client_for_node

HERE: Final = Path(__file__).parent
PYTHONS: Final[Mapping[Literal["2.14.5", "1.11.2"], str]] = {"2.14.5": "python 2.14.5", "1.11.2": "python 1.11.2"}
WAYS: Final = [f"{sdk} {way}" for sdk in PYTHONS.values() for way in ("sync", "async")] + ["node", "java"]
TOKEN_WAYS: Final = [way for way in WAYS if way != "node"]
PAGE: Final = "earth_at_night_508_page_{}_verbalized"


def run(command: Sequence[str | Path], *, given: str = "") -> dict[str, Any]:
    env = {name: value for name, value in os.environ.items() if not name.lower().endswith("_proxy")}
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300, input=given, env=env)
    assert done.returncode == 0, done.stderr
    seen: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return seen


def with_python(version: Literal["2.14.5", "1.11.2"]) -> dict[str, dict[str, Any]]:
    """What that version saw, sync and async."""
    with served() as address:
        return run([alibaba_client(version), HERE / "bailian.py", "calls", address.removeprefix("http://")])


def with_node() -> dict[str, Any]:
    needs_node()
    with served() as address:
        return run(["node", HERE / "bailian.mjs", alibaba_client_for_node(), address.removeprefix("http://")])


def with_java() -> dict[str, Any]:
    needs_java()
    jars = f"{alibaba_client_for_java()}/*"
    with served() as address:
        program, asked = HERE / "Bailian.java", HERE / "bailian.json"
        return run(["java", "-Dfile.encoding=UTF-8", "-cp", jars, program, asked, address.removeprefix("http://")])


@pytest.fixture(scope="module")
def seen() -> dict[str, dict[str, Any]]:
    python = cache(with_python)
    ways: dict[str, Callable[[], dict[str, Any]]] = {"node": with_node, "java": with_java}
    for version, name in PYTHONS.items():
        for way in ("sync", "async"):
            ways[f"{name} {way}"] = partial(lambda version, way: python(version)[way], version, way)
    return Lazily(ways)


@pytest.fixture
def saw(seen: dict[str, dict[str, Any]], way: str) -> dict[str, Any]:
    return seen[way]


def keys(answer: dict[str, Any]) -> list[str]:
    return [metadata["_id"] for _, _, metadata in answer["nodes"]]


@pytest.mark.parametrize("way", WAYS)
def test_an_answer_is_a_success_with_nodes(saw: dict[str, Any]) -> None:
    plain = saw["plain"]
    assert (plain["status_code"], plain["code"], plain["message"]) == (200, "Success", "success")
    assert (plain["status"], plain["success"]) == ("200", True)
    assert plain["request_id"]
    text, score, metadata = plain["nodes"][0]
    assert (score, metadata["_id"], metadata["content"]) == (1, PAGE.format(104), text)
    assert len(plain["nodes"]) == 5


@pytest.mark.parametrize("way", WAYS)
def test_every_parameter_arrives(saw: dict[str, Any]) -> None:
    assert sorted(keys(saw["rich"])) == [PAGE.format(104), PAGE.format(105)]
    assert saw["nothing"]["nodes"] == []
    assert [metadata["_score_source"] for _, _, metadata in saw["unranked"]["nodes"]] == ["rank"] * 3
    assert saw["hostile"]["code"] == "Success"


@pytest.mark.parametrize("way", WAYS)
def test_nested_filters_hold(saw: dict[str, Any]) -> None:
    pages = {metadata["page_number"] for _, _, metadata in saw["nested"]["nodes"]}
    assert {"104", "105"} <= pages
    assert all(len(page) == 3 and page.startswith("10") for page in pages)
    assert "103" not in pages


@pytest.mark.parametrize("way", [way for way in WAYS if "1.11.2" not in way])
def test_a_question_is_rewritten_from_its_history(saw: dict[str, Any]) -> None:
    assert "Nile" in saw["rewritten"]["nodes"][0][2]["title"]


@pytest.mark.parametrize("way", TOKEN_WAYS)
def test_a_bearer_token_opens_it_too(saw: dict[str, Any]) -> None:
    assert keys(saw["token"]) == keys(saw["plain"])


FAILURES: Final = {
    "wrong secret": (400, "SignatureDoesNotMatch"),
    "unknown key": (404, "InvalidAccessKeyId.NotFound"),
    "unknown workspace": (403, "Index.NoWorkspacePermissions"),
    "odd workspace": (404, "InvalidApi.NotFound"),
    "unknown index": (404, "Index.NotExist"),
    "empty query": (400, "Index.InvalidParameter"),
    "nothing to search by": (400, "Index.InvalidParameter"),
    "unknown field": (400, "Index.InvalidParameter"),
    "too many": (400, "Index.InvalidParameter"),
}
OF_NODE: Final = frozenset(
    {"wrong secret", "unknown key", "unknown workspace", "unknown index", "empty query", "too many"}
)
CLASSES: Final = {"ClientException", "ClientError", "TeaException"}


@pytest.mark.parametrize(
    ("way", "name"), [(way, name) for way in WAYS for name in FAILURES if way != "node" or name in OF_NODE]
)
def test_an_error_is_the_sdks_exception_with_code_and_request_id(saw: dict[str, Any], name: str) -> None:
    failure = saw["failures"][name]
    assert failure["class"] in CLASSES
    assert (failure["status"], failure["code"]) == FAILURES[name]
    assert failure["request_id"] in failure["message"]


@pytest.mark.parametrize("way", TOKEN_WAYS)
def test_a_wrong_bearer_token_is_denied(saw: dict[str, Any]) -> None:
    failure = saw["failures"]["wrong token"]
    assert (failure["status"], failure["code"]) == (403, "AccessDenied")


def test_the_python_of_the_documentation_runs_against_make_run() -> None:
    page = (HERE.parents[3] / "docs" / "calling" / "model-studio.md").read_text(encoding="utf-8")
    code = page.split("```python\n")[1].split("```")[0]
    with served() as address:
        local = code.replace("localhost:7071", address.removeprefix("http://"))
        command: list[str | Path] = [alibaba_client("2.14.5"), "-c", local]
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 0, done.stderr
    assert "1.0 Phoenix by Night" in done.stdout
