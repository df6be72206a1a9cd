"""The code that all routes share. A route with a credential is an `Endpoint`, which `serve` runs.

    RETRIEVE = Endpoint(operation="retrieve", needs="retrieve", speaks=…, work=…)
    answer = await serve(RETRIEVE, call, compose.service)

`serve` opens the span, and turns an exception into an error answer. `answer` admits the caller, chooses the contract,
counts the call in flight, runs the endpoint, delivers its answer and writes the log line. Most answers of agents come
from `retrieve.ask`, which finds the definition, parses, runs and renders. `Open` is an operation that needs no
credential.
"""

import asyncio
import logging
import re
import zlib
from collections import Counter
from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Final, Generic, Protocol, TypeAlias, TypeVar

from retrieval import threads
from retrieval.contracts.azure.errors import render_error
from retrieval.contracts.rendered import Rendered
from retrieval.errors import BackendError, Fault, NotAuthorized, NotConfigured, RetrievalError, RetrievalFailed
from retrieval.http.call import API_VERSION, Call, absent, check_host, origin_of, with_ids
from retrieval.http.delivery import HEARTBEAT_SECONDS, deliver
from retrieval.http.service import Service
from retrieval.model.caller import Caller, Right
from retrieval.model.definitions import Agent, Target, is_name
from retrieval.model.retrieval import Address
from retrieval.model.search import SearchTarget
from retrieval.ports import SearchIndex
from retrieval.telemetry import log_contents, names, spans

if TYPE_CHECKING:
    from retrieval.telemetry.readiness import Readiness

GONE: Final = 499
"""The status in telemetry for a call whose caller disconnected. In Azure, a Python worker learns this only through
`stream_extension`, the module for Microsoft's HTTP streams."""

_OF_COLLECTION: Final = re.compile(r"/(?:agents|knowledgebases)(?:[(/]|$)", re.IGNORECASE)

SpokenContract = TypeVar("SpokenContract")

Refuse: TypeAlias = Callable[[Call, RetrievalError], Rendered]

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Admitted:
    """A call whose caller has the right for the operation. `start` is the time on the event loop's clock when the call
    arrived. `counts` are the numbers of found, returned and dropped documents for the log line."""

    service: Service
    call: Call
    caller: Caller
    start: float
    counts: Counter[str] = field(default_factory=Counter)

    async def find(self, name: str) -> Agent:
        """The agent with this name. Raises NotFound, MissingSources and BackendError. Raises NotAuthorized if the
        caller's credential is only for other knowledge bases."""
        bases = self.caller.bases
        if bases is not None and name not in bases:
            raise NotAuthorized("This credential is bound to other knowledge bases.")
        agent = await self.service.agents.lookup.find(name)
        if agent is None:
            raise absent(self.call.path, name)
        spans.described({names.AGENT: agent.name})
        agents = self.service.agents
        if agents.runtime is None and agents.effort is None:
            return agent
        return replace(agent, usual_runtime=agents.runtime, usual_effort=agents.effort)

    @property
    def origin(self) -> str:
        """The scheme and host that the caller called. They may be those of a gateway in PUBLIC_HOSTS."""
        call, public = self.call, self.service.callers.public_hosts
        return origin_of(call.origin, call.headers, public=public) or call.origin

    @property
    def address(self) -> Address:
        """The beginning of the links in an answer, and the API version. The beginning includes the base path of a
        gateway."""
        prefix = _OF_COLLECTION.split(self.call.path, maxsplit=1)[0]
        return Address(endpoint=self.origin + prefix, version=self.call.version)

    def index(self, targets: Iterable[Target | SearchTarget]) -> SearchIndex:
        """The search index, with the filters that the deployment imposes on this caller. Raises NotAuthorized if the
        caller may not search a target."""
        indexes = self.service.indexes
        if indexes.imposed is None:
            return indexes.search
        return indexes.imposed.narrowed(indexes.search, self.caller, [target.index for target in targets])

    def check_time(self, runtime: float) -> None:
        """Raises Overloaded if the call cannot be answered within `runtime` seconds after its arrival."""
        seconds_left = self.start + runtime - asyncio.get_running_loop().time()
        self.service.process.in_flight.check_time(seconds_left)


def of_agent(words: str, call: Call, caller: Caller | None) -> str:
    """The subject of a call in the log: the agent and the caller. An invalid name is replaced by `-`."""
    name = call.route.get("name", "")
    return f"{words} agent={name if is_name(name) else '-'} caller={('-' if caller is None else caller.id)!r}"


def refuse(call: Call, error: RetrievalError) -> Rendered:
    """An error answer in Azure's format. All API versions share this format."""
    return render_error(error)


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoint(Generic[SpokenContract]):
    """One operation of the routes.

    A caller `needs` the right. `speaks` returns the contract that the call asks for, and `work` returns the answer.
    Both may raise RetrievalError, which `refuse` renders. `load` imports the modules that they need, once in each
    process. `admit` replaces the usual check of the credential. `span` is the name of the call in telemetry, and
    `subject` describes the call in the log. `contract_name` returns the name and the version of the contract, for
    telemetry and the log. If `counted` is true, a call counts towards the limit of calls in flight. Above the limit,
    only API keys are checked before the call is refused, so that a refusal costs little. `heartbeat` is in seconds.
    `versions` are the API versions of the route, if any. If `refuses` is true, `work` refuses every call, after the
    caller is admitted.
    """

    operation: str
    needs: Right
    work: Callable[[Admitted, SpokenContract], Awaitable[Rendered]]
    speaks: Callable[[Call], SpokenContract]
    contract_name: Callable[[Call], str]
    admit: Callable[[Service, Call], Awaitable[Caller]] | None = None
    refuse: Refuse = refuse
    load: Callable[[], object] | None = None
    span: str = "request"
    subject: Callable[[str, Call, Caller | None], str] = of_agent
    counted: bool = True
    heartbeat: float = HEARTBEAT_SECONDS
    versions: Collection[str] = ()
    refuses: bool = False


async def serve(endpoint: Endpoint[Any], call: Call, get_service: Callable[[], Service]) -> Rendered:
    """Answers a call. Every exception except a cancellation becomes an error answer. The body is complete, or empty if
    it was sent already. `get_service` may raise NotConfigured."""
    await threads.once(spans.instruments)
    call, content = call.with_served_version(endpoint.versions), False
    contract_name = endpoint.contract_name(call)
    with spans.request(endpoint.span, call.headers, id=call.request_id, client_id=call.client_id) as request:
        try:
            service = await threads.at_first(get_service, get_service)
            service.process.begin()
            if not service.process.trace_steps:
                request.steps = []
            content = service.process.log_content
            answered = await answer(endpoint, service, call, contract_name=contract_name)
        except asyncio.CancelledError:
            request.answered(GONE, contract=contract_name)
            logger.info("the caller of %s went away, request-id %s", endpoint.span, call.request_id)
            raise
        except NotConfigured as error:
            logger.error("%s", error)
            spans.failed(error, status=503)
            answered = endpoint.refuse(call, error)
        except Exception as error:
            answered = _fault(error, call, endpoint.refuse, content=content)
        request.answered(answered.status, contract=contract_name)
    return with_ids(answered, call)


class Composition(Protocol):
    """The service of a process, its readiness check, and whether it has the playground."""

    def service(self) -> Service: ...

    def readiness(self) -> "Readiness": ...

    def playground(self) -> bool: ...


@dataclass(frozen=True, slots=True)
class Open:
    """An operation that needs no credential and no right. Its calls are not traced or counted."""

    work: Callable[[Call, Composition], Awaitable[Rendered]]
    needs: None = None
    refuse: Refuse = refuse
    refuses: bool = False


async def answer_call(endpoint: Endpoint[Any] | Open, call: Call, composition: Composition) -> Rendered:
    """Answers a call. An exception becomes an error answer. An operation that needs no credential works even if the
    service is not configured."""
    if isinstance(endpoint, Endpoint):
        return await serve(endpoint, call, composition.service)
    try:
        check_host(call.headers, named=call.hosts)
        answer = await endpoint.work(call, composition)
    except NotAuthorized as error:
        answer = refuse(call, error)
    except Exception as error:
        answer = _fault(error, call, refuse, content=False)
    return with_ids(answer, call)


async def answer(endpoint: Endpoint[SpokenContract], service: Service, call: Call, *, contract_name: str) -> Rendered:
    """The answer with a complete body, or with an empty body if the parts were already sent. Never raises a
    RetrievalError."""
    start = asyncio.get_running_loop().time()
    caller, counts = None, Counter[str]()
    failure = partial(_failure, endpoint, service, call)
    try:
        caller = await _admit(endpoint, service, call)
        if service.callers.limits is not None:
            service.callers.limits.check(caller)
        if call.unknown_version is not None:
            service.process.unknown_versions.asked(call.unknown_version, call.query[API_VERSION])
        if endpoint.load is not None:
            await threads.once(endpoint.load)
        contract = await threads.at_first((endpoint.operation, contract_name), partial(endpoint.speaks, call))
        with service.process.in_flight.request(caller.name) if endpoint.counted else nullcontext():
            admitted = Admitted(service=service, call=call, caller=caller, start=start, counts=counts)
            draft = await endpoint.work(admitted, contract)
            if isinstance(draft.body, bytes):
                delivered, size = draft, len(draft.body)
            else:
                delivered, size = await deliver(draft, draft.body, call, failure, heartbeat=endpoint.heartbeat)
    except RetrievalError as error:
        delivered = failure(error)
        size = len(delivered.content)
    if is_logged(call, delivered, percent=service.process.log_calls_percent):
        subject = f"{endpoint.subject(endpoint.operation, call, caller)} contract={contract_name!r}"
        _log_call(subject, call, delivered.status, size=size, start=start, counts=counts)
    return delivered


def _log_call(subject: str, call: Call, status: int, *, size: int, start: float, counts: Mapping[str, int]) -> None:
    """Writes the log line of a call, whose answer has so many bytes (`size`)."""
    elapsed = round((asyncio.get_running_loop().time() - start) * 1000)
    documents = "".join(f" {name}={count}" for name, count in counts.items())
    line = "%s status=%d request_bytes=%d answer_bytes=%d elapsed_ms=%d%s"
    logger.info(line, subject, status, len(call.body), size, elapsed, documents)


async def _admit(endpoint: Endpoint[Any], service: Service, call: Call) -> Caller:
    """The caller, who has the right for the operation. Raises AccessError, and Overloaded also where no place is held
    for the caller."""
    check_host(call.headers, named=call.hosts)
    access, in_flight = service.callers.access, service.process.in_flight
    if endpoint.counted and in_flight.full:
        known = access.at_once(call.headers, endpoint.needs)
        name = known.name if known is not None else access.known.find(call.headers)
        if name is None:
            raise in_flight.stranger()
        in_flight.check(name)
    if endpoint.admit is None:
        caller = await access.admit(call.headers, endpoint.needs)
    else:
        caller = await endpoint.admit(service, call)
    spans.called_by(caller.id)
    return caller


def is_logged(call: Call, answer: Rendered, *, percent: int) -> bool:
    """Whether to log the call. Refused and failed calls are always logged. `percent` is the share of successful calls
    that are logged, chosen by request id."""
    return answer.status >= 400 or percent >= 100 or zlib.crc32(call.request_id.encode()) % 100 < percent


def log_failure(error: RetrievalError, *, status: int, content: bool) -> None:
    """Logs a failure of this service or of a service that it calls. A caller's error is not logged here, but the span
    records it. A status 429 is logged if another service throttled this service.
    """
    spans.failed(error, status=status)
    if status >= 500 or (status == 429 and isinstance(error, BackendError | RetrievalFailed)):
        logger.error("%s%s", log_contents.describe(error, content=content), spans.ids())


def _failure(endpoint: Endpoint[Any], service: Service, call: Call, error: Exception) -> Rendered:
    content = service.process.log_content
    if not isinstance(error, RetrievalError):
        return _fault(error, call, endpoint.refuse, content=content)
    refusal = endpoint.refuse(call, error)
    log_failure(error, status=refusal.status, content=content)
    return refusal


def _fault(error: Exception, call: Call, refuse: Refuse, *, content: bool) -> Rendered:
    """The refusal for a bug of this service. The log has the stack trace."""
    spans.failed(error, status=500)
    logger.error(
        "A fault of this service, request-id %s\n%s", call.request_id, log_contents.trace(error, content=content)
    )
    return refuse(call, Fault())
