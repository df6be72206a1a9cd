"""The answer route behind the local host, over a scripted Azure, on a clock that jumps, deployed as for failures."""

from collections.abc import AsyncIterator, Callable, Coroutine, Mapping
from typing import Any

import pytest

from retrieval import compose
from tests.conftest import Post, Response
from tests.scenarios.failures.conftest import CALLER_KEY, QUESTION, pytest_asyncio_loop_factories, settings

__all__ = ["pytest_asyncio_loop_factories", "settings"]

Ask = Callable[..., Coroutine[Any, Any, Response]]


@pytest.fixture
async def ask(post: Post, settings: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Ask]:
    """Ask an agent: `planner`, which has a model, or `plain`, which has none."""

    async def send(
        text: str = QUESTION,
        *,
        agent: str = "planner",
        detail: str | None = None,
        headers: Mapping[str, str] | None = None,
        **members: object,
    ) -> Response:
        for name, value in settings.items():
            monkeypatch.setenv(name, value)
        body = {"messages": [{"role": "user", "content": [{"type": "text", "text": text}]}], **members}
        query = "" if detail is None else f"?detail={detail}"
        return await post(body, f"/agents/{agent}/answer{query}", headers=headers, key=CALLER_KEY)

    compose.service.cache_clear()
    yield send
    await compose.end()
