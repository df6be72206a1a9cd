"""A deployment over the sample corpus, with the credentials that a test configures, on a clock that jumps."""

from collections.abc import AsyncIterator, Callable, Mapping

import openai
import pytest

from retrieval import compose
from tests.access.authority import Authority
from tests.scenarios.failures.jumping_loop import JumpingLoop

assert openai.__version__, "imported here, so that no test waits for it on a clock that jumps"

Deploy = Callable[..., None]

QUERY_KEYS = ("query-key-one-4d1b", "query-key-two-77aa")
ADMIN_KEYS = ("admin-key-one-c0fe", "admin-key-two-9b3d")


def pytest_asyncio_loop_factories() -> Mapping[str, Callable[[], JumpingLoop]]:
    return {"jumping": JumpingLoop}


@pytest.fixture
async def authority() -> AsyncIterator[Authority]:
    authority = Authority()
    async with authority.listening():
        yield authority


@pytest.fixture
async def deploy(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Deploy]:
    """Set the environment of the functions; the next call composes from it."""

    def configure(settings: Mapping[str, str] | None = None, **more: str) -> None:
        usual = {"LOCAL": "1", "API_KEYS": ",".join(QUERY_KEYS), "ADMIN_API_KEYS": ",".join(ADMIN_KEYS)}
        for name, value in {**usual, **(settings or {}), **more}.items():
            monkeypatch.setenv(name, value)
        compose.service.cache_clear()

    await compose.end()
    yield configure
    await compose.end()
