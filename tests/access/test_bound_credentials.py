"""A key and an app role that open named bases only: one application cannot read what another's is for."""

import json
from pathlib import Path
from typing import Final

import pytest

from tests.access.authority import Authority
from tests.access.conftest import QUERY_KEYS, Deploy
from tests.conftest import Post, ask
from tests.mcp_messages import calling, request
from tests.rooms import NEEDS_MCP

KEY: Final = "key-of-the-handbook"
BODY: Final = ask("Why is the street grid of Phoenix so sharply visible from space?")
REFUSED: Final = "This credential is bound to other knowledge bases."


@pytest.fixture
def settings(tmp_path: Path) -> dict[str, str]:
    agents = [{"name": name, "targetIndexes": [{"indexName": "earth_at_night"}]} for name in ("handbook", "prices")]
    file = tmp_path / "agents.json"
    file.write_text(json.dumps(agents))
    bound = json.dumps({"handbook": [KEY], "earth-at-night": [KEY, "another"]})
    return {"AGENTS_FILE": str(file), "AGENTS_STORE": "memory", "BASE_KEYS": bound}


def retrieve(name: str) -> str:
    return f"/agents('{name}')/retrieve?api-version=2025-05-01-preview"


@pytest.mark.parametrize(
    ("name", "status"), [("handbook", 200), ("earth-at-night", 200), ("prices", 403), ("missing", 403)]
)
async def test_a_bound_key_opens_what_it_is_bound_to(
    name: str, status: int, post: Post, deploy: Deploy, settings: dict[str, str]
) -> None:
    deploy(settings)
    answer = await post(BODY, retrieve(name), key=KEY)
    assert answer.status == status
    assert status == 200 or answer.json["error"] == {"code": "Forbidden", "message": REFUSED}


@pytest.mark.parametrize("path", ["/agents/prices/answer", pytest.param("/agents/prices/mcp", marks=NEEDS_MCP)])
async def test_nor_by_another_operation(path: str, post: Post, deploy: Deploy, settings: dict[str, str]) -> None:
    deploy(settings)
    headers = {"accept": "application/json, text/event-stream", "content-type": "application/json"}
    assert (await post(BODY, path, key=KEY, headers=headers)).status == 403


@NEEDS_MCP
@pytest.mark.parametrize(
    ("name", "status"), [("handbook", 200), ("earth-at-night", 200), ("prices", 403), ("missing", 403)]
)
async def test_a_bound_key_lists_the_tools_of_its_bases_alone(
    name: str, status: int, post: Post, deploy: Deploy, settings: dict[str, str]
) -> None:
    deploy(settings)
    for accept in ("application/json, text/event-stream", "text/event-stream"):
        for message in (request("tools/list"), calling("knowledge_base_retrieve", {"queries": ["Phoenix"]})):
            answer = await post(message, f"/knowledgebases/{name}/mcp", key=KEY, headers={"accept": accept})
            assert answer.status == status
            assert status == 200 or answer.json["error"]["data"] == {"code": "Forbidden", "message": REFUSED}


async def test_it_manages_nothing(post: Post, deploy: Deploy, settings: dict[str, str]) -> None:
    deploy(settings)
    answer = await post(b"", "/agents?api-version=2025-05-01-preview", method="GET", key=KEY)
    assert answer.status == 403


async def test_a_key_that_is_bound_and_unbound_opens_everything(
    post: Post, deploy: Deploy, settings: dict[str, str]
) -> None:
    deploy(settings, BASE_KEYS=json.dumps({"handbook": [QUERY_KEYS[0]]}))
    assert (await post(BODY, retrieve("prices"), key=QUERY_KEYS[0])).status == 200


@pytest.mark.parametrize(
    ("roles", "statuses"),
    [
        (["Handbook.Read"], (200, 403)),
        (["Handbook.Read", "Prices.Read"], (200, 200)),
        (["Handbook.Read", "Agents.Retrieve"], (200, 200)),
        (["Agents.Manage"], (200, 200)),
        (["Other"], (403, 403)),
    ],
)
async def test_a_role_is_bound_as_a_key_is(
    roles: list[str],
    statuses: tuple[int, int],
    authority: Authority,
    post: Post,
    deploy: Deploy,
    settings: dict[str, str],
) -> None:
    bound = json.dumps({"handbook": ["Handbook.Read"], "prices": ["Prices.Read"]})
    deploy({**settings, **authority.settings}, BASE_ROLES=bound)
    headers = {"Authorization": f"Bearer {authority.token(roles=roles)}"}
    found = [(await post(BODY, retrieve(name), key=None, headers=headers)).status for name in ("handbook", "prices")]
    assert tuple(found) == statuses


@pytest.mark.parametrize(
    "value", ["[]", '{"Hand Book": ["k"]}', '{"handbook": []}', '{"handbook": [""]}', '{"a": "k"}']
)
async def test_what_cannot_be_read_is_a_problem_that_names_the_setting(
    value: str, post: Post, deploy: Deploy, caplog: pytest.LogCaptureFixture
) -> None:
    deploy(BASE_KEYS=value)
    assert (await post(BODY, retrieve("handbook"), key=KEY)).status == 503
    assert "BASE_KEYS" in caplog.text
