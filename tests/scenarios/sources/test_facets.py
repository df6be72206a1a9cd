"""Facets that a question names: the order of documents over HTTP, and what comes of facets that cannot be read."""

import asyncio
import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any, Final

import pytest
from azure.core.credentials import AzureKeyCredential

from retrieval import compose
from retrieval.call.ports import Ports
from retrieval.filters import odata
from retrieval.local.wire import WireRequest, WireService
from retrieval.model.conversation import Message, Prompt, Reply
from retrieval.model.definitions import IndexFields
from retrieval.model.retrieval import Limits, RetrievalRequest
from retrieval.model.search import Facets, SearchTarget
from retrieval.ports import Hear
from retrieval.retrieve import retrieve_documents
from retrieval.sources.search_index.definition import read_index_fields
from retrieval.sources.search_index.definition_cache import FacetCache
from retrieval.sources.search_index.index import AzureSearchIndex
from tests.openapi.exchanges import open_watched
from tests.scenarios.failures.conftest import pytest_asyncio_loop_factories
from tests.scripted_azure import ScriptedAzure, answering, document, failing, found, stalling

__all__ = ["pytest_asyncio_loop_factories"]

PAPERS: Final = ("Harbour Post", "Reef Tidings", "Cape Courier")
TEXTS: Final = (
    "In the night the storm broke the pier and many boats.",
    "A storm broke two windows of the school.",
    "One more storm came from the north.",
    "The bakery opens at six and sells bread.",
    "A ferry leaves for the islands at noon.",
    "The choir sings in the hall on Sunday.",
)
DOCUMENTS: Final = [
    {
        "_id": f"{at}-{paper[:4].lower()}",
        "title": f"Page {at}",
        "text": text,
        "paper": paper,
        "published": f"{2020 + at}-05-01T00:00:00Z",
    }
    for at, text in enumerate(TEXTS)
    for paper in PAPERS
]
ASKED: Final = "Which storm broke windows of the school"

EVERY_SCORE: Final = {
    "knowledgeSourceParams": [{"knowledgeSourceName": "papers", "kind": "searchIndex", "rerankerThreshold": 0}]
}

Ask = Callable[..., Any]


@pytest.fixture(scope="module")
def ask(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ask]:
    """Posts a body to a path of a deployment with the papers loaded; the parsed answer."""
    path = tmp_path_factory.mktemp("papers") / "papers.jsonl"
    path.write_text("\n".join(map(json.dumps, DOCUMENTS)), encoding="utf-8")
    with asyncio.Runner() as runner, pytest.MonkeyPatch.context() as patch:
        host = runner.run(open_watched())
        settings = {"LOCAL": "1", "LOCAL_CORPORA": json.dumps({"papers": str(path)}), "API_KEYS": "k"}
        for name, value in settings.items():
            patch.setenv(name, value)
        runner.run(compose.end())

        def post(target: str, body: object) -> Any:
            content = json.dumps(body).encode()
            headers = (("api-key", "k"), ("content-length", str(len(content))))
            answered = runner.run(host(WireRequest(method="POST", target=target, headers=headers, body=content)))
            assert answered.status == 200, answered.body
            return json.loads(answered.body)

        yield post
        runner.run(compose.end())


def retrieved(ask: Ask, question: str, **more: object) -> Any:
    body = {"messages": [{"role": "user", "content": [{"type": "text", "text": question}]}], **EVERY_SCORE, **more}
    return ask("/knowledgebases/papers/retrieve?api-version=2026-08-01-preview", body)


def keys(answer: Any) -> list[str]:
    """The documents in the order of their ids."""
    return [one["docKey"] for one in sorted(answer["references"], key=lambda one: int(one["id"]))]


def test_documents_of_the_paper_that_is_named_come_first_and_none_is_lost(ask: Ask) -> None:
    plain, of_reef = retrieved(ask, f"{ASKED}?"), retrieved(ask, f"{ASKED}, says the Reef Tidings?")
    assert keys(plain)[:6] == ["1-harb", "1-reef", "1-cape", "0-harb", "0-reef", "0-cape"]
    assert keys(of_reef)[:6] == ["1-reef", "1-harb", "1-cape", "0-reef", "2-reef", "0-harb"]
    assert set(keys(of_reef)) == set(keys(plain))
    score = {
        key: one["rerankerScore"]
        for answer in (plain, of_reef)
        for one in answer["references"]
        for key in [one["docKey"]]
    }
    assert score["2-reef"] <= score["0-harb"], "no score is raised"


def test_documents_of_the_year_that_is_named_come_first(ask: Ask) -> None:
    unknown, known = (keys(retrieved(ask, f"{ASKED} in {year}?")) for year in (1999, 2022))
    assert {key[0] for key in unknown[3:6]} == {"0"}
    assert {key[0] for key in known[3:6]} == {"2"}


def test_the_record_says_it_and_the_source_data_is_as_without(ask: Ask) -> None:
    asked = {"knowledgeSourceParams": [PARAMS], "includeActivity": True}
    answer = retrieved(ask, f"{ASKED}, says the Reef Tidings?", **asked)
    (search,) = (one for one in answer["activity"] if one["type"] == "searchIndex")
    assert "ranked higher for a value that the question names: 3." in search["warning"]
    assert all(set(one["sourceData"]) == {"id", "title", "text"} for one in answer["references"])
    plain = retrieved(ask, f"{ASKED}?", **asked)
    assert all("ranked higher" not in str(one.get("warning")) for one in plain["activity"])


PARAMS: Final = {
    "knowledgeSourceName": "papers",
    "kind": "searchIndex",
    "includeReferences": True,
    "includeReferenceSourceData": True,
}


def test_what_a_caller_planned_is_searched_as_it_stands(ask: Ask) -> None:
    question = f"{ASKED}, says the Reef Tidings?"
    intents = {"intents": [{"type": "semantic", "search": question}], **EVERY_SCORE}
    target = "/knowledgebases/papers/retrieve?api-version=2026-08-01-preview"
    stated = retrieved(ask, question, retrievalReasoningEffort={"kind": "low"})
    assert keys(ask(target, intents)) != keys(stated)


def test_an_answer_prefers_them_too(ask: Ask) -> None:
    body = {"messages": [{"role": "user", "content": [{"type": "text", "text": f"{ASKED}, says the Reef Tidings?"}]}]}
    answer = ask("/agents/papers/answer", {**body, "limits": {"rerankerThreshold": 0}})
    assert [one["doc_key"] for one in answer["selected"]] == ["1-reef", "0-reef", "2-reef"]


FIELDS: Final = IndexFields(
    key="id", title="title", content=("content",), facets=("paper",), dates=("published",), languages=("de",)
)
TARGET: Final = SearchTarget(index="papers", threshold=1.0)
FACETS: Final = {"@search.facets": {"paper": [{"value": "Reef Tidings", "count": 3}]}, "value": []}
PAGE: Final = found(
    document("1", 3.0, title="Storm", content="A storm.", paper="Harbour Post"),
    document("2", 2.0, title="Storm", content="A storm.", paper="Reef Tidings"),
    document("3", 0.5, title="Storm", content="A storm.", paper="Reef Tidings"),
)


def by_facets(facets: WireService) -> WireService:
    """The script for searches that ask for facets; others find the page."""

    async def answer(request: WireRequest) -> Any:
        return await (facets if b'"facets"' in request.body else PAGE)(request)

    return answer


@pytest.fixture
async def index(azure: ScriptedAzure) -> Any:
    index = AzureSearchIndex(azure.address, AzureKeyCredential("key"), fields={"papers": FIELDS})
    yield index
    await index.close()


async def scores(index: AzureSearchIndex, question: str = "What broke, says the Reef Tidings?") -> list[float | None]:
    request = RetrievalRequest(
        messages=(Message(role="user", text=question),),
        targets=(TARGET,),
        limits=Limits(output_tokens=5_000, runtime=10),
    )
    outcome = await retrieve_documents.retrieve(request, Ports(index=index, model=None, clock=_clock, facets=index))
    return [one.hit.score for one in outcome.references]


class Reader:
    """A model that keeps what it was told."""

    def __init__(self) -> None:
        self.told: dict[str, Any] = {}

    async def complete(self, prompt: Prompt, *, hear: Hear | None = None) -> Reply:
        self.told = json.loads(prompt.data)
        return Reply(text=json.dumps({"queries": ["storm"]}), input_tokens=1, output_tokens=1)


def _clock() -> datetime:
    return datetime(2026, 1, 1, tzinfo=UTC)


async def test_facets_are_read_once_without_a_ranker_and_a_threshold_keeps_its_meaning(
    azure: ScriptedAzure, index: AzureSearchIndex
) -> None:
    azure.search = by_facets(answering(FACETS))
    assert await scores(index) == [3.0, 2.0]
    assert await scores(index) == [3.0, 2.0]
    (asked,) = (one.json for one in azure.searches if "facets" in one.json)
    assert asked == {"search": "*", "top": 0, "facets": ["paper,count:300"]}
    assert [one.json["select"] for one in azure.searches if "facets" not in one.json] == ["id,title,content,paper"] * 2


SAMPLES: Final = {"paper": ["Reef Tidings"]}


@pytest.mark.parametrize(
    ("limits", "shown", "values"),
    [
        ({}, True, SAMPLES),
        ({}, False, None),
        ({"user_token": "token"}, True, None),
        ({"targets": (replace(TARGET, filter=odata.read("paper eq 'Cape Courier'")),)}, True, None),
    ],
    ids=["nothing keeps documents away", "the deployment does", "a user's permissions do", "a filter does"],
)
async def test_a_plan_knows_the_languages_and_only_values_that_the_caller_may_see(
    limits: dict[str, Any], shown: bool, values: object, azure: ScriptedAzure, index: AzureSearchIndex
) -> None:
    azure.search, model = by_facets(answering(FACETS)), Reader()
    request = RetrievalRequest(
        messages=(Message(role="user", text="What broke?"),),
        targets=(TARGET,),
        limits=Limits(output_tokens=5_000, runtime=10),
    )
    request = replace(request, **limits)
    await retrieve_documents.retrieve(
        request, Ports(index=index, model=model, clock=_clock, facets=index, values_shown=shown)
    )
    assert model.told["languages"] == ["de"]
    assert model.told.get("values") == values


def test_a_field_that_says_who_may_see_a_document_is_no_facet_and_no_date() -> None:
    """So neither a plan's `values` nor the date that a writer reads comes of it."""
    roles = {"titleField": {"fieldName": "title"}}
    flags = {"filterable": True, "facetable": True}
    definition = {
        "name": "papers",
        "fields": [
            {"name": "id", "type": "Edm.String", "key": True},
            {"name": "title", "type": "Edm.String"},
            {"name": "groups", "type": "Collection(Edm.String)", **flags, "permissionFilter": "groupIds"},
            {"name": "until", "type": "Edm.DateTimeOffset", **flags, "permissionFilter": "userIds"},
            {"name": "hidden", "type": "Edm.DateTimeOffset", **flags, "retrievable": False},
            {"name": "paper", "type": "Edm.String", **flags},
            {"name": "published", "type": "Edm.DateTimeOffset", **flags},
        ],
        "semantic": {"configurations": [{"name": "usual", "prioritizedFields": roles}]},
    }
    fields = read_index_fields("papers", json.dumps(definition).encode())
    assert (fields.facets, fields.dates) == (("paper",), ("published",))


def test_the_languages_are_those_of_the_analyzers() -> None:
    roles = {"titleField": {"fieldName": "title"}, "prioritizedContentFields": [{"fieldName": "text"}]}
    definition = {
        "name": "papers",
        "fields": [
            {"name": "id", "type": "Edm.String", "key": True, "analyzer": "fr.lucene"},
            {"name": "title", "type": "Edm.String", "analyzer": "pt-BR.microsoft"},
            {"name": "text", "type": "Edm.String", "analyzer": None, "searchAnalyzer": "de.lucene"},
            {"name": "more", "type": "Edm.String", "analyzer": "standard.lucene"},
        ],
        "semantic": {"configurations": [{"name": "usual", "prioritizedFields": roles}]},
    }
    assert read_index_fields("papers", json.dumps(definition).encode()).languages == ("pt-BR", "de")


async def test_a_question_that_names_nothing_is_searched_as_before(
    azure: ScriptedAzure, index: AzureSearchIndex
) -> None:
    azure.search = by_facets(answering(FACETS))
    assert await scores(index, "What broke?") == [3.0, 2.0]
    assert azure.searches[-1].json["select"] == "id,title,content"


@pytest.mark.parametrize(
    "facets",
    [
        failing(400),
        failing(403),
        stalling(),
        answering(b"<html>"),
        answering([]),
        answering({"@search.facets": []}),
        answering({"@search.facets": {"paper": [7, None, {"value": None}, {"value": ["x"]}, {}]}}),
        answering({"@search.facets": {"paper": "Reef Tidings"}}),
        answering(b'{"@search.facets": ' + b"[" * 5_000 + b"]" * 5_000 + b"}"),
    ],
    ids=["400", "403", "silent", "html", "list", "facets-list", "values", "text", "deep"],
)
async def test_facets_that_cannot_be_read_change_nothing(
    azure: ScriptedAzure, index: AzureSearchIndex, facets: WireService
) -> None:
    azure.search = by_facets(facets)
    assert await scores(index) == [3.0, 2.0]
    assert await scores(index) == [3.0, 2.0]


async def test_old_facets_serve_while_they_are_read_again() -> None:
    read: list[Facets] = []

    async def reading(index: str) -> Facets:
        await asyncio.sleep(0)
        read.append(Facets())
        return read[-1]

    kept = FacetCache(reading, seconds=0)
    assert await kept.of("papers") is read[0]
    assert await kept.of("papers") is read[0]
    await asyncio.sleep(0.01)
    assert await kept.of("papers") is read[1]
    await kept.close()


async def test_while_facets_are_read_other_calls_do_without(azure: ScriptedAzure, index: AzureSearchIndex) -> None:
    azure.search = by_facets(stalling())
    first = asyncio.create_task(scores(index))
    await azure.asked("search", 1)
    assert await scores(index) == [3.0, 2.0]
    assert not first.done()
    assert await first == [3.0, 2.0]
