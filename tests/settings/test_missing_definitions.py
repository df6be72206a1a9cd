"""Names in settings of access that nothing has: a fault where nothing can ever have them, else a warning."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Final

import pytest

from retrieval import compose
from tests.access.conftest import Deploy, deploy
from tests.conftest import Post, ask

__all__ = ["deploy"]

FILE: Final = {
    "knowledgeSources": [
        {"name": "sky", "kind": "searchIndex", "searchIndexParameters": {"searchIndexName": "sky-index"}}
    ],
    "knowledgeBases": [{"name": "nights", "knowledgeSources": [{"name": "sky"}]}],
    "agents": [{"name": "handbook", "targetIndexes": [{"indexName": "handbook-index"}]}],
}
RULE: Final = {"page": {"claim": "page", "withKey": "105"}}
ADDRESS: Final = "/agents('handbook')/retrieve?api-version=2025-05-01-preview"


@pytest.fixture
def settings(tmp_path: Path) -> Mapping[str, str]:
    """A deployment whose file of definitions is all there is."""
    file = tmp_path / "agents.json"
    file.write_text(json.dumps(FILE))
    return {
        "LOCAL": "0",
        "API_KEYS": "k",
        "AZURE_SEARCH_ENDPOINT": "http://127.0.0.1:9",
        "AZURE_SEARCH_API_KEY": "s",
        "AGENTS_FILE": str(file),
        "AGENTS_STORE": "",
        "ENTRA_TENANT_ID": "99999999-0000-1111-2222-333333333333",
        "ENTRA_AUDIENCE": "api://r",
    }


@pytest.mark.parametrize(
    ("setting", "value"),
    [
        ("USER_TOKEN_AGENTS", "handbook, nobody"),
        ("BASE_KEYS", '{"nobody": ["key"]}'),
        ("BASE_ROLES", '{"nobody": ["Role"]}'),
        ("IMPOSED_FILTERS", json.dumps({"*": RULE, "nobody": RULE})),
    ],
)
async def test_a_name_that_nothing_can_have_is_a_fault_at_the_start(
    setting: str, value: str, post: Post, deploy: Deploy, settings: Mapping[str, str], caplog: pytest.LogCaptureFixture
) -> None:
    deploy(settings, **{setting: value})
    answer = await post(ask("roads"), ADDRESS, key="k")
    assert answer.status == 503
    assert f"{setting} names nobody, which" in caplog.text


def test_what_the_file_defines_and_what_another_setting_describes_is_there(
    deploy: Deploy, settings: Mapping[str, str]
) -> None:
    deploy(
        settings,
        USER_TOKEN_AGENTS="Handbook, nights",
        BASE_KEYS='{"nights": ["key"]}',
        IMPOSED_FILTERS=json.dumps({"*": {}, "Handbook-Index": RULE, "sky-index": RULE, "behind-an-alias": RULE}),
        INDEX_FIELDS='{"behind-an-alias": {"key": "id", "content": ["text"]}}',
    )
    assert compose.start() == ()


@pytest.mark.parametrize("store", ["memory", "agents.json"])
async def test_a_name_that_a_caller_may_still_make_is_a_warning_until_it_is_made(
    store: str, post: Post, deploy: Deploy, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    place = store if store == "memory" else str(tmp_path / store)
    deploy(AGENTS_STORE=place, USER_TOKEN_AGENTS="later")
    assert await ready(post) == ("ready", "unmatchedNames")
    assert "USER_TOKEN_AGENTS names later, which is neither an agent nor a knowledge base." in caplog.text
    body = {"name": "later", "models": [], "targetIndexes": [{"indexName": "earth_at_night"}]}
    target = "/agents('later')?api-version=2025-05-01-preview"
    assert (await post(body, target, method="PUT", key="admin-key-one-c0fe")).status == 201
    assert await ready(post) == ("ready", "reachable")


async def ready(post: Post) -> tuple[str, str]:
    """What `GET ready` says now, and of the store."""
    compose.readiness.cache_clear()
    answer = (await post(b"", "/ready", method="GET", key=None)).json
    return answer["status"], answer["agentStore"]
