"""MCP at an agent's address: admit the call, find the agent, let its tools be used.

What speaks the protocol is loaded at the first call.
"""

import asyncio
import logging
from typing import Final

from retrieval.contracts.azure.errors import status_and_code
from retrieval.contracts.rendered import Rendered
from retrieval.endpoints import (
    Call,
    Service,
    agent_of,
    asked,
    body_of,
    log_call,
    log_content,
    log_failure,
    user_token_of,
)
from retrieval.errors import RetrievalError
from retrieval.model import Caller, Outcome, RetrievalRequest
from retrieval.pipeline import retrieve

METHOD: Final = "POST"

logger = logging.getLogger(__name__)


async def use_tools(service: Service, call: Call, name: str) -> Rendered:
    """`agents/{name}/mcp`: POST speaks MCP; there is no stream to GET and no session to DELETE.

    Never raises a RetrievalError.
    """
    from retrieval.access.origins import check_origin

    start = asyncio.get_running_loop().time()
    caller: Caller | None = None
    try:
        caller = await service.access.admit(call.headers, "retrieve")
        check_origin(call.headers, public_hosts=service.public_hosts)
        answer = await _speak(service, call, name, caller) if call.method == METHOD else _no_stream()
    except RetrievalError as error:
        answer = tools_failure(call, error)
        log_failure(service, error, status_and_code(error)[0])
    log_call(logger, asked(f"mcp {call.method}", name, caller), call, answer, start=start)
    return answer


def tools_failure(call: Call, error: RetrievalError) -> Rendered:
    """An error as a JSON-RPC error."""
    from retrieval.contracts.mcp.refusals import render_error

    return render_error(error, call.body)


async def _speak(service: Service, call: Call, name: str, caller: Caller) -> Rendered:
    from retrieval.contracts.mcp.exchange import answer
    from retrieval.contracts.mcp.tools import Bench

    with service.in_flight.one():
        body = body_of(call)
        agent = await agent_of(service, name)
        index = service.imposed.narrowed(service.index, caller, [target.index for target in agent.targets])

        async def run(request: RetrievalRequest) -> Outcome:
            try:
                outcome = await retrieve(request, index=index, model=service.model_of(agent), clock=service.clock)
            except RetrievalError as error:
                log_failure(service, error, status_and_code(error)[0])
                raise
            log_content(service, outcome)
            return outcome

        bench = Bench(agent=agent, user_token=user_token_of(service, call, agent), retrieve=run)
        return await answer(body, call.headers, bench)


def _no_stream() -> Rendered:
    from retrieval.contracts.mcp.refusals import refuse

    return Rendered(status=405, body=refuse(f"Only {METHOD} is served here."), headers={"Allow": METHOD})
