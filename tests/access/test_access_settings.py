"""The settings of access: missing and conflicting settings are named, and nobody is admitted meanwhile."""

import json
import re
from pathlib import Path
from typing import Final

import pytest

from retrieval.access.imposed_filters import ImposedFilters
from retrieval.errors import NotConfigured
from retrieval.filters import odata
from retrieval.filters.tree import And, Filter
from retrieval.model.caller import Caller, ImposedRule
from retrieval.settings import settings
from tests.access.authority import TENANT

DOCS: Final = Path(__file__).resolve().parents[2] / "docs" / "operating" / "access.md"

AZURE = {"AZURE_SEARCH_ENDPOINT": "https://s.search.windows.net", "AGENTS_FILE": "agents.json"}
ENTRA = {"ENTRA_TENANT_ID": TENANT, "ENTRA_AUDIENCE": "api://a"}


def problems(environ: dict[str, str]) -> str:
    with pytest.raises(NotConfigured) as caught:
        settings.read(environ)
    return " ".join(caught.value.sentences)


@pytest.mark.parametrize(
    ("environ", "named"),
    [
        ({}, "API_KEYS"),
        ({"ENTRA_TENANT_ID": TENANT}, "ENTRA_AUDIENCE"),
        ({"ENTRA_AUDIENCE": "api://a"}, "ENTRA_TENANT_ID"),
        ({"APP_SERVICE_AUTH": "1", "WEBSITE_AUTH_ENABLED": "True"}, "ENTRA_TENANT_ID"),
        ({"APP_SERVICE_AUTH": "1", **ENTRA}, "WEBSITE_AUTH_ENABLED"),
        ({"APP_SERVICE_AUTH": "1", "WEBSITE_AUTH_ENABLED": "False", **ENTRA}, "WEBSITE_AUTH_ENABLED"),
        ({**ENTRA, "ENTRA_TENANT_ID": "contoso.onmicrosoft.com"}, "ENTRA_TENANT_ID"),
        ({**ENTRA, "ENTRA_TENANT_ID": "common"}, "ENTRA_TENANT_ID"),
        ({**ENTRA, "ENTRA_AUTHORITY": "http://login.example.org"}, "ENTRA_AUTHORITY"),
        ({**ENTRA, "ENTRA_AUTHORITY": 'https://login.example.org/?x="y'}, "ENTRA_AUTHORITY"),
        ({"API_KEYS": "k", "LOG_CONTENT": "please"}, "LOG_CONTENT"),
    ],
)
def test_what_does_not_go_together_is_named(environ: dict[str, str], named: str) -> None:
    assert named in problems({**AZURE, **environ})


@pytest.mark.parametrize(
    "environ",
    [
        {"API_KEYS": "k"},
        {"ADMIN_API_KEYS": "k"},
        ENTRA,
        {"APP_SERVICE_AUTH": "1", "WEBSITE_AUTH_ENABLED": "True", "ENTRA_TENANT_ID": TENANT},
    ],
)
def test_any_one_credential_is_enough(environ: dict[str, str]) -> None:
    assert settings.read({**AZURE, **environ}).has_credentials


def test_locally_the_well_known_keys_are_there_only_without_another_credential() -> None:
    alone = settings.read({"LOCAL": "1"})
    assert (alone.query_keys, alone.admin_keys) == (("local-dev-key",), ("local-admin-key",))
    for environ in (ENTRA, {"API_KEYS": "k"}, {"ADMIN_API_KEYS": "k"}):
        read = settings.read({"LOCAL": "1", **environ})
        assert "local-" not in f"{read.query_keys}{read.admin_keys}"


def test_two_keys_of_each_kind_are_read() -> None:
    read = settings.read({**AZURE, "API_KEYS": "a, b", "ADMIN_API_KEYS": "c,d,"})
    assert (read.query_keys, read.admin_keys) == (("a", "b"), ("c", "d"))


@pytest.mark.parametrize(
    "value",
    [
        "[]",
        "{",
        '{"*": []}',
        '{"*": {"tenant_id": "tid"}}',
        '{"*": {"tenant_id": {}}}',
        '{"*": {"tenant_id": {"claim": ""}}}',
        '{"*": {"tenant_id": {"claim": ["tid"]}}}',
        '{"*": {"tenant_id": {"claim": "tid", "colection": true}}}',
        '{"*": {"tenant_id": {"claim": "tid", "collection": 1}}}',
        '{"*": {"tenant_id": {"claim": "tid", "withKey": ""}}}',
        '{"*": {"tenant_id": {"claim": "tid", "withKey": [7]}}}',
        '{"*": {"tenant id": {"claim": "tid"}}}',
        '{"*": {"tenant_id eq \'us\' or x": {"claim": "tid"}}}',
        '{"*": {"": {"claim": "tid"}}}',
        '{"*": {"true": {"claim": "tid"}}}',
        '{"*": {"a": {"claim": "tid"}, "a": {"claim": "oid"}}}',
        '{"docs": {"a": {"claim": "tid"}}, "docs": {}}',
    ],
)
def test_a_malformed_rule_is_named_and_not_passed_over(value: str) -> None:
    assert "IMPOSED_FILTERS" in problems({**AZURE, "API_KEYS": "k", "IMPOSED_FILTERS": value})


def test_the_rules_of_the_documents_are_read() -> None:
    block = re.search(r"^```json\n(.*?)^```", DOCS.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    assert block is not None
    read = settings.read({**AZURE, "API_KEYS": "k", "IMPOSED_FILTERS": block[1]})
    of_key = Caller(kind="key", id="query key 1", rights=frozenset({"retrieve"}))
    imposed = ImposedFilters(read.imposed_filters).filter(of_key, "handbook-index")
    assert imposed is not None
    assert [odata.write(part) for part in _parts(imposed)] == [
        "search.in(tenant_id, 'contoso')",
        "group_ids/any(one: search.in(one, 'everyone'))",
    ]


def _parts(filter: Filter) -> tuple[Filter, ...]:
    return filter.operands if isinstance(filter, And) else (filter,)


def test_rules_are_read() -> None:
    rules = {
        "*": {"tenant_id": {"claim": "tid", "withKey": "contoso"}},
        "docs": {"acl/groups": {"claim": "groups", "collection": True}},
        "open": {},
    }
    read = settings.read({**AZURE, "API_KEYS": "k", "IMPOSED_FILTERS": json.dumps(rules)})
    assert read.imposed_filters == {
        "*": (ImposedRule(path=("tenant_id",), claim="tid", with_key=("contoso",)),),
        "docs": (ImposedRule(path=("acl", "groups"), claim="groups", collection=True),),
        "open": (),
    }
