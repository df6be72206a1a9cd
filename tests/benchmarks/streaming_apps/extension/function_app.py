from collections.abc import AsyncIterator

import azure.functions as func
from azurefunctions.extensions.http.fastapi import Request, Response, StreamingResponse

from tests.benchmarks.streaming_apps import EVENT, EVENTS, WHOLE

app = func.FunctionApp(http_auth_level=func.AuthLevel.ANONYMOUS)


async def _events() -> AsyncIterator[bytes]:
    for _ in range(EVENTS):
        yield EVENT


@app.function_name("whole")
@app.route(route="whole", methods=["POST"])
async def whole(req: Request) -> Response:
    assert await req.body()
    return Response(WHOLE, media_type="application/json")


@app.function_name("events")
@app.route(route="events", methods=["POST"])
async def events(req: Request) -> StreamingResponse:
    assert await req.body()
    return StreamingResponse(_events(), media_type="text/event-stream")
