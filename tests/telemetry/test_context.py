"""Trace context: a call joins its caller's trace, and what it calls joins ours."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st
from opentelemetry import context
from opentelemetry.trace import NonRecordingSpan, SpanContext, TraceFlags, set_span_in_context

from retrieval.local.wire import WireRequest
from retrieval.telemetry import spans
from tests.rooms import NEEDS_BASES_OF_STUDIO
from tests.scenarios.federation.conftest import Retrieve
from tests.scripted_azure import ScriptedAzure, document, failing, found, in_turn, queries
from tests.scripted_model_studio import ScriptedModelStudio, chunk, chunks
from tests.telemetry.recording import Recording, ids

pytestmark = NEEDS_BASES_OF_STUDIO

TRACE: Final = "4bf92f3577b34da6a3ce929d0e0e4736"
PARENT: Final = f"00-{TRACE}-00f067aa0ba902b7-01"
STATE: Final = "vendor=t61rcWkgMzE"


def sent(request: WireRequest) -> tuple[str, str]:
    """The trace and the parent that a request named."""
    header = request.header("traceparent")
    assert header is not None
    version, trace, parent, flags = header.split("-")
    assert version == "00" and int(flags, 16) & TraceFlags.SAMPLED
    return trace, parent


def id_of(told: Recording, name: str) -> str:
    return ids(told.span(name))[1]


async def test_a_call_joins_the_trace_of_its_caller(azure: ScriptedAzure, retrieve: Retrieve, told: Recording) -> None:
    azure.search = found(document("road", 3.1))
    await retrieve(agent="atlas", headers={"traceparent": PARENT, "tracestate": STATE})
    request = told.span("retrieve")
    assert request.parent is not None
    assert f"{request.parent.span_id:016x}" == "00f067aa0ba902b7"
    assert {ids(one)[0] for one in told.spans} == {TRACE}


async def test_every_service_that_is_called_is_told_the_span_that_calls_it(
    azure: ScriptedAzure, studio: ScriptedModelStudio, retrieve: Retrieve, told: Recording
) -> None:
    azure.chat, azure.search = queries("roads"), found(document("road", 3.1))
    studio.script = chunks(chunk("quay", 0.5))
    await retrieve(agent="planner", headers={"traceparent": PARENT, "tracestate": STATE})
    assert sent(azure.chats[0].request) == (TRACE, id_of(told, "chat planner-model"))
    assert sent(azure.searches[0].request) == (TRACE, id_of(told, "search atlas"))
    assert sent(studio.calls[0].request) == (TRACE, id_of(told, "search harbour-base"))
    for request in (azure.chats[0].request, azure.searches[0].request, studio.calls[0].request):
        assert request.header("tracestate") == STATE


async def test_a_search_that_is_tried_again_names_the_same_span(
    azure: ScriptedAzure, retrieve: Retrieve, told: Recording
) -> None:
    azure.search = in_turn(failing(503), found(document("road", 3.1)))
    await retrieve("Which roads?", agent="atlas")
    first, second = (sent(one.request) for one in azure.searches)
    assert first == second
    assert first[1] == id_of(told, "search atlas")


async def test_no_baggage_of_a_caller_travels_on(azure: ScriptedAzure, retrieve: Retrieve, told: Recording) -> None:
    azure.search = found()
    await retrieve(agent="atlas", headers={"traceparent": PARENT, "baggage": "tenant=contoso"})
    assert azure.searches[0].request.header("baggage") is None


@pytest.mark.parametrize(
    "header",
    [
        "",
        "nonsense",
        f"00-{TRACE}-00f067aa0ba902b7",
        f"00-{'0' * 32}-00f067aa0ba902b7-01",
        f"00-{TRACE}-{'0' * 16}-01",
        f"ff-{TRACE}-00f067aa0ba902b7-01",
        f"{PARENT}-and-more",
        f"{PARENT},{PARENT}",
        f"01-{TRACE}-00f067aa0ba902b7-01-{'x' * 200}",
        " " * 100_000,
    ],
)
async def test_a_malformed_parent_is_ignored(
    header: str, azure: ScriptedAzure, retrieve: Retrieve, told: Recording
) -> None:
    azure.search = found(document("road", 3.1))
    assert (await retrieve(agent="atlas", headers={"traceparent": header, "tracestate": STATE})).status == 200
    assert told.span("retrieve").parent is None
    assert sent(azure.searches[0].request)[0] != TRACE


@pytest.mark.parametrize("state", [f"vendor={'x' * 600}", "no pair", "=", " ," * 10_000])
async def test_a_state_that_is_malformed_or_too_long_is_left_out_alone(
    state: str, azure: ScriptedAzure, retrieve: Retrieve, told: Recording
) -> None:
    azure.search = found()
    await retrieve(agent="atlas", headers={"traceparent": PARENT, "tracestate": state})
    assert sent(azure.searches[0].request)[0] == TRACE
    assert azure.searches[0].request.header("tracestate") is None


@given(parent=st.text(max_size=200), state=st.text(max_size=600))
def test_no_text_in_the_headers_breaks_a_call(parent: str, state: str) -> None:
    async def call() -> None:
        with spans.request("retrieve", {"traceparent": parent, "tracestate": state}, id="1") as request:
            request.answered(200, contract="agents 2025-05-01-preview")

    asyncio.run(call())


@contextmanager
def entered(trace_id: int, span_id: int) -> Iterator[None]:
    """As the Functions runtime does it before it invokes a function (`configure_opentelemetry`)."""
    of_host = SpanContext(trace_id, span_id, is_remote=True, trace_flags=TraceFlags(TraceFlags.SAMPLED))
    token = context.attach(set_span_in_context(NonRecordingSpan(of_host)))
    try:
        yield
    finally:
        context.detach(token)


async def test_the_span_of_the_functions_host_is_the_parent_where_the_runtime_says_so(
    azure: ScriptedAzure, retrieve: Retrieve, told: Recording
) -> None:
    azure.search = found()
    with entered(int(TRACE, 16), 0xABCDEF):
        await retrieve(agent="atlas", headers={"traceparent": f"00-{'1' * 32}-{'2' * 16}-01"})
    request = told.span("retrieve")
    assert request.parent is not None
    assert request.parent.span_id == 0xABCDEF
    assert sent(azure.searches[0].request)[0] == TRACE
