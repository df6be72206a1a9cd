"""The skeleton: every route goes through `serve`, and says by an `Endpoint` only what differs.

    RETRIEVE = Endpoint(operation="retrieve", span="retrieve", speaks=…, work=…)
    answer = await serve(RETRIEVE, call, compose.service)

`serve` opens the span and answers for faults; `answer` admits the caller, chooses the contract, counts the call in
flight, lets the endpoint work, delivers its answer and writes the one line of the log. Endpoints that ask an agent use
`asking.ask`, which finds the definition, parses, runs and renders. `tell` is for operations that everybody may call.
"""

import asyncio
import logging
import re
from collections.abc import Awaitable, Callable, Collection, Iterable
from contextlib import nullcontext
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Final, Generic, Protocol, TypeAlias, TypeVar

from retrieval import telemetry, threads
from retrieval.access.hosts import check_host, origin_of
from retrieval.access.rights import Operation
from retrieval.contracts.azure.errors import render_error
from retrieval.contracts.rendered import Rendered
from retrieval.errors import Fault, NotAuthorized, NotConfigured, RetrievalError
from retrieval.http.call import API_VERSION, Call, absent, with_ids
from retrieval.http.call_log import is_logged, log_call, log_failure, log_fault, of_agent
from retrieval.http.delivery import HEARTBEAT_SECONDS, deliver
from retrieval.http.service import Service
from retrieval.model.caller import Caller
from retrieval.model.definitions import Agent, Target
from retrieval.model.retrieval import Address
from retrieval.model.search import SearchTarget
from retrieval.ports import SearchIndex

if TYPE_CHECKING:
    from retrieval.telemetry.readiness import Readiness

GONE: Final = 499
"""The status in telemetry of a call whose caller went away. In Azure a Python worker does not learn of it."""

_OF_COLLECTION: Final = re.compile(r"/(?:agents|knowledgebases)(?:[(/]|$)", re.IGNORECASE)

Spoken = TypeVar("Spoken")

Refuse: TypeAlias = Callable[[Call, RetrievalError], Rendered]

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Admitted:
    """A call whose caller has the right to the operation. `start` is the time of the running loop at which the call
    came."""

    service: Service
    call: Call
    caller: Caller
    start: float

    async def find(self, name: str) -> Agent:
        """The agent of that name. Raises NotAuthorized for a caller who is bound to others, NotFound, MissingSources,
        BackendError."""
        bases = self.caller.bases
        if bases is not None and name not in bases:
            raise NotAuthorized("This credential is bound to other knowledge bases.")
        agent = await self.service.agents.lookup.find(name)
        if agent is None:
            raise absent(self.call.path, name)
        telemetry.described({telemetry.AGENT: agent.name})
        return agent

    @property
    def origin(self) -> str:
        """The scheme and host of this service as the caller knows them: those of a proxy that PUBLIC_HOSTS names."""
        call, public = self.call, self.service.callers.public_hosts
        return origin_of(call.origin, call.headers, public=public) or call.origin

    @property
    def address(self) -> Address:
        """The beginning of an answer's links, with a gateway's base path before the collection, and the version."""
        prefix = _OF_COLLECTION.split(self.call.path, maxsplit=1)[0]
        return Address(endpoint=self.origin + prefix, version=self.call.version)

    def index(self, targets: Iterable[Target | SearchTarget]) -> SearchIndex:
        """The indexes of the targets as the caller may see them. Raises NotAuthorized."""
        indexes = self.service.indexes
        return indexes.imposed.narrowed(indexes.search, self.caller, [target.index for target in targets])

    def check_may_search(self, targets: Iterable[Target | SearchTarget]) -> None:
        """Raises NotAuthorized where the caller may not search the targets."""
        self.index(targets)

    def check_time(self, runtime: float) -> None:
        """Raises Overloaded where the call cannot be answered within `runtime` seconds after it came."""
        seconds_left = self.start + runtime - asyncio.get_running_loop().time()
        self.service.process.in_flight.check_time(seconds_left)


def refuse(call: Call, error: RetrievalError) -> Rendered:
    """An error in Azure's envelope, which every version has."""
    return render_error(error)


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoint(Generic[Spoken]):
    """One operation, as a route names it.

    `speaks` gives the contract that the call asks for, `work` the answer in it; both raise RetrievalError, which
    `refuse` renders. `load` imports what both need, once a process. `admit` is for routes whose callers have other
    credentials than the service's. `span` names the call in telemetry, `subject` in the log; `contract` names the
    contract and version in both, with one of a handful of names. Only calls that are `counted` are in flight, and are
    refused where too many are. They are refused before more than a key is checked, so that a refusal costs next to
    nothing. `heartbeat` is in seconds. `versions` are those of the route, if it has any.
    """

    operation: Operation
    work: Callable[[Admitted, Spoken], Awaitable[Rendered]]
    speaks: Callable[[Call], Spoken]
    contract: Callable[[Call], str]
    admit: Callable[[Service, Call], Awaitable[Caller]] | None = None
    refuse: Refuse = refuse
    load: Callable[[], object] | None = None
    span: str = "request"
    subject: Callable[[str, Call, Caller | None], str] = of_agent
    counted: bool = True
    heartbeat: float = HEARTBEAT_SECONDS
    versions: Collection[str] = ()


async def serve(endpoint: Endpoint[Any], call: Call, get_service: Callable[[], Service]) -> Rendered:
    """Answer a call, whatever happens, with a body that is whole. `get_service` may raise NotConfigured."""
    await threads.once(telemetry.load)
    call = call.with_served_version(endpoint.versions)
    with telemetry.request(endpoint.span, call.headers, id=call.request_id) as request:
        try:
            answer = await _answer_or_fault(endpoint, call, get_service)
        except asyncio.CancelledError:
            request.answered(GONE, contract=endpoint.contract(call))
            logger.info("the caller of %s went away, request-id %s", endpoint.span, call.request_id)
            raise
        request.answered(answer.status, contract=endpoint.contract(call))
    return with_ids(answer, call)


class Composition(Protocol):
    """The parts composed once a process, on the first call: the service, and the answers that need none."""

    def service(self) -> Service: ...

    def readiness(self) -> "Readiness": ...

    def playground(self) -> bool: ...

    def document(self) -> bytes: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Open:
    """An operation for everybody: no credential is asked for, nothing is traced or counted."""

    operation: Operation
    work: Callable[[Call, Composition], Awaitable[Rendered]]


async def answer_call(endpoint: Endpoint[Any] | Open, call: Call, composition: Composition) -> Rendered:
    """Answer a call, whatever happens, with a body that is whole."""
    if isinstance(endpoint, Open):
        return await tell(call, lambda told_call: endpoint.work(told_call, composition))
    return await serve(endpoint, call, composition.service)


async def tell(call: Call, work: Callable[[Call], Awaitable[Rendered]]) -> Rendered:
    """Answers an operation that everybody may call, whether or not this service is configured. Probes are not
    traced."""
    try:
        check_host(call.headers, named=call.hosts)
        answer = await work(call)
    except NotAuthorized as error:
        answer = refuse(call, error)
    except Exception as error:
        log_fault(error, call, content=False)
        answer = refuse(call, Fault())
    return with_ids(answer, call)


async def _answer_or_fault(endpoint: Endpoint[Any], call: Call, get_service: Callable[[], Service]) -> Rendered:
    content = False
    try:
        service = await threads.at_first(get_service, get_service)
        service.process.begin()
        if not service.process.trace_steps:
            telemetry.summarize()
        content = service.process.log_content
        return await answer(endpoint, service, call)
    except NotConfigured as error:
        logger.error("%s", error)
        telemetry.failed(error, status=503)
        return endpoint.refuse(call, error)
    except Exception as error:
        log_fault(error, call, content=content)
        return endpoint.refuse(call, Fault())


async def answer(endpoint: Endpoint[Spoken], service: Service, call: Call) -> Rendered:
    """The answer with a whole body, which is empty where its parts have left already. Never raises a RetrievalError."""
    start = asyncio.get_running_loop().time()
    caller, spoken = None, endpoint.contract(call)
    failure = partial(_failure, endpoint, service, call)
    try:
        check_host(call.headers, named=call.hosts)
        if endpoint.counted and service.process.in_flight.full:
            _refuse_at_limit(endpoint, service, call)
        caller = await _admit(endpoint, service, call)
        if service.callers.limits is not None:
            service.callers.limits.check(caller)
        if call.unknown_version is not None:
            service.process.unknown_versions.asked(call.unknown_version, call.query[API_VERSION])
        if endpoint.load is not None:
            await threads.once(endpoint.load)
        contract = await threads.at_first((endpoint.operation, spoken), partial(endpoint.speaks, call))
        with service.process.in_flight.request() if endpoint.counted else nullcontext():
            admitted = Admitted(service=service, call=call, caller=caller, start=start)
            draft = await endpoint.work(admitted, contract)
            delivered, size = await deliver(draft, call, failure, heartbeat=endpoint.heartbeat)
    except RetrievalError as error:
        delivered = failure(error)
        size = len(delivered.content)
    if not is_logged(call, delivered, percent=service.process.log_calls_percent):
        return delivered
    subject = endpoint.subject(endpoint.operation, call, caller)
    log_call(subject, call, delivered, contract=spoken, size=size, start=start)
    return delivered


def _refuse_at_limit(endpoint: Endpoint[Any], service: Service, call: Call) -> None:
    """Raises Overloaded, and AccessError for a call without a credential, or with a key that is not accepted."""
    if service.callers.access.at_once(call.headers, endpoint.operation) is None:
        raise service.process.in_flight.stranger()
    service.process.in_flight.check()


async def _admit(endpoint: Endpoint[Any], service: Service, call: Call) -> Caller:
    if endpoint.admit is not None:
        return await endpoint.admit(service, call)
    return await service.callers.access.admit(call.headers, endpoint.operation)


def _failure(endpoint: Endpoint[Any], service: Service, call: Call, error: Exception) -> Rendered:
    content = service.process.log_content
    if not isinstance(error, RetrievalError):
        log_fault(error, call, content=content)
        return endpoint.refuse(call, Fault())
    refusal = endpoint.refuse(call, error)
    log_failure(error, status=refusal.status, content=content)
    return refusal
