"""The settings of Model Studio's contract."""

from collections.abc import Mapping
from typing import Final

import pytest

from retrieval.contracts.model_studio.workspaces import WorkspaceSettings, signing_keys
from retrieval.errors import NotConfigured
from retrieval.settings import settings

AZURE: Final = {"AZURE_SEARCH_ENDPOINT": "https://s.search.windows.net", "API_KEYS": "k", "AGENTS_FILE": "agents.json"}


def keys(environ: Mapping[str, str]) -> Mapping[str, str]:
    return signing_keys(settings.read(environ, WorkspaceSettings))


def test_local_without_access_keys_has_the_well_known_one_and_azure_has_none() -> None:
    assert keys({"LOCAL": "1"}) == {"local-ak": "local-secret"}
    assert keys({"LOCAL": "1", "ACCESS_KEYS": '{"k": "s"}'}) == {"k": "s"}
    assert keys(AZURE) == {}


@pytest.mark.parametrize(
    "own",
    [
        {"API_KEYS": "mine"},
        {"API_KEYS": "local-dev-key", "ADMIN_API_KEYS": "mine"},
        {"BASE_KEYS": '{"a": ["mine"]}'},
        {"ENTRA_TENANT_ID": "99999999-0000-1111-2222-333333333333", "ENTRA_AUDIENCE": "api://r"},
    ],
)
def test_the_well_known_access_key_is_off_as_soon_as_any_credential_is_configured(own: dict[str, str]) -> None:
    assert keys({"LOCAL": "1", **own}) == {}
    sample = {"LOCAL": "1", "API_KEYS": "local-dev-key", "ADMIN_API_KEYS": "local-admin-key"}
    assert keys(sample) == {"local-ak": "local-secret"}


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("WORKSPACES", '{"shop": {"kb": {"agent": "a", "index": "i"}}}'),
        ("WORKSPACES", '{"llm-x": {"kb": {"agent": "a"}}}'),
        ("WORKSPACES", '{"llm-x": {"kb": {"agent": "a", "index": "i", "fields": {"x": "y"}}}}'),
        ("WORKSPACES", '{"llm-x": []}'),
        ("ACCESS_KEYS", '["k"]'),
        ("ACCESS_KEYS", '{"k": ""}'),
    ],
)
def test_a_malformed_value_is_named(name: str, value: str) -> None:
    with pytest.raises(NotConfigured, match=name):
        settings.read({**AZURE, name: value}, WorkspaceSettings)


def test_an_invalid_value_is_not_used() -> None:
    read, problems = settings.gather({**AZURE, "ACCESS_KEYS": '{"good": "s", "bad": ""}'}, WorkspaceSettings)
    assert settings.usable(read, problems).of(WorkspaceSettings) == WorkspaceSettings()


def test_a_misspelt_name_is_a_fault() -> None:
    _, problems = settings.gather({**AZURE, "ACCESS_KEY": "{}"}, WorkspaceSettings)
    assert [problem.setting for problem in problems] == ["ACCESS_KEYS"]


def test_secrets_stay_out_of_the_representation() -> None:
    assert "SECRET" not in repr(settings.read({**AZURE, "ACCESS_KEYS": '{"k": "SECRET"}'}, WorkspaceSettings))
