from collections.abc import AsyncIterator

import azure.functions as func

from tests.benchmarks.streaming_apps import EVENT, EVENTS, WHOLE

app = func.FunctionApp(http_auth_level=func.AuthLevel.ANONYMOUS)


async def _events() -> AsyncIterator[bytes]:
    for _ in range(EVENTS):
        yield EVENT


@app.function_name("whole")
@app.route(route="whole", methods=["POST"])
async def whole(req: func.HttpRequest) -> func.HttpResponse:
    assert req.get_body()
    return func.HttpResponse(WHOLE, mimetype="application/json")


@app.function_name("events")
@app.route(route="events", methods=["POST"])
async def events(req: func.HttpRequest) -> func.HttpResponse:
    assert req.get_body()
    return func.HttpResponse(b"".join([one async for one in _events()]), mimetype="text/event-stream")
