"""An answer as events. The route (whether documents are needed), the plan, the searches, the references and the blocks
are sent while the answer is made. The last event has the whole answer."""

import asyncio
from collections.abc import Awaitable, Callable
from functools import partial
from typing import TypeAlias

from retrieval import threads
from retrieval.contracts.answer.events import ProgressEvents, end_event
from retrieval.contracts.rendered import Part, Rendered
from retrieval.contracts.versions import Contract
from retrieval.http.asking import Job, agent_and_request, log_result
from retrieval.http.delivery import streamed
from retrieval.http.serving import Admitted
from retrieval.model.answer import Answer
from retrieval.model.definitions import Agent
from retrieval.model.progress import Progress
from retrieval.model.retrieval import RetrievalRequest
from retrieval.ports import Tell

Run: TypeAlias = Callable[[Admitted, Agent, RetrievalRequest, Tell], Awaitable[Answer]]
"""Makes an answer, and reports the progress to the last argument."""


async def stream(
    admitted: Admitted,
    contract: Contract[Answer],
    job: Job[Answer],
    *,
    run: Run,
) -> Rendered:
    """The events of an answer. `run` does the work of `job.run`, and also reports the progress. Raises RetrievalError
    for an error that is found before the work starts."""
    agent, request = await agent_and_request(admitted, admitted.call.route["name"], contract)
    events, parts = ProgressEvents(), asyncio.Queue[bytes]()

    def tell(progress: Progress) -> None:
        parts.put_nowait(events.event(progress))

    async def work() -> list[Part]:
        result = await run(admitted, agent, request, tell)
        answer = await threads.work(job.extent(result), partial(contract.render, result))
        log_result(result, admitted, job)
        return [end_event(answer)]

    return streamed(parts, work, until=admitted.start + request.limits.runtime)
