"""Two releases over one store: what the previous one wrote is read as it is, and it reads what this one writes.

The reader of the previous release is copied here, with the members that it knows.
"""

import json
from collections.abc import AsyncIterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

import pytest
from azure.data.tables.aio import TableClient
from hypothesis import given
from pydantic import TypeAdapter

from retrieval.definitions.file_store import FileStore
from retrieval.definitions.stored_json import AGENTS, SOURCES
from retrieval.definitions.table_store import TableStore, development_key
from retrieval.model.definitions import Agent, ModelDeployment, Source, Stored, Target
from retrieval.model.precondition import UNCONDITIONAL
from tests.definitions.definitions import WHOLE_AGENTS


@dataclass(frozen=True, slots=True, kw_only=True)
class OldTarget:
    index: str
    reranker_threshold: float | None = None
    include_source_data: bool | None = None
    max_documents: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class OldModelDeployment:
    endpoint: str
    deployment: str
    api_key: str | None = field(default=None, repr=False)
    model_name: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class OldAgent:
    name: str
    targets: tuple[OldTarget, ...]
    model: OldModelDeployment | None = None
    max_runtime: float | None = None
    max_output_tokens: int | None = None
    description: str | None = None


OLD_READER: Final = TypeAdapter(OldAgent)
OLD_ENTRY: Final = TypeAdapter(dict[str, dict[str, dict[str, str]]])
"""The file: `agents`, and under each name an etag and a document."""

TEXT: Final = (
    '{"name":"old","targets":[{"index":"atlas","reranker_threshold":1.5,"include_source_data":true,"max_documents":100}'
    '],"model":{"endpoint":"https://m.openai.azure.com","deployment":"planner","model_name":"gpt-4o"},"max_runtime":30.0'
    ',"max_output_tokens":2000,"description":"Straßen"}'
)
"""As the previous release wrote it."""

OLD: Final = Agent(
    name="old",
    targets=(Target(index="atlas", reranker_threshold=1.5, include_source_data=True, max_documents=100),),
    model=ModelDeployment(endpoint="https://m.openai.azure.com", deployment="planner", model_name="gpt-4o"),
    max_runtime=30,
    max_output_tokens=2_000,
    description="Straßen",
)
NEW: Final = Agent(
    name="new",
    targets=(Target(index="atlas", source="roads", always_query=True), Target(index="waters", source="rivers")),
    effort="auto",
    output_mode="answerSynthesis",
    tags={"team": "a"},
    description="d",
)
SEEN_BY_THE_OLD: Final = OldAgent(
    name="new", targets=(OldTarget(index="atlas"), OldTarget(index="waters")), description="d"
)
SOURCE: Final = Source(name="roads", index="atlas", base_filter="page eq '1'")


def as_old(agent: Agent) -> OldAgent:
    """What the previous release can know of an agent."""
    target_fields = ("index", "reranker_threshold", "include_source_data", "max_documents")
    model = None
    if agent.model is not None:
        told = {name: getattr(agent.model, name) for name in ("endpoint", "deployment", "model_name")}
        model = OldModelDeployment(**told)
    return OldAgent(
        name=agent.name,
        targets=tuple(OldTarget(**{name: getattr(one, name) for name in target_fields}) for one in agent.targets),
        model=model,
        max_runtime=agent.max_runtime,
        max_output_tokens=agent.max_output_tokens,
        description=agent.description,
    )


def test_what_the_previous_release_wrote_is_written_the_same() -> None:
    assert AGENTS.read(TEXT, name="old", etag="0x1") == Stored(value=OLD, etag="0x1")
    assert AGENTS.write(Stored(value=OLD, etag="0x1")) == TEXT


@given(WHOLE_AGENTS)
def test_the_previous_release_reads_of_whatever_this_one_writes_what_it_knows(agent: Agent) -> None:
    for seed in (None, "fingerprint"):
        assert OLD_READER.validate_json(AGENTS.write(Stored(value=agent, etag="", seed=seed))) == as_old(agent)


async def test_two_releases_use_one_file(tmp_path: Path) -> None:
    path = tmp_path / "agents.json"
    written = json.dumps({"agents": {"old": {"etag": "0x1", "agent": TEXT}}}, ensure_ascii=False).encode()
    path.write_bytes(written)
    store, sources = FileStore(path, AGENTS), FileStore(path.with_suffix(".sources.json"), SOURCES)
    assert await store.list() == (Stored(value=OLD, etag="0x1"),)
    await sources.put(SOURCE, when=UNCONDITIONAL)
    assert path.read_bytes() == written
    await store.put(NEW, when=UNCONDITIONAL)
    agents = OLD_ENTRY.validate_json(path.read_bytes())["agents"]
    assert agents["old"] == {"etag": "0x1", "agent": TEXT}
    assert OLD_READER.validate_json(agents["new"]["agent"]) == SEEN_BY_THE_OLD
    await store.close()
    await sources.close()


@pytest.fixture
async def table(table_endpoint: str) -> AsyncIterator[TableClient]:
    async with TableClient(table_endpoint, "upgraded", credential=development_key(table_endpoint)) as client:
        await client.create_table()
        yield client


async def test_two_releases_use_one_table(table: TableClient, table_endpoint: str) -> None:
    entity = {"PartitionKey": "agents", "RowKey": "old", "Etag": "0x1", "Agent": TEXT}
    await table.create_entity(entity)
    before = await table.get_entity("agents", "old")
    key = development_key(table_endpoint)
    store = TableStore(table_endpoint, key, AGENTS, table="upgraded")
    sources = TableStore(table_endpoint, key, SOURCES, table="upgraded")
    assert await store.list() == (Stored(value=OLD, etag="0x1"),)
    await sources.put(SOURCE, when=UNCONDITIONAL)
    await sources.put(replace(SOURCE, name="old"), when=UNCONDITIONAL)
    await store.put(NEW, when=UNCONDITIONAL)
    found = {one["RowKey"]: one async for one in table.query_entities("PartitionKey eq 'agents'")}
    assert set(found) == {"old", "new"}
    assert found["old"].metadata["etag"] == before.metadata["etag"]
    assert OLD_READER.validate_json(found["new"]["Agent"]) == SEEN_BY_THE_OLD
    assert [one.name for one in await sources.list()] == ["old", "roads"]
    await store.close()
    await sources.close()
