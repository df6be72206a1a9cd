"""host.json, the local settings and the environment."""

import json
from pathlib import Path

import pytest

from retrieval.local.host.errors import BadProjectFile
from retrieval.local.host.project import DEFAULT_BODY_LIMIT, read_project

HOST: dict[str, object] = {"version": "2.0", "extensions": {"http": {"routePrefix": ""}}}


def put(folder: Path, name: str, document: object) -> None:
    (folder / name).write_text(json.dumps(document), encoding="utf-8")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    put(tmp_path, "host.json", HOST)
    return tmp_path


def test_the_prefix_is_api_unless_it_is_given(root: Path) -> None:
    assert read_project(root, {}).route_prefix == ""
    put(root, "host.json", {"version": "2.0"})
    assert read_project(root, {}).route_prefix == "api"
    put(root, "host.json", {"version": "2.0", "extensions": {"http": {"routePrefix": "/v1/"}}})
    assert read_project(root, {}).route_prefix == "v1"


def test_a_function_may_take_half_an_hour_unless_host_json_says_otherwise(root: Path) -> None:
    assert read_project(root, {}).function_timeout == 1_800
    for text, seconds in {"00:10:00": 600, "1.00:00:01": 86_401, "0:00:02": 2}.items():
        put(root, "host.json", {**HOST, "functionTimeout": text})
        assert read_project(root, {}).function_timeout == seconds


@pytest.mark.parametrize("text", ["", "10", "ten minutes", 600, None, "00:10"])
def test_a_function_timeout_that_is_no_time_is_refused(root: Path, text: object) -> None:
    put(root, "host.json", {**HOST, "functionTimeout": text})
    with pytest.raises(BadProjectFile, match="functionTimeout"):
        read_project(root, {})


def test_the_sample_stands_in_until_there_are_local_settings(root: Path) -> None:
    put(root, "local.settings.sample.json", {"Values": {"A": "sample"}})
    assert read_project(root, {}).settings == {"A": "sample"}
    put(root, "local.settings.json", {"IsEncrypted": False, "Values": {"B": "own"}})
    assert read_project(root, {}).settings == {"B": "own"}


def test_the_environment_wins_and_an_empty_value_is_an_unset_one(root: Path) -> None:
    put(root, "local.settings.json", {"Values": {"A": "file", "B": "file", "C": ""}})
    assert read_project(root, {"A": "environment", "B": ""}).settings == {"B": "file"}


def test_without_any_settings_there_are_none(root: Path) -> None:
    assert read_project(root, {}).settings == {}


def test_the_body_limit_is_a_setting(root: Path) -> None:
    assert read_project(root, {}).body_limit == DEFAULT_BODY_LIMIT
    assert read_project(root, {"FUNCTIONS_REQUEST_BODY_SIZE_LIMIT": ""}).body_limit == DEFAULT_BODY_LIMIT
    put(root, "local.settings.json", {"Values": {"FUNCTIONS_REQUEST_BODY_SIZE_LIMIT": "10"}})
    assert read_project(root, {}).body_limit == 10
    assert read_project(root, {"FUNCTIONS_REQUEST_BODY_SIZE_LIMIT": "20"}).body_limit == 20
    with pytest.raises(BadProjectFile, match="number of bytes"):
        read_project(root, {"FUNCTIONS_REQUEST_BODY_SIZE_LIMIT": "1 MB"})


def test_a_file_with_a_byte_order_mark_is_read(root: Path) -> None:
    (root / "host.json").write_text(json.dumps(HOST), encoding="utf-8-sig")
    assert read_project(root, {}).route_prefix == ""


@pytest.mark.parametrize(
    ("name", "text", "reason"),
    [
        ("host.json", "{", "is not JSON"),
        ("host.json", "[" * 100_000, "is not JSON"),
        ("host.json", "[]", "must hold an object"),
        ("host.json", "{}", '"version": "2.0"'),
        ("host.json", '{"version": "2.0", "extensions": 1}', "extensions must be an object"),
        ("host.json", '{"version": "2.0", "extensions": {"http": {"routePrefix": 1}}}', "must be a string"),
        ("local.settings.json", '{"Values": []}', "Values must be an object"),
        ("local.settings.json", '{"Values": {"A": 1}}', "value of A must be a string"),
        ("local.settings.json", '{"IsEncrypted": true, "Values": {}}', "is encrypted"),
    ],
)
def test_a_bad_file_is_named_with_the_reason(root: Path, name: str, text: str, reason: str) -> None:
    (root / name).write_text(text, encoding="utf-8")
    with pytest.raises(BadProjectFile, match=reason) as refusal:
        read_project(root, {})
    assert refusal.value.where == root / name


def test_without_host_json_there_is_no_app(tmp_path: Path) -> None:
    with pytest.raises(BadProjectFile, match="cannot be read"):
        read_project(tmp_path, {})
