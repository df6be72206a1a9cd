"""The three stores, and Azurite for one of them."""

from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from typing import TypeAlias
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
    elif request.param == "file":
        yield lambda: FileStore(tmp_path / "folder" / "agents.json", AGENTS)
    else:
        endpoint, table = request.getfixturevalue("table_endpoint"), f"t{uuid4().hex}"
        stores: list[TableStore[Agent]] = []

        def open_table() -> DefinitionStore[Agent]:
            stores.append(TableStore(endpoint, development_key(endpoint), AGENTS, table=table))
            return stores[-1]

        yield open_table
        for one in stores:
            await one.close()


@pytest.fixture
def store(opened: Open) -> DefinitionStore[Agent]:
    return opened()
