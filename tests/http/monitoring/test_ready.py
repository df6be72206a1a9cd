"""GET ready over HTTP: the state of each service behind this one, the calls to it, and what is not revealed."""

import asyncio
import logging
from collections.abc import Mapping
from pathlib import Path
from typing import Final

import pytest

from retrieval.local.host import Host
from retrieval.local.wire import WireRequest, WireService
from retrieval.model.definitions import ModelDeployment
from retrieval.models.chat_completions import AzureOpenAIModel
from retrieval.telemetry.readiness import PROBE_SECONDS
from retrieval.version import VERSION
from tests.definitions.conftest import table_endpoint
from tests.http.monitoring.conftest import CALLER_KEY, MODEL_KEY, SEARCH_KEY, Look, Table
from tests.scenarios.failures.answer import header
from tests.scenarios.failures.jumping_loop import standing
from tests.scripted_azure import ScriptedAzure, answering, cutting, failing, held, stalling

WELL: Final = {
    "status": "ready",
    "settings": "complete",
    "search": "reachable",
    "model": "reachable",
    "agentStore": "reachable",
    "version": VERSION,
}
SAYS: Final = f"Quoting {SEARCH_KEY}, {MODEL_KEY} and a document."

WAYS: Final[Mapping[str, tuple[WireService, str]]] = {
    "it is forbidden": (failing(403, SAYS), "forbidden"),
    "the key is wrong": (failing(401, SAYS), "forbidden"),
    "it throttles": (failing(429, SAYS), "throttled"),
    "it fails": (failing(500, SAYS), "unavailable"),
    "it is refused": (failing(400, SAYS), "unavailable"),
    "it stalls": (stalling(), "timedOut"),
    "it is cut": (cutting(), "unavailable"),
}

__all__ = ["table_endpoint"]


def script(way: str, service: str, azure: ScriptedAzure, table: Table) -> None:
    answer, _ = WAYS[way]
    if service == "search":
        azure.count = answer
    elif service == "model":
        azure.models = answer
    else:
        table.script = answer


async def test_a_deployment_whose_services_answer_is_ready(look: Look, azure: ScriptedAzure, table: Table) -> None:
    answer = await look("/ready")
    assert (answer.status, answer.json) == (200, WELL)
    assert header(answer, "cache-control") == "no-store"
    assert header(answer, "request-id")


async def test_it_is_asked_for_nothing_that_costs_tokens_or_needs_another_role(
    look: Look, azure: ScriptedAzure, table: Table
) -> None:
    """Documents are counted in an index of an agent, models are listed once a resource, entities are listed, and each
    deployment is asked once a minute for a completion of no message.

    The first look of the process, which the first check does not wait for long, puts in what AGENTS_FILE defines.
    """
    await look("/ready")
    asked = sorted((one.route, one.request.target.partition("?")[0]) for one in azure.recorded)
    chat = "/openai/deployments/planner-model/chat/completions"
    assert asked == [("chat", chat), ("count", "/indexes('atlas')/docs/$count"), ("models", "/openai/models")]
    assert [one.json for one in azure.chats] == [{"model": "planner-model", "messages": []}]
    assert [one.request.header("api-key") for one in azure.recorded if one.route == "models"] == [MODEL_KEY]
    assert [one.method for one in table.asked[:2]] == ["GET", "GET"]


async def test_the_first_look_at_a_silent_store_is_in_no_calls_way(look: Look, table: Table) -> None:
    table.script = stalling()
    loop = asyncio.get_running_loop()
    start = loop.time()
    assert (await look("/agents?api-version=2025-05-01-preview")).status == 401
    assert loop.time() - start < 0.1
    assert [one.get_name() for one in asyncio.all_tasks() if one.get_name() == "first look"] == ["first look"]


@pytest.mark.parametrize("service", ["search", "model", "agentStore"])
@pytest.mark.parametrize("way", WAYS)
async def test_a_service_that_is_away_makes_it_a_503_unless_it_only_throttles(
    way: str, service: str, look: Look, azure: ScriptedAzure, table: Table
) -> None:
    script(way, service, azure, table)
    state = WAYS[way][1]
    answer = await look("/ready")
    ready = state == "throttled"
    assert answer.json == {**WELL, "status": "ready" if ready else "notReady", service: state}
    assert answer.status == (200 if ready else 503)


@pytest.mark.parametrize("way", WAYS)
async def test_neither_the_answer_nor_the_log_tells_a_secret_or_what_a_service_says(
    way: str, look: Look, azure: ScriptedAzure, table: Table, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG, logger="retrieval")
    for service in ("search", "model", "agentStore"):
        script(way, service, azure, table)
    answer = await look("/ready")
    told = answer.body.decode() + str(answer.headers) + caplog.text
    hidden = (SEARCH_KEY, MODEL_KEY, CALLER_KEY, "Quoting", azure.address, table.address, "planner-model", "atlas")
    assert [one for one in hidden if one in told] == []
    assert ("ready, but: " if way == "it throttles" else "not ready: ") in caplog.text


async def test_nothing_is_waited_for_longer_than_three_seconds(look: Look, azure: ScriptedAzure, table: Table) -> None:
    azure.count, azure.models, table.script = stalling(), stalling(), stalling()
    loop = asyncio.get_running_loop()
    start = loop.time()
    answer = await look("/ready")
    assert {answer.json[name] for name in ("search", "model", "agentStore")} == {"timedOut"}
    assert loop.time() - start < 2 * PROBE_SECONDS


async def test_an_index_that_is_not_there_does_not_mean_that_search_is_away(look: Look, azure: ScriptedAzure) -> None:
    azure.count = failing(404)
    assert (await look("/ready")).json == WELL


async def test_callers_at_once_share_one_probing_and_it_outlives_those_who_go_away(
    look: Look, azure: ScriptedAzure
) -> None:
    free = asyncio.Event()
    azure.count = held(free, answering(b"7", content_type="text/plain"))
    callers = [asyncio.create_task(look("/ready")) for _ in range(20)]
    await azure.asked("count", 1)
    callers[0].cancel()
    await asyncio.wait([callers[0]])
    assert callers[0].cancelled()
    free.set()
    assert [(await caller).json for caller in callers[1:]] == [WELL] * 19
    assert (await look("/ready")).json == WELL
    assert [one.route for one in azure.recorded].count("count") == 1


async def test_without_settings_it_says_so_and_the_log_names_them(
    look: Look, settings: dict[str, str], azure: ScriptedAzure, caplog: pytest.LogCaptureFixture
) -> None:
    settings.update(AZURE_SEARCH_ENDPOINT="", API_KEYS="", ADMIN_API_KEYS="")
    answers = [await look("/ready") for _ in range(3)]
    unknown = dict.fromkeys(("search", "model", "agentStore"), "unknown")
    for answer in answers:
        assert answer.status == 503
        assert answer.json == {"status": "notReady", "settings": "incomplete", "version": VERSION, **unknown}
    assert caplog.text.count("AZURE_SEARCH_ENDPOINT is missing") == 1
    assert "API_KEYS is missing" in caplog.text
    assert azure.recorded == []


async def test_what_is_not_configured_is_not_asked(
    look: Look, settings: dict[str, str], azure: ScriptedAzure, table: Table
) -> None:
    settings.update(AGENTS_FILE="", AGENTS_STORE="memory")
    answer = await look("/ready")
    assert (answer.status, answer.json) == (200, {**WELL, "model": "notConfigured", "agentStore": "notConfigured"})
    assert [one.route for one in azure.recorded] == ["count"]
    assert table.asked == []


async def test_the_usual_model_is_asked_with_its_own_key(
    look: Look, settings: dict[str, str], azure: ScriptedAzure
) -> None:
    settings.update(AGENTS_FILE="", AZURE_OPENAI_ENDPOINT=azure.address, AZURE_OPENAI_DEPLOYMENT="usual")
    settings["AZURE_OPENAI_API_KEY"] = "usual-key"
    assert (await look("/ready")).json == WELL
    assert [one.request.header("api-key") for one in azure.recorded if one.route == "models"] == ["usual-key"]


async def test_a_model_for_which_a_key_is_configured_elsewhere_is_asked_with_that_key(
    look: Look, settings: dict[str, str], azure: ScriptedAzure
) -> None:
    file = Path(settings["AGENTS_FILE"])
    file.write_text(file.read_text().replace(f', "apiKey": "{MODEL_KEY}"', ""))
    settings.update(AZURE_OPENAI_ENDPOINT=azure.address, AZURE_OPENAI_DEPLOYMENT="planner-model")
    settings["AZURE_OPENAI_API_KEY"] = "usual-key"
    assert (await look("/ready")).json == WELL
    assert [one.request.header("api-key") for one in azure.recorded if one.route == "models"] == ["usual-key"]


async def test_a_model_without_a_key_is_asked_with_the_token_of_this_service(azure: ScriptedAzure) -> None:
    async def token() -> str:
        return "token-of-the-service"

    model = AzureOpenAIModel(ModelDeployment(endpoint=azure.address, deployment="planner-model"), token=token)
    await model.reach()
    await model.close()
    assert [one.request.header("authorization") for one in azure.recorded] == ["Bearer token-of-the-service"]


async def test_the_table_of_a_real_storage_emulator_is_reached_before_it_exists(
    look: Look, settings: dict[str, str], table_endpoint: str
) -> None:
    settings["AGENTS_STORE"] = table_endpoint
    async with standing():
        assert (await look("/ready")).json == WELL


async def test_on_a_developers_machine_the_stand_in_is_what_is_reached(host: Host, look: Look) -> None:
    """With the environment of `make run`."""
    answer = await host(WireRequest(method="GET", target="/ready"))
    local = b'{"status":"ready","settings":"complete","search":"reachable","model":"notConfigured"'
    version = f',"agentStore":"notConfigured","version":"{VERSION}"}}'.encode()
    assert (answer.status, answer.body) == (200, local + version)


@pytest.mark.parametrize(
    ("models", "chat", "state"),
    [
        (answering({"data": []}), failing(404, code="DeploymentNotFound"), "deploymentMissing"),
        (failing(404, code="404"), failing(404, code="404"), "addressUnknown"),
        (answering({"data": []}), failing(400), "reachable"),
        (answering({"data": []}), failing(500), "reachable"),
    ],
)
async def test_the_models_deployment_is_told_apart_from_its_address(
    models: WireService, chat: WireService, state: str, look: Look, azure: ScriptedAzure
) -> None:
    azure.models, azure.chat = models, chat
    assert (await look("/ready")).json["model"] == state


async def test_a_deployment_that_is_there_is_asked_for_once_a_minute(look: Look, azure: ScriptedAzure) -> None:
    azure.chat = failing(400)
    for _ in range(3):
        await look("/ready")
        await asyncio.sleep(6)
    assert len(azure.chats) == 1
    await asyncio.sleep(60)
    await look("/ready")
    assert len(azure.chats) == 2
