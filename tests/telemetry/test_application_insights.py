"""What reaches Application Insights: columns for the queries of docs/operating/telemetry.md, and the real worker."""

import json
from collections.abc import Iterator
from http.client import HTTPConnection
from typing import Final
from urllib.parse import urlsplit

import pytest

from retrieval.version import VERSION
from tests.conftest import KEY, RETRIEVE, ask
from tests.environments import needs
from tests.rooms import NEEDS_BASES_OF_STUDIO
from tests.running import served
from tests.scenarios.federation.conftest import Retrieve
from tests.scripted_azure import ScriptedAzure, failing, found, queries
from tests.scripted_model_studio import ScriptedModelStudio, refusing
from tests.telemetry.ingestion import TOKEN, Ingestion, ingestion
from tests.telemetry.recording import Recording
from tests.third_parties import AZURE_PYTHON, worker

pytestmark = NEEDS_BASES_OF_STUDIO

TRACE: Final = "4bf92f3577b34da6a3ce929d0e0e4736"
CLIENT: Final = "6a1b2c3d-0000-4000-8000-000000000001"


@pytest.fixture
def seen(monkeypatch: pytest.MonkeyPatch) -> Iterator[Ingestion]:
    with ingestion() as found:
        for name, value in found.environ.items():
            monkeypatch.setenv(name, value)
        yield found


def export(told: Recording) -> None:
    from azure.monitor.opentelemetry.exporter import AzureMonitorTraceExporter

    exporter = AzureMonitorTraceExporter(disable_offline_storage=True)
    exporter.export(told.spans)
    exporter.shutdown()


async def test_a_query_finds_the_error_the_service_and_the_counts(
    azure: ScriptedAzure, studio: ScriptedModelStudio, retrieve: Retrieve, told: Recording, seen: Ingestion
) -> None:
    azure.chat, azure.search, studio.script = queries("roads"), found(), refusing("InternalError", http=500)
    answer = await retrieve(agent="planner")
    export(told)
    base, search = seen.dependency("search harbour-base"), seen.dependency("search atlas")
    chat, request = seen.dependency("chat planner-model"), seen.dependency("retrieve")
    assert base["success"] is False
    assert base["properties"]["retrieval.error"] == "BackendUnavailable"
    assert base["properties"]["retrieval.retries"] == "2"
    assert (base["type"], base["target"]) == ("alibaba.model_studio", urlsplit(studio.address).netloc)
    assert (search["success"], search["type"], search["data"]) == (True, "azure.ai.search", "search")
    assert search["properties"]["retrieval.index"] == "atlas"
    assert chat["type"] == "GenAI | azure.ai.openai"
    assert chat["properties"]["gen_ai.usage.input_tokens"] == "100"
    assert request["type"] == "InProc"
    assert request["properties"]["retrieval.request_id"] == answer.headers["request-id"]
    dropped = {"error.type", "db.system.name", "server.address"}
    assert dropped.isdisjoint({*base["properties"], *chat["properties"]}), "the page says that these are dropped"


async def test_a_failed_request_is_not_a_success(
    azure: ScriptedAzure, retrieve: Retrieve, told: Recording, seen: Ingestion
) -> None:
    azure.search = failing(500)
    await retrieve("Which roads?", agent="atlas")
    export(told)
    request = seen.dependency("retrieve")
    assert (request["success"], request["properties"]["retrieval.error"]) == (False, "RetrievalFailed")


def called(address: str, body: object) -> int:
    connection = HTTPConnection(urlsplit(address).netloc, timeout=30)
    headers = {"api-key": KEY, "content-type": "application/json", "traceparent": f"00-{TRACE}-00f067aa0ba902b7-01"}
    connection.request("POST", RETRIEVE, json.dumps(body), headers)
    status = connection.getresponse().status
    connection.close()
    return status


def test_the_code_that_azure_runs_sends_it_as_the_apps_identity() -> None:
    """With the settings of infra/modules/app.bicep, azure-functions-runtime configures azure-monitor-opentelemetry."""
    needs(AZURE_PYTHON)
    python = worker()
    with ingestion() as seen:
        settings = {
            **seen.environ,
            "APPLICATIONINSIGHTS_AUTHENTICATION_STRING": f"ClientId={CLIENT};Authorization=AAD",
            "PYTHON_APPLICATIONINSIGHTS_ENABLE_TELEMETRY": "true",
            "OTEL_RESOURCE_ATTRIBUTES": f"service.version={VERSION}",
            "OTEL_TRACES_SAMPLER": "microsoft.fixed_percentage",
            "OTEL_TRACES_SAMPLER_ARG": "1",
            "OTEL_BSP_SCHEDULE_DELAY": "50",
        }
        with served(python, environ=settings, program="tests.local.host.serve_in_worker") as address:
            assert called(address, ask("Why is the street grid of Phoenix visible?")) == 200
            sent = seen.envelope("retrieve")
    assert sent["data"]["baseData"]["success"]
    assert sent["tags"]["ai.operation.id"] == TRACE
    assert sent["tags"]["ai.application.ver"] == VERSION
    steps = [one["step"] for one in json.loads(sent["data"]["baseData"]["properties"]["retrieval.steps"])]
    assert {"plan", "search earth_at_night", "merge", "ground"} <= set(steps)
    assert set(seen.authorized) == {f"Bearer {TOKEN}"}
    assert [(one["client_id"], one["resource"]) for one in seen.asked[:1]] == [(CLIENT, "https://monitor.azure.com/")]
