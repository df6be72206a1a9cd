"""The local services as another project opens them: over HTTP and in this process, of folders and definitions."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final
from urllib.request import urlopen

import pytest
from azure.search.documents import SearchClient
from azure.search.documents.aio import SearchClient as AsyncSearchClient
from azure.search.documents.knowledgebases import KnowledgeBaseRetrievalClient

from retrieval.local.testing import (
    CannotStart,
    Options,
    Refused,
    RunningRetrieval,
    RunningSearch,
    retrieval_service,
    search_service,
)

QUESTION: Final = "How many days of holiday?"
BOATS: Final[dict[str, Any]] = {
    "name": "boats",
    "fields": [
        {"name": "id", "type": "Edm.String", "key": True},
        {"name": "text", "type": "Edm.String", "searchable": True, "analyzer": "en.lucene"},
    ],
    "semantic": {
        "defaultConfiguration": "default",
        "configurations": [
            {"name": "default", "prioritizedFields": {"prioritizedContentFields": [{"fieldName": "text"}]}}
        ],
    },
}
DEFINITIONS: Final[dict[str, Any]] = {
    "indexes": [BOATS],
    "documents": {"boats": [{"id": "ketch", "text": "A ketch has two masts."}, {"id": "punt", "text": "None."}]},
    "knowledgeSources": [
        {"name": "boats-source", "kind": "searchIndex", "searchIndexParameters": {"searchIndexName": "boats"}}
    ],
    "knowledgeBases": [{"name": "harbour", "knowledgeSources": [{"name": "boats-source"}]}],
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "leave.md").write_text("# Holidays\n\nEverybody has thirty days of holiday.\n")
    return tmp_path


@pytest.fixture(params=[False, True], ids=["http", "in process"])
def in_process(request: pytest.FixtureRequest) -> bool:
    return bool(request.param)


@pytest.fixture
def harbour(in_process: bool) -> Iterator[RunningRetrieval]:
    with retrieval_service(Options(definitions=DEFINITIONS, in_process=in_process)) as service:
        yield service


def test_a_folder_is_a_base_that_answers(folder: Path, in_process: bool) -> None:
    with retrieval_service(Options(load={"handbook": folder}, in_process=in_process)) as service:
        [passage] = service.retrieve(QUESTION)
        sample = service.retrieve("gas flares", base="earth-at-night")
    assert "thirty days" in passage.content
    assert passage.title == "Holidays"
    assert passage.score is not None and 0 < passage.score <= 4
    assert sample[0].content


def test_definitions_are_made_as_a_client_would_make_them(harbour: RunningRetrieval) -> None:
    assert [passage.key for passage in harbour.retrieve("masts of a ketch")] == ["ketch"]
    harbour.call("DELETE", "/knowledgebases/harbour")
    with pytest.raises(Refused, match="404"):
        harbour.retrieve("masts")


def test_clients_of_azure_reach_both_sides_of_the_service(harbour: RunningRetrieval) -> None:
    asked = {"intents": [{"type": "semantic", "search": "masts of a ketch"}]}
    with KnowledgeBaseRetrievalClient(knowledge_base_name="harbour", **harbour.connect()) as client:
        assert client.retrieve(asked).references
    with SearchClient(index_name="boats", **harbour.connect(admin=True)) as boats:
        boats.upload_documents([{"id": "yawl", "text": "A yawl has two masts too."}])
    assert {found["id"] for found in harbour.search("boats", "masts")} == {"ketch", "yawl"}


async def test_an_asynchronous_client_reaches_it(in_process: bool) -> None:
    with search_service(Options(definitions=DEFINITIONS, in_process=in_process)) as service:
        async with AsyncSearchClient(index_name="boats", **service.connect_async()) as boats:
            assert [found["id"] async for found in await boats.search("masts")] == ["ketch"]


def test_a_search_service_takes_what_it_has_of_the_definitions(folder: Path, in_process: bool) -> None:
    options = Options(load={"handbook": folder}, definitions=DEFINITIONS, in_process=in_process)
    with search_service(options) as service:
        assert {one["name"] for one in service.call("GET", "/indexes")["value"]} == {"handbook", "boats"}
        assert service.search("handbook", "holiday", top=1)[0]["title"] == "Holidays"
        with pytest.raises(Refused, match="403"):
            service.call("DELETE", "/indexes/boats", admin=False)


def test_services_stand_side_by_side_and_share_nothing(folder: Path, in_process: bool) -> None:
    options = Options(load={"handbook": folder}, in_process=in_process)
    with retrieval_service(options) as first, retrieval_service(options) as second:
        first.call("DELETE", "/indexes/handbook")
        with pytest.raises(Refused, match="has no such index"):
            first.retrieve(QUESTION)
        assert second.retrieve(QUESTION)


def test_the_keys_are_those_of_the_options(folder: Path, in_process: bool) -> None:
    options = Options(load={"handbook": folder}, key="our-own-key-1", admin_key="our-own-key-2", in_process=in_process)
    with retrieval_service(options) as service:
        assert service.retrieve(QUESTION)
        known = RunningRetrieval(
            address=service.address, service=service.service, key="local-dev-key", admin_key="x", base="handbook"
        )
        with pytest.raises(Refused, match="403"):
            known.retrieve(QUESTION)
    assert "our-own-key" not in repr(service) + repr(options)


def test_settings_are_given_and_never_those_of_the_environment(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    monkeypatch.setenv("BASE_PATH", "elsewhere")
    monkeypatch.setenv("API_KEYS", "of-the-shell")
    options = Options(load={"handbook": folder}, settings={"BASE_PATH": "ours"})
    with retrieval_service(options) as service:
        assert json.loads(urlopen(f"{service.address}/ready").read())["status"] == "ready"
        assert service.call("GET", "/ours/knowledgebases")["value"]
        with pytest.raises(Refused, match="404"):
            service.call("GET", "/elsewhere/knowledgebases")


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (Options(load={"handbook": "/nowhere"}), "load: 'handbook': there is no file or folder /nowhere"),
        (Options(load={"x": Path(__file__).parent}), "'x' cannot name an index: 2 to 128 lower-case"),
        (Options(definitions="/nowhere.json"), "definitions: /nowhere.json cannot be read"),
        (Options(definitions={"skillsets": []}), "'skillsets' is none of synonymMaps, indexes, documents"),
        (Options(definitions={"indexes": {"name": "x"}}), "indexes: an array of objects with a name"),
        (Options(definitions={"indexes": [{**BOATS, "fields": []}]}), "indexes: PUT /indexes.*400"),
        (Options(definitions={"indexes": [BOATS], "documents": {"boats": [{"id": "1", "name": "x"}]}}), "'name'"),
    ],
)
def test_what_cannot_start_says_what_to_change(options: Options, sentence: str) -> None:
    with pytest.raises(CannotStart, match=sentence), search_service(options):
        pass


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (Options(settings={"AGENT_EFFORT": "much"}), "AGENT_EFFORT"),
        (Options(definitions={"knowledgeBases": [{"name": "x", "knowledgeSources": [{"name": "y"}]}]}), "'y'"),
    ],
)
def test_a_retrieval_service_that_cannot_start_says_why(options: Options, sentence: str) -> None:
    with pytest.raises(CannotStart, match=sentence), retrieval_service(options):
        pass


def test_a_port_is_free_again_after_the_block() -> None:
    with search_service() as service:
        address = service.address
    with pytest.raises(OSError):
        RunningSearch(address=address, key="x", admin_key="x").call("GET", "/indexes")
