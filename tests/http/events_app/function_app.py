"""One route whose events a test holds in its hands, and routes that let them go on and tell when they have ended."""

import asyncio
from collections import defaultdict
from dataclasses import replace

import azure.functions as func

from retrieval.compose import compose_service
from retrieval.contracts.rendered import EVENT_STREAM, Events, Rendered, event
from retrieval.errors import BackendUnavailable
from retrieval.http.call import Call
from retrieval.http.service import Service
from retrieval.http.serving import Admitted, Endpoint, serve
from retrieval.settings.settings import Settings
from tests.http.events_app import KEY

app = func.FunctionApp(http_auth_level=func.AuthLevel.ANONYMOUS)
released: dict[str, asyncio.Event] = defaultdict(asyncio.Event)
ended: dict[str, asyncio.Event] = defaultdict(asyncio.Event)
settings = Settings(
    azure_search_endpoint="https://search.invalid",
    azure_search_api_key="search-key",
    api_keys=(KEY,),
    max_concurrent_requests=2,
)


def service() -> Service:
    return _service


_service = compose_service(settings)


async def _events(name: str) -> Events:
    """Two events; between them it waits until the test lets it go on, or fails as its name says."""
    try:
        if name == "refused":
            raise BackendUnavailable("The search service", "could not be reached.")
        yield event("started", b'{"name":"' + name.encode() + b'"}')
        if name == "fails":
            raise BackendUnavailable("The search service", "could not be reached.")
        if name == "breaks":
            raise LookupError("a reason for the log alone")
        await released[name].wait()
        yield event("completed", b"[1,\n2]")
    finally:
        ended[name].set()


async def _work(admitted: Admitted, _: None) -> Rendered:
    return Rendered(status=200, body=_events(admitted.call.route["name"]), headers=EVENT_STREAM)


def _one_contract(call: Call) -> None:
    """There are no versions."""


TOLD = Endpoint(
    operation="retrieve", needs="retrieve", speaks=_one_contract, contract_name=lambda call: "events", work=_work
)
QUIET = replace(TOLD, heartbeat=0.01)


async def _answer(req: func.HttpRequest, endpoint: Endpoint[None]) -> func.HttpResponse:
    call = Call(
        headers=dict(req.headers), query={}, body=req.get_body(), route=req.route_params, request_id="id-of-the-call"
    )
    answer = await serve(endpoint, call, service)
    return func.HttpResponse(
        answer.content, status_code=answer.status, headers=answer.headers, mimetype="application/json"
    )


@app.function_name("events")
@app.route(route="events/{name}", methods=["POST"])
async def events(req: func.HttpRequest) -> func.HttpResponse:
    return await _answer(req, TOLD)


@app.function_name("quiet")
@app.route(route="quiet/{name}", methods=["POST"])
async def quiet(req: func.HttpRequest) -> func.HttpResponse:
    return await _answer(req, QUIET)


@app.function_name("release")
@app.route(route="release/{name}", methods=["POST"])
async def release(req: func.HttpRequest) -> func.HttpResponse:
    released[req.route_params["name"]].set()
    return func.HttpResponse(status_code=204)


@app.function_name("ended")
@app.route(route="ended/{name}", methods=["GET"])
async def when_ended(req: func.HttpRequest) -> func.HttpResponse:
    """Answers when the events of that name have ended."""
    await ended[req.route_params["name"]].wait()
    return func.HttpResponse(status_code=204)
