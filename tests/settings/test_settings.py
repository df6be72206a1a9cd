"""The settings: read once, faults named all at once, the same names everywhere."""

import json
import re
from pathlib import Path

import pytest

from retrieval.compose import rooms
from retrieval.errors import NotConfigured
from retrieval.model.definitions import IndexFields
from retrieval.settings import settings
from tests.rooms import BASES_OF_STUDIO, MCP_SERVERS, MODEL_STUDIO

ROOT = Path(__file__).resolve().parents[2]
NAMES = rooms.NAMES - {"IN_AZURE", "PLATFORM_AUTH"}
BRINGS_SETTINGS = (MODEL_STUDIO, BASES_OF_STUDIO, MCP_SERVERS)
AZURE = {"AZURE_SEARCH_ENDPOINT": "https://s.search.windows.net", "API_KEYS": "k", "AGENTS_FILE": "agents.json"}


def problems(environ: dict[str, str]) -> str:
    with pytest.raises(NotConfigured) as caught:
        settings.read(environ)
    return " ".join(caught.value.sentences)


def test_the_sample_can_be_read() -> None:
    sample = json.loads((ROOT / "local.settings.sample.json").read_text(encoding="utf-8"))["Values"]
    assert settings.read(sample).local


def test_every_setting_is_in_the_list_of_its_page() -> None:
    page = (ROOT / "docs" / "operating" / "settings.md").read_text(encoding="utf-8")
    assert NAMES - set(re.findall(r"^- `([A-Z_]+)`:", page, re.MULTILINE)) == set()


@pytest.mark.room(*BRINGS_SETTINGS)
def test_every_setting_in_the_list_of_its_page_is_one() -> None:
    page = (ROOT / "docs" / "operating" / "settings.md").read_text(encoding="utf-8")
    assert set(re.findall(r"^- `([A-Z_]+)`:", page, re.MULTILINE)) - NAMES == set()


def test_nothing_set_names_everything_that_is_missing() -> None:
    said = problems({})
    assert "AZURE_SEARCH_ENDPOINT" in said
    assert "API_KEYS" in said


@pytest.mark.parametrize(
    ("environ", "faults"),
    [
        ({}, {"AZURE_SEARCH_ENDPOINT": "missing", "API_KEYS": "missing"}),
        (
            {**AZURE, "ALLOWED_MODELS": '{"http://m.example": []}', "LOG_CONTENT": "no"},
            {
                "ALLOWED_MODELS": "wrong",
                "LOG_CONTENT": "wrong",
            },
        ),
        ({"LOCAL": "1", "WEBSITE_INSTANCE_ID": "x"}, {"LOCAL": "unfitting"}),
        ({**AZURE, "BASE_KEY": "{}"}, {"BASE_KEYS": "unfitting"}),
        ({**AZURE, "AZURE_OPENAI_DEPLOYMENT": "gpt"}, {"AZURE_OPENAI_ENDPOINT": "missing"}),
    ],
)
def test_a_problem_is_of_a_setting_that_has_a_fault(environ: dict[str, str], faults: dict[str, str]) -> None:
    _, found = settings.gather(environ)
    assert {one.setting: one.fault for one in found} == faults
    assert set(faults) <= NAMES


CHAT = {"LOCAL": "1", "CHAT_URL": "http://192.168.1.7:11434/v1", "CHAT_MODEL": "qwen2.5:3b"}


def test_a_chat_server_may_stand_on_another_machine_over_plain_http() -> None:
    read = settings.read(CHAT)
    assert (read.chat_url, read.chat_model, read.chat_calls) == ("http://192.168.1.7:11434/v1", "qwen2.5:3b", 1)
    assert read.chat_context is None
    assert settings.read({**CHAT, "CHAT_CONTEXT": "8192", "CHAT_CALLS": "2"}).chat_context == 8192


@pytest.mark.parametrize(
    "environ",
    [
        {**AZURE, "CHAT_URL": "https://gateway.example/v1", "CHAT_MODEL": "m"},
        {**CHAT, "AZURE_OPENAI_ENDPOINT": "https://m.example", "AZURE_OPENAI_DEPLOYMENT": "gpt"},
        {"LOCAL": "1", "CHAT_URL": "http://localhost:1/v1"},
        {"LOCAL": "1", "CHAT_MODEL": "m"},
        {**CHAT, "CHAT_URL": "localhost:11434"},
        {**CHAT, "CHAT_URL": "http://localhost:1/v1?x=1"},
        {**CHAT, "CHAT_API_KEY": "k\u00e9y"},
        {**CHAT, "CHAT_CONTEXT": "many"},
        {**CHAT, "CHAT_CALLS": "0"},
    ],
)
def test_a_chat_server_is_a_problem_at_start_where_it_cannot_be_asked(environ: dict[str, str]) -> None:
    assert "CHAT_" in problems(environ)


def test_an_empty_value_is_an_unset_one() -> None:
    assert problems({"AZURE_SEARCH_ENDPOINT": " ", "API_KEYS": ""}) == problems({})


def test_local_is_refused_in_azure() -> None:
    assert "WEBSITE_INSTANCE_ID" in problems({"LOCAL": "1", "WEBSITE_INSTANCE_ID": "x"})


def test_local_without_keys_has_the_well_known_one_and_azure_has_none() -> None:
    assert settings.read({"LOCAL": "1"}).query_keys == ("local-dev-key",)
    assert "API_KEYS" in problems({**AZURE, "API_KEYS": ""})


def test_an_endpoint_takes_the_place_of_the_stand_in() -> None:
    assert not settings.read({**AZURE, "LOCAL": "1"}).uses_local_search


@pytest.mark.parametrize("address", ["http://127.0.0.1:7072", "http://localhost:7072", "http://[::1]:7072/"])
def test_plain_http_is_accepted_for_loopback(address: str) -> None:
    assert settings.read({**AZURE, "AZURE_SEARCH_ENDPOINT": address}).azure_search_endpoint == address.rstrip("/")


@pytest.mark.parametrize(
    "address",
    [
        "http://s.search.windows.net",
        "http://127.0.0.1.example.org",
        "http://localhost@example.org",
        "ftp://localhost",
        "s.search.windows.net",
        "https://",
        "https://[::1",
        "https://s.search.windows.net/?x=1",
        "https://s..windows.net",
        "https://s search.windows.net",
        "https://{service}.search.windows.net",
        f"https://{'s' * 64}.search.windows.net",
    ],
)
def test_any_other_address_must_be_https_and_whole(address: str) -> None:
    assert "AZURE_SEARCH_ENDPOINT" in problems({**AZURE, "AZURE_SEARCH_ENDPOINT": address})


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("LOCAL", "yes"),
        ("MAX_CONCURRENT_REQUESTS", "0"),
        ("MAX_CONCURRENT_REQUESTS", "many"),
        ("INDEX_FIELDS", "[]"),
        ("INDEX_FIELDS", "{"),
        ("INDEX_FIELDS", '{"x": {"title": "t"}}'),
        ("INDEX_FIELDS", '{"x": {"key": "id", "content": "c"}}'),
        ("INDEX_FIELDS", '{"x": {"key": "id", "contents": ["c"]}}'),
        ("LOCAL_CORPORA", '{"x": 1}'),
        ("AGENTS_STORE", "http://account.table.core.windows.net"),
        ("AGENTS_STORE", "https://account.table.core.windows.net/?sig=x"),
        ("ALLOWED_MODELS", '["https://m.openai.azure.com"]'),
        ("ALLOWED_MODELS", '{"https://m.openai.azure.com": "gpt"}'),
        ("ALLOWED_MODELS", '{"https://m.openai.azure.com": []}'),
        ("ALLOWED_MODELS", '{"https://m.openai.azure.com": ["gpt", 1]}'),
        ("ALLOWED_MODELS", '{"http://m.openai.azure.com": ["gpt"]}'),
        ("ALLOWED_MODELS", '{"*": ["gpt"]}'),
        ("AZURE_OPENAI_ENDPOINT", "https://o.openai.azure.com"),
        ("CORS_ORIGINS", "https://app.example.com/"),
        ("CORS_ORIGINS", "https://app.example.com/path"),
        ("CORS_ORIGINS", "https://App.example.com"),
        ("CORS_ORIGINS", "https://app.example.com:443"),
        ("CORS_ORIGINS", "http://localhost:80"),
        ("CORS_ORIGINS", "app.example.com"),
        ("CORS_ORIGINS", "https://*.example.com"),
        ("CORS_ORIGINS", "null"),
        ("CORS_ORIGINS", "*, https://app.example.com"),
    ],
)
def test_a_malformed_value_is_named(name: str, value: str) -> None:
    assert name in problems({**AZURE, name: value})


def test_index_fields_are_read_by_role() -> None:
    roles = {"key": "id", "title": "t", "terms": ["k"], "content": ["c", "d"], "vectors": ["v"]}
    read = settings.read({**AZURE, "INDEX_FIELDS": json.dumps({"docs": roles})})
    assert read.index_fields["docs"] == IndexFields(
        key="id", title="t", terms=("k",), content=("c", "d"), vectors=("v",)
    )


def test_a_key_that_cannot_stand_in_a_header_is_named() -> None:
    assert "AZURE_SEARCH_API_KEY" in problems({**AZURE, "AZURE_SEARCH_API_KEY": "ключ"})


def test_corpora_and_a_search_endpoint_contradict_each_other() -> None:
    assert "Corpora" in problems({**AZURE, "LOCAL": "1", "LOCAL_CORPORA": '{"x": "x.jsonl"}'})


def test_secrets_stay_out_of_the_representation() -> None:
    read = settings.read(
        {
            **AZURE,
            "API_KEYS": "SECRET1",
            "AZURE_SEARCH_API_KEY": "SECRET2",
            "ADMIN_API_KEYS": "SECRET3",
        }
    )
    assert "SECRET" not in repr(read)


def test_agents_live_as_long_as_the_indexes_and_nowhere_else_unless_it_is_said() -> None:
    assert settings.read({"LOCAL": "1"}).store == "memory"
    assert settings.read({"LOCAL": "1", "LOCAL_DATA": "/kept"}).store == "/kept/agents.json"
    assert settings.read({**AZURE, "LOCAL": "1"}).store == ".local/agents.json"
    assert "LOCAL_DATA" in problems({**AZURE, "LOCAL": "1", "LOCAL_DATA": "/kept"})
    assert settings.read(AZURE).store is None
    table = "https://account.table.core.windows.net"
    assert settings.read({**AZURE, "AGENTS_STORE": f"{table}/"}).store == table


@pytest.mark.parametrize("place", ["memory", ".local/agents.json", "/home/agents.json"])
def test_in_azure_agents_are_kept_in_a_table_or_not_at_all(place: str) -> None:
    assert "AGENTS_STORE" in problems({**AZURE, "AGENTS_STORE": place, "WEBSITE_INSTANCE_ID": "x"})


def test_a_store_takes_the_place_of_a_file_of_agents() -> None:
    table = {**AZURE, "AGENTS_FILE": "", "AGENTS_STORE": "https://account.table.core.windows.net"}
    assert settings.read(table).agents_file is None
    assert "AGENTS_FILE" in problems({**AZURE, "AGENTS_FILE": ""})


@pytest.mark.parametrize(
    "origins", ["*", "https://app.example.com,http://localhost:3000", "http://[::1]:5173", "vscode-webview://1a2b-3c"]
)
def test_origins_are_taken_as_browsers_send_them(origins: str) -> None:
    assert settings.read({**AZURE, "CORS_ORIGINS": origins}).cors_origins == tuple(origins.split(","))
