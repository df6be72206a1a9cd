"""Asks an agent under any contract: finds the definition, parses the request, runs it and renders the result."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from secrets import token_hex
from typing import Final, Generic, TypeVar

from retrieval import threads
from retrieval.access.credentials import user_token_of
from retrieval.call.run import Ports
from retrieval.contracts.rendered import Rendered
from retrieval.contracts.versions import Contract
from retrieval.errors import UnsupportedFilter
from retrieval.filters import odata
from retrieval.http.call import body_of
from retrieval.http.serving import Admitted
from retrieval.model.definitions import Agent
from retrieval.model.retrieval import Outcome, RetrievalRequest
from retrieval.ports import Observer
from retrieval.sources.room import passed_on
from retrieval.telemetry import logs
from retrieval.text.source_labels import extent

Result = TypeVar("Result")


@dataclass(frozen=True, slots=True, kw_only=True)
class Job(Generic[Result]):
    """The work on a request. `extent` returns the size of a result. Large results are rendered in a thread. `content`
    returns the text for the log of content. `counts` returns the numbers of documents that were found, returned, and
    dropped for each reason."""

    run: Callable[[Admitted, Agent, RetrievalRequest], Awaitable[Result]]
    extent: Callable[[Result], int]
    content: Callable[[Result], str]
    counts: Callable[[Result], Mapping[str, int]]


async def ask(
    admitted: Admitted,
    name: str,
    contract: Contract[Result],
    job: Job[Result],
    *,
    body: bytes | None = None,
) -> Rendered:
    """Ask the agent with this name. `body` is given if the route has already read the body. Raises RetrievalError."""
    agent, request = await agent_and_request(admitted, name, contract, body=body)
    result = await job.run(admitted, agent, request)
    answer = await threads.work(job.extent(result), partial(contract.render, result))
    log_result(result, admitted, job)
    return answer


def log_result(result: Result, admitted: Admitted, job: Job[Result]) -> None:
    """Adds the document counts of a result to the call's log line. Logs its content if the deployment logs content."""
    admitted.counts.update(job.counts(result))
    if admitted.service.process.log_content:
        logs.log_content(job.content(result))


async def agent_and_request(
    admitted: Admitted, name: str, contract: Contract[Result], *, body: bytes | None = None
) -> tuple[Agent, RetrievalRequest]:
    """The agent with this name, and the parsed request. Raises RetrievalError."""
    service, call = admitted.service, admitted.call
    agent = await admitted.find(name)
    content = body_of(call) if body is None else body
    token = user_token_of(call.headers, agent, needed_by=service.callers.user_token_agents)
    parsing = partial(_parse, contract, content, agent, token)
    return agent, await threads.read(call.said, parsing, filters=agent.base_filters)


def _parse(contract: Contract[Result], body: bytes, agent: Agent, token: str | None) -> RetrievalRequest:
    """The request. The `$filter` texts of its filters are also written and cached here. This runs in a thread if it may
    take long, so that the event loop does not wait."""
    request = contract.parse(body, agent, user_token=token)
    for target in request.targets:
        if target.filter is not None:
            with suppress(UnsupportedFilter):
                odata.text(target.filter)
    return request


def ports(admitted: Admitted, agent: Agent, request: RetrievalRequest) -> Ports:
    """The ports for a call of this agent. Raises NotAuthorized if the caller may not search a target."""
    service = admitted.service
    deployment = service.models.deployment_of(agent)
    return Ports(
        index=admitted.index(request.targets),
        values_shown=service.indexes.imposed is None,
        model=None if deployment is None else service.models.of(deployment),
        clock=service.process.clock,
        deployment=None if deployment is None else replace(deployment, api_key=None),
        schemas=service.indexes.schemas,
        facets=service.indexes.facets,
        servers=service.indexes.servers,
        pace=service.indexes.pace,
        outcomes=service.indexes.outcomes,
        server=service.models.server,
        replaced=agent.model if service.models.server is not None else None,
    )


def completed(admitted: Admitted, request: RetrievalRequest) -> RetrievalRequest:
    """The request, completed with values from the call and the deployment. Raises BadRequest."""
    service, agents = admitted.service, admitted.service.agents
    is_written = request.output != "documents"
    return replace(
        request,
        nonce=request.nonce or token_hex(16),
        effort=request.effort or agents.effort,
        grounds_everything=agents.grounds_everything
        if request.grounds_everything is None
        else request.grounds_everything,
        address=admitted.address,
        passed=passed_on(service.indexes.rooms, admitted.call.headers, request.targets),
        calibration=service.indexes.calibration_of(request.targets) if is_written else None,
    )


async def retrieval(
    admitted: Admitted, agent: Agent, request: RetrievalRequest, *, observers: Sequence[Observer] = ()
) -> Outcome:
    """One retrieval. It reports each activity to the observers. It does not check whether there is enough time. Raises
    RetrievalError. Modules are loaded at the first call that needs them.
    """
    await threads.imported("retrieval.retrieve.retrieve_documents")
    from retrieval.retrieve.retrieve_documents import retrieve

    work = retrieve
    if request.output == "synthesis":
        await threads.imported("retrieval.retrieve.synthesis")
        from retrieval.retrieve.synthesis import retrieve_and_write

        work = retrieve_and_write
    request = completed(admitted, request)
    return await work(request, ports(admitted, agent, request), start=admitted.start, observers=observers)


async def _run(admitted: Admitted, agent: Agent, request: RetrievalRequest) -> Outcome:
    admitted.check_time(request.limits.runtime)
    return await retrieval(admitted, agent, request)


def _extent(outcome: Outcome) -> int:
    """The size of the texts in an answer: the grounding text, and the documents of targets that include source data."""
    shown_hits = (reference.hit for reference in outcome.references if reference.target.include_source_data)
    return len(outcome.grounding.text) + sum(map(extent, shown_hits))


def _content(outcome: Outcome) -> str:
    searches = [record.searched.subquery.search for record in outcome.searches]
    keys = [reference.hit.key for reference in outcome.references]
    answer = "" if outcome.answer is None else f" answer={outcome.answer!r}"
    return f"queries={searches!r} references={keys!r}{answer}"


def _counts(outcome: Outcome) -> Mapping[str, int]:
    dropped = {reason.replace(" ", "_"): count for reason, count in outcome.dropped.items()}
    return {"found": outcome.found, "returned": len(outcome.references)} | dropped


RETRIEVAL: Final = Job(run=_run, extent=_extent, content=_content, counts=_counts)
"""One retrieval."""
