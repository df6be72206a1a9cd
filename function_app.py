"""The Functions app: one function a route, one Blueprint a family of routes. Bytes come in here and leave here;
everything between is in `retrieval`.

Functions are named for the host's precedence, which is alphabetical: `agents_…` and `knowledgebases_…` before any wider
route (so that `POST /agents/index/retrieve` asks the agent "index"), `zz_` last.
"""

import logging
from collections.abc import Awaitable, Callable, Mapping
from typing import Final
from urllib.parse import urlsplit
from uuid import uuid4

from retrieval import threads

with threads.loading():
    import azure.functions as func

    from retrieval import compose
    from retrieval.contracts.rendered import Rendered
    from retrieval.errors import NotConfigured
    from retrieval.http.call import Call
    from retrieval.http.endpoints import ENDPOINTS, beneath
    from retrieval.http.monitoring import alive, described, readiness, shown
    from retrieval.http.serving import serve, tell
    from retrieval.http.sign_in import sign_in
    from retrieval.http.unmatched import unmatched

managing, asking, monitoring, last = (func.Blueprint() for _ in range(4))  # type: ignore[no-untyped-call]
app = func.FunctionApp(http_auth_level=func.AuthLevel.ANONYMOUS)

TOLD: Final[Mapping[str, Callable[[Call], Awaitable[Rendered]]]] = {
    "GET health": lambda call: alive(),
    "GET openapi.json": lambda call: described(),
    "GET ready": lambda call: readiness(compose.readiness),
    "GET playground": lambda call: shown(call, served=compose.playground()),
    "GET playground/{name}": lambda call: shown(call, served=compose.playground()),
    **{
        f"GET .well-known/oauth-protected-resource/{address}": lambda call: sign_in(call, compose.service)
        for address in ("agents/{name}/mcp", "knowledgebases/{name}/mcp", "knowledgebases('{name}')/mcp")
    },
}
"""What everybody may ask."""

try:
    compose.check_installed()
except NotConfigured as error:
    logging.getLogger("retrieval").error("%s", error)


@managing.function_name("agents")
@managing.route(route="agents", methods=["GET", "POST"])
async def agents(req: func.HttpRequest) -> func.HttpResponse:
    """List the agents, or create one."""
    return await _serve(req, "agents")


@managing.function_name("agents_one")
@managing.route(route="agents/{name}", methods=["DELETE", "GET", "PUT"])
async def agents_one(req: func.HttpRequest) -> func.HttpResponse:
    """Get, put or delete an agent, the slash form of the address."""
    return await _serve(req, "agents/{name}")


@managing.function_name("agents_one_odata")
@managing.route(route="agents('{name}')", methods=["DELETE", "GET", "PUT"])
async def agents_one_odata(req: func.HttpRequest) -> func.HttpResponse:
    """Get, put or delete an agent, the OData form of the address, which SDK clients send."""
    return await _serve(req, "agents('{name}')")


@managing.function_name("doctor")
@managing.route(route="doctor", methods=["GET"])
async def doctor(req: func.HttpRequest) -> func.HttpResponse:
    """What is wrong with this deployment, one finding a check, each with what to do."""
    return await _serve(req, "doctor")


@managing.function_name("knowledgebases")
@managing.route(route="knowledgebases", methods=["GET", "POST"])
async def knowledgebases(req: func.HttpRequest) -> func.HttpResponse:
    """List the knowledge bases, or create one."""
    return await _serve(req, "knowledgebases")


@managing.function_name("knowledgebases_one")
@managing.route(route="knowledgebases/{name}", methods=["DELETE", "GET", "PUT"])
async def knowledgebases_one(req: func.HttpRequest) -> func.HttpResponse:
    """Get, put or delete a knowledge base, the slash form of the address."""
    return await _serve(req, "knowledgebases/{name}")


@managing.function_name("knowledgebases_one_odata")
@managing.route(route="knowledgebases('{name}')", methods=["DELETE", "GET", "PUT"])
async def knowledgebases_one_odata(req: func.HttpRequest) -> func.HttpResponse:
    """Get, put or delete a knowledge base, the OData form of the address, which SDK clients send."""
    return await _serve(req, "knowledgebases('{name}')")


@managing.function_name("knowledgesources")
@managing.route(route="knowledgesources", methods=["GET", "POST"])
async def knowledgesources(req: func.HttpRequest) -> func.HttpResponse:
    """List the knowledge sources, or create one."""
    return await _serve(req, "knowledgesources")


@managing.function_name("knowledgesources_one")
@managing.route(route="knowledgesources/{name}", methods=["DELETE", "GET", "PUT"])
async def knowledgesources_one(req: func.HttpRequest) -> func.HttpResponse:
    """Get, put or delete a knowledge source, the slash form of the address."""
    return await _serve(req, "knowledgesources/{name}")


@managing.function_name("knowledgesources_one_odata")
@managing.route(route="knowledgesources('{name}')", methods=["DELETE", "GET", "PUT"])
async def knowledgesources_one_odata(req: func.HttpRequest) -> func.HttpResponse:
    """Get, put or delete a knowledge source, the OData form of the address, which SDK clients send."""
    return await _serve(req, "knowledgesources('{name}')")


@managing.function_name("knowledgesources_status")
@managing.route(route="knowledgesources/{name}/status", methods=["GET"])
async def knowledgesources_status(req: func.HttpRequest) -> func.HttpResponse:
    """Whether a knowledge source can be searched, the slash form of the address."""
    return await _serve(req, "knowledgesources/{name}/status")


@managing.function_name("knowledgesources_status_odata")
@managing.route(route="knowledgesources('{name}')/status", methods=["GET"])
async def knowledgesources_status_odata(req: func.HttpRequest) -> func.HttpResponse:
    """Whether a knowledge source can be searched, the OData form of the address, which SDK clients send."""
    return await _serve(req, "knowledgesources('{name}')/status")


@asking.function_name("agents_answer")
@asking.route(route="agents/{name}/answer", methods=["POST"])
async def agents_answer(req: func.HttpRequest) -> func.HttpResponse:
    """The whole workflow: route, plan, retrieve, judge, one follow-up, and an answer with citations."""
    return await _serve(req, "agents/{name}/answer")


@asking.function_name("agents_mcp")
@asking.route(route="agents/{name}/mcp", methods=["DELETE", "GET", "POST"])
async def agents_mcp(req: func.HttpRequest) -> func.HttpResponse:
    """Use the tools of an agent, by the Model Context Protocol."""
    return await _serve(req, "agents/{name}/mcp")


@asking.function_name("agents_retrieve")
@asking.route(route="agents/{name}/retrieve", methods=["POST"])
async def agents_retrieve(req: func.HttpRequest) -> func.HttpResponse:
    """Retrieve, the slash form of the address."""
    return await _serve(req, "agents/{name}/retrieve")


@asking.function_name("agents_retrieve_odata")
@asking.route(route="agents('{name}')/retrieve", methods=["POST"])
async def agents_retrieve_odata(req: func.HttpRequest) -> func.HttpResponse:
    """Retrieve, the OData form of the address, which SDK clients send."""
    return await _serve(req, "agents('{name}')/retrieve")


@asking.function_name("knowledgebases_mcp")
@asking.route(route="knowledgebases/{name}/mcp", methods=["DELETE", "GET", "POST"])
async def knowledgebases_mcp(req: func.HttpRequest) -> func.HttpResponse:
    """Use the tool of a knowledge base, by the Model Context Protocol, the slash form of the address."""
    return await _serve(req, "knowledgebases/{name}/mcp")


@asking.function_name("knowledgebases_mcp_odata")
@asking.route(route="knowledgebases('{name}')/mcp", methods=["DELETE", "GET", "POST"])
async def knowledgebases_mcp_odata(req: func.HttpRequest) -> func.HttpResponse:
    """Use the tool of a knowledge base, the OData form of the address."""
    return await _serve(req, "knowledgebases('{name}')/mcp")


@asking.function_name("knowledgebases_retrieve")
@asking.route(route="knowledgebases/{name}/retrieve", methods=["POST"])
async def knowledgebases_retrieve(req: func.HttpRequest) -> func.HttpResponse:
    """Retrieve from a knowledge base, the slash form of the address."""
    return await _serve(req, "knowledgebases/{name}/retrieve")


@asking.function_name("knowledgebases_retrieve_odata")
@asking.route(route="knowledgebases('{name}')/retrieve", methods=["POST"])
async def knowledgebases_retrieve_odata(req: func.HttpRequest) -> func.HttpResponse:
    """Retrieve from a knowledge base, the OData form of the address, which SDK clients send."""
    return await _serve(req, "knowledgebases('{name}')/retrieve")


@asking.function_name("model_studio_retrieve")
@asking.route(route="{workspaceId:regex(^(llm|ws)[-_])}/index/retrieve", methods=["POST"])
async def model_studio_retrieve(req: func.HttpRequest) -> func.HttpResponse:
    """Retrieve of Alibaba Cloud Model Studio. Ids of workspaces begin with `llm-`, older ones with `ws_`."""
    return await _serve(req, "{workspaceId:regex(^(llm|ws)[-_])}/index/retrieve")


@monitoring.function_name("health")
@monitoring.route(route="health", methods=["GET"])
async def health(req: func.HttpRequest) -> func.HttpResponse:
    """That this process is alive, whatever its settings and the services behind it."""
    return await _tell("GET health", await _call(req))


@monitoring.function_name("openapi")
@monitoring.route(route="openapi.json", methods=["GET"])
async def openapi(req: func.HttpRequest) -> func.HttpResponse:
    """Every route, in OpenAPI's words."""
    return await _tell("GET openapi.json", await _call(req))


@monitoring.function_name("ready")
@monitoring.route(route="ready", methods=["GET"])
async def ready(req: func.HttpRequest) -> func.HttpResponse:
    """Whether calls can be served: settings, and the services behind this one."""
    return await _tell("GET ready", await _call(req))


@monitoring.function_name("playground")
@monitoring.route(route="playground", methods=["GET"])
async def playground(req: func.HttpRequest) -> func.HttpResponse:
    """A page that asks as any client does, and shows what happened."""
    return await _tell("GET playground", await _call(req))


@monitoring.function_name("playground_file")
@monitoring.route(route="playground/{name}", methods=["GET"])
async def playground_file(req: func.HttpRequest) -> func.HttpResponse:
    """A file of that page."""
    return await _tell("GET playground/{name}", await _call(req))


@monitoring.function_name("sign_in_agents_mcp")
@monitoring.route(route=".well-known/oauth-protected-resource/agents/{name}/mcp", methods=["GET"])
async def sign_in_agents_mcp(req: func.HttpRequest) -> func.HttpResponse:
    """Where clients of an agent's tools sign in."""
    return await _tell("GET .well-known/oauth-protected-resource/agents/{name}/mcp", await _call(req))


@monitoring.function_name("sign_in_knowledgebases_mcp")
@monitoring.route(route=".well-known/oauth-protected-resource/knowledgebases/{name}/mcp", methods=["GET"])
async def sign_in_knowledgebases_mcp(req: func.HttpRequest) -> func.HttpResponse:
    """Where clients of a knowledge base's tool sign in, the slash form of the address."""
    return await _tell("GET .well-known/oauth-protected-resource/knowledgebases/{name}/mcp", await _call(req))


@monitoring.function_name("sign_in_knowledgebases_mcp_odata")
@monitoring.route(route=".well-known/oauth-protected-resource/knowledgebases('{name}')/mcp", methods=["GET"])
async def sign_in_knowledgebases_mcp_odata(req: func.HttpRequest) -> func.HttpResponse:
    """Where clients of a knowledge base's tool sign in, the OData form of the address."""
    return await _tell("GET .well-known/oauth-protected-resource/knowledgebases('{name}')/mcp", await _call(req))


@last.function_name("zz_unmatched")
@last.route(route="{*path}")
async def zz_unmatched(req: func.HttpRequest) -> func.HttpResponse:
    """What no route takes, of any method: an answer in a contract's envelope instead of the host's empty 404."""
    call = await _call(req)
    meant = beneath(compose.base_path(), call)
    if meant is None:
        return _response(await tell(call, unmatched))
    route, inner = meant
    if route in TOLD:
        return await _tell(route, inner)
    return _response(await serve(ENDPOINTS[route], inner, compose.service))


for family in (managing, asking, monitoring, last):
    app.register_functions(family)


async def _serve(req: func.HttpRequest, route: str) -> func.HttpResponse:
    return _response(await serve(ENDPOINTS[f"{req.method} {route}"], await _call(req), compose.service))


async def _tell(route: str, call: Call) -> func.HttpResponse:
    return _response(await tell(call, TOLD[route]))


async def _call(req: func.HttpRequest) -> Call:
    await threads.once(compose.cors_origins)
    url = urlsplit(req.url)
    return Call(
        method=req.method,
        headers={name.lower(): value for name, value in req.headers.items()},
        query={name.lower(): value for name, value in req.params.items()},
        route=req.route_params,
        origin=f"{url.scheme}://{url.netloc}",
        path=url.path,
        raw_query=req.url.partition("?")[2],
        body=req.get_body(),
        request_id=str(uuid4()),
        cors_origins=compose.cors_origins(),
        hosts=compose.hosts(),
        strict_versions=compose.strict_versions(),
    )


def _response(answer: Rendered) -> func.HttpResponse:
    return func.HttpResponse(
        answer.content, status_code=answer.status, headers=answer.headers, mimetype="application/json", charset="utf-8"
    )
