"""The Functions app: one function a route. Bytes come in here and leave here; everything between is in `retrieval`.

Functions are named for the host's precedence, which is alphabetical: `agents_…` before any wider route (so that
`POST /agents/index/retrieve` asks the agent "index"), `zz_` last.
"""

import logging
import re
from collections.abc import Awaitable, Callable
from uuid import uuid4

import azure.functions as func

from retrieval import compose, logs, telemetry
from retrieval.answering import answer_with_agent
from retrieval.contracts.rendered import Rendered
from retrieval.endpoints import (
    Call,
    Service,
    agents_failure,
    no_such_route,
    retrieve_from_workspace,
    retrieve_with_agent,
    workspace_failure,
)
from retrieval.errors import Fault, NotConfigured, RetrievalError
from retrieval.management import create_agent, delete_agent, get_agent, list_agents, put_agent
from retrieval.monitoring import alive, described, readiness
from retrieval.tool_calls import tools_failure, use_tools

logger = logging.getLogger("retrieval")
app = func.FunctionApp(http_auth_level=func.AuthLevel.ANONYMOUS)

Endpoint = Callable[[Service, Call], Awaitable[Rendered]]
Failure = Callable[[Call, RetrievalError], Rendered]

ONE = {"DELETE": delete_agent, "GET": get_agent, "PUT": put_agent}

_REQUEST_ID = re.compile(r"[\x21-\x7e]{1,128}")


@app.function_name("agents")
@app.route(route="agents", methods=["GET", "POST"])
async def agents(req: func.HttpRequest) -> func.HttpResponse:
    """List the agents, or create one."""
    return await _serve(req, list_agents if req.method == "GET" else create_agent, agents_failure)


@app.function_name("agents_answer")
@app.route(route="agents/{name}/answer", methods=["POST"])
async def agents_answer(req: func.HttpRequest) -> func.HttpResponse:
    """The whole workflow: route, plan, retrieve, judge, one follow-up, and an answer with citations."""
    name = req.route_params["name"]
    return await _serve(req, lambda service, call: answer_with_agent(service, call, name), agents_failure, "answer")


@app.function_name("agents_mcp")
@app.route(route="agents/{name}/mcp", methods=["DELETE", "GET", "POST"])
async def agents_mcp(req: func.HttpRequest) -> func.HttpResponse:
    """Use the tools of an agent, by the Model Context Protocol."""
    name = req.route_params["name"]
    return await _serve(req, lambda service, call: use_tools(service, call, name), tools_failure, "tools")


@app.function_name("agents_one")
@app.route(route="agents/{name}", methods=["DELETE", "GET", "PUT"])
async def agents_one(req: func.HttpRequest) -> func.HttpResponse:
    """Get, put or delete an agent, the slash form of the address."""
    return await _one(req)


@app.function_name("agents_one_odata")
@app.route(route="agents('{name}')", methods=["DELETE", "GET", "PUT"])
async def agents_one_odata(req: func.HttpRequest) -> func.HttpResponse:
    """Get, put or delete an agent, the OData form of the address, which SDK clients send."""
    return await _one(req)


@app.function_name("agents_retrieve")
@app.route(route="agents/{name}/retrieve", methods=["POST"])
async def agents_retrieve(req: func.HttpRequest) -> func.HttpResponse:
    """Retrieve, the slash form of the address."""
    return await _retrieve(req)


@app.function_name("agents_retrieve_odata")
@app.route(route="agents('{name}')/retrieve", methods=["POST"])
async def agents_retrieve_odata(req: func.HttpRequest) -> func.HttpResponse:
    """Retrieve, the OData form of the address, which SDK clients send."""
    return await _retrieve(req)


@app.function_name("health")
@app.route(route="health", methods=["GET"])
async def health(req: func.HttpRequest) -> func.HttpResponse:
    """That this process is alive, whatever its settings and the services behind it."""
    return await _tell(req, alive)


@app.function_name("model_studio_retrieve")
@app.route(route="{workspaceId:regex(^(llm|ws)[-_])}/index/retrieve", methods=["POST"])
async def model_studio_retrieve(req: func.HttpRequest) -> func.HttpResponse:
    """Retrieve of Alibaba Cloud Model Studio. Ids of workspaces begin with `llm-`, older ones with `ws_`."""
    workspace = req.route_params["workspaceId"]
    return await _serve(
        req, lambda service, call: retrieve_from_workspace(service, call, workspace), workspace_failure, "retrieve"
    )


@app.function_name("openapi")
@app.route(route="openapi.json", methods=["GET"])
async def openapi(req: func.HttpRequest) -> func.HttpResponse:
    """Every route, in OpenAPI's words."""
    return await _tell(req, described)


@app.function_name("ready")
@app.route(route="ready", methods=["GET"])
async def ready(req: func.HttpRequest) -> func.HttpResponse:
    """Whether calls can be served: settings, and the services behind this one."""
    return await _tell(req, lambda: readiness(compose.readiness))


@app.function_name("zz_unmatched")
@app.route(route="{*path}", methods=["DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT"])
async def zz_unmatched(req: func.HttpRequest) -> func.HttpResponse:
    """What no route takes: a 404 in a contract's envelope instead of the host's empty one."""
    call = _call(req)
    return _respond(call, no_such_route(call, req.route_params.get("path", "")))


async def _retrieve(req: func.HttpRequest) -> func.HttpResponse:
    name = req.route_params["name"]
    return await _serve(req, lambda service, call: retrieve_with_agent(service, call, name), agents_failure, "retrieve")


async def _one(req: func.HttpRequest) -> func.HttpResponse:
    name, work = req.route_params["name"], ONE[req.method]
    return await _serve(req, lambda service, call: work(service, call, name), agents_failure)


async def _serve(
    req: func.HttpRequest, endpoint: Endpoint, failure: Failure, operation: str = "request"
) -> func.HttpResponse:
    call = _call(req)
    with telemetry.request(operation, call.headers, id=call.request_id) as request:
        response = await _answered(call, endpoint, failure)
        request.answered(response.status_code)
    return response


async def _answered(call: Call, endpoint: Endpoint, failure: Failure) -> func.HttpResponse:
    content = False
    try:
        service = compose.service()
        content = service.log_content
        return _respond(call, await endpoint(service, call))
    except NotConfigured as error:
        logger.error("%s", error)
        telemetry.failed(error, status=503)
        return _respond(call, failure(call, error))
    except Exception as error:
        return _fault(call, error, failure, content=content)


async def _tell(req: func.HttpRequest, tell: Callable[[], Awaitable[Rendered]]) -> func.HttpResponse:
    """What everybody may know, whether or not this service is configured. Nobody traces a probe."""
    call = _call(req)
    try:
        return _respond(call, await tell())
    except Exception as error:
        return _fault(call, error, agents_failure, content=False)


def _fault(call: Call, error: Exception, failure: Failure, *, content: bool) -> func.HttpResponse:
    telemetry.failed(error, status=500)
    place = logs.trace(error, content=content)
    logger.error("A fault of this service, request-id %s\n%s", call.request_id, place)
    return _respond(call, failure(call, Fault()))


def _call(req: func.HttpRequest) -> Call:
    return Call(
        method=req.method,
        headers={name.lower(): value for name, value in req.headers.items()},
        query={name.lower(): value for name, value in req.params.items()},
        raw_query=req.url.partition("?")[2],
        body=req.get_body(),
        request_id=str(uuid4()),
    )


def _respond(call: Call, rendered: Rendered) -> func.HttpResponse:
    headers = {**rendered.headers, "request-id": call.request_id}
    sent = call.headers.get("x-ms-client-request-id", "")
    if _REQUEST_ID.fullmatch(sent):
        headers["x-ms-client-request-id"] = sent
    return func.HttpResponse(
        rendered.body, status_code=rendered.status, headers=headers, mimetype="application/json", charset="utf-8"
    )
