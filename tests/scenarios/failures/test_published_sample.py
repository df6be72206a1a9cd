"""The sample of the REST reference, replayed with a model and an index that answer as in it.

Source: Knowledge Retrieval - Retrieve, 2025-05-01-preview, sample request and sample response. Its filter compares two
fields, which the dialect forbids; with quotes it is `foo eq 'bar'`. Members of ours that the sample lacks are named.
"""

from typing import Any, Final

from tests.conftest import Response
from tests.scenarios.failures.conftest import Retrieve
from tests.scripted_azure import ScriptedAzure, document, found, replying

OURS: Final = {"dropped", "elapsedMs", "error", "threshold", "warning"}

PUBLISHED: Final[dict[str, Any]] = {
    "response": [{"role": "assistant", "content": [{"type": "text", "text": "[{...}]"}]}],
    "activity": [
        {"type": "ModelQueryPlanning", "id": 0, "inputTokens": 11, "outputTokens": 22},
        {
            "type": "AzureSearchQuery",
            "id": 1,
            "targetIndex": "atlas",
            "query": {"search": "hello world", "filter": "foo eq 'bar'"},
            "queryTime": "2025-01-01T00:08:45.045Z",
            "count": 2,
            "elapsedMs": 1234,
        },
        {
            "type": "AzureSearchQuery",
            "id": 2,
            "targetIndex": "atlas",
            "query": {"search": "hello world two", "filter": "foo eq 'bar'"},
            "queryTime": "2025-01-01T00:08:45.045Z",
            "count": 2,
            "elapsedMs": 1234,
        },
        {"type": "AzureSearchSemanticRanker", "id": 3, "inputTokens": 74},
    ],
    "references": [
        {
            "type": "AzureSearchDoc",
            "id": "83dd7d40",
            "activitySource": 1,
            "docKey": "myDocKey1",
            "sourceData": {"id": "myDocKey1", "title": "high_doc", "content": "hello world"},
        },
        {
            "type": "AzureSearchDoc",
            "id": "83dd7d41",
            "activitySource": 1,
            "docKey": "myDocKey2",
            "sourceData": {"id": "myDocKey2", "title": "low_doc", "content": "goodbye world"},
        },
    ],
}


def shape(value: Any) -> Any:
    """The members and their types, without those that are ours."""
    if isinstance(value, dict):
        return {name: shape(inner) for name, inner in value.items() if name not in OURS}
    return [shape(inner) for inner in value] if isinstance(value, list) else type(value)


async def answered(azure: ScriptedAzure, retrieve: Retrieve) -> Response:
    azure.chat = replying('{"queries": ["hello world", "hello world two"]}', usage=(11, 22))
    azure.search = found(
        document("myDocKey1", 3.5, title="high_doc", content="hello world"),
        document("myDocKey2", 2.5, title="low_doc", content="goodbye world"),
    )
    return await retrieve(
        "hello world",
        indexName="atlas",
        filterAddOn="foo eq 'bar'",
        maxDocsForReranker=100,
        rerankerThreshold=2.5,
        includeReferenceSourceData=True,
    )


async def test_the_sample_gives_the_members_and_types_that_are_published(
    azure: ScriptedAzure, retrieve: Retrieve
) -> None:
    answer = await answered(azure, retrieve)
    assert answer.status == 200
    assert shape(answer.json) == shape(PUBLISHED)


async def test_the_sample_gives_the_values_that_do_not_depend_on_the_day(
    azure: ScriptedAzure, retrieve: Retrieve
) -> None:
    body = (await answered(azure, retrieve)).json
    assert [record["query"] for record in body["activity"][1:3]] == [
        record["query"] for record in PUBLISHED["activity"][1:3]
    ]
    assert [record.get("count") for record in body["activity"]] == [None, 2, 2, None]
    assert [reference["sourceData"] for reference in body["references"]] == [
        reference["sourceData"] for reference in PUBLISHED["references"]
    ]
    assert {reference["activitySource"] for reference in body["references"]} == {1}
