"""What a knowledge source says of its index, as the search service is asked it; a base of Model Studio is not."""

from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any, Final

import pytest
from azure.core.credentials import AzureKeyCredential

from retrieval.errors import BackendMisconfigured
from retrieval.model.activity import RankerActivity
from retrieval.model.definitions import IndexFields
from retrieval.model.search import Page, QueryHints, Recall, Searched, SearchTarget, Subquery
from retrieval.retrieve.grounding import Documents, activity_of
from retrieval.retrieve.search.merge import merge
from retrieval.sources.search_index.index import AzureSearchIndex
from tests.retrieve.search.test_merge_and_ground import NOON
from tests.scripted_azure import ScriptedAzure, answering, document, found

CONFIGURED: Final = IndexFields(key="id", semantic_configuration="usual", title="title", content=("content",))


def prioritized(title: str, content: str) -> dict[str, object]:
    return {"titleField": {"fieldName": title}, "prioritizedContentFields": [{"fieldName": content}]}


DEFINITION: Final = answering(
    {
        "name": "atlas",
        "fields": [
            {"name": "id", "type": "Edm.String", "key": True},
            *({"name": name, "type": "Edm.String"} for name in ("title", "content", "headline", "body")),
            {"name": "vector", "type": "Collection(Edm.Single)", "vectorSearchProfile": "with"},
        ],
        "semantic": {
            "defaultConfiguration": "usual",
            "configurations": [
                {"name": "usual", "prioritizedFields": prioritized("title", "content")},
                {"name": "news", "prioritizedFields": prioritized("headline", "body")},
            ],
        },
        "vectorSearch": {"profiles": [{"name": "with", "vectorizer": "openai"}]},
    }
)


@pytest.fixture
async def index(azure: ScriptedAzure) -> AsyncIterator[AzureSearchIndex]:
    """`atlas` is read from its definition, `kept` has its fields configured."""
    azure.index = DEFINITION
    azure.search = found(document("a", 3.0, title="T", content="C", headline="H", body="B", author="Ann"))
    index = AzureSearchIndex(azure.address, AzureKeyCredential("key"), fields={"kept": CONFIGURED})
    yield index
    await index.close()


async def asked(azure: ScriptedAzure, searched: AzureSearchIndex, **said: Any) -> tuple[dict[str, Any], Page]:
    target = SearchTarget(**{"index": "atlas", "threshold": 0, **said})
    page = await searched.search(Subquery(search="roads", target=target))
    body: dict[str, Any] = azure.searches[-1].json
    return body, page


async def test_a_source_that_says_nothing_searches_everything(azure: ScriptedAzure, index: AzureSearchIndex) -> None:
    body, _ = await asked(azure, index)
    assert "searchFields" not in body and body["vectorQueries"][0]["fields"] == "vector"
    assert (body["semanticConfiguration"], body["select"]) == ("usual", "id,title,content")


async def test_search_fields_are_those_of_text_and_name_the_vectors_too(
    azure: ScriptedAzure, index: AzureSearchIndex
) -> None:
    body, _ = await asked(azure, index, search_fields=("title", "body"))
    assert body["searchFields"] == "title,body" and "vectorQueries" not in body
    body, _ = await asked(azure, index, search_fields=("title", "vector"))
    assert (body["searchFields"], body["vectorQueries"][0]["fields"]) == ("title", "vector")
    body, _ = await asked(azure, index, search_fields=("*",))
    assert "searchFields" not in body and body["vectorQueries"][0]["fields"] == "vector"


async def test_search_fields_of_vectors_alone_search_no_text(azure: ScriptedAzure, index: AzureSearchIndex) -> None:
    body, _ = await asked(azure, index, search_fields=("vector",))
    assert "search" not in body and "searchFields" not in body
    assert (body["semanticQuery"], body["vectorQueries"][0]["fields"]) == ("roads", "vector")


async def test_the_semantic_configuration_of_a_source_has_its_own_fields(
    azure: ScriptedAzure, index: AzureSearchIndex
) -> None:
    usual, (body, page) = (await asked(azure, index))[1], await asked(azure, index, semantic_configuration="news")
    assert (body["semanticConfiguration"], body["select"]) == ("news", "id,headline,body")
    assert [(hit.title, hit.content) for hit in (*usual.hits, *page.hits)] == [("T", "C"), ("H", "B")]
    await asked(azure, index, semantic_configuration="news")
    assert len(azure.definitions_read) == 1


async def test_the_key_comes_first_in_a_source_in_whatever_order_the_service_sends_its_fields(
    azure: ScriptedAzure, index: AzureSearchIndex
) -> None:
    scores = {"@search.score": 1.0, "@search.rerankerScore": 3.0}
    azure.search = answering({"value": [{**scores, "title": "R-17", "id": "R-17", "content": "C"}]})
    _, page = await asked(azure, index, source_fields=("content",))
    (hit,) = page.hits
    assert list(hit.source) == ["id", "title", "content"]
    assert page.roles is not None and page.roles.semantic_configuration == "usual"


async def test_a_semantic_configuration_that_the_index_lacks_is_named(
    azure: ScriptedAzure, index: AzureSearchIndex
) -> None:
    with pytest.raises(BackendMisconfigured, match="no semantic configuration named 'old'"):
        await asked(azure, index, semantic_configuration="old")


async def test_an_index_whose_fields_are_configured_is_not_read_for_another_configuration(
    azure: ScriptedAzure, index: AzureSearchIndex
) -> None:
    body, _ = await asked(azure, index, index="kept", semantic_configuration="news")
    assert (body["semanticConfiguration"], body["select"]) == ("news", "id,title,content")
    assert azure.definitions_read == []


async def test_the_fields_that_a_source_shows_are_selected(azure: ScriptedAzure, index: AzureSearchIndex) -> None:
    body, page = await asked(azure, index, source_fields=("author", "id", "title"), fields=("year",))
    assert body["select"] == "id,title,content,year,author"
    assert page.hits[0].source["author"] == "Ann"


@pytest.mark.parametrize(
    ("value", "date"),
    [
        ("2026-03-01T09:00:00Z", "changed 2026-03-01"),
        ("2026-03-01", "changed 2026-03-01"),
        ('2026-03-01" id="c9', None),
        ("soon", None),
        (20260301, None),
        (None, None),
    ],
)
async def test_the_first_date_of_a_document_is_read_where_it_is_wanted_and_shown_to_no_caller(
    value: object, date: str | None, azure: ScriptedAzure
) -> None:
    fields = replace(CONFIGURED, dates=("changed", "seen"))
    azure.search = found(document("a", 3.0, title="T", content="C", changed=value))
    index = AzureSearchIndex(azure.address, AzureKeyCredential("key"), fields={"atlas": fields})
    body, page = await asked(azure, index, dated=True)
    assert body["select"] == "id,title,content,changed"
    assert (page.hits[0].date, "changed" in page.hits[0].source) == (date, False)
    body, page = await asked(azure, index)
    assert (body["select"], page.hits[0].date) == ("id,title,content", None)
    await index.close()


def test_what_a_base_of_model_studio_cannot_do_is_said() -> None:
    target = SearchTarget(
        index="harbours",
        source="harbour-source",
        kind="modelStudioBase",
        ignoring="a base of Model Studio",
        threshold=0,
        search_fields=("title",),
        source_fields=("title",),
        semantic_configuration="news",
        recall=Recall(rerank=False),
        hints=QueryHints(),
    )
    subquery = Subquery(search="roads", target=target)
    found = [Searched(subquery=subquery, started_at=NOON, elapsed_ms=1)]
    merged = merge(found)
    documents = Documents(searched=list(found), merged=merged, first=len(found))
    *_, ranker = activity_of(documents, left_out={}, effort="low")
    assert isinstance(ranker, RankerActivity)
    assert ranker.warning == (
        "'harbour-source' is a base of Model Studio and ignored search fields, source fields, "
        "a semantic configuration, results in the order of the search, query hints."
    )
