"""The Functions app: a function for each template of `retrieval.compose.rooms`, one for all other paths, and with
HEARTBEAT=1 a timer. All other code is in `retrieval`.
"""

import logging
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl, urlsplit
from uuid import uuid4

from retrieval import threads

with threads.loading():
    import azure.functions as func

    from retrieval import compose
    from retrieval.compose.rooms import TABLE
    from retrieval.contracts.rendered import Rendered
    from retrieval.errors import NotConfigured
    from retrieval.http.call import Call
    from retrieval.http.monitoring import HEARTBEAT, beat
    from retrieval.http.routes import Route, answer_unmatched
    from retrieval.http.serving import answer_call

if TYPE_CHECKING:
    from azurefunctions.extensions.http.fastapi import Request

app = func.FunctionApp(http_auth_level=func.AuthLevel.ANONYMOUS)

try:
    compose.check_installed()
except NotConfigured as error:
    logging.getLogger("retrieval").error("%s", error)


def _function(answer: Callable[[Call], Awaitable[Rendered]]) -> Callable[..., object]:
    """The function that the host calls with a request. If events are streamed, the host forwards the HTTP request
    itself."""
    if compose.streams_events():
        return _forwarded(answer)

    async def function(req: func.HttpRequest) -> func.HttpResponse:
        answered = await answer(await _call(req))
        return func.HttpResponse(
            answered.content,
            status_code=answered.status,
            headers=answered.headers,
            mimetype="application/json",
            charset="utf-8",
        )

    return function


def _forwarded(answer: Callable[[Call], Awaitable[Rendered]]) -> Callable[..., object]:
    with threads.loading():
        from retrieval.http.stream_extension import forwarded, joined, origin

    async def answered(req: "Request", body: bytes) -> Rendered:
        call = Call(
            method=req.method,
            headers=joined(req.headers.items()),
            query=joined(parse_qsl(req.url.query)),  # without empty values, as the Functions host passes them
            route=req.path_params,
            origin=origin(req),
            path=req.scope["raw_path"].decode("ascii", "replace"),
            raw_query=req.url.query,
            body=body,
        )
        return await answer(await _with_settings(call))

    return forwarded(answered)


def _of(routes: Mapping[str, Route]) -> Callable[[Call], Awaitable[Rendered]]:
    """The function that answers a call with the route for the method of the call."""

    async def answer(call: Call) -> Rendered:
        return await answer_call(routes[call.method].endpoint, call, compose)

    return answer


async def _other(call: Call) -> Rendered:
    """Answers a call that fits no function. Calls with a wrong method also come here. A call under the base path goes
    to its route. Any other call gets an error in a contract's envelope, since the host's own 404 has no body."""
    return await answer_unmatched(TABLE, compose.settings().base_path, call, compose)


async def _call(req: func.HttpRequest) -> Call:
    url = urlsplit(req.url)
    call = Call(
        method=req.method,
        headers={name.lower(): value for name, value in req.headers.items()},
        query={name.lower(): value for name, value in req.params.items()},
        route=req.route_params,
        origin=f"{url.scheme}://{url.netloc}",
        path=url.path,
        raw_query=req.url.partition("?")[2],
        body=req.get_body(),
    )
    return await _with_settings(call)


async def _with_settings(call: Call) -> Call:
    """The call with a new request id, and with the deployment's settings for all calls."""
    await threads.once(compose.of_every_call)
    return replace(call, request_id=str(uuid4()), **compose.of_every_call())


for (name, template), routes in TABLE.functions().items():
    app.function_name(name)(app.route(route=template, methods=[*routes])(_function(_of(routes))))
if compose.beats():

    @app.timer_trigger(arg_name="timer", schedule=HEARTBEAT, use_monitor=False)
    async def heartbeat(timer: func.TimerRequest) -> None:
        """Asks whether this app is ready, and counts what it finds."""
        await beat(compose)


app.function_name("zz_unmatched")(app.route(route="{*path}")(_function(_other)))
