"""Definitions out of a store and into another, by the command: nothing is lost, and nothing is overwritten unseen."""

import json
from asyncio import run
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.compose import definitions_file
from retrieval.compose.definitions_file import Defined
from retrieval.definitions.file_store import FileStore
from retrieval.definitions.stored_json import AGENTS, SOURCES
from retrieval.definitions.table_store import TableStore, development_key
from retrieval.doctor.__main__ import main
from retrieval.doctor.export_import import put
from retrieval.model.definitions import Agent, Kept, ModelDeployment, Source, Stored, Target
from retrieval.model.precondition import UNCONDITIONAL
from retrieval.ports import DefinitionStore
from tests.azurite import azurite
from tests.definitions.definitions import WHOLE_AGENTS, WHOLE_SOURCES
from tests.laws import law
from tests.rooms import NEEDS_BASES_OF_STUDIO

SOURCE: Final = Source(name="handbook", index="handbook-index", base_filter="lang eq 'en'", source_fields=("title",))
HINTED: Final = Source(
    name="hinted", index="atlas", results_processing="rerank", query_hints={"filters": [{"field": "kind"}]}
)
PLAIN: Final = Agent(name="atlas", targets=(Target(index="atlas", reranker_threshold=1.5),), max_runtime=30)
BASE: Final = Agent(
    name="base",
    targets=(Target(index="handbook-index", source="handbook"),),
    effort="auto",
    tags={"team": "hr"},
    model=ModelDeployment(endpoint="https://contoso.openai.azure.com", deployment="planner", model_name="gpt-4o"),
)
MIXED: Final = Agent(
    name="mixed",
    targets=(Target(index="atlas", source="hinted", max_subqueries=2, include_references=False, always_query=True),),
    include_activity=True,
    fast_path=True,
    effort="low",
    cors={"allowedOrigins": ["https://contoso.com"]},
)
ORPHAN: Final = Agent(name="orphan", targets=(Target(index="gone", filtered=True),))
"""Its source was deleted: that it was filtered once keeps it from being searched without."""


@asynccontextmanager
async def stores(place: str) -> AsyncIterator[tuple[DefinitionStore[Agent], DefinitionStore[Source]]]:
    if "://" in place:
        key = development_key(place)
        tables = TableStore(place, key, AGENTS), TableStore(place, key, SOURCES)
        yield tables
        for table in tables:
            await table.close()
    else:
        path = Path(place)
        yield FileStore(path, AGENTS), FileStore(path.with_suffix(".sources.json"), SOURCES)


async def keep(place: str, *definitions: Agent | Source) -> None:
    async with stores(place) as (agents, sources):
        for one in definitions:
            if isinstance(one, Agent):
                await agents.put(one, when=UNCONDITIONAL)
            else:
                await sources.put(one, when=UNCONDITIONAL)


async def kept(place: str) -> Mapping[str, Agent | Source]:
    async with stores(place) as (agents, sources):
        return {
            entry.name: entry.value
            for entry in (*await agents.list(), *await sources.list())
            if isinstance(entry, Stored)
        }


@pytest.fixture(params=["file", "table"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    if request.param == "file":
        yield str(tmp_path / "one" / "agents.json")
    else:
        with azurite() as endpoint:
            yield endpoint


@pytest.fixture
def other(tmp_path: Path) -> str:
    return str(tmp_path / "other" / "agents.json")


def move(what: str, file: Path, place: str, monkeypatch: pytest.MonkeyPatch, *options: str) -> int:
    monkeypatch.setenv("AGENTS_STORE", place)
    monkeypatch.setenv("LOCAL", "1")
    return main([what, str(file), *options])


DEFINED: Final = st.builds(
    Defined,
    agents=st.lists(WHOLE_AGENTS, max_size=3, unique_by=lambda agent: agent.name).map(tuple),
    sources=st.lists(WHOLE_SOURCES, max_size=3, unique_by=lambda source: source.name).map(tuple),
)


@NEEDS_BASES_OF_STUDIO
@law()
@given(DEFINED)
def test_what_is_written_reads_as_the_same(defined: Defined) -> None:
    content = json.loads(json.dumps(definitions_file.write(defined)))
    read = definitions_file.read(content)
    assert {one.name: one for one in read.sources} == {one.name: one for one in defined.sources}
    assert {one.name: definitions_file.plain(one) for one in read.agents} == {one.name: one for one in defined.agents}


@pytest.fixture
def exported(place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The file of a store with a definition of each sort."""
    run(keep(place, PLAIN, BASE, MIXED, ORPHAN, SOURCE, HINTED))
    assert move("export", tmp_path / "definitions.json", place, monkeypatch) == 0
    return tmp_path / "definitions.json"


def test_what_one_store_keeps_another_keeps_after_the_file(
    exported: Path, place: str, other: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    content = json.loads(exported.read_text())
    assert {part: [one["name"] for one in bodies] for part, bodies in content.items()} == {
        "knowledgeSources": ["handbook"],
        "knowledgeBases": ["base"],
        "agents": ["atlas"],
        "storedSources": ["hinted"],
        "storedAgents": ["mixed", "orphan"],
    }
    capsys.readouterr()
    assert move("import", exported, other, monkeypatch, "--dry-run") == 1
    assert "create agent mixed" in capsys.readouterr().out
    assert run(kept(other)) == {}
    assert move("import", exported, other, monkeypatch) == 0
    assert run(kept(other)) == run(kept(place))
    capsys.readouterr()
    assert move("import", exported, other, monkeypatch, "--dry-run") == 0
    assert capsys.readouterr().out == "6 the same\n"


def test_the_difference_is_told_and_what_only_the_store_has_goes_when_it_is_asked_for(
    exported: Path, place: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    changed, new = replace(SOURCE, base_filter="lang eq 'de'"), replace(PLAIN, name="new")
    run(keep(place, changed, replace(PLAIN, max_runtime=60, description="Maps"), new))
    capsys.readouterr()
    assert move("import", exported, place, monkeypatch, "--dry-run") == 1
    assert capsys.readouterr().out.splitlines() == [
        "change source handbook: base_filter",
        "change agent atlas: max_runtime, description",
        "only there agent new",
        "4 the same",
    ]
    assert run(kept(place))["handbook"] == changed
    assert move("import", exported, place, monkeypatch) == 0
    assert set(run(kept(place))) == {"atlas", "base", "handbook", "hinted", "mixed", "new", "orphan"}
    assert move("import", exported, place, monkeypatch, "--delete") == 0
    after = run(kept(place))
    assert (after["handbook"], after["atlas"], after.get("new")) == (SOURCE, PLAIN, None)


async def test_a_write_of_somebody_else_meanwhile_is_not_undone(tmp_path: Path) -> None:
    """Between the comparison and the write, by a store that lets somebody in."""
    store = Interrupted(tmp_path / "agents.json", AGENTS)
    await store.put(PLAIN, when=UNCONDITIONAL)
    store.meanwhile = replace(PLAIN, description="of somebody else")
    changes = [one async for one in put(store, "agent", (replace(PLAIN, max_runtime=60),), dry_run=False)]
    assert [(one.what, one.done) for one in changes] == [("change", False)]
    stored = await store.get("atlas")
    assert stored is not None and stored.value.description == "of somebody else"


class Interrupted(FileStore[Agent]):
    """Somebody else writes after each list."""

    meanwhile: Agent | None = None

    async def list(self) -> tuple[Kept[Agent], ...]:
        entries = await super().list()
        if self.meanwhile is not None:
            await self.put(self.meanwhile, when=UNCONDITIONAL)
        return entries


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("{", "is no file of definitions"),
        ('{"bases": []}', "'bases' is none of knowledgeSources"),
        ('{"storedAgents": [{"name": "a"}]}', "'a' is no agent as the store keeps it"),
        ('{"storedAgents": {}}', "the agents of the store are not an array"),
    ],
)
def test_what_is_no_file_of_definitions_writes_nothing(
    text: str,
    sentence: str,
    other: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    file = tmp_path / "definitions.json"
    file.write_text(text)
    assert move("import", file, other, monkeypatch) == 2
    assert sentence in capsys.readouterr().err
    assert run(kept(other)) == {}


@pytest.mark.parametrize("place", ["", "memory"])
def test_where_nothing_is_kept_there_is_nothing_to_move(
    place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert move("export", tmp_path / "definitions.json", place, monkeypatch) == 2
    assert "AGENTS_STORE must be a table or a file" in capsys.readouterr().err
    assert not (tmp_path / "definitions.json").exists()


def test_a_definition_that_cannot_be_read_is_named_and_not_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    place = str(tmp_path / "agents.json")
    run(keep(place, PLAIN))
    stored = Path(place)
    stored.write_text(stored.read_text().replace('"targets"', '"goals"').replace("targets", "goals"))
    assert move("export", tmp_path / "definitions.json", place, monkeypatch) == 2
    assert "atlas" in capsys.readouterr().err
