"""A small function app that says what it saw: the host's tests run it on both engines."""

import asyncio
import json
import os
import threading

import azure.functions as func

asyncio.get_running_loop()  # The worker imports an app inside its running loop; code here may rely on it.

app = func.FunctionApp(http_auth_level=func.AuthLevel.ANONYMOUS)


def _echo(req: func.HttpRequest) -> func.HttpResponse:
    seen = {
        "method": req.method,
        "url": req.url,
        "headers": dict(req.headers),
        "query": dict(req.params),
        "route": dict(req.route_params),
        "body": req.get_body().decode("utf-8", "replace"),
    }
    return func.HttpResponse(json.dumps(seen), mimetype="application/json")


@app.function_name("echo_odata")
@app.route(route="agents('{name}')/echo", methods=["POST", "PUT"])
async def echo_odata(req: func.HttpRequest) -> func.HttpResponse:
    return _echo(req)


@app.function_name("echo_plain")
@app.route(route="agents/{name}/echo", methods=["POST"])
async def echo_plain(req: func.HttpRequest) -> func.HttpResponse:
    return _echo(req)


@app.function_name("any_method")
@app.route(route="any/{*rest}")
async def any_method(req: func.HttpRequest) -> func.HttpResponse:
    return _echo(req)


@app.function_name("read_json")
@app.route(route="json", methods=["POST"])
async def read_json(req: func.HttpRequest) -> func.HttpResponse:
    try:
        return func.HttpResponse(json.dumps(req.get_json()), mimetype="application/json")
    except ValueError as error:
        return func.HttpResponse(str(error), status_code=400)


@app.function_name("in_a_thread")
@app.route(route="thread", methods=["GET"])
def in_a_thread(req: func.HttpRequest) -> func.HttpResponse:
    """A sync function: the worker keeps it off the event loop."""
    return func.HttpResponse(json.dumps(threading.current_thread() is threading.main_thread()))


@app.function_name("raises")
@app.route(route="raises")
async def raises(req: func.HttpRequest) -> func.HttpResponse:
    raise LookupError("a reason for the log alone")


@app.function_name("raises_in_a_thread")
@app.route(route="raises-in-a-thread")
def raises_in_a_thread(req: func.HttpRequest) -> func.HttpResponse:
    raise LookupError("another reason for the log alone")


@app.function_name("with_context")
@app.route(route="context")
async def with_context(req: func.HttpRequest, context: func.Context) -> func.HttpResponse:
    seen = {
        "function": context.function_name,
        "directory": os.path.basename(context.function_directory),
        "trace": context.trace_context.trace_parent,
        "has an id": len(context.invocation_id) == 36,
        "id in the thread": context.thread_local_storage.invocation_id == context.invocation_id,  # type: ignore[attr-defined]
        "retries": context.retry_context.retry_count,
    }
    return func.HttpResponse(json.dumps(seen), mimetype="application/json")


@app.function_name("plain_text")
@app.route(route="text")
async def plain_text(req: func.HttpRequest) -> str:
    return "día"


@app.function_name("answers")
@app.route(route="answers/{kind}")
async def answers(req: func.HttpRequest) -> func.HttpResponse:
    """Answers that are unusual, and some that cannot be sent."""
    kinds: dict[str, object] = {
        "nothing": None,
        "a-dict": {"status": 200},
        "no-content": func.HttpResponse(status_code=204),
        "bytes": func.HttpResponse(b"\x00\xff", mimetype="application/octet-stream"),
        "counted": func.HttpResponse("four", headers={"Content-Length": "400", "X-Kept": "yes"}),
        "cookies": _with_cookies(),
        "status-99": func.HttpResponse(status_code=99),
        "split": func.HttpResponse("x", headers={"X-Bad": "é"}),
    }
    return kinds[req.route_params["kind"]]  # type: ignore[return-value]


def _with_cookies() -> func.HttpResponse:
    response = func.HttpResponse("x")
    response.headers.add("Set-Cookie", "a=1; Path=/; HttpOnly")
    response.headers.add("Set-Cookie", "b=2; Secure")
    return response


@app.function_name("setting")
@app.route(route="settings/{name}")
async def setting(req: func.HttpRequest) -> func.HttpResponse:
    return func.HttpResponse(os.environ.get(req.route_params["name"], "(unset)"))


@app.function_name("waits")
@app.route(route="waits")
async def waits(req: func.HttpRequest) -> func.HttpResponse:
    """Never answers by itself."""
    await asyncio.Event().wait()
    return func.HttpResponse("never")
