"""The agents' definitions, one coroutine a route: admit the call, find its contract, ask the store, render."""

import asyncio
import logging
import re
from collections.abc import Awaitable, Callable, Mapping
from typing import Final

from retrieval.access.rights import Operation
from retrieval.contracts import AgentContract, agent_contract
from retrieval.contracts.azure.conditions import precondition, wants_no_body
from retrieval.contracts.azure.errors import render_error
from retrieval.contracts.rendered import Rendered
from retrieval.endpoints import Call, Service, asked, body_of, log_call, log_failure
from retrieval.errors import AlreadyExists, BadRequest, NotFound, PreconditionFailed, RetrievalError
from retrieval.model import Agent, Caller
from retrieval.stored import ABSENT, Precondition

KIND: Final = "knowledge agent"
TARGET: Final = "targetIndexes[0].indexName"
MINIMAL: Final = {"Preference-Applied": "return=minimal"}

_NAME: Final = re.compile(r"[a-z0-9_-]{1,128}")

Work = Callable[[AgentContract], Awaitable[Rendered]]

logger = logging.getLogger(__name__)


async def list_agents(service: Service, call: Call) -> Rendered:
    """`GET agents`: all of them, by name."""

    async def work(spoken: AgentContract) -> Rendered:
        return spoken.render_agents(await service.agents.list(), has_key=service.models.has_key)

    return await _answer(service, call, "list agents", work)


async def create_agent(service: Service, call: Call) -> Rendered:
    """`POST agents`: 201, or 409 where there is one of that name."""

    async def work(spoken: AgentContract) -> Rendered:
        agent = spoken.parse_agent(body_of(call), name=None, has_key=service.models.has_key)
        await _check(service, agent)
        try:
            written = await service.agents.put(agent, when=ABSENT)
        except PreconditionFailed:
            raise AlreadyExists(KIND, agent.name) from None
        return spoken.render_agent(written.stored, status=201, has_key=service.models.has_key)

    return await _answer(service, call, "create agent", work)


async def get_agent(service: Service, call: Call, name: str) -> Rendered:
    """`GET agents('{name}')`, as it is stored at this moment."""

    async def work(spoken: AgentContract) -> Rendered:
        stored = await service.agents.get(name)
        if stored is None:
            raise NotFound(KIND, name[:128])
        return spoken.render_agent(stored, status=200, has_key=service.models.has_key)

    return await _answer(service, call, "get agent", work, name=name)


async def put_agent(service: Service, call: Call, name: str) -> Rendered:
    """`PUT agents('{name}')`: 201 for a new one, 200 for a replaced one, 204 where the caller wants no body.

    A precondition that does not hold now is told before anything is looked at that takes longer; the store checks it
    again as it writes.
    """

    async def work(spoken: AgentContract) -> Rendered:
        when = precondition(call.headers)
        agent = spoken.parse_agent(body_of(call), name=name, has_key=service.models.has_key)
        await _check_now(service, name, when)
        await _check(service, agent)
        written = await service.agents.put(agent, when=when)
        rendered = spoken.render_agent(
            written.stored, status=201 if written.created else 200, has_key=service.models.has_key
        )
        return _without_body(rendered) if wants_no_body(call.headers) else rendered

    return await _answer(service, call, "put agent", work, name=name)


async def delete_agent(service: Service, call: Call, name: str) -> Rendered:
    """`DELETE agents('{name}')`: 204, or 404 where there is none."""

    async def work(spoken: AgentContract) -> Rendered:
        if not await service.agents.delete(name, when=precondition(call.headers)):
            raise NotFound(KIND, name[:128])
        return Rendered(status=204, body=b"")

    return await _answer(service, call, "delete agent", work, name=name)


async def _answer(
    service: Service, call: Call, operation: Operation, work: Work, *, name: str | None = None
) -> Rendered:
    """Never raises a RetrievalError."""
    render = render_error
    start = asyncio.get_running_loop().time()
    caller: Caller | None = None
    try:
        caller = await service.access.admit(call.headers, operation)
        spoken = agent_contract(call.query.get("api-version"))
        render = spoken.render_error
        with service.in_flight.one():
            answer = await work(spoken)
    except RetrievalError as error:
        answer = render(error)
        log_failure(service, error, answer.status)
    log_call(logger, asked(operation, name or "", caller, names=_NAME), call, answer, start=start)
    return answer


async def _check_now(service: Service, name: str, when: Precondition) -> None:
    if when.anything_goes:
        return
    stored = await service.agents.get(name)
    if not when.holds(None if stored is None else stored.etag):
        raise PreconditionFailed(name)


async def _check(service: Service, agent: Agent) -> None:
    """What a definition names must be there for it. Raises BadRequest, BackendError."""
    if agent.model is not None:
        service.models.check(agent.model)
    indexes = [target.index for target in agent.targets if target.index not in service.bases]
    if len(indexes) > 1:
        raise BadRequest(f"One search index is supported; {len(indexes)} are named.", target="targetIndexes")
    for target in agent.targets:
        if await service.index_names.exists(target.index) is False:
            reason = f"There is no index {target.index!r} in the search service. Create it first, then the agent."
            raise BadRequest(reason, target=TARGET)


def _without_body(rendered: Rendered) -> Rendered:
    headers: Mapping[str, str] = {**rendered.headers, **MINIMAL}
    return Rendered(status=204, body=b"", headers=headers)
