"""The two published examples of 2025-05-01-preview, replayed: the same members, the same types, the right documents.

Sources: the sample of "Knowledge Retrieval - Retrieve" (REST reference) and the request of "Retrieve data using a
knowledge agent" (how-to), whose text has unescaped quotes; they are escaped here.
"""

import json

from tests.conftest import Post, ask

QUESTION = (
    "Why is the Phoenix nighttime street grid is so sharply visible from space, whereas large stretches of the "
    "interstate between midwestern cities remain comparatively dim?"
)

HOW_TO = {
    "messages": [
        {
            "role": "assistant",
            "content": [
                {
                    "type": "text",
                    "text": "You can answer questions about the Earth at night. \nSources have a JSON format with a "
                    "ref_id that must be cited in the answer.\nIf you do not have the answer, respond with \"I don't "
                    'know".',
                }
            ],
        },
        {"role": "user", "content": [{"type": "text", "text": QUESTION}]},
    ],
    "targetIndexParams": [
        {
            "indexName": "earth_at_night",
            "filterAddOn": "page_number eq '105'",
            "IncludeReferenceSourceData": True,
            "rerankerThreshold": 2.5,
            "maxDocsForReranker": 50,
        }
    ],
}

PAGE_105 = "earth_at_night_508_page_105_verbalized"


async def test_the_how_tos_request_returns_page_105_with_its_source(post: Post) -> None:
    answer = await post(HOW_TO)
    assert answer.status == 200, answer.body
    body = answer.json
    assert set(body) == {"response", "activity", "references"}
    [message] = body["response"]
    assert message["role"] == "assistant"
    [content] = message["content"]
    assert content["type"] == "text"
    [grounded] = json.loads(content["text"])
    assert list(grounded) == ["ref_id", "title", "terms", "content"]
    assert grounded["ref_id"] == 0
    [reference] = body["references"]
    assert {name: reference[name] for name in ("type", "id", "docKey")} == {
        "type": "AzureSearchDoc",
        "id": "0",
        "docKey": PAGE_105,
    }
    assert set(reference["sourceData"]) == {"id", "title", "terms", "content"}
    assert reference["sourceData"]["id"] == PAGE_105


async def test_the_how_tos_activity_has_the_published_members(post: Post) -> None:
    *searches, ranker = (await post(HOW_TO)).json["activity"]
    assert [record["id"] for record in (*searches, ranker)] == list(range(len(searches) + 1))
    for record in searches:
        assert record["type"] == "AzureSearchQuery"
        assert record["targetIndex"] == "earth_at_night"
        assert record["query"]["filter"] == "page_number eq '105'"
        assert isinstance(record["query"]["search"], str)
        assert record["queryTime"].endswith("Z")
        assert isinstance(record["count"], int)
        assert isinstance(record["elapsedMs"], int)
    assert ranker["type"] == "AzureSearchSemanticRanker"
    assert ranker["inputTokens"] > 0
    assert isinstance(ranker["elapsedMs"], int)


async def test_assistant_turns_before_the_first_user_turn_are_never_searched(post: Post) -> None:
    searches = (await post(HOW_TO)).json["activity"][:-1]
    assert all("ref_id" not in record["query"]["search"] for record in searches)


async def test_without_a_filter_the_right_chunks_are_on_top(post: Post) -> None:
    body = (await post(ask(QUESTION))).json
    assert [reference["docKey"] for reference in body["references"]][:1] == [PAGE_105]
    assert all(reference["sourceData"] is None for reference in body["references"])


async def test_a_question_about_nothing_in_the_corpus_gets_an_empty_array(post: Post) -> None:
    answer = await post(ask("What is the best recipe for sourdough bread?"))
    assert answer.status == 200
    assert answer.json["references"] == []
    assert answer.json["response"][0]["content"][0]["text"] == "[]"


async def test_the_references_sample_needs_quotes_around_its_value(post: Post) -> None:
    sample = ask("hello world", filterAddOn="foo eq bar", maxDocsForReranker=100, rerankerThreshold=2.5)
    answer = await post(sample)
    assert answer.status == 400
    assert "foo eq 'bar'" in answer.json["error"]["message"]
