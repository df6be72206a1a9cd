"""The spans of a call: one for each step, in one tree, named and described as docs/operating/telemetry.md says."""

import json

import pytest
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.trace import SpanKind, StatusCode

from tests.conftest import Post
from tests.rooms import NEEDS_BASES_OF_STUDIO
from tests.scenarios.federation.conftest import Retrieve
from tests.scripted_azure import (
    ScriptedAzure,
    by_search,
    document,
    failing,
    found,
    in_turn,
    queries,
    replying,
    stalling,
)
from tests.scripted_model_studio import ScriptedModelStudio, chunk, chunks, refusing
from tests.telemetry.recording import Recording

pytestmark = NEEDS_BASES_OF_STUDIO


def attributes(span: ReadableSpan) -> dict[str, object]:
    return dict(span.attributes or {})


def errors(span: ReadableSpan) -> tuple[object, object]:
    """What it failed with, in the conventions' attribute and in ours."""
    found = attributes(span)
    return found.get("error.type"), found.get("retrieval.error")


def ok(span: ReadableSpan) -> bool:
    return span.status.status_code is not StatusCode.ERROR and errors(span) == (None, None)


def failed(span: ReadableSpan, error: str) -> bool:
    return span.status.status_code is StatusCode.ERROR and errors(span) == (error, error)


async def test_a_retrieve_is_one_tree_of_its_steps(
    azure: ScriptedAzure, studio: ScriptedModelStudio, retrieve: Retrieve, told: Recording
) -> None:
    azure.chat = queries("roads", "rivers")
    azure.search = by_search({"roads": found(document("road", 3.1), document("path", 0.2))}, otherwise=found())
    studio.script = chunks(chunk("quay", 0.5))
    assert (await retrieve(agent="planner")).status == 200
    request = told.span("retrieve")
    searches = ["search atlas"] * 2 + ["search harbour-base"] * 2
    assert told.children(request) == sorted(["definition", "plan", *searches, "merge", "ground"])
    assert told.children(told.span("plan")) == ["chat planner-model"]
    assert [told.children(one) for one in told.named("search atlas")] == [[], []]
    assert len(told.spans) == 10
    clients = {one.name for one in told.spans if one.kind is SpanKind.CLIENT}
    assert clients == {"chat planner-model", "search atlas", "search harbour-base", "definition"}
    assert all(one.kind is SpanKind.INTERNAL for one in told.spans if one.name not in clients)
    assert all(ok(one) for one in told.spans)


async def test_a_sampler_sees_the_decision_about_the_parent(
    azure: ScriptedAzure, studio: ScriptedModelStudio, retrieve: Retrieve, told: Recording
) -> None:
    """Azure Monitor's looks for it in the context that it is given, and would cut traces without one."""
    azure.chat, azure.search, studio.script = queries("roads"), found(), chunks()
    await retrieve(agent="planner")
    assert len(told.spans) == 8
    assert told.sampled_blindly == []


async def test_the_request_span_says_what_came_of_it(
    azure: ScriptedAzure, studio: ScriptedModelStudio, retrieve: Retrieve, told: Recording
) -> None:
    azure.chat = queries("roads", "rivers")
    azure.search = found(document("road", 3.1), document("path", 0.2))
    studio.script = chunks()
    answer = await retrieve(agent="planner")
    assert attributes(told.span("retrieve")) == {
        "retrieval.request_id": answer.headers["request-id"],
        "retrieval.contract": "agents 2025-05-01-preview",
        "retrieval.caller": "query key 1",
        "retrieval.agent": "planner",
        "retrieval.tokens.input": 100,
        "retrieval.tokens.output": 20,
        "retrieval.status": 200,
        "retrieval.subqueries": 4,
        "retrieval.documents.found": 4,
        "retrieval.documents.returned": 1,
        "retrieval.documents.dropped.threshold": 2,
        "retrieval.documents.dropped.duplicate": 1,
    }
    assert attributes(told.span("plan")) == {"retrieval.by": "model", "retrieval.queries": 2}
    assert attributes(told.span("ground")) == {"retrieval.documents.grounded": 1}


async def test_calls_of_other_services_follow_the_conventions(
    azure: ScriptedAzure, studio: ScriptedModelStudio, retrieve: Retrieve, told: Recording
) -> None:
    azure.chat = replying(json.dumps({"queries": ["roads"]}), usage=(321, 45))
    azure.search, studio.script = found(document("road", 3.1)), chunks()
    await retrieve(agent="planner")
    port = int(azure.address.rpartition(":")[2])
    assert attributes(told.span("chat planner-model")) == {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": "azure.ai.openai",
        "gen_ai.system": "azure.ai.openai",
        "gen_ai.request.model": "planner-model",
        "gen_ai.usage.input_tokens": 321,
        "gen_ai.usage.output_tokens": 45,
        "server.address": "127.0.0.1",
        "server.port": port,
        "retrieval.system": "azure.ai.openai",
        "retrieval.prompt": "plan-6",
        "retrieval.retries": 0,
        "retrieval.throttles": 0,
    }
    assert attributes(told.span("search atlas")) == {
        "db.system.name": "azure.ai.search",
        "db.operation.name": "search",
        "db.collection.name": "atlas",
        "db.response.returned_rows": 1,
        "server.address": "127.0.0.1",
        "server.port": port,
        "retrieval.system": "azure.ai.search",
        "retrieval.index": "atlas",
        "retrieval.source.kind": "searchIndex",
        "retrieval.documents.found": 1,
        "retrieval.retries": 0,
        "retrieval.throttles": 0,
    }
    assert attributes(told.span("search harbour-base"))["db.system.name"] == "alibaba.model_studio"


async def test_a_sub_query_that_fails_is_a_failed_span_in_a_request_that_did_not(
    azure: ScriptedAzure, studio: ScriptedModelStudio, retrieve: Retrieve, told: Recording
) -> None:
    azure.search, studio.script = found(document("road", 3.1)), refusing("InternalError", http=500)
    assert (await retrieve("Which roads?")).status == 200
    assert failed(told.span("search harbour-base"), "BackendUnavailable")
    assert ok(told.span("search atlas"))
    assert ok(told.span("retrieve"))


async def test_when_every_sub_query_fails_so_does_the_request(
    azure: ScriptedAzure, retrieve: Retrieve, told: Recording
) -> None:
    azure.search = failing(403)
    assert (await retrieve("Which roads?", agent="atlas")).status == 502
    assert failed(told.span("search atlas"), "BackendForbidden")
    assert failed(told.span("retrieve"), "RetrievalFailed")
    assert attributes(told.span("retrieve"))["retrieval.status"] == 502
    assert told.named("merge") == []


async def test_a_throttled_model_fails_its_call_and_the_plan_and_not_the_request(
    azure: ScriptedAzure, studio: ScriptedModelStudio, retrieve: Retrieve, told: Recording
) -> None:
    azure.chat, studio.script = failing(429, retry_after=60), chunks()
    azure.search = found(document("road", 3.1))
    assert (await retrieve("Which roads?", agent="planner")).status == 200
    chat = told.span("chat planner-model")
    assert failed(chat, "BackendThrottled")
    assert attributes(chat)["retrieval.throttles"] == 1
    assert failed(told.span("plan"), "BackendThrottled")
    assert attributes(told.span("plan"))["retrieval.by"] == "rules"
    assert ok(told.span("retrieve"))


async def test_a_model_that_answers_nonsense_did_not_fail_and_the_plan_did(
    azure: ScriptedAzure, studio: ScriptedModelStudio, retrieve: Retrieve, told: Recording
) -> None:
    azure.chat, azure.search, studio.script = replying("nonsense"), found(), chunks()
    await retrieve(agent="planner")
    assert ok(told.span("chat planner-model"))
    assert failed(told.span("plan"), "BadModelReply")


async def test_a_search_that_is_given_up_at_the_deadline_ends_there(
    azure: ScriptedAzure, studio: ScriptedModelStudio, retrieve: Retrieve, told: Recording
) -> None:
    azure.search, studio.script = stalling(), chunks(chunk("quay", 0.5))
    assert (await retrieve("Which roads?")).status == 200
    assert failed(told.span("search atlas"), "CancelledError")


async def test_retries_and_throttles_stand_on_the_span_of_the_sub_query(
    azure: ScriptedAzure, studio: ScriptedModelStudio, retrieve: Retrieve, told: Recording
) -> None:
    azure.search = in_turn(failing(429, retry_after=1), failing(503), found(document("road", 3.1)))
    studio.script = in_turn(refusing("Throttling.User", http=429), chunks(chunk("quay", 0.5)))
    await retrieve("Which roads?")
    search, base = told.span("search atlas"), told.span("search harbour-base")
    assert (attributes(search)["retrieval.retries"], attributes(search)["retrieval.throttles"]) == (2, 1)
    assert (attributes(base)["retrieval.retries"], attributes(base)["retrieval.throttles"]) == (1, 1)
    assert ok(search) and ok(base)


async def test_documents_without_a_rank_are_said_to_be(
    azure: ScriptedAzure, retrieve: Retrieve, told: Recording
) -> None:
    azure.search = found(document("road", None), partial="capacityOverloaded")
    await retrieve(agent="atlas")
    assert attributes(told.span("search atlas"))["retrieval.unranked"] is True


async def test_a_search_for_everything_is_never_ranked_and_that_is_no_fault(
    azure: ScriptedAzure, retrieve: Retrieve, told: Recording, caplog: pytest.LogCaptureFixture
) -> None:
    azure.search = found(document("road", None))
    await retrieve("*", agent="atlas")
    assert "retrieval.unranked" not in attributes(told.span("search atlas"))
    assert "did not rank" not in caplog.text
    await retrieve("road", agent="atlas")
    assert "did not rank" in caplog.text


async def test_what_a_caller_does_wrong_names_the_error_and_fails_no_span(
    retrieve: Retrieve, post: Post, told: Recording
) -> None:
    assert (await retrieve(agent="nobody")).status == 404
    request = told.span("retrieve")
    assert request.status.status_code is StatusCode.UNSET
    assert errors(request) == (None, "NotFound")
    assert attributes(request)["retrieval.status"] == 404


async def test_a_service_that_is_not_configured_says_so(
    settings: dict[str, str], retrieve: Retrieve, told: Recording
) -> None:
    settings["AZURE_SEARCH_ENDPOINT"] = "nonsense"
    assert (await retrieve()).status == 503
    assert failed(told.span("retrieve"), "NotConfigured")


async def test_a_call_of_another_route_is_a_request(post: Post, told: Recording) -> None:
    answer = await post({}, "/agents?api-version=2025-05-01-preview", method="GET", key="local-admin-key")
    assert answer.status == 200
    assert attributes(told.span("request"))["retrieval.status"] == 200


@pytest.mark.parametrize("content", ["0", "1"])
async def test_the_text_of_a_search_is_told_where_log_content_asks_for_it(
    content: str, settings: dict[str, str], azure: ScriptedAzure, retrieve: Retrieve, told: Recording
) -> None:
    settings["LOG_CONTENT"], azure.search = content, found()
    await retrieve("Which roads?", agent="atlas")
    expected = "Which roads?" if content == "1" else None
    assert attributes(told.span("search atlas")).get("db.query.text") == expected
