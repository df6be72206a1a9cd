"""`GET doctor` on the local host and over a scripted Azure: for a key that may manage, and for no other."""

import json
from collections.abc import AsyncIterator
from typing import Any

import pytest

from retrieval.doctor import remote, report
from retrieval.local.wire import WireRequest, WireResponse, WireService
from tests.conftest import KEY, Post, Response, deploying
from tests.doctor.conftest import ADMIN_KEY, QUERY_KEY, SECRETS, Stage, by_method
from tests.scripted_azure import answering, failing

ADMIN = "local-admin-key"


@pytest.fixture
async def deployed(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Stage]:
    """The functions over the stage; a test may change it before the first call."""
    async with deploying({**stage.environ, "LOCAL": "0"}, monkeypatch):
        yield stage


def found(answer: Response) -> dict[str, Any]:
    return {one["subject"] + one["name"]: one["state"] for one in answer.json["findings"]}


def keeping(agent: str, index: str) -> WireService:
    """A table that keeps one agent, as callers made it."""
    kept = {"name": agent, "targets": [{"index": index}]}
    entity = {"PartitionKey": "agents", "RowKey": agent, "Etag": "0x1", "Agent": json.dumps(kept)}
    one, none = answering({"value": [entity]}), answering({"value": []})

    async def answer(request: WireRequest) -> WireResponse:
        return await (one if "%27agents%27" in request.target or "'agents'" in request.target else none)(request)

    return by_method(GET=answer, DELETE=failing(404))


async def test_the_local_host_is_well(post: Post) -> None:
    answer = await post(b"", "/doctor", method="GET", key=ADMIN)
    assert (answer.status, answer.json["status"]) == (200, "well"), answer.json
    assert found(answer)["indexearth_at_night"] == "ok"
    assert answer.headers["Cache-Control"] == "no-store"


@pytest.mark.parametrize(("key", "status"), [(KEY, 403), ("wrong", 403), (None, 401)])
async def test_who_may_not_manage_learns_nothing(key: str | None, status: int, post: Post) -> None:
    answer = await post(b"", "/doctor", method="GET", key=key)
    assert (answer.status, list(answer.json)) == (status, ["error"])


async def test_a_deployment_examines_itself(post: Post, deployed: Stage) -> None:
    deployed.azure.count, deployed.azure.chat = failing(404), failing(429)
    answer = await post(b"", "/doctor", method="GET", key=ADMIN_KEY)
    assert (answer.status, answer.json["status"]) == (200, "faults")
    assert found(answer)["indexatlas"] == "fault"
    assert found(answer)["modelplanner"] == "warning"
    assert not [secret for secret in SECRETS if secret in answer.body.decode()]
    assert (await post(b"", "/doctor", method="GET", key=QUERY_KEY)).status == 403


async def test_agents_made_at_run_time_are_examined_too(post: Post, deployed: Stage) -> None:
    deployed.table = keeping("made", "rivers")
    answer = await post(b"", "/doctor", method="GET", key=ADMIN_KEY)
    assert {"indexatlas", "indexrivers"} <= found(answer).keys()


async def test_what_an_agent_of_the_file_became_is_named(post: Post, deployed: Stage) -> None:
    deployed.table = keeping("handbook", "other")
    answer = await post(b"", "/doctor", method="GET", key=ADMIN_KEY)
    said = [one["said"] for one in answer.json["findings"] if one["subject"] == "definitions"]
    assert said[0] == "Changed at run time, so that AGENTS_FILE is not in force for: 'handbook'."


async def test_the_command_reads_what_the_route_answers(post: Post, deployed: Stage) -> None:
    deployed.by_token()
    deployed.azure.count = failing(403)
    answer = await post(b"", "/doctor", method="GET", key=ADMIN_KEY)
    findings = remote.read(answer.body)
    assert json.loads(json.dumps(report.document(findings))) == answer.json


async def test_without_settings_the_log_names_them(
    post: Post, deployed: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AZURE_SEARCH_ENDPOINT", "")
    assert (await post(b"", "/doctor", method="GET", key=ADMIN_KEY)).status == 503
