"""What all tests share: the functions behind the local host, in this process, over the sample corpus."""

import asyncio
import gc
import json
import os
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

from retrieval import compose
from retrieval.local.host import Host
from retrieval.local.wire import WireRequest
from tests.laws import law
from tests.openapi.exchanges import open_watched, unlike_the_document
from tests.rooms import has_room
from tests.scripted_azure import ScriptedAzure

ROOT = Path(__file__).resolve().parent.parent
KEY = "local-dev-key"
os.environ["AGENTS_STORE"] = "memory"  # No test sees or changes what a developer keeps under .local/.
settings.register_profile("project", law())
settings.load_profile("project")
RETRIEVE = "/agents('earth-at-night')/retrieve?api-version=2025-05-01-preview"


gc.disable()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """A test that needs a room is not run where the room was taken away."""
    gone = [item for item in items if not all(map(has_room, _rooms_of(item)))]
    if gone:
        config.hook.pytest_deselected(items=gone)
        items[:] = [item for item in items if item not in gone]


def _rooms_of(item: pytest.Item) -> Iterator[str]:
    return (room for mark in item.iter_markers("room") for room in mark.args)


def pytest_collection_finish() -> None:
    """What is loaded by now stays: the collector looks at what the tests make."""
    gc.collect()
    gc.freeze()
    gc.enable()


@dataclass(frozen=True, slots=True, kw_only=True)
class Response:
    """An answer of the functions, its body read as JSON."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


Post = Callable[..., Awaitable[Response]]


@pytest.fixture(scope="session")
def host() -> Host:
    return asyncio.run(open_watched())


@pytest.fixture(autouse=True)
def every_answer_is_as_openapi_json_says() -> Iterator[None]:
    """Of each test, whatever it asked over HTTP; `tests/openapi/exchanges.py` has what is kept until then."""
    yield
    faults = unlike_the_document()
    assert not faults, "\n".join(faults[:10])


@pytest.fixture
async def azure() -> AsyncIterator[ScriptedAzure]:
    azure = ScriptedAzure()
    async with azure.listening():
        yield azure
    assert azure.lost == []


@asynccontextmanager
async def deploying(settings: Mapping[str, str], monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[None]:
    """The functions in an environment with these settings."""
    for name, value in settings.items():
        monkeypatch.setenv(name, value)
    await compose.end()
    yield
    await compose.end()


@pytest.fixture
def post(host: Host) -> Post:
    """Send a body to the functions: a JSON value, or bytes as they are. A PUT prefers the representation, as those of
    Microsoft's SDKs do, unless `headers` says otherwise."""

    async def send(
        body: object,
        target: str = RETRIEVE,
        *,
        headers: Mapping[str, str] | None = None,
        method: str = "POST",
        key: str | None = KEY,
    ) -> Response:
        content = body if isinstance(body, bytes) else json.dumps(body).encode()
        usual = {"content-type": "application/json", "content-length": str(len(content))}
        if method == "PUT":
            usual["prefer"] = "return=representation"
        credential = {} if key is None else {"api-key": key}
        sent = {**usual, **credential, **(headers or {})}
        request = WireRequest(method=method, target=target, headers=tuple(sent.items()), body=content)
        response = await host(request)
        return Response(status=response.status, headers=dict(response.headers), body=response.body)

    return send


def ask(text: str, **params: object) -> dict[str, object]:
    """A retrieve body with one user message, and `params` as the one targetIndexParams if there are any."""
    body: dict[str, object] = {"messages": [{"role": "user", "content": [{"type": "text", "text": text}]}]}
    return {**body, "targetIndexParams": [params]} if params else body
