"""A stored definition with a member that this release does not know is not read without it, by any door."""

import json
import re
from asyncio import to_thread
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, reduce
from importlib import import_module
from pathlib import Path
from typing import Any, Final, TypeAlias
from urllib.parse import urlencode

import pytest
from azure.data.tables.aio import TableClient
from pydantic import BaseModel, TypeAdapter
from pydantic.alias_generators import to_camel

from retrieval import compose
from retrieval.contracts.azure.definition_shapes import CorsOptions
from retrieval.contracts.azure.kinds.indexes import QueryHints
from retrieval.contracts.azure.kinds.kind import parameters_of
from retrieval.contracts.azure.members_by_version import shapes_in
from retrieval.contracts.served_versions import definition_contracts
from retrieval.definitions.stored_json import AGENTS, SOURCES, Kind
from retrieval.definitions.table_store import TABLE, development_key
from retrieval.local.host import Host
from retrieval.local.wire import WireRequest
from retrieval.model.definitions import INGESTED, Source, Stored
from tests.conftest import Post, Response, ask
from tests.definitions.instances import INDEX, QUESTION
from tests.mcp_messages import ACCEPT
from tests.rooms import NEEDS_BASES_OF_STUDIO, NEEDS_MCP_SERVERS

pytestmark = pytest.mark.room("doctor", "contracts/mcp", "contracts/model_studio")

ADMIN: Final = "admin-key-2b41"
PAGE: Final = re.compile(r"_page_(\d+)_")
"""Names a document in an answer. Those of another tenant are of other pages than the filter's."""

OLD: Final = "api-version=2025-05-01-preview"
NEW: Final = "api-version=2026-08-01-preview"

WRITTEN: Final = Path(__file__).parent / "written_by_0_1_0"
"""Captured from release 0.1.0: its file store with definitions of every kind, and its export of them."""

Write: TypeAlias = Callable[[Mapping[str, str], Mapping[str, str]], Awaitable[None]]
"""Replaces the store's content by the texts of agents and of sources."""

FILTER: Final = "page_number eq '104'"
PERMITTED: Final = {"104"}
RESTRICTED: Final = json.dumps({"name": "s", "index": INDEX, "base_filter": FILTER})
AGENT: Final = json.dumps({"name": "a", "targets": [{"index": INDEX, "source": "s"}]})
IMPLIED: Final = json.dumps({"name": "a", "targets": [{"index": INDEX}]})


def main(arguments: Sequence[str]) -> int:
    """The command of the doctor."""
    code: int = import_module("retrieval.doctor.__main__").main(arguments)
    return code


def source(**members: object) -> str:
    return json.dumps({"name": "s", "index": INDEX, **members})


def agent(target: Mapping[str, object] = {}, **members: object) -> str:
    return json.dumps({"name": "a", "targets": [{"index": INDEX, "source": "s", **target}], **members})


SERVER: Final = {"url": "https://mcp.example.com/mcp", "tools": [{"name": "t", "parsing": {"kind": "json"}}]}

OF_SOURCES: Final[Mapping[str, tuple[str, str]]] = {
    "camelCase": (source(baseFilter=FILTER), "baseFilter"),
    "a misspelling": (source(base_fliter=FILTER), "base_fliter"),
    "upper case": (source(BASE_FILTER=FILTER), "BASE_FILTER"),
    "a trailing space": (source(**{"base_filter ": FILTER}), "base_filter "),
    "an empty name": (source(**{"": FILTER}), ""),
    "a member of a later release": (source(tenant={"field": "tenant_id", "value": "a"}), "tenant"),
    "a null one": (source(baseFilter=None), "baseFilter"),
    "a second null one": (RESTRICTED[:-1] + ', "base_filter": null}', "base_filter"),
    "a second one with an escape": (RESTRICTED[:-1] + ', "base\\u005ffilter": null}', "base_filter"),
    "a second name within hints": (
        RESTRICTED[:-1] + ', "query_hints": {"filters": [{"field": "a", "field": "b"}]}}',
        "query_hints.filters.field",
    ),
    "a server": (source(server={**SERVER, "allowedTools": []}), "server.allowedTools"),
    "a tool": (source(server={**SERVER, "tools": [{"name": "t", "readOnly": True}]}), "server.tools.readOnly"),
    "a tool's parsing": (
        source(server={**SERVER, "tools": [{"name": "t", "parsing": {"kind": "json", "only": "a"}}]}),
        "server.tools.parsing.only",
    ),
    "hints": (source(query_hints={"required": [{"field": "a"}]}), "query_hints.required"),
    "a filter hint": (source(query_hints={"filters": [{"field": "a", "always": True}]}), "query_hints.filters.always"),
    "a boost": (source(query_hints={"boosts": [{"kind": "x"}, {"Boost": 2}]}), "query_hints.boosts.Boost"),
    "within a hint's values": (
        source(query_hints={"filters": {"fieldValues": [["a", {"only": "b"}]]}}),
        "query_hints.filters.fieldValues.only",
    ),
    "the wrong spelling of hints": (
        source(query_hints={"filters": [{"field_values": []}]}),
        "query_hints.filters.field_values",
    ),
    "a hint, called harmless": (
        source(query_hints={"fieldValues": []}, harmless=["query_hints.fieldValues"]),
        "query_hints.fieldValues",
    ),
    "who may read from a browser": (source(cors={"deniedOrigins": ["*"]}), "cors.deniedOrigins"),
    "what ingestion reads": (source(ingestion={"permissionFilter": "a"}), "ingestion.permissionFilter"),
    "within what ingestion reads": (
        source(ingestion={"ingestion_parameters": {"asset_store": {"public": False}}}),
        "ingestion.ingestion_parameters.asset_store.public",
    ),
    "a known one, called harmless": (source(baseFilter=FILTER, harmless=["baseFilter"]), "baseFilter"),
    "the same with a trailing space": (
        source(**{"base_filter ": FILTER, "harmless": ["base_filter "]}),
        "base_filter ",
    ),
    "the same in wide letters": (
        source(**{"\uff42ase filter": FILTER, "harmless": ["\uff42ase filter"]}),
        "\uff42ase filter",
    ),
    "one known elsewhere, called harmless": (source(filtered=True, harmless=["filtered"]), "filtered"),
    "only another is harmless": (source(colour="red", tenant="a", harmless=["colour"]), "tenant"),
    "one that ends like a harmless one": (source(**{"x.colour": "a", "harmless": ["colour"]}), "x.colour"),
    "a list that is none": (source(tenant="a", harmless="tenant"), "tenant"),
    "a list of something else": (source(tenant="a", harmless=["tenant", 7]), "tenant"),
    "a list at another depth": (source(server={**SERVER, "k": 1, "harmless": ["k"]}), "server.k"),
}
OF_AGENTS: Final[Mapping[str, tuple[str, str]]] = {
    "of an agent": (agent(filterAddOn=FILTER), "filterAddOn"),
    "of a target": (agent({"filter": FILTER}), "targets.filter"),
    "a known one at another place": (agent({"base_filter": FILTER}), "targets.base_filter"),
    "the same, called harmless": (agent({"base_filter": FILTER}, harmless=["base_filter"]), "targets.base_filter"),
    "a bound source": (
        agent({"bound": {"name": "s", "index": INDEX, "base_filter": FILTER}}),
        "targets.bound",
    ),
    "a second target's name": (AGENT.replace('"source"', '"source": "none", "source"'), "targets.source"),
    "who may read from a browser": (
        agent(cors={"allowedOrigins": ["a"], "deniedOrigins": ["*"]}),
        "cors.deniedOrigins",
    ),
    "of a model": (
        agent(model={"endpoint": "https://m.openai.azure.com", "deployment": "d", "tenant": "a"}),
        "model.tenant",
    ),
}
IMPLYING: Final = [item for item in OF_SOURCES.items() if item[0] in {"camelCase", "a second null one"}]
"""Of a source that has the name of the agent's index, which the agent names alone."""

HARMLESS: Final[Mapping[str, tuple[str, str]]] = {
    "beside": (AGENT, source(base_filter=FILTER, colour="red", harmless=["colour"])),
    "a known one that is listed": (AGENT, source(base_filter=FILTER, harmless=["base_filter"])),
    "a whole object": (AGENT, source(base_filter=FILTER, look={"colour": "red"}, harmless=["look"])),
    "at any depth": (agent({"hue": 1}, harmless=["hue"]), RESTRICTED),
    "by its path": (agent({"hue": 1}, harmless=["targets.hue"]), RESTRICTED),
    "within hints": (AGENT, source(base_filter=FILTER, query_hints={"hue": 1}, harmless=["query_hints.hue"])),
}


@pytest.fixture(params=["file", "table"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    return str(tmp_path / "store.json") if request.param == "file" else request.getfixturevalue("table_endpoint")


@pytest.fixture
async def write(place: str) -> AsyncIterator[Write]:
    async def in_file(agents: Mapping[str, str], sources: Mapping[str, str]) -> None:
        for kind, texts, suffix in (("agent", agents, ".json"), ("source", sources, ".sources.json")):
            entries = {name: {"etag": f"0x{number}", kind: text} for number, (name, text) in enumerate(texts.items())}
            Path(place).with_suffix(suffix).write_text(json.dumps({f"{kind}s": entries}))

    async def in_table(agents: Mapping[str, str], sources: Mapping[str, str]) -> None:
        async with TableClient(place, TABLE, credential=development_key(place)) as client:
            await client.delete_table()
            await client.create_table()
            for kind, texts in (("agent", agents), ("source", sources)):
                for name, text in texts.items():
                    key = {"PartitionKey": f"{kind}s", "RowKey": name, "Etag": "0x1"}
                    await client.create_entity({**key, kind.title(): text})

    yield in_table if "://" in place else in_file


@pytest.fixture
async def serving(place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[str]:
    """A service over the store, with the local search service and its sample. What the store keeps as 'a' stays."""
    configured = tmp_path / "configured.json"
    configured.write_text(json.dumps([{"name": "a", "models": [], "targetIndexes": [{"indexName": INDEX}]}]))
    published = {"llm-x": {"kb": {"agent": "a", "index": INDEX}}}
    settings = {
        "AGENTS_STORE": place,
        "AGENTS_FILE": str(configured),
        "ADMIN_API_KEYS": ADMIN,
        "LOCAL": "1",
        "WORKSPACES": json.dumps(published),
    }
    for name, value in settings.items():
        monkeypatch.setenv(name, value)
    await compose.end()
    yield place
    await compose.end()


async def doors(post: Post) -> Mapping[str, Response]:
    """The answers to the same question by every door."""
    messages = [{"role": "user", "content": [{"type": "text", "text": QUESTION}]}]
    tool = {"name": "knowledge_base_retrieve", "arguments": {"queries": [QUESTION]}}
    call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": tool}
    studio = f"/llm-x/index/retrieve?{urlencode({'IndexId': 'kb', 'Query': QUESTION})}"
    return {
        "agents": await post(ask(QUESTION, indexName=INDEX, rerankerThreshold=0), f"/agents('a')/retrieve?{OLD}"),
        "bases": await post({"messages": messages}, f"/knowledgebases('a')/retrieve?{NEW}"),
        "answer": await post({"messages": messages}, "/agents/a/answer"),
        "mcp": await post(call, f"/knowledgebases('a')/mcp?{NEW}", headers={"accept": ACCEPT}),
        "studio": await post(b"", studio),
    }


def pages(answer: Response) -> set[str]:
    """The pages of the documents that an answer names."""
    return set(PAGE.findall(answer.body.decode()))


def is_refusal(door: str, answer: Response) -> bool:
    """Whether a door answers that the definition cannot be read: MCP and Model Studio in their own way."""
    status = 503 if door == "studio" else 502
    return answer.status == status or (door == "mcp" and answer.json["result"]["isError"])


async def readiness(host: Host) -> tuple[int, str]:
    compose.readiness.cache_clear()
    ready = await host(WireRequest(method="GET", target="/ready"))
    return ready.status, json.loads(ready.body)["agentStore"]


@pytest.mark.parametrize("texts", [(AGENT, source()), *HARMLESS.values()], ids=["no filter", *HARMLESS])
async def test_every_door_answers_from_what_is_read_whole(
    texts: tuple[str, str], serving: str, write: Write, post: Post
) -> None:
    """Without a filter the planted document is found by every door: so the next test would see it."""
    await write({"a": texts[0]}, {"s": texts[1]})
    for door, answer in (await doors(post)).items():
        assert answer.status == 200, (door, answer.body)
        assert bool(pages(answer) - PERMITTED) is (texts[1] == source()), (door, answer.body)
        assert pages(answer)


@pytest.mark.parametrize(
    ("texts", "named"),
    [
        *(pytest.param((AGENT, text), ("s", member), id=case) for case, (text, member) in OF_SOURCES.items()),
        *(pytest.param((IMPLIED, text), ("s", member), id=f"{case}, implied") for case, (text, member) in IMPLYING),
        *(pytest.param((text, RESTRICTED), ("a", member), id=case) for case, (text, member) in OF_AGENTS.items()),
    ],
)
async def test_nobody_is_answered_without_a_member_that_is_not_known(
    texts: tuple[str, str],
    named: tuple[str, str],
    serving: str,
    write: Write,
    post: Post,
    host: Host,
    caplog: pytest.LogCaptureFixture,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
) -> None:
    of_agent, of_source = texts
    name, told = named[0] if of_agent != IMPLIED else INDEX, f"(unknown or repeated: {named[1]!r}"
    source_name = INDEX if of_agent == IMPLIED else "s"
    await write(
        {"a": of_agent, "other": AGENT.replace('"a"', '"other"').replace('"s"', '"t"')},
        {source_name: of_source.replace('"s"', f'"{source_name}"'), "t": RESTRICTED.replace('"s"', '"t"')},
    )
    for door, answer in (await doors(post)).items():
        assert not pages(answer), door
        assert is_refusal(door, answer), (door, answer.body)
    assert f"{name!r} {told}" in caplog.text
    caplog.clear()
    other = await post(ask(QUESTION, indexName=INDEX, rerankerThreshold=0), f"/agents('other')/retrieve?{OLD}")
    assert (other.status, pages(other)) == (200, PERMITTED)
    assert await readiness(host) == (200, "partlyUnreadable")
    assert f"{name!r} {told}" in caplog.text
    assert await to_thread(main, ["export", str(tmp_path / "definitions.json")]) == 2
    assert f"{name!r} {told}" in capsys.readouterr().err
    await to_thread(main, [])
    assert f"These definitions cannot be read: {name!r} {told}" in capsys.readouterr().out


@pytest.mark.parametrize("place", ["file"], indirect=True)
@pytest.mark.parametrize(
    "entry",
    [
        '{"etag": "0x1", "source": TEXT, "base_filter": "a"}',
        '{"etag": "0x1", "source": RESTRICTED, "source": TEXT}',
        '{"etag": "0x1", "source": RESTRICTED}, "s": {"etag": "0x1", "source": TEXT}',
    ],
)
async def test_an_entry_of_the_file_with_more_than_it_has_stays_unreadable_after_a_write(
    entry: str, serving: str, write: Write, post: Post
) -> None:
    await write({"a": AGENT}, {})
    entry = entry.replace("TEXT", json.dumps(source())).replace("RESTRICTED", json.dumps(RESTRICTED))
    Path(serving).with_suffix(".sources.json").write_text(f'{{"sources": {{"s": {entry}}}}}')
    other = {"name": "t", "kind": "searchIndex", "searchIndexParameters": {"searchIndexName": INDEX}}
    for _ in range(2):
        for door, answer in (await doors(post)).items():
            assert is_refusal(door, answer), (door, answer.body)
        put = await post(other, f"/knowledgesources('t')?{NEW}", method="PUT", key=ADMIN)
        assert put.status in {200, 201, 204}, put.body
        await compose.end()


@pytest.mark.parametrize("content", ['{"sources": {}, "base_filter": "a"}', '{"sources": {}, "sources": {}}'])
@pytest.mark.parametrize("place", ["file"], indirect=True)
async def test_a_file_with_more_than_its_definitions_is_not_read(
    content: str, serving: str, write: Write, post: Post, host: Host
) -> None:
    await write({"a": IMPLIED}, {})
    Path(serving).with_suffix(".sources.json").write_text(content)
    for door, answer in (await doors(post)).items():
        assert is_refusal(door, answer), (door, answer.body)
    assert await readiness(host) == (503, "unavailable")


@pytest.mark.parametrize("place", ["table"], indirect=True)
async def test_another_column_of_a_table_is_not_dropped(
    serving: str, write: Write, post: Post, caplog: pytest.LogCaptureFixture
) -> None:
    await write({"a": AGENT}, {"s": source()})
    async with TableClient(serving, TABLE, credential=development_key(serving)) as client:
        await client.update_entity({"PartitionKey": "sources", "RowKey": "s", "BaseFilter": FILTER})
    for door, answer in (await doors(post)).items():
        assert is_refusal(door, answer), (door, answer.body)
    assert "'s' (unknown or repeated: 'BaseFilter')" in caplog.text


FILES: Final[Mapping[str, tuple[str, tuple[str, str]]]] = {
    **{
        f"source, {case}": (f'{{"storedSources": [{text}]}}', ("'s'", member))
        for case, (text, member) in OF_SOURCES.items()
        if "harmless" not in text
    },
    **{
        f"agent, {case}": (f'{{"storedSources": [{RESTRICTED}], "storedAgents": [{text}]}}', ("'a'", member))
        for case, (text, member) in OF_AGENTS.items()
        if "harmless" not in text
    },
    **{
        case: (
            f'{{"storedAgents": [{of_agent}], "storedSources": [{of_source}]}}',
            ("'s'" if of_agent == AGENT else "'a'", "harmless"),
        )
        for case, (of_agent, of_source) in HARMLESS.items()
    },
    "the words of a version": (
        '{"knowledgeSources": [{"name": "s", "kind": "searchIndex", "searchIndexParameters":'
        ' {"searchIndexName": "i", "base_filter": "a"}}]}',
        ("'s'", "base_filter"),
    ),
    "the words of a version, twice": (
        '{"knowledgeSources": [{"name": "s", "kind": "searchIndex", "searchIndexParameters":'
        ' {"searchIndexName": "i", "baseFilter": "a", "baseFilter": null}}]}',
        ("'s'", "baseFilter"),
    ),
    "a part twice": (
        f'{{"storedSources": [{RESTRICTED}], "storedSources": [{source()}]}}',
        ("'storedSources'", "storedSources"),
    ),
}


@pytest.mark.parametrize("place", ["file"], indirect=True)
@pytest.mark.parametrize(("content", "named"), FILES.values(), ids=FILES)
async def test_a_file_of_definitions_with_such_a_member_is_refused(
    content: str,
    named: tuple[str, str],
    serving: str,
    post: Post,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    capsys: pytest.CaptureFixture[str],
) -> None:
    file = tmp_path / "definitions.json"
    file.write_text(content)
    assert await to_thread(main, ["import", str(file)]) == 2
    sentence = capsys.readouterr().err
    assert all(name in sentence for name in named), sentence
    assert not Path(serving).exists()
    monkeypatch.setenv("AGENTS_FILE", str(file))
    await compose.end()
    answer = await post(ask(QUESTION), f"/agents('a')/retrieve?{OLD}")
    assert answer.status == 503
    assert all(name in caplog.text for name in named)


@dataclass(frozen=True, slots=True, kw_only=True)
class LaterSource(Source):
    """A source of a later release, with a restriction and a remark."""

    tenant: str | None = None
    colour: str | None = None


LATER: Final[Kind[Source]] = replace(SOURCES, adapter=cache(lambda: TypeAdapter(LaterSource)), harmless=("colour",))


async def test_of_two_releases_over_one_store_the_earlier_refuses_what_it_cannot_honour(
    serving: str, write: Write, post: Post, host: Host, capsys: pytest.CaptureFixture[str]
) -> None:
    def later(**members: str) -> str:
        return LATER.write(Stored(value=LaterSource(name="s", index=INDEX, **members), etag="0x1"))  # type: ignore[arg-type]

    await write({"a": AGENT}, {"s": later(base_filter=FILTER, colour="red")})
    for door, answer in (await doors(post)).items():
        assert (answer.status, pages(answer)) == (200, PERMITTED), (door, answer.body)
    assert await readiness(host) == (200, "differing")
    await to_thread(main, [])
    assert "Members of a later release are ignored, as it allows: of 's' 'colour'." in capsys.readouterr().out
    restricted = later(base_filter=FILTER, colour="red", tenant="a")
    await write({"a": AGENT}, {"s": restricted})
    await compose.end()
    for door, answer in (await doors(post)).items():
        assert is_refusal(door, answer), (door, answer.body)
    assert LATER.read(restricted, name="s", etag="0x1") == Stored(
        value=LaterSource(name="s", index=INDEX, base_filter=FILTER, colour="red", tenant="a"), etag="0x1"
    )


async def test_a_source_that_is_in_use_is_not_deleted_although_it_cannot_be_read(
    serving: str, write: Write, post: Post
) -> None:
    await write({"a": AGENT}, {"s": source(tenant="a"), "t": source(tenant="a").replace('"s"', '"t"')})

    async def deletion(name: str, **headers: str) -> Response:
        path = f"/knowledgesources('{name}')?{NEW}"
        return await post(b"", path, method="DELETE", key=ADMIN, headers=headers)

    used = await deletion("s")
    assert used.status == 409
    assert "'a'" in used.json["error"]["message"]
    stored = json.loads((await post(b"", f"/knowledgesources?{NEW}", method="GET", key=ADMIN)).body)
    etags = {one["name"]: one["@odata.etag"] for one in stored["value"]}
    assert (await deletion("s", **{"if-match": etags["s"]})).status == 409
    assert (await deletion("s", **{"if-match": '"0xFF"'})).status == 412
    assert (await deletion("t", **{"if-match": etags["t"]})).status == 204


@pytest.mark.parametrize(("agent_text", "source_text"), HARMLESS.values(), ids=HARMLESS)
async def test_an_export_and_an_import_name_what_they_lose(
    agent_text: str, source_text: str, serving: str, write: Write, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    await write({"a": agent_text}, {"s": source_text})
    ignored = {
        "agent a": AGENTS.read(agent_text, name="a", etag="-"),
        "source s": SOURCES.read(source_text, name="s", etag="-"),
    }
    lost = {name: entry.ignored for name, entry in ignored.items() if isinstance(entry, Stored) and entry.ignored}
    file = tmp_path / "definitions.json"
    assert await to_thread(main, ["export", str(file)]) == 0
    told = capsys.readouterr().err
    assert [line.split(" of the ")[1].split(":")[0] for line in told.splitlines()] == list(lost)
    assert all(f"{member!r} of the {name}:" in told for name, members in lost.items() for member in members)
    file.write_text(json.dumps({"knowledgeSources": [], "knowledgeBases": []}))
    assert await to_thread(main, ["import", str(file), "--delete", "--dry-run"]) == 1
    told = capsys.readouterr().out
    assert all(f"delete {name} (loses {member!r})" in told for name, members in lost.items() for member in members)


@pytest.mark.parametrize(
    "text",
    [
        source(created={"tenant": "a", "indexer": "b"}, kind="file"),
        source(ingestion={"identity": {"base_filter": {"a": 1}}, "embedding_model": {"x": [{"y": 1}]}}, kind="file"),
        agent(tags={"base_filter": "a", "": "b", "harmless": "c"}),
    ],
)
def test_names_that_callers_choose_are_any(text: str) -> None:
    kind: Kind[Any] = SOURCES if '"s"' in text.partition(",")[0] else AGENTS
    kept = kind.read(text, name=json.loads(text)["name"], etag="-")
    assert isinstance(kept, Stored)
    assert json.loads(kind.write(kept)) == {**json.loads(text), **({"seed": kept.seed} if kept.seed else {})}


def names_in(shape: type[BaseModel], spell: Callable[[str], str]) -> Mapping[str, Any]:
    """The names of a shape's members, each with the names within it; None where callers choose those."""
    names: dict[str, Any] = {}
    for name, member in shape.model_fields.items():
        within = [names_in(inner, spell) for inner in shapes_in(member.annotation)]
        names[spell(name)] = None if "dict[" in str(member.annotation) else reduce(joined, within, {})
    return names


def joined(one: Mapping[str, Any] | None, other: Mapping[str, Any] | None) -> Any:
    """The names of both."""
    if one is None or other is None:
        return None
    return {**one, **{name: joined(one.get(name, {}), within) for name, within in other.items()}}


def test_the_names_within_members_are_those_of_all_versions() -> None:
    shapes = [contract.shape for route, _, contract in definition_contracts() if route == "knowledgesources"]
    sources = reduce(joined, [names_in(shape, str) for shape in shapes])
    ingested = reduce(joined, [sources[parameters_of(kind)] for kind in INGESTED])
    ours = {"query_hints", "created_resources"}
    assert SOURCES.parts == {
        "query_hints": reduce(joined, [names_in(QueryHints, to_camel)]),
        "cors": names_in(CorsOptions, to_camel),
        "ingestion": {name: within for name, within in ingested.items() if name not in ours},
    }
    assert AGENTS.parts == {"cors": SOURCES.parts["cors"]}


@NEEDS_MCP_SERVERS
@NEEDS_BASES_OF_STUDIO
async def test_what_release_0_1_0_wrote_is_read_whole(serving: str, write: Write, tmp_path: Path) -> None:
    texts = [
        {name: entry[kind] for name, entry in json.loads((WRITTEN / file).read_text())[f"{kind}s"].items()}
        for kind, file in (("agent", "agents.json"), ("source", "agents.sources.json"))
    ]
    await write(*texts)
    exported = tmp_path / "definitions.json"
    assert await to_thread(main, ["export", str(exported)]) == 0
    assert json.loads(exported.read_text()) == json.loads((WRITTEN / "exported.json").read_text())
    for kind, of_kind in zip((AGENTS, SOURCES), texts, strict=True):
        for name, text in of_kind.items():
            kept = kind.read(text, name=name, etag="0x1")  # type: ignore[attr-defined]
            assert isinstance(kept, Stored) and kept.ignored == ()
            assert kind.write(kept) == text  # type: ignore[attr-defined]
    assert await to_thread(main, ["import", str(WRITTEN / "exported.json"), "--dry-run"]) == 0
