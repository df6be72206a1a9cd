"""The routes of MCP at the address of an agent or a knowledge base. POST receives the messages. GET and DELETE are
refused, because there is no stream to open and no session to end. MCP negotiates the protocol version itself.

Every web page that a user opens can send calls from the user's browser, so the Origin of a call is checked. With DNS
rebinding (`http/call.py`), Host and Origin are equal. Equality with the Host suffices only over https, where
the certificate proves the domain name.
https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#security-warning
"""

import asyncio
from collections.abc import Collection, Mapping
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

from retrieval import threads
from retrieval.access.credentials import user_token_of
from retrieval.contracts.azure.errors import status_and_code
from retrieval.contracts.rendered import Rendered, as_event
from retrieval.contracts.served_versions import CONTRACTS, VERSIONS, contract_name, version_of
from retrieval.errors import BackendError, NotAuthenticated, NotAuthorized, NotConfigured, NotFound, RetrievalError
from retrieval.http.answer import WORKFLOW, load_workflow, run_workflow
from retrieval.http.call import API_VERSION, HOST, Call, body_of, origin_of
from retrieval.http.cors import ANY, ORIGIN
from retrieval.http.retrieve import RETRIEVAL, Job, log_result
from retrieval.http.rooms import Door
from retrieval.http.routes import both_forms, route
from retrieval.http.service import Service
from retrieval.http.serving import Admitted, Composition, Endpoint, Open, log_failure, of_agent, refuse
from retrieval.model.caller import Caller
from retrieval.model.definitions import Agent
from retrieval.model.retrieval import Outcome, RetrievalRequest
from retrieval.ports import Tell
from retrieval.settings.environment import LOOPBACK

if TYPE_CHECKING:
    from retrieval.contracts.mcp.content import Tool
    from retrieval.model.answer import Answer

METHOD: Final = "POST"
PACKAGE_FORM: Final = "application/json"
"""The form in which the `mcp` package answers."""


def tools_refusal(call: Call, error: RetrievalError) -> Rendered:
    """An error as a JSON-RPC error."""
    from retrieval.contracts.mcp.rpc_errors import render_error

    return _in_form(call, render_error(error, call.body))


def _in_form(call: Call, answer: Rendered) -> Rendered:
    """The answer as an event, if the caller prefers events to JSON."""
    return as_event(answer) if call.prefers_events else answer


async def _admit(service: Service, call: Call) -> Caller:
    """The caller. Raises AccessError and BackendError. If clients can sign in, NotAuthenticated has the address of the
    sign-in metadata."""
    await threads.imported("retrieval.contracts.mcp.rpc_errors", "retrieval.contracts.mcp.sign_in")
    from retrieval.contracts.mcp.sign_in import metadata_address

    access = service.callers.access
    try:
        caller = await access.admit(call.headers, "retrieve")
    except NotAuthenticated as error:
        origin = origin_of(call.origin, call.headers, public=service.callers.public_hosts)
        error.metadata = metadata_address(origin, call.path) if origin and access.audiences else None
        raise
    _check_origin(call.headers, public_hosts=service.callers.public_hosts, allowed=call.cors_origins)
    return caller


def _check_origin(headers: Mapping[str, str], *, public_hosts: Collection[str], allowed: Collection[str]) -> None:
    """Accept calls without an Origin, calls of pages on this machine, and calls of pages that this service's own hosts
    serve over https.

    `allowed` are further Origins that may call; `*` allows all. `headers` has lower-case names. Raises NotAuthorized.
    """
    origin = headers.get(ORIGIN)
    if origin is None or origin in allowed or ANY in allowed:
        return
    if not _is_ours(origin, {headers.get(HOST, ""), *public_hosts}):
        raise NotAuthorized("Pages of this Origin may not call this service.")


def _is_ours(origin: str, hosts: Collection[str]) -> bool:
    try:
        parts = urlsplit(origin)
        name = parts.hostname
    except ValueError:
        return False
    if parts.scheme not in {"http", "https"} or name is None:
        return False
    is_own_host = parts.scheme == "https" and parts.netloc.lower() in {host.lower() for host in hosts}
    return is_own_host or name in LOOPBACK


async def _speak(route: str, admitted: Admitted, _: None) -> Rendered:
    from retrieval.contracts.mcp.exchange import Bench, answer

    service, call = admitted.service, admitted.call
    body = body_of(call)
    agent, fault = await _agent(route, admitted)
    admitted.index(agent.targets)  # Raises NotAuthorized if the caller may not search a target.

    now = asyncio.get_running_loop().time

    async def run(request: RetrievalRequest, tell: Tell | None) -> "Outcome | Answer":
        """Runs a tool's request. Its runtime limit is at most the time that is left for the HTTP call, and counts from
        now."""
        job: Job[Any] = WORKFLOW if request.output == "answer" else RETRIEVAL
        begun = replace(admitted, start=now())
        result: Outcome | Answer
        try:
            if job is WORKFLOW:
                await threads.once(load_workflow)
                result = await run_workflow(begun, agent, request, tell)
            else:
                result = await job.run(begun, agent, request)
        except RetrievalError as error:
            _log(service, error)
            raise
        log_result(result, admitted, job)
        return result

    token = user_token_of(call.headers, agent, needed_by=service.callers.user_token_agents)
    fields = partial(service.indexes.fields_of, agent)
    check = partial(_check, service, fault)
    tools = await _tools(route, call)
    bench = Bench(agent=agent, tools=tools, fields=fields, user_token=token, run=run, check=check)
    headers = {**call.headers, "accept": PACKAGE_FORM} if call.prefers_events else call.headers
    return _in_form(call, await answer(body, headers, bench, start=admitted.start, takes_events=call.wants_events))


def _check(service: Service, fault: RetrievalError | None) -> None:
    if fault is not None:
        _log(service, fault)
        raise fault


def _log(service: Service, error: RetrievalError) -> None:
    log_failure(error, status=status_and_code(error)[0], content=service.process.log_content)


async def _agent(route: str, admitted: Admitted) -> tuple[Agent, RetrievalError | None]:
    """The agent of a call. A knowledge base that does not exist or cannot be read is an agent without targets, together
    with the error: its tool is listed, and each call of the tool fails with the error, as in Azure AI Search. Raises
    NotAuthorized. For the route of agents raises NotFound and BackendError."""
    name = admitted.call.route["name"]
    try:
        return await admitted.find(name), None
    except (NotFound, BackendError) as error:
        if route == "agents":
            raise
        return Agent(name=name, targets=()), error


async def _tools(route: str, call: Call) -> "Mapping[str, Tool]":
    """The tools of a route. A knowledge base has a single one, as in Azure AI Search. Its default threshold is that of
    the api-version."""
    from retrieval.contracts.mcp.exchange import TOOLS
    from retrieval.contracts.mcp.knowledge_base_retrieve import TOOL

    if route == "agents":
        return TOOLS
    version = call.query.get(API_VERSION)
    key = "threshold", contract_name(CONTRACTS, "knowledgebases", version)
    threshold = await threads.at_first(key, partial(_threshold_of, version))
    return {TOOL.name: replace(TOOL, parse=partial(TOOL.parse, threshold=threshold))}


def _threshold_of(version: str | None) -> float:
    """The threshold of a knowledge base that states none, in this version. In an unknown version it is that of the
    newest version, since a client need not name a version."""
    key = (version or "").lower()
    return version_of(key if ("knowledgebases", key) in CONTRACTS else [*VERSIONS][-1]).threshold


def _load() -> None:
    """Loads the MCP package, which takes a second."""
    from retrieval.contracts.mcp.exchange import load

    load()


async def _sign_in(call: Call, composition: Composition) -> Rendered:
    """The metadata of an MCP address, which tells a client where to sign in."""
    try:
        service = await threads.at_first(composition.service, composition.service)
    except NotConfigured as error:
        return refuse(call, error)
    await threads.imported("retrieval.contracts.mcp.sign_in")
    from retrieval.contracts.mcp.sign_in import render

    return render(call, service)


async def _no_stream(admitted: Admitted, _: None) -> Rendered:
    from retrieval.contracts.mcp.rpc_errors import refuse as rpc_refusal

    return Rendered(status=405, body=rpc_refusal(f"Only {METHOD} is served here."), headers={"Allow": METHOD})


def _subject(words: str, call: Call, caller: Caller | None) -> str:
    return of_agent(f"mcp {call.method}", call, caller)


USE_TOOLS: Final = Endpoint(
    operation="retrieve",
    needs="retrieve",
    span="tools",
    admit=_admit,
    load=_load,
    speaks=lambda call: None,
    contract_name=lambda call: "mcp",
    work=partial(_speak, "agents"),
    refuse=tools_refusal,
    subject=_subject,
)
USE_BASE_TOOLS: Final = replace(USE_TOOLS, work=partial(_speak, "knowledgebases"))
LISTEN: Final = replace(USE_TOOLS, operation="listen", load=None, work=_no_stream, counted=False, refuses=True)

SIGN_IN: Final = Open(_sign_in)

_AT: Final = ".well-known/oauth-protected-resource"
_OF_AGENT: Final = (
    *route("POST agents/{name}/mcp", "agents_mcp", USE_TOOLS, "callTools"),
    *route("GET agents/{name}/mcp", "agents_mcp", LISTEN, "listenForTools"),
    *route("DELETE agents/{name}/mcp", "agents_mcp", LISTEN, "endToolSession"),
)
_OF_BASE: Final = (
    *both_forms("POST knowledgebases/{name}/mcp", "knowledgebases_mcp", USE_BASE_TOOLS, "callToolsOfBase"),
    *both_forms("GET knowledgebases/{name}/mcp", "knowledgebases_mcp", LISTEN, "listenForToolsOfBase"),
    *both_forms("DELETE knowledgebases/{name}/mcp", "knowledgebases_mcp", LISTEN, "endToolSessionOfBase"),
)
_SIGN_IN: Final = (
    *route(f"GET {_AT}/agents/{{name}}/mcp", "sign_in_agents_mcp", SIGN_IN, "whereToSignIn"),
    *both_forms(f"GET {_AT}/knowledgebases/{{name}}/mcp", "sign_in_knowledgebases_mcp", SIGN_IN, "whereToSignInOfBase"),
)
DOOR: Final = Door(routes=(*_OF_AGENT, *_OF_BASE, *_SIGN_IN))
