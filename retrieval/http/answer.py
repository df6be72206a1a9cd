"""The answer workflow: `POST agents/{name}/answer`. With `?detail=workflow` the answer has the six payloads of the
Foundry workflow.

If the Accept header names `text/event-stream`, the answer is a stream of events. The route (whether documents are
needed), the plan, the searches, the references and the blocks are sent while the answer is made. The last event has the
whole answer.
"""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Final

from retrieval import threads
from retrieval.contracts.rendered import Part, Rendered, event
from retrieval.http.call import Call
from retrieval.http.delivery import streamed
from retrieval.http.retrieve import Job, agent_and_request, ask, completed, log_result, ports
from retrieval.http.routes import route
from retrieval.http.serving import Admitted, Endpoint
from retrieval.model.activity import RoundActivity
from retrieval.model.definitions import Agent
from retrieval.model.retrieval import RetrievalRequest
from retrieval.ports import Tell

if TYPE_CHECKING:
    from retrieval.contracts.answer import Detail
    from retrieval.model.answer import Answer
    from retrieval.model.progress import Progress


@dataclass(frozen=True, slots=True, kw_only=True)
class _Contract:
    """The contract, with the detail that the caller asks for. An explained answer has the model prompts if the caller
    may manage definitions."""

    detail: "Detail"
    with_prompts: bool = False

    def parse(self, body: bytes, agent: Agent, *, user_token: str | None) -> RetrievalRequest:
        from retrieval.contracts import answer

        return answer.parse(body, agent, user_token=user_token, detail=self.detail)

    def render(self, result: "Answer") -> Rendered:
        from retrieval.contracts import answer

        return answer.render(result, detail=self.detail, with_prompts=self.with_prompts)


def _speaks(call: Call) -> _Contract:
    from retrieval.contracts import answer

    return _Contract(detail=answer.detail(call.query))


def run_workflow(
    admitted: Admitted, agent: Agent, request: RetrievalRequest, tell: Tell | None = None
) -> Awaitable["Answer"]:
    """The answer to a request. `tell` is called with each step of progress. Raises RetrievalError."""
    from retrieval.answer import answers

    admitted.check_time(request.limits.runtime)
    request = completed(admitted, request)
    return answers.answer(request, ports(admitted, agent, request), start=admitted.start, tell=tell)


def _extent(result: "Answer") -> int:
    text = result.written
    return threads.CITATION * sum(map(len, (text.citations, text.removed, text.unquoted, text.unfounded)))


def _explained_extent(result: "Answer") -> int:
    """The size of an explained answer. It also counts the found documents, because rendering reads each document to
    find the words of the searches."""
    from retrieval.contracts.answer.explained import READ

    rounds = (record for record in result.activity if isinstance(record, RoundActivity))
    return _extent(result) + sum(READ * search.found for record in rounds for search in record.searches)


def _content(answer: "Answer") -> str:
    searches = [result.query.query for result in answer.results]
    keys = [] if answer.judgement is None else [choice.chunk.reference.hit.key for choice in answer.judgement.selected]
    return f"queries={searches!r} selected={keys!r} answer={answer.written.markdown!r}"


def _counts(answer: "Answer") -> Mapping[str, int]:
    """The counts of all rounds. The returned documents are those that the writer could cite."""
    rounds = [record for record in answer.activity if isinstance(record, RoundActivity)]
    omitted = sum((Counter[str](record.omitted) for record in rounds), Counter[str]())
    found, returned = sum(record.found for record in rounds), sum(record.gathered for record in rounds)
    return {"found": found, "returned": returned} | omitted


def load_workflow() -> None:
    """Loads the workflow and its contract."""
    from retrieval.answer import answers  # noqa: F401
    from retrieval.contracts import answer  # noqa: F401


def _answer(admitted: Admitted, contract: _Contract) -> Awaitable[Rendered]:
    contract = replace(contract, with_prompts="manage" in admitted.caller.rights)
    job = EXPLAINED if contract.detail == "explained" else WORKFLOW
    if admitted.call.wants_events:
        return _stream(admitted, contract, job)
    return ask(admitted, admitted.call.route["name"], contract, job)


async def _stream(admitted: Admitted, contract: _Contract, job: "Job[Answer]") -> Rendered:
    """The events of an answer. Raises RetrievalError for an error that is found before the work starts."""
    await threads.imported("retrieval.contracts.answer.events")
    from retrieval.contracts.answer.events import ProgressEvents

    agent, request = await agent_and_request(admitted, admitted.call.route["name"], contract)
    events, parts = ProgressEvents(), asyncio.Queue[bytes]()

    def tell(progress: "Progress") -> None:
        parts.put_nowait(events.event(progress))

    async def work() -> list[Part]:
        result = await run_workflow(admitted, agent, request, tell)
        answer = await threads.work(job.extent(result), partial(contract.render, result))
        log_result(result, admitted, job)
        return [event("end", answer.content)]

    return streamed(parts, work, until=admitted.start + request.limits.runtime)


WORKFLOW: Final = Job(run=run_workflow, extent=_extent, content=_content, counts=_counts)
EXPLAINED: Final = replace(WORKFLOW, extent=_explained_extent)


ANSWER: Final = Endpoint(
    operation="answer",
    needs="retrieve",
    span="answer",
    load=load_workflow,
    speaks=_speaks,
    contract_name=lambda call: "answer",
    work=_answer,
)

ROUTES: Final = route("POST agents/{name}/answer", "agents_answer", ANSWER, "askAgent")
