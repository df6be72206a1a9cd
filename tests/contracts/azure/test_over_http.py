"""The later versions over HTTP, on the sample corpus: what published clients read is there, and no body is a fault."""

import json
from typing import Final

import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st

from tests.conftest import Post, Response
from tests.contracts.azure.test_published_examples import PAGE_105, QUESTION
from tests.contracts.azure.test_refusals import BODIES, VALUES
from tests.contracts.azure.versions import ROUTES, VERSIONS, conversation
from tests.laws import law

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


async def test_a_member_of_another_version_has_the_codes_of_real_answers_and_our_sentence(post: Post) -> None:
    """Azure answers a base with members of a later version so, with a sentence that names no version."""
    effort = {"retrievalReasoningEffort": {"kind": "auto"}}
    for members, word in (({"targetIndexParams": []}, "2025-05-01-preview"), (effort, "2026-08-01-preview")):
        path = "/knowledgebases/earth-at-night/retrieve?api-version=2025-11-01-preview"
        error = (await post({**conversation(QUESTION), **members, "colour": 1}, path)).json["error"]
        assert error["code"] == "InvalidRequestParameter" and word in error["message"]
        [same, unknown] = error["details"]
        assert same == {"code": "InvalidAgentRetrievalRequest", "message": error["message"], "target": error["target"]}
        assert unknown["code"] == "InvalidRequest"


BODY: Final = st.binary(max_size=40) | BODIES.map(lambda value: json.dumps(value).encode())
DEFINED: Final = (
    "agents('made')?api-version=2025-08-01-preview",
    "knowledgebases('made')?api-version=2025-11-01-preview",
    "knowledgebases('made')?api-version=2026-08-01-preview",
    "knowledgesources('made')?api-version=2025-08-01-preview",
    "knowledgesources('made')?api-version=2026-08-01-preview",
)
PARAMETERS: Final = st.fixed_dictionaries({}, optional={"searchIndexName": st.just("earth_at_night") | VALUES})
DEFINITIONS: Final = st.fixed_dictionaries(
    {"name": st.just("made")},
    optional={
        "kind": st.sampled_from(["searchIndex", "web", "modelStudioBase"]) | VALUES,
        "searchIndexParameters": PARAMETERS | VALUES,
        "knowledgeSources": st.just([{"name": "earth_at_night"}]) | VALUES,
        **dict.fromkeys(("models", "tags", "outputMode", "retrieveDefaults", "queryHints", "requestLimits"), VALUES),
    },
)


def told(answer: Response) -> bool:
    """Whether an answer is a success, or a refusal with a sentence."""
    return answer.status < 400 or (answer.status < 500 and bool(answer.json["error"]["message"]))


@pytest.mark.parametrize("version", VERSIONS)
@given(body=BODY)
@law(100, suppress=(HealthCheck.function_scoped_fixture,))
async def test_any_body_is_answered_or_refused_with_a_sentence(version: str, body: bytes, post: Post) -> None:
    answer = await post(body, f"/{ROUTES[version]}('earth-at-night')/retrieve?api-version={version}")
    assert told(answer), answer


@pytest.mark.parametrize("path", DEFINED)
@given(body=DEFINITIONS.map(lambda value: json.dumps(value).encode()) | BODY)
@law(100, suppress=(HealthCheck.function_scoped_fixture,))
async def test_any_definition_is_stored_or_refused_with_a_sentence(path: str, body: bytes, post: Post) -> None:
    assert told(await post(body, f"/{path}", method="PUT", key="local-admin-key"))
