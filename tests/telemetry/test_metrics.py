"""The metrics of calls: how long, how many, what became of the documents."""

import json

from tests.conftest import Post
from tests.rooms import NEEDS_BASES_OF_STUDIO
from tests.scenarios.federation.conftest import CALLER_KEY, RUNTIME_SECONDS, Retrieve
from tests.scripted_azure import ScriptedAzure, by_search, document, failing, found, in_turn, replying, stalling
from tests.scripted_model_studio import ScriptedModelStudio, chunk, chunks, refusing
from tests.telemetry.recording import Recording

pytestmark = NEEDS_BASES_OF_STUDIO


async def test_every_document_found_is_returned_or_dropped_for_a_reason(
    azure: ScriptedAzure, studio: ScriptedModelStudio, retrieve: Retrieve, told: Recording
) -> None:
    azure.chat = replying(json.dumps({"queries": ["roads", "rivers"]}))
    low, bad = document("path", 0.2), document("odd", "high")
    azure.search = by_search({"roads": found(document("road", 3.1), low, bad)}, otherwise=found(document("road", 2.9)))
    studio.script = chunks(chunk("quay", 0.5), chunk("hidden", 0.5, is_displayed_chunk_content="false"))
    answer = await retrieve(agent="planner")
    recorded = {one["type"] for one in answer.json["activity"]}
    assert "AzureSearchQuery" in recorded
    dropped = {
        reason: sum(one.get("dropped", {}).get(reason, 0) for one in answer.json["activity"])
        for reason in ("threshold", "duplicate", "limit", "excluded", "filter", "error")
    }
    for reason, count in dropped.items():
        assert told.total("retrieval.documents.dropped", retrieval__reason=reason) == count
    returned = told.total("retrieval.documents.returned")
    assert returned == len(answer.json["references"]) > 0
    assert sum(dropped.values()) > 0
    assert told.total("retrieval.documents.found") == returned + sum(dropped.values())


async def test_tokens_are_counted_by_their_kind(
    azure: ScriptedAzure, studio: ScriptedModelStudio, retrieve: Retrieve, told: Recording
) -> None:
    azure.chat, studio.script = replying("nonsense", usage=(321, 45)), chunks()
    await retrieve(agent="planner")
    tokens = "gen_ai.client.token.usage"
    assert told.total(tokens, gen_ai__token__type="input", gen_ai__request__model="planner-model") == 321
    assert told.total(tokens, gen_ai__token__type="output", gen_ai__operation__name="chat") == 45


async def test_sub_queries_are_counted_by_service_index_and_error(
    azure: ScriptedAzure, studio: ScriptedModelStudio, retrieve: Retrieve, told: Recording
) -> None:
    azure.search, studio.script = found(document("road", 3.1)), refusing("InternalError", http=500)
    await retrieve("Which roads?")
    subqueries = "retrieval.subqueries"
    assert told.total(subqueries) == 2
    assert told.total(subqueries, retrieval__index="atlas", retrieval__system="azure.ai.search") == 1
    assert told.total(subqueries, retrieval__index="harbour-base", retrieval__error="BackendUnavailable") == 1
    assert told.total(subqueries, retrieval__index="atlas", retrieval__error="BackendUnavailable") == 0


async def test_retries_and_throttles_are_counted_by_service(
    azure: ScriptedAzure, studio: ScriptedModelStudio, retrieve: Retrieve, told: Recording
) -> None:
    azure.chat = failing(429)
    azure.search = in_turn(failing(429, retry_after=1), failing(503), found(document("road", 3.1)))
    studio.script = in_turn(refusing("Throttling.User", http=429), chunks(chunk("quay", 0.5)))
    await retrieve("Which roads?", agent="planner")
    counted = {
        system: tuple(told.total(f"retrieval.{kind}", retrieval__system=system) for kind in ("retries", "throttles"))
        for system in ("azure.ai.search", "alibaba.model_studio", "azure.ai.openai")
    }
    assert counted == {"azure.ai.search": (2, 1), "alibaba.model_studio": (1, 1), "azure.ai.openai": (1, 2)}


async def test_durations_are_in_seconds_and_end_with_the_deadline(
    azure: ScriptedAzure, studio: ScriptedModelStudio, retrieve: Retrieve, told: Recording
) -> None:
    azure.search, studio.script = stalling(), chunks(chunk("quay", 0.5))
    await retrieve("Which roads?")
    request = told.total("retrieval.request.duration", retrieval__operation="retrieve", retrieval__status=200)
    given_up = told.total("db.client.operation.duration", db__collection__name="atlas", error__type="CancelledError")
    assert RUNTIME_SECONDS - 1 < given_up <= request < RUNTIME_SECONDS + 2
    assert told.total("db.client.operation.duration", db__collection__name="harbour-base") < 2


async def test_a_model_call_has_its_duration(
    azure: ScriptedAzure, studio: ScriptedModelStudio, retrieve: Retrieve, told: Recording
) -> None:
    azure.chat, azure.search, studio.script = stalling(), found(), chunks()
    await retrieve("Which roads?", agent="planner")
    share = told.total("gen_ai.client.operation.duration", error__type="CancelledError")
    assert 0.35 * RUNTIME_SECONDS < share < 0.5 * RUNTIME_SECONDS


async def test_calls_for_a_version_that_nobody_knows_are_counted_by_what_they_are_served_as(
    azure: ScriptedAzure, retrieve: Retrieve, told: Recording, post: Post
) -> None:
    azure.search = found(document("road", 3.1))
    await retrieve("Which roads?")
    for version in ("2027-01-01", "2028-01-01"):
        await post(b"", f"/knowledgebases?api-version={version}", method="GET", key="not-a-key")
    assert told.total("retrieval.unknown_versions") == 0
    for version in ("2027-01-01", "2028-01-01", "2028-01-01-preview", "2026-10-01"):
        await post({}, f"/knowledgebases/none/retrieve?api-version={version}", key=CALLER_KEY)
    counted = [
        told.total("retrieval.unknown_versions", retrieval__served_as=one)
        for one in ("2026-10-01", "2026-11-01-preview")
    ]
    assert counted == [2, 1]
