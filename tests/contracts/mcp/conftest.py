"""MCP against the functions, over the sample corpus, with the local key."""

from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from tests.conftest import KEY, Post, Response
from tests.mcp_messages import ACCEPT, PATH, calling

Speak = Callable[..., Awaitable[Response]]
Use = Callable[..., Awaitable[dict[str, Any]]]


@pytest.fixture
def speak(post: Post) -> Speak:
    """Send a message: a JSON value, or bytes as they are. A header that is None is left out."""

    async def send(
        message: object, *, path: str = PATH, method: str = "POST", key: str | None = KEY, **headers: str | None
    ) -> Response:
        usual = {"accept": ACCEPT, **{name.replace("_", "-"): value for name, value in headers.items()}}
        sent = {name: value for name, value in usual.items() if value is not None}
        return await post(message, path, method=method, key=key, headers=sent)

    return send


@pytest.fixture
def use(speak: Speak) -> Use:
    """The result of a tool."""

    async def call(tool: str, **arguments: object) -> dict[str, Any]:
        answer = await speak(calling(tool, arguments))
        assert answer.status == 200, answer.body
        result: dict[str, Any] = answer.json["result"]
        return result

    return call
