"""How an agent is asked, whatever the contract: find its definition, parse, run, render."""

import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from secrets import token_hex
from typing import Final, Generic, Protocol, TypeVar

from retrieval import threads
from retrieval.call.retrieve import retrieve
from retrieval.contracts.rendered import Rendered
from retrieval.errors import UnsupportedFilter
from retrieval.filters import odata
from retrieval.http.call import body_of, user_token_of
from retrieval.http.service import Service
from retrieval.http.serving import Admitted
from retrieval.model.activity import SearchActivity
from retrieval.model.definitions import Agent
from retrieval.model.retrieval import Outcome, RetrievalRequest
from retrieval.model.search import SearchTarget
from retrieval.ports import Observer
from retrieval.text.source_labels import extent


class Asking(Protocol):
    """What is asked of an agent."""

    @property
    def targets(self) -> Sequence[SearchTarget]:
        """What is searched for it."""


Request = TypeVar("Request", bound=Asking)
Result = TypeVar("Result")
Said = TypeVar("Said", covariant=True)
Found = TypeVar("Found", contravariant=True)

logger = logging.getLogger(__name__)


class Contract(Protocol[Said, Found]):
    """The way in from bytes to what is asked, and the way out."""

    def parse(self, body: bytes, agent: Agent, *, user_token: str | None) -> Said:
        """Raises BadRequest."""

    def render(self, found: Found, /) -> Rendered:
        """The answer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Run(Generic[Request, Result]):
    """What is done with a request. `extent` is how much its rendering goes over (`threads.work`), `content` what the
    log says of it where the deployment asks for that; it always has the `counts`."""

    run: Callable[[Admitted, Agent, Request], Awaitable[Result]]
    extent: Callable[[Result], int]
    content: Callable[[Result], str]
    counts: Callable[[Result], Mapping[str, int]] = lambda result: {}


async def ask(
    admitted: Admitted,
    name: str,
    contract: Contract[Request, Result],
    run: Run[Request, Result],
    *,
    body: bytes | None = None,
) -> Rendered:
    """Ask the agent of that name; `body` is given where the route has read it. Raises RetrievalError."""
    agent, request = await asked(admitted, name, contract, body=body)
    result = await run.run(admitted, agent, request)
    rendered = await threads.work(run.extent(result), partial(contract.render, result))
    log_content(admitted.service, run.content, result)
    return replace(rendered, counts=run.counts(result))


async def asked(
    admitted: Admitted, name: str, contract: Contract[Request, Result], *, body: bytes | None = None
) -> tuple[Agent, Request]:
    """The agent of that name, and what is asked of it. Raises RetrievalError."""
    service, call = admitted.service, admitted.call
    agent = await admitted.find(name)
    read = body_of(call) if body is None else body
    token = user_token_of(call, agent, needed_by=service.callers.user_token_agents)
    parsing = partial(_parsed, contract, read, agent, token)
    return agent, await threads.read(call.said, parsing, filters=agent.base_filters)


def _parsed(contract: Contract[Request, Result], body: bytes, agent: Agent, token: str | None) -> Request:
    """The request, the filters of which are written here: who reads them is beside the loop."""
    request = contract.parse(body, agent, user_token=token)
    for target in request.targets:
        if target.filter is not None:
            with suppress(UnsupportedFilter):
                odata.text(target.filter)
    return request


def log_content(service: Service, content: Callable[[Result], str], result: Result) -> None:
    """What was searched and found, where the deployment asks for it."""
    if service.process.log_content:
        logger.info("content %s", content(result))


async def retrieval(
    admitted: Admitted, agent: Agent, request: RetrievalRequest, *, observers: Sequence[Observer] = ()
) -> Outcome:
    """One retrieval, which tells the observers of each activity; whether there is time for it is not checked.

    Raises RetrievalError. The modules that write an answer are loaded for the first call that asks for one.
    """
    service, work = admitted.service, retrieve
    if request.output_mode == "answerSynthesis":
        await threads.once(_load_writer)
        from retrieval.call.retrieve_and_answer import retrieve_and_answer as work

        request = replace(request, calibration=service.indexes.calibration_of(request.targets))
    nonce, effort = request.nonce or token_hex(16), request.effort or service.agents.effort
    return await work(
        replace(request, nonce=nonce, effort=effort, address=admitted.address),
        index=admitted.index(request.targets),
        model=service.models.of(agent),
        clock=service.process.clock,
        deployment=service.models.named(agent),
        schemas=service.indexes.schemas,
        pace=service.indexes.pace,
        facets=service.indexes.facets,
        values_shown=not service.indexes.imposed.in_force,
        start=admitted.start,
        observers=observers,
    )


async def _run(admitted: Admitted, agent: Agent, request: RetrievalRequest) -> Outcome:
    admitted.check_time(request.max_runtime)
    return await retrieval(admitted, agent, request)


def _load_writer() -> None:
    from retrieval.call import retrieve_and_answer as retrieve  # noqa: F401


def _extent(outcome: Outcome) -> int:
    """The texts that are shown; of documents without source data that is the grounding alone."""
    shown = (one.hit for one in outcome.references if one.target.include_source_data)
    return len(outcome.grounding.text) + sum(map(extent, shown))


def _content(outcome: Outcome) -> str:
    searches = [one.searched.subquery.search for one in outcome.activity if isinstance(one, SearchActivity)]
    keys = [reference.hit.key for reference in outcome.references]
    answer = "" if outcome.answer is None else f" answer={outcome.answer!r}"
    return f"queries={searches!r} references={keys!r}{answer}"


def _counts(outcome: Outcome) -> Mapping[str, int]:
    searches = [one for one in outcome.activity if isinstance(one, SearchActivity)]
    counts = {"found": sum(one.found for one in searches), "returned": len(outcome.references)}
    for one in searches:
        for reason, count in one.dropped.items():
            counts[reason] = counts.get(reason, 0) + count
    return counts


RETRIEVAL: Final = Run(run=_run, extent=_extent, content=_content, counts=_counts)
"""One retrieval."""
