"""Asks an agent under any contract: finds the definition, parses the request, runs it and renders the result.

The routes are `POST agents('{name}')/retrieve` and `POST knowledgebases('{name}')/retrieve`, in the caller's API
version. If the version supports events and the header Accept names them, the answer is a stream of events. Otherwise
the answer is JSON. A version without events refuses a caller who takes only events. If the caller wants the activity,
events are sent when an activity begins and when it ends. The references and the whole answer follow.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from secrets import token_hex
from typing import TYPE_CHECKING, Final, Generic, TypeVar

from retrieval import threads
from retrieval.access.credentials import user_token_of
from retrieval.call.ports import Ports
from retrieval.contracts.rendered import Part, Rendered
from retrieval.contracts.served_versions import CONTRACTS, Contract, Version, contract, contract_name, versions_of
from retrieval.errors import NoEvents, UnsupportedFilter
from retrieval.filters import odata
from retrieval.http.call import API_VERSION, Call, body_of
from retrieval.http.delivery import Parts, streamed
from retrieval.http.routes import both_forms
from retrieval.http.serving import Admitted, Endpoint
from retrieval.model.activity import Activity, Begun, Ended, Kind, RankerActivity, SearchActivity, StepActivity
from retrieval.model.definitions import Agent
from retrieval.model.retrieval import Calibration, Outcome, RetrievalRequest
from retrieval.ports import Clock, Observer
from retrieval.sources.room import passed_on
from retrieval.telemetry import log_contents
from retrieval.text.source_labels import extent

if TYPE_CHECKING:
    from retrieval.contracts.azure.retrieve.events import Events as AzureEvents

Result = TypeVar("Result")

TOLD_KINDS: Final[frozenset[Kind]] = frozenset({"plan", "search"})
"""The kinds of activities whose events are sent while the activities run."""


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
        log_contents.log_content(job.content(result))


async def agent_and_request(
    admitted: Admitted, name: str, contract: Contract[Result], *, body: bytes | None = None
) -> tuple[Agent, RetrievalRequest]:
    """The agent with this name, and the parsed request. Raises RetrievalError."""
    service, call = admitted.service, admitted.call
    agent = await admitted.find(name)
    content, said = body_of(call) if body is None else body, call.said
    token = user_token_of(call.headers, agent, needed_by=service.callers.user_token_agents)
    parsing = partial(_parse, contract, content, agent, token)
    return agent, await threads.read(said, parsing, filters=agent.base_filters)


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
    service, models = admitted.service, admitted.service.models
    servers = next((room.tools for room in service.indexes.rooms.values() if room.tools is not None), None)
    deployment = models.usual if models.server is not None or agent.model is None else agent.model
    return Ports(
        index=admitted.index(request.targets),
        values_shown=service.indexes.imposed is None,
        model=None if deployment is None else models.of(deployment),
        clock=service.process.clock,
        deployment=None if deployment is None else replace(deployment, api_key=None),
        schemas=service.indexes.federated,
        facets=service.indexes.federated,
        servers=servers,
        pace=service.indexes.pace,
        outcomes=service.indexes.outcomes,
        server=models.server,
        replaced=agent.model if models.server is not None else None,
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
        calibration=_calibration(admitted, request) if is_written else None,
    )


def _calibration(admitted: Admitted, request: RetrievalRequest) -> Calibration | None:
    """The calibration for a call that searches one index; None for several indexes, because their calibrations are not
    comparable."""
    indexes = {target.index for target in request.targets}
    return admitted.service.indexes.calibrations.get(indexes.pop()) if len(indexes) == 1 else None


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
    found, dropped = outcome.found, outcome.dropped
    reasons = {reason.replace(" ", "_"): count for reason, count in dropped.items()}
    return {"found": found, "returned": len(outcome.references)} | reasons


RETRIEVAL: Final = Job(run=_run, extent=_extent, content=_content, counts=_counts)
"""One retrieval."""


async def stream(admitted: Admitted, name: str, contract: Contract[Outcome], events: "AzureEvents") -> Rendered:
    """The events of a retrieval. Raises RetrievalError for an error that is found before the retrieval starts."""
    agent, request = await agent_and_request(admitted, name, contract)
    admitted.check_time(request.limits.runtime)
    observer = EventObserver(events, admitted.service.process.clock, request)
    observer.parts.put_nowait(events.start_event(request, agent, id=admitted.call.request_id))

    async def run() -> list[Part]:
        outcome = await retrieval(admitted, agent, request, observers=(observer,))
        log_result(outcome, admitted, RETRIEVAL)
        return await threads.work(
            RETRIEVAL.extent(outcome), lambda: [*observer.rest(outcome.activity), *events.last_events(outcome)]
        )

    return streamed(observer.parts, run, until=admitted.start + request.limits.runtime)


class EventObserver:
    """An observer that makes the events of activities. While the retrieval runs, it reports only activities of
    TOLD_KINDS that have an id. This id is also the id of the activity's record.

    The events of a judgement wait until a further search begins, because a judgement without further searches has no
    record."""

    def __init__(self, events: "AzureEvents", clock: Clock, request: RetrievalRequest) -> None:
        self.parts: Parts = asyncio.Queue()
        self._events = events
        self._clock = clock
        self._request = request
        self._told_ids: set[int] = set()
        self._judgement: StepActivity | None = None

    def begun(self, activity: Begun) -> None:
        """Queues the event of an activity that begins."""
        if activity.kind == "search" and self._judgement is not None:
            self._tell_judgement(self._judgement)
        if activity.id is not None and activity.kind in TOLD_KINDS and self._request.include_activity:
            self._told_ids.add(activity.id)
            self.parts.put_nowait(self._events.begin_event(activity, id=activity.id, at=self._clock()))

    def ended(self, activity: Ended) -> None:
        """Queues the event of an activity that has ended."""
        id = activity.begun.id
        if activity.begun.kind == "judge" and isinstance(activity.record, StepActivity):
            self._judgement = activity.record
        if id in self._told_ids and id is not None and activity.record is not None:
            self.parts.put_nowait(self._events.end_event(activity.record, id=id, request=self._request))

    def rest(self, activity: Sequence[Activity]) -> Iterator[bytes]:
        """The begin and end events of activity records that had no events, such as the merge. Searches are left out."""
        if not self._request.include_activity:
            return
        for id, record in enumerate(activity):
            if id not in self._told_ids and not isinstance(record, SearchActivity):
                yield from self._whole(record, id)

    def _tell_judgement(self, record: StepActivity) -> None:
        self._judgement = None
        if record.id is not None and self._request.include_activity:
            self._told_ids.add(record.id)
            for event in self._whole(record, record.id):
                self.parts.put_nowait(event)

    def _whole(self, record: StepActivity | RankerActivity, id: int) -> Iterator[bytes]:
        """The events of the beginning and the end of an activity that is over."""
        begun = Begun(kind=record.step if isinstance(record, StepActivity) else "merge")
        yield self._events.begin_event(begun, id=id, at=record.started_at or self._clock())
        yield self._events.end_event(record, id=id, request=self._request)


def _contract(route: str, call: Call) -> Version:
    """The contract of the call's version. Raises UnsupportedVersion. Raises NoEvents if the caller takes only events
    and the version has none."""
    version = call.query.get(API_VERSION)
    version_contract = contract(route, version)
    if version_contract.answer_first is None and not call.takes_json:
        raise NoEvents(version or "")
    return version_contract


async def _retrieve(admitted: Admitted, contract: Version) -> Rendered:
    name = admitted.call.route["name"]
    if contract.answer_first is None or not admitted.call.wants_events:
        return await ask(admitted, name, contract, RETRIEVAL)
    events = await threads.at_first(("events", contract), lambda: contract.events)
    return await stream(admitted, name, contract, events)


def _endpoint(route: str) -> Endpoint[Version]:
    return Endpoint(
        operation="retrieve",
        needs="retrieve",
        span="retrieve",
        speaks=partial(_contract, route),
        contract_name=lambda call: contract_name(CONTRACTS, route, call.query.get(API_VERSION)),
        work=_retrieve,
        versions=versions_of(route),
    )


RETRIEVE: Final = _endpoint("agents")
RETRIEVE_FROM_BASE: Final = _endpoint("knowledgebases")

ROUTES: Final = (
    *both_forms("POST agents/{name}/retrieve", "agents_retrieve", RETRIEVE, "retrieveFromAgent"),
    *both_forms(
        "POST knowledgebases/{name}/retrieve", "knowledgebases_retrieve", RETRIEVE_FROM_BASE, "retrieveFromBase"
    ),
)
