"""The endpoint of answers: admit the call, read it, run the workflow, render what came of it."""

import asyncio
import logging
from secrets import token_hex
from typing import TYPE_CHECKING

from retrieval.contracts.azure.errors import render_error
from retrieval.contracts.rendered import Rendered
from retrieval.endpoints import Call, Service, agent_of, asked, body_of, log_call, log_failure, user_token_of
from retrieval.errors import RetrievalError
from retrieval.model import Caller

if TYPE_CHECKING:
    from retrieval.answer import Answer

logger = logging.getLogger(__name__)


async def answer_with_agent(service: Service, call: Call, name: str) -> Rendered:
    """`POST agents/{name}/answer`; `?detail=workflow` asks for the six payloads. Never raises a RetrievalError."""
    from retrieval import workflow
    from retrieval.contracts import foundry

    start = asyncio.get_running_loop().time()
    caller: Caller | None = None
    try:
        caller = await service.access.admit(call.headers, "answer")
        detail = foundry.detail(call.query)
        with service.in_flight.one():
            agent = await agent_of(service, name)
            token = user_token_of(service, call, agent)
            request = foundry.parse(body_of(call), agent, user_token=token, nonce=token_hex(16))
            index = service.imposed.narrowed(service.index, caller, [target.index for target in request.targets])
            found = await workflow.answer(
                request, index=index, schemas=service.schemas, model=service.model_of(agent), clock=service.clock
            )
            answer = foundry.render(found, detail=detail)
            _log_content(service, found)
    except RetrievalError as error:
        answer = render_error(error)
        log_failure(service, error, answer.status)
    log_call(logger, asked("answer", name, caller), call, answer, start=start)
    return answer


def _log_content(service: Service, answer: "Answer") -> None:
    if service.log_content:
        searches = [result.query.query for result in answer.results]
        keys = [] if answer.judgement is None else [one.chunk.reference.hit.key for one in answer.judgement.selected]
        logger.info("content queries=%r selected=%r answer=%r", searches, keys, answer.written.markdown)
