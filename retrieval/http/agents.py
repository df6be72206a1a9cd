"""The agents' definitions, one endpoint an operation: ask the store, render."""

from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from typing import Final

from retrieval import threads
from retrieval.access.rights import Operation
from retrieval.contracts import AGENT_CONTRACTS, AgentContract, agent_contract, version_name
from retrieval.contracts.azure.conditions import precondition, wants_no_body
from retrieval.contracts.rendered import Rendered
from retrieval.errors import AlreadyExists, BadRequest, NotFound, PreconditionFailed, UnreadableDefinitions
from retrieval.http.call import Call, body_of
from retrieval.http.service import Service
from retrieval.http.serving import Admitted, Endpoint
from retrieval.model.definitions import Agent
from retrieval.model.etags import ABSENT, Precondition

KIND: Final = "knowledge agent"
TARGET: Final = "targetIndexes[0].indexName"
MINIMAL: Final = {"Preference-Applied": "return=minimal"}


async def _list(admitted: Admitted, spoken: AgentContract) -> Rendered:
    """All of them, by name."""
    service = admitted.service
    return spoken.render_agents(await service.agents.store.list(), has_key=service.models.allowed.has_key)


async def _create(admitted: Admitted, spoken: AgentContract) -> Rendered:
    """201, or 409 where there is one of that name."""
    service, has_key = admitted.service, admitted.service.models.allowed.has_key
    body = body_of(admitted.call)
    agent = await threads.read(body, partial(spoken.parse_agent, body, name=None, has_key=has_key))
    await _check(service, agent)
    try:
        written = await service.agents.store.put(agent, when=ABSENT)
    except PreconditionFailed:
        raise AlreadyExists(KIND, agent.name) from None
    return spoken.render_agent(written.stored, status=201, has_key=has_key)


async def _get(admitted: Admitted, spoken: AgentContract) -> Rendered:
    """As it is stored at this moment."""
    service, name = admitted.service, admitted.call.route["name"]
    stored = await service.agents.store.get(name)
    if stored is None:
        raise NotFound(KIND, name[:128])
    return spoken.render_agent(stored, status=200, has_key=service.models.allowed.has_key)


async def _put(admitted: Admitted, spoken: AgentContract) -> Rendered:
    """201 for a new one, 200 for a replaced one, 204 where the caller wants no body.

    A precondition that does not hold now is told before anything is looked at that takes longer; the store checks it
    again as it writes.
    """
    service, call, has_key = admitted.service, admitted.call, admitted.service.models.allowed.has_key
    when, name = precondition(call.headers), call.route["name"]
    body = body_of(call)
    agent = await threads.read(body, partial(spoken.parse_agent, body, name=name, has_key=has_key))
    await _check_now(service, name, when)
    await _check(service, agent)
    written = await service.agents.store.put(agent, when=when)
    rendered = spoken.render_agent(written.stored, status=201 if written.created else 200, has_key=has_key)
    return _without_body(rendered) if wants_no_body(call.headers) else rendered


async def _delete(admitted: Admitted, spoken: AgentContract) -> Rendered:
    """204, or 404 where there is none."""
    call, name = admitted.call, admitted.call.route["name"]
    if not await admitted.service.agents.store.delete(name, when=precondition(call.headers)):
        raise NotFound(KIND, name[:128])
    return Rendered(status=204, body=b"")


async def _check_now(service: Service, name: str, when: Precondition) -> None:
    if when.anything_goes:
        return
    try:
        stored = await service.agents.store.get(name)
    except UnreadableDefinitions:
        return
    if not when.holds(None if stored is None else stored.etag):
        raise PreconditionFailed(name)


async def _check(service: Service, agent: Agent) -> None:
    """What a definition names must be there for it. Raises BadRequest, BackendError."""
    if agent.model is not None:
        service.models.allowed.check(agent.model)
    indexes = [target.index for target in agent.targets if target.index not in service.indexes.bases]
    if len(indexes) > 1:
        raise BadRequest(f"One search index is supported; {len(indexes)} are named.", target="targetIndexes")
    for target in agent.targets:
        if await service.indexes.names.exists(target.index) is False:
            reason = f"There is no index {target.index!r} in the search service. Create it first, then the agent."
            raise BadRequest(reason, target=TARGET)


def _without_body(rendered: Rendered) -> Rendered:
    headers: Mapping[str, str] = {**rendered.headers, **MINIMAL}
    return Rendered(status=204, body=b"", headers=headers)


def _contract(call: Call) -> AgentContract:
    return agent_contract(call.query.get("api-version"))


def _named(call: Call) -> str:
    return f"agents {version_name(AGENT_CONTRACTS, call.query.get('api-version'))}"


def _endpoint(
    operation: Operation, work: Callable[[Admitted, AgentContract], Awaitable[Rendered]]
) -> Endpoint[AgentContract]:
    return Endpoint(operation=operation, speaks=_contract, contract=_named, work=work)


LIST: Final = _endpoint("list agents", _list)
CREATE: Final = _endpoint("create agent", _create)
GET: Final = _endpoint("get agent", _get)
PUT: Final = _endpoint("put agent", _put)
DELETE: Final = _endpoint("delete agent", _delete)
