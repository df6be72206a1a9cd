"""2025-08-01-preview over HTTP, on the sample corpus: what the published client reads is there."""

import json

from tests.conftest import Post
from tests.contracts.azure.test_published_examples import PAGE_105, QUESTION
from tests.contracts.azure.versions import conversation

PATH = "/agents('earth-at-night')/retrieve?api-version=2025-08-01-preview"
NARROWED = {"knowledgeSourceName": "earth_at_night", "kind": "searchIndex", "filterAddOn": "page_number eq '105'"}


async def test_an_agent_of_the_first_version_answers_in_the_second(post: Post) -> None:
    answer = await post({**conversation(QUESTION), "knowledgeSourceParams": [NARROWED]}, PATH)
    assert answer.status == 200, answer.body
    *searches, ranking = answer.json["activity"]
    assert {record["type"] for record in searches} == {"searchIndex"}
    assert {record["knowledgeSourceName"] for record in searches} == {"earth_at_night"}
    assert ranking["type"] == "semanticReranker" and ranking["inputTokens"] > 0
    [reference] = answer.json["references"]
    assert (reference["type"], reference["docKey"]) == ("searchIndex", PAGE_105)
    assert 0 <= reference["rerankerScore"] <= 4
    [grounded] = json.loads(answer.json["response"][0]["content"][0]["text"])
    assert list(grounded) == ["ref_id", "title", "terms", "content"]


async def test_what_it_refuses_is_a_400_in_the_envelope(post: Post) -> None:
    answer = await post({**conversation(QUESTION), "targetIndexParams": []}, PATH)
    assert answer.status == 400
    assert answer.json["error"]["target"] == "targetIndexParams"
    assert "It exists in: 2025-05-01-preview." in answer.json["error"]["message"]
