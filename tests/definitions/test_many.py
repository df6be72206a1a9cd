"""However many definitions a store keeps, and however large they are, no list of them holds the event loop."""

import gc
import json
import tracemalloc
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final
from uuid import uuid4

import pytest
from azure.data.tables.aio import TableClient

from retrieval import compose
from retrieval.definitions.stored_json import SOURCES
from retrieval.definitions.table_store import TableStore, development_key
from retrieval.errors import UnreadableDefinitions
from retrieval.model.definitions import Source, Unreadable
from tests.conftest import Post
from tests.scenarios.hostile.held import Heart

LOOP: Final = 0.05
"""Seconds of processor time at once."""

ADMIN: Final = "admin-key-2b41"
TRIES: Final = 4
"""A machine that does much else at once makes processor time longer, never shorter: the best of a few is meant."""

UNKNOWN: Final = {f"m{number}": 1 for number in range(2_000)}


def text(**members: object) -> str:
    return json.dumps({"index": "atlas", "base_filter": "a eq 'b'", **members})


CONTENTS: Final[Mapping[str, Sequence[str]]] = {
    "many": [text(description="d" * 200)] * 2_000,
    "many with unknown members": [text(a=1, b=2, c=3)] * 2_000,
    "large with unknown members": [text(**UNKNOWN)] * 60,
    "large": [text(ingestion={name: [[]] for name in UNKNOWN})] * 10,
}


@asynccontextmanager
async def table_with(texts: Sequence[str], endpoint: str) -> AsyncIterator[TableStore[Source]]:
    """A store of sources s0, s1 and so on, in a table of its own."""
    table = f"t{uuid4().hex}"
    async with TableClient(endpoint, table, credential=development_key(endpoint)) as client:
        await client.create_table()
        entities = [
            {
                "PartitionKey": "sources",
                "RowKey": f"s{number}",
                "Etag": "0x1",
                "Source": f'{{"name": "s{number}", {one[1:]}',
            }
            for number, one in enumerate(texts)
        ]
        size = max(1, min(100, 400_000 // len(texts[0])))
        for start in range(0, len(entities), size):
            await client.submit_transaction([("create", entity) for entity in entities[start : start + size]])
    store = TableStore(endpoint, development_key(endpoint), SOURCES, table=table)
    yield store
    await store.close()


@pytest.mark.parametrize("case", CONTENTS)
async def test_a_list_of_definitions_does_not_hold_the_loop(case: str, table_endpoint: str) -> None:
    texts = CONTENTS[case]
    held: list[float] = []
    async with table_with(texts, table_endpoint) as store:
        await store.get("none")
        gc.collect()
        gc.freeze()
        while len(held) < TRIES:
            heart = Heart()
            with heart.beating():
                entries = await store.list()
            assert len(entries) == len(texts)
            held.append(heart.longest)
        gc.unfreeze()
    assert min(held) <= LOOP


@pytest.mark.parametrize(
    ("noun", "version"),
    [
        ("agents", "2025-05-01-preview"),
        ("knowledgebases", "2026-08-01-preview"),
        ("knowledgesources", "2026-08-01-preview"),
    ],
)
async def test_an_answer_with_all_definitions_does_not_hold_the_loop(
    noun: str, version: str, tmp_path: Path, post: Post, monkeypatch: pytest.MonkeyPatch
) -> None:
    bases: list[dict[str, object]] = [
        {"name": f"b{number}", "targets": [{"index": f"i{number}-{one}"} for one in range(10)]} for number in range(500)
    ]
    sources: list[dict[str, object]] = [
        {"name": f"s{number}", "index": "atlas", "description": "d" * 200} for number in range(1_000)
    ]
    for kind, values, file in (("agent", bases, "s.json"), ("source", sources, "s.sources.json")):
        entries = {str(one["name"]): {"etag": "0x1", kind: json.dumps(one)} for one in values}
        (tmp_path / file).write_text(json.dumps({f"{kind}s": entries}))
    settings = {"AGENTS_STORE": str(tmp_path / "s.json"), "ADMIN_API_KEYS": ADMIN, "LOCAL": "1"}
    for name, value in settings.items():
        monkeypatch.setenv(name, value)
    await compose.end()
    held: list[float] = []
    while len(held) < TRIES:
        gc.collect()
        gc.freeze()
        heart = Heart()
        with heart.beating():
            answer = await post(b"", f"/{noun}?api-version={version}", method="GET", key=ADMIN)
        assert len(answer.json["value"]) >= 500
        held.append(heart.longest)
    gc.unfreeze()
    await compose.end()
    assert min(held) <= LOOP


async def test_of_many_unknown_members_a_few_are_named(table_endpoint: str) -> None:
    async with table_with([text(**UNKNOWN)], table_endpoint) as store:
        (entry,) = await store.list()
        assert isinstance(entry, Unreadable)
        assert entry.members == tuple(UNKNOWN)[:20]
        with pytest.raises(UnreadableDefinitions, match="'m0', 'm1'"):
            await store.get("s0")


def test_the_places_of_deep_members_take_no_memory_of_their_own() -> None:
    """They were a gigabyte in a file of that size."""
    depth, width = 900, 20_000
    members = json.dumps({f"m{number}": 1 for number in range(width)})
    content = text(ingestion=None).replace("null", '{"a": ' * depth + members + "}" * depth)
    SOURCES.read(content, name="s", etag="0x1")
    tracemalloc.start()
    try:
        SOURCES.read(content, name="s", etag="0x1")
        assert tracemalloc.get_traced_memory()[1] < 50_000_000
    finally:
        tracemalloc.stop()
