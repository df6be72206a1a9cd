"""Every status of an error that the document describes for a route is made to happen there, and no other does."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Coroutine, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

import pytest

from retrieval import compose
from retrieval.local.wire import WireService
from tests.access.authority import Authority
from tests.conftest import Post, Response, ask
from tests.mcp_messages import ACCEPT, modern, request
from tests.openapi.conforming import paths, read, responses
from tests.sampling import sample
from tests.scripted_azure import ScriptedAzure, failing, held, stalling

ADMIN_KEY: Final = "admin-key-e1d4"
VERSION: Final = {"api-version": "2025-05-01-preview"}
LISTING: Final = request("tools/list")
NEW: Final[dict[str, object]] = {"name": "fresh", "models": [], "targetIndexes": [{"indexName": "atlas"}]}
KEPT: Final = {**NEW, "name": "plain"}
NEWEST: Final = {"api-version": "2026-08-01-preview"}
NEW_BASE: Final[dict[str, object]] = {"name": "fresh", "knowledgeSources": [{"name": "atlas"}]}
NEW_SOURCE: Final[dict[str, object]] = {
    "name": "fresh",
    "kind": "searchIndex",
    "searchIndexParameters": {"searchIndexName": "atlas"},
}
NEW_OF: Final[Mapping[str, dict[str, object]]] = {"knowledgebases": NEW_BASE, "knowledgesources": NEW_SOURCE}
KEPT_OF: Final[Mapping[str, dict[str, object]]] = {
    "agents": KEPT,
    "knowledgebases": {**NEW_BASE, "name": "plain"},
    "knowledgesources": {**NEW_SOURCE, "name": "atlas"},
}
"""The agent `plain` is a base, and implies the source `atlas`."""

TOO_LARGE: Final = b" " * 1_048_577
FAULT: Final = 500
"""What nothing is known to provoke on most routes: a fault of this service."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A call that is answered well where nothing is wrong. `path` is as the document has it."""

    method: str
    path: str
    name: str = "plain"
    body: object = b""
    query: Mapping[str, str] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)
    key: str | None = ADMIN_KEY


Answer = Callable[[Asked], Coroutine[None, None, Response]]
Deploy = Callable[[Mapping[str, str]], AbstractAsyncContextManager[Answer]]


def asked(address: str) -> Asked:
    """The call for an address of the document."""
    method, _, path = address.partition(" ")
    usual = Asked(method=method, path=f"/{path}")
    if "workspaceId" in path:
        query = {"IndexId": "kb", "Query": "roads"}
        return replace(usual, name="x", query=query)
    if path.endswith("/mcp"):
        return replace(usual, body=LISTING, headers={"accept": ACCEPT})
    if path.endswith("/answer"):
        return replace(usual, body=ask("roads"))
    if path.startswith("knowledge") and path.endswith("/retrieve"):
        return replace(usual, query=NEWEST, body={"intents": [{"type": "semantic", "search": "roads"}]})
    if path.startswith("knowledge"):
        kind = path.partition("/")[0].partition("(")[0]
        sent: object = {"POST": NEW_OF[kind], "PUT": KEPT_OF[kind]}.get(method, b"")
        return replace(usual, name=str(KEPT_OF[kind]["name"]), query=NEWEST, body=sent)
    if path == "doctor":
        return usual
    if not path.startswith("agents"):
        return replace(usual, key=None)
    body: object = ask("roads") if path.endswith("/retrieve") else KEPT if method == "PUT" else b""
    return replace(usual, query=VERSION, body=NEW if address == "POST agents" else body)


def answered_badly(call: Asked) -> Asked:
    """The same with something in it that breaks the contract."""
    if call.path.endswith("/mcp"):
        return replace(call, body=b"{")
    return replace(call, query={"detail": "neither"} if call.path.endswith("/answer") else {})


def of_nobody(call: Asked) -> Asked:
    """The same of what is not there. An MCP call that has an id would be answered under it."""
    if "workspaceId" in call.path:
        return replace(call, query={**call.query, "IndexId": "other"})
    body = {"jsonrpc": "2.0", "method": "notifications/initialized"} if call.path.endswith("/mcp") else call.body
    return replace(call, name="nobody", body=body)


def of_an_unknown_method(call: Asked) -> Asked:
    """The same of a method that the newest version of MCP does not have."""
    body, headers = modern(request("nope"))
    return replace(call, body=body, headers={**call.headers, **headers}) if call.path.endswith("/mcp") else call


def of_events_alone(call: Asked) -> Asked:
    """The same by a caller who takes nothing but events, of a version that has none."""
    query = {"api-version": "2026-04-01"} if "knowledgebases" in call.path else {}
    headers = {**call.headers, "accept": "text/event-stream"}
    return replace(call, headers=headers, query={**call.query, **(query if call.path.endswith("/retrieve") else {})})


CHANGED: Final[Mapping[str, Callable[[Asked], Asked]]] = {
    "as it should be": lambda call: call,
    "a bad request": answered_badly,
    "no credential": lambda call: replace(call, key=None),
    "a wrong credential": lambda call: replace(call, key="wrong"),
    "of nobody": of_nobody,
    "of an unknown method": of_an_unknown_method,
    "too large": lambda call: replace(call, body=TOO_LARGE),
    "of what is there": lambda call: replace(call, body=KEPT_OF.get(call.path[1:], call.body)),
    "of another etag": lambda call: replace(call, headers={**call.headers, "if-match": '"other"'}),
    "that takes text only": lambda call: replace(call, headers={**call.headers, "accept": "text/plain"}),
    "of events alone": of_events_alone,
    "that is no JSON": lambda call: replace(call, headers={**call.headers, "content-type": "application/jsonx"}),
}
SETTINGS: Final[Mapping[str, Mapping[str, str]]] = {
    "nothing is kept": {"AGENTS_STORE": ""},
    "settings are missing": {"AZURE_SEARCH_ENDPOINT": ""},
}
BUILT_IN: Final = {"LOCAL": "1", "API_KEYS": "local-dev-key", "ADMIN_API_KEYS": "local-admin-key"}
AUTHORITY: Final[Mapping[str, WireService]] = {"fails": failing(500), "is silent": stalling()}
SEARCH: Final[Mapping[str, WireService]] = {"refuses": failing(403), "throttles": failing(429), "fails": failing(503)}


@pytest.fixture
def settings(settings: dict[str, str], tmp_path: Path) -> dict[str, str]:
    published = {"agent": "plain", "index": "atlas", "fields": {}}
    workspaces = {"llm-x": {"kb": published}, "ws_x": {"kb": published}}
    return {
        **settings,
        "ADMIN_API_KEYS": ADMIN_KEY,
        "AGENTS_STORE": "memory",
        "WORKSPACES": json.dumps(workspaces),
    }


@asynccontextmanager
async def deployed(post: Post, settings: Mapping[str, str], monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Answer]:
    """A deployment with these settings; its answers fit the document."""
    for name, value in settings.items():
        monkeypatch.setenv(name, value)
    compose.service.cache_clear()

    async def answer(call: Asked) -> Response:
        target = call.path.format(name=call.name, workspaceId=call.name)
        query = "&".join(f"{name}={value}" for name, value in call.query.items())
        answer = await post(call.body, f"{target}?{query}", method=call.method, key=call.key, headers=call.headers)
        return answer

    yield answer
    await compose.end()


async def statuses(call: Asked, azure: ScriptedAzure, deploy: Deploy) -> set[int]:
    """What is answered to the call when one thing after another is wrong."""
    async with deploy({}) as answer:
        seen = {(await answer(change(call))).status for change in CHANGED.values()}
        for azure.index in SEARCH.values():
            azure.search = azure.index
            seen.add((await answer(call)).status)
    azure.index = azure.search = stalling()
    async with deploy({}) as answer:
        seen.add((await answer(call)).status)
    async with deploy({"MAX_CONCURRENT_REQUESTS": "1"}) as answer:
        seen.add(await in_a_full_house(call, azure, answer))
    for changed in SETTINGS.values():
        async with deploy(changed) as answer:
            seen |= {(await answer(call)).status, (await answer(of_nobody(call))).status}
    async with deploy(BUILT_IN) as answer:
        seen.add((await answer(replace(call, headers={**call.headers, "host": "attacker.example"}))).status)
    return seen | await with_tokens(call, deploy)


async def in_a_full_house(call: Asked, azure: ScriptedAzure, answer: Answer) -> int:
    release = asyncio.Event()
    azure.index = held(release, failing(503))
    async with asyncio.TaskGroup() as group:
        group.create_task(answer(asked("POST agents/{name}/retrieve")))
        await azure.asked("index", len(azure.definitions_read) + 1)
        status = (await answer(call)).status
        release.set()
    return status


async def with_tokens(call: Asked, deploy: Deploy) -> set[int]:
    """Of a caller whose token cannot be judged."""
    seen = set()
    for script in AUTHORITY.values():
        authority = Authority()
        async with authority.listening(), deploy(authority.settings) as answer:
            authority.script = script
            token = {"authorization": f"Bearer {authority.token()}"}
            seen.add((await answer(replace(call, key=None, headers={**call.headers, **token}))).status)
    return seen


@pytest.mark.parametrize("address", sample([f"{route.method} {path}" for path, route in paths()], every=3))
async def test_the_errors_of_a_route_are_those_that_are_described(
    address: str, azure: ScriptedAzure, post: Post, settings: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    call = asked(address)

    def deploy(changed: Mapping[str, str]) -> AbstractAsyncContextManager[Answer]:
        return deployed(post, {**settings, "ENTRA_TENANT_ID": "", "ENTRA_AUDIENCE": "", **changed}, monkeypatch)

    seen = await statuses(call, azure, deploy)
    described = set(responses(read()["paths"][call.path][call.method.lower()]))
    assert {one for one in seen if one >= 400} | {FAULT} == {one for one in described if one >= 400}
