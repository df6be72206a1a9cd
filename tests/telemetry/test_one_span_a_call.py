"""Where other packages trace HTTP calls too, a call of ours is one span and the tracing of the rest stays."""

from collections.abc import Iterator
from functools import partial

import pytest
from azure.core.settings import settings as azure_core
from azure.core.tracing.ext.opentelemetry_span import OpenTelemetrySpan
from opentelemetry.instrumentation.httpx import HTTPX2ClientInstrumentor, HTTPXClientInstrumentor

from tests.rooms import NEEDS_BASES_OF_STUDIO
from tests.scenarios.federation.conftest import Retrieve
from tests.scripted_azure import ScriptedAzure, document, failing, found, in_turn, queries, streaming
from tests.scripted_azure.streams import ending, piece, pieces
from tests.scripted_model_studio import ScriptedModelStudio, chunk, chunks
from tests.telemetry.recording import Recording, ids

pytestmark = NEEDS_BASES_OF_STUDIO


@pytest.fixture(params=["plugin", "native"])
def azure_sdks_traced(request: pytest.FixtureRequest) -> Iterator[None]:
    """What `configure_azure_monitor` sets up, or what AZURE_TRACING_ENABLED does."""
    if request.param == "plugin":
        azure_core.tracing_implementation = OpenTelemetrySpan
    else:
        azure_core.tracing_enabled = True
    yield
    azure_core.tracing_implementation.unset_value()
    azure_core.tracing_enabled.unset_value()


@pytest.fixture
def httpx_traced() -> Iterator[None]:
    """What `configure_azure_monitor` does to the HTTP client of the `openai` package."""
    both = (HTTPX2ClientInstrumentor(), HTTPXClientInstrumentor())
    for one in both:
        one.instrument()
    yield
    for one in both:
        one.uninstrument()


@pytest.mark.usefixtures("azure_sdks_traced", "httpx_traced")
async def test_every_call_is_one_span(
    azure: ScriptedAzure, studio: ScriptedModelStudio, retrieve: Retrieve, told: Recording
) -> None:
    azure.chat = queries("roads")
    azure.search = in_turn(failing(503), found(document("road", 3.1)))
    studio.script = chunks(chunk("quay", 0.5))
    assert (await retrieve(agent="planner")).status == 200
    assert len(azure.searches) == 2
    assert told.children(told.span("chat planner-model")) == []
    assert told.children(told.span("search atlas")) == []
    assert told.children(told.span("definition")) == []
    header = azure.searches[0].request.header("traceparent")
    assert header is not None
    assert ids(told.span("search atlas"))[1] in header


async def test_a_search_that_begins_while_the_plan_is_written_is_no_part_of_the_models_call(
    azure: ScriptedAzure, studio: ScriptedModelStudio, retrieve: Retrieve, told: Recording
) -> None:
    azure.chat = streaming(*pieces('{"queries": ["roads"', 5), partial(azure.asked, "search", 1), piece("]}"), ending())
    azure.search = found(document("road", 3.1))
    studio.script = chunks(chunk("quay", 0.5))
    assert (await retrieve(agent="planner")).status == 200
    assert told.children(told.span("chat planner-model")) == []
    assert "search atlas" not in told.children(told.span("plan"))


@pytest.mark.usefixtures("httpx_traced")
async def test_the_instrumentation_of_the_client_would_have_made_one(azure: ScriptedAzure, told: Recording) -> None:
    import openai

    azure.chat = queries("roads")
    async with openai.AsyncAzureOpenAI(azure_endpoint=azure.address, api_key="k", api_version="v") as client:
        await client.chat.completions.create(model="m", messages=[{"role": "user", "content": "Which?"}])
    assert len(told.spans) == 1
