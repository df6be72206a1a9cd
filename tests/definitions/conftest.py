"""The three stores, and Azurite for one of them."""

from collections.abc import AsyncIterator, Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Final, TypeAlias
from uuid import uuid4

import pytest

from retrieval.definitions.file_store import FileStore
from retrieval.definitions.seeded_store import MemoryStore
from retrieval.definitions.stored_json import AGENTS
from retrieval.definitions.table_store import TableStore, development_key
from retrieval.model.definitions import Agent
from retrieval.ports import DefinitionStore
from tests.azurite import azurite

Open: TypeAlias = Callable[[], DefinitionStore[Agent]]
"""Another handle on the same agents, as another instance has one."""

LOCK_SECONDS: Final = 60.0
"""Longer than a store waits of itself: two hundred writes, each flushed to a slow disk, are no fault."""


@pytest.fixture(scope="module")
def table_endpoint() -> Iterator[str]:
    """Empty: of what other files stored nothing is there."""
    with azurite() as endpoint:
        yield endpoint


@pytest.fixture(params=["memory", "file", "table"])
async def opened(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Open]:
    """Memory has one instance only, which is every handle."""
    if request.param == "memory":
        store = MemoryStore[Agent]()
        yield lambda: store
        return
    make: Callable[[], FileStore[Agent] | TableStore[Agent]]
    if request.param == "file":
        make = partial(FileStore, tmp_path / "folder" / "agents.json", AGENTS, lock_seconds=LOCK_SECONDS)
    else:
        endpoint, table = request.getfixturevalue("table_endpoint"), f"t{uuid4().hex}"
        make = partial(TableStore, endpoint, development_key(endpoint), AGENTS, table=table)
    stores: list[FileStore[Agent] | TableStore[Agent]] = []

    def open_store() -> DefinitionStore[Agent]:
        stores.append(make())
        return stores[-1]

    yield open_store
    for opened_store in stores:
        await opened_store.close()


@pytest.fixture
def store(opened: Open) -> DefinitionStore[Agent]:
    return opened()
