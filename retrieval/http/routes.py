"""The table of routes. A route has a method and a template, and the table states its function, endpoint and id.
`function_app` registers the functions. `tools.openapi` describes each route by its id. `unmatched` finds the routes of
a path. docs/operating/access.md shows the right that each route needs.

The Functions host tries functions in the alphabetical order of their names, so `zz_unmatched` comes last. `POST
/agents/index/retrieve` asks the agent "index": the workspace route matches only ids that begin with `llm` or `ws`.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any, Final

from retrieval.access.rights import Operation
from retrieval.http import definitions, monitoring
from retrieval.http.answer import ANSWER
from retrieval.http.doctor import EXAMINE
from retrieval.http.mcp import LISTEN, USE_BASE_TOOLS, USE_TOOLS
from retrieval.http.retrieve import RETRIEVE, RETRIEVE_FROM_BASE
from retrieval.http.serving import Endpoint, Open
from retrieval.http.sign_in import SIGN_IN
from retrieval.http.workspaces import RETRIEVE_FROM_WORKSPACE

SIGN_IN_AT: Final = ".well-known/oauth-protected-resource"


@dataclass(frozen=True, slots=True, kw_only=True)
class Route:
    """A route. `odata` is true for the form `agents('{name}')`, which SDKs use. Its `id` is the same as for
    `agents/{name}`; OpenAPI appends `Odata` to it."""

    function: str
    method: str
    template: str
    endpoint: Endpoint[Any] | Open
    id: str
    odata: bool = False

    @property
    def operation(self) -> Operation:
        return self.endpoint.operation

    @property
    def address(self) -> str:
        """The method and the template, such as `GET agents/{name}`. No two routes have the same address."""
        return f"{self.method} {self.template}"


def _route(address: str, function: str, endpoint: Endpoint[Any] | Open, id: str) -> Iterator[Route]:
    method, template = address.split(" ")
    yield Route(function=function, method=method, template=template, endpoint=endpoint, id=id)


def _both_forms(address: str, function: str, endpoint: Endpoint[Any] | Open, id: str) -> Iterator[Route]:
    """The routes of an address, in its slash form and in its OData form."""
    for route in _route(address, function, endpoint, id):
        template = route.template.replace("/{name}", "('{name}')")
        yield from (route, replace(route, template=template, function=f"{function}_odata", odata=True))


def _table() -> Iterator[Route]:
    yield from _both_forms("POST agents/{name}/retrieve", "agents_retrieve", RETRIEVE, "retrieveFromAgent")
    yield from _both_forms(
        "POST knowledgebases/{name}/retrieve", "knowledgebases_retrieve", RETRIEVE_FROM_BASE, "retrieveFromBase"
    )
    yield from _route("POST agents/{name}/answer", "agents_answer", ANSWER, "askAgent")
    yield from _route("POST agents/{name}/mcp", "agents_mcp", USE_TOOLS, "callTools")
    yield from _route("GET agents/{name}/mcp", "agents_mcp", LISTEN, "listenForTools")
    yield from _route("DELETE agents/{name}/mcp", "agents_mcp", LISTEN, "endToolSession")
    yield from _both_forms("POST knowledgebases/{name}/mcp", "knowledgebases_mcp", USE_BASE_TOOLS, "callToolsOfBase")
    yield from _both_forms("GET knowledgebases/{name}/mcp", "knowledgebases_mcp", LISTEN, "listenForToolsOfBase")
    yield from _both_forms("DELETE knowledgebases/{name}/mcp", "knowledgebases_mcp", LISTEN, "endToolSessionOfBase")
    yield from _route(f"GET {SIGN_IN_AT}/agents/{{name}}/mcp", "sign_in_agents_mcp", SIGN_IN, "whereToSignIn")
    yield from _both_forms(
        f"GET {SIGN_IN_AT}/knowledgebases/{{name}}/mcp", "sign_in_knowledgebases_mcp", SIGN_IN, "whereToSignInOfBase"
    )
    yield from _route(
        "POST {workspaceId:regex(^(llm|ws)[-_])}/index/retrieve",
        "model_studio_retrieve",
        RETRIEVE_FROM_WORKSPACE,
        "retrieveFromWorkspace",
    )
    yield from _route("GET agents", "agents", definitions.LIST, "listAgents")
    yield from _route("POST agents", "agents", definitions.CREATE, "createAgent")
    yield from _both_forms("GET agents/{name}", "agents_one", definitions.GET, "getAgent")
    yield from _both_forms("PUT agents/{name}", "agents_one", definitions.PUT, "putAgent")
    yield from _both_forms("DELETE agents/{name}", "agents_one", definitions.DELETE, "deleteAgent")
    bases, base = "knowledgebases", "knowledgebases_one"
    yield from _route("GET knowledgebases", bases, definitions.LIST_BASES, "listKnowledgeBases")
    yield from _route("POST knowledgebases", bases, definitions.CREATE_BASE, "createKnowledgeBase")
    yield from _both_forms("GET knowledgebases/{name}", base, definitions.GET_BASE, "getKnowledgeBase")
    yield from _both_forms("PUT knowledgebases/{name}", base, definitions.PUT_BASE, "putKnowledgeBase")
    yield from _both_forms("DELETE knowledgebases/{name}", base, definitions.DELETE_BASE, "deleteKnowledgeBase")
    sources, source = "knowledgesources", "knowledgesources_one"
    yield from _route("GET knowledgesources", sources, definitions.LIST_SOURCES, "listKnowledgeSources")
    yield from _route("POST knowledgesources", sources, definitions.CREATE_SOURCE, "createKnowledgeSource")
    yield from _both_forms("GET knowledgesources/{name}", source, definitions.GET_SOURCE, "getKnowledgeSource")
    yield from _both_forms("PUT knowledgesources/{name}", source, definitions.PUT_SOURCE, "putKnowledgeSource")
    yield from _both_forms("DELETE knowledgesources/{name}", source, definitions.DELETE_SOURCE, "deleteKnowledgeSource")
    yield from _both_forms(
        "GET knowledgesources/{name}/status",
        "knowledgesources_status",
        definitions.SOURCE_STATUS,
        "getKnowledgeSourceStatus",
    )
    yield from _route("GET doctor", "doctor", EXAMINE, "examineDeployment")
    yield from _route("GET health", "health", monitoring.HEALTH, "getHealth")
    yield from _route("GET ready", "ready", monitoring.READY, "getReadiness")
    yield from _route("GET openapi.json", "openapi", monitoring.OPENAPI, "getDocument")
    yield from _route("GET playground", "playground", monitoring.PLAYGROUND, "getPage")
    yield from _route("GET playground/{name}", "playground_file", monitoring.PLAYGROUND, "getPageFile")


ROUTES: Final[Mapping[str, Route]] = MappingProxyType({route.address: route for route in _table()})
"""The routes by address, in the order of the OpenAPI document."""


def functions() -> Mapping[tuple[str, str], Mapping[str, Route]]:
    """The routes of each function by method. A function is identified by its name and its template."""
    by_function: dict[tuple[str, str], dict[str, Route]] = {}
    for route in ROUTES.values():
        by_function.setdefault((route.function, route.template), {})[route.method] = route
    return by_function
