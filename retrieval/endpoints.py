"""One coroutine a route: admit the call, find its contract and agent, run the pipeline, render the answer or error."""

import asyncio
import logging
import re
from collections.abc import Awaitable, Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from retrieval import logs, telemetry
from retrieval.access.admission import Access
from retrieval.access.imposed import ImposedFilters
from retrieval.access.models import AllowedModels
from retrieval.access.rights import GRANTED
from retrieval.contracts import contract
from retrieval.contracts.azure.errors import render_error
from retrieval.contracts.rendered import Rendered
from retrieval.errors import (
    BadRequest,
    BodyTooLarge,
    NoSuchCall,
    NotAuthorized,
    NotFound,
    NoWorkspace,
    Overloaded,
    RetrievalError,
)
from retrieval.model import Agent, Caller, Outcome, PublishedIndex, SearchActivity
from retrieval.pipeline import retrieve
from retrieval.ports import AgentLookup, AgentStore, ChatModel, Clock, IndexNames, IndexSchemas, SearchIndex

if TYPE_CHECKING:
    from retrieval.access.acs3 import Signatures
    from retrieval.readiness import Probe

LARGEST_BODY: Final = 1_048_576
RETRY_AFTER_SECONDS: Final = 1
USER_TOKEN: Final = "x-ms-query-source-authorization"
LONGEST_USER_TOKEN: Final = 65_536

AGENT_NAME: Final = re.compile(r"[a-z0-9-]{1,128}")

_USER_TOKEN: Final = re.compile(r"[\x20-\x7e]+")
_WORKSPACE = re.compile(r"[A-Za-z0-9_-]{1,128}")

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """An HTTP call as the Functions host hands it over. `headers` and `query` have lower-case names.

    The host joins repeated query parameters and drops empty ones: `raw_query` has them all, still percent-encoded.
    """

    headers: Mapping[str, str]
    query: Mapping[str, str]
    body: bytes
    method: str = "POST"
    raw_query: str = ""
    request_id: str = ""


class InFlight:
    """Counts the requests under way; one too many is refused at once."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._count = 0

    @contextmanager
    def one(self) -> Iterator[None]:
        """Raises Overloaded when `limit` are under way."""
        if self._count >= self._limit:
            raise Overloaded(self._limit, retry_after=RETRY_AFTER_SECONDS)
        self._count += 1
        try:
            yield
        finally:
            self._count -= 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Service:
    """What the endpoints work with, composed once a process. A deployed process never ends; tests `close` theirs.

    `bases` are the names of the targets that are no indexes of Azure AI Search.
    """

    index: SearchIndex
    index_names: IndexNames
    schemas: IndexSchemas
    bases: Collection[str]
    agents: AgentStore
    lookup: AgentLookup
    model_of: Callable[[Agent], ChatModel | None]
    published: Mapping[tuple[str, str], PublishedIndex]
    signatures: "Signatures"
    models: AllowedModels
    access: Access
    imposed: ImposedFilters
    user_token_agents: Collection[str]
    public_hosts: Collection[str]
    log_content: bool
    in_flight: InFlight
    probes: "Sequence[Probe]"
    clock: Clock
    close: Callable[[], Awaitable[None]]


async def retrieve_with_agent(service: Service, call: Call, name: str) -> Rendered:
    """`POST agents('{name}')/retrieve` in the version that the call asks for. Never raises a RetrievalError."""
    render = render_error
    start = asyncio.get_running_loop().time()
    caller: Caller | None = None
    try:
        caller = await service.access.admit(call.headers, "retrieve")
        spoken = contract("agents", call.query.get("api-version"))
        render = spoken.render_error
        with service.in_flight.one():
            agent = await agent_of(service, name)
            request = spoken.parse(body_of(call), agent, user_token=user_token_of(service, call, agent))
            index = service.imposed.narrowed(service.index, caller, [target.index for target in request.targets])
            outcome = await retrieve(request, index=index, model=service.model_of(agent), clock=service.clock)
            answer = spoken.render(outcome)
            log_content(service, outcome)
    except RetrievalError as error:
        answer = render(error)
        log_failure(service, error, answer.status)
    log_call(logger, asked("retrieve", name, caller), call, answer, start=start)
    return answer


async def retrieve_from_workspace(service: Service, call: Call, workspace: str) -> Rendered:
    """`POST {workspaceId}/index/retrieve`, Model Studio's Retrieve. Never raises a RetrievalError."""
    from retrieval.contracts import model_studio

    start = asyncio.get_running_loop().time()
    try:
        body = body_of(call)
        caller = await _admit_signed(service, call, workspace)
        with service.in_flight.one():
            found = model_studio.read(call.raw_query, call.headers.get("content-type", ""), body)
            published = _published(service, workspace, found.index_id)
            agent = await agent_of(service, published.agent)
            request = model_studio.parse(found, published, agent, user_token=user_token_of(service, call, agent))
            index = service.imposed.narrowed(service.index, caller, [target.index for target in request.targets])
            outcome = await retrieve(request, index=index, model=service.model_of(agent), clock=service.clock)
            answer = model_studio.render(outcome, published, request_id=call.request_id.upper())
            log_content(service, outcome)
    except RetrievalError as error:
        answer = workspace_failure(call, error)
        log_failure(service, error, answer.status)
    where = workspace if _WORKSPACE.fullmatch(workspace) else "-"
    log_call(logger, f"retrieve workspace={where}", call, answer, start=start)
    return answer


def no_such_route(call: Call, path: str) -> Rendered:
    """The answer where no route takes a call, in the envelope of the contract that its path resembles."""
    from retrieval.contracts import model_studio

    if model_studio.resembles(path):
        return workspace_failure(call, NoSuchCall("operation", f"{call.method} {path[:200]}"))
    return agents_failure(call, NotFound("route", path[:200]))


def agents_failure(call: Call, error: RetrievalError) -> Rendered:
    """An error in Azure's envelope, where no version of a contract was chosen yet."""
    return render_error(error)


def workspace_failure(call: Call, error: RetrievalError) -> Rendered:
    """An error in Model Studio's envelope."""
    from retrieval.contracts import model_studio

    return model_studio.render_error(error, request_id=call.request_id.upper())


async def _admit_signed(service: Service, call: Call, workspace: str) -> Caller:
    """A call is signed, or brings a key of this service as its bearer token, or any credential of the other routes.

    Raises AccessError, BackendError.
    """
    from retrieval.access.acs3 import SignedCall
    from retrieval.contracts import model_studio

    model_studio.check_action(call.headers)
    authorization = call.headers.get("authorization", "")
    if authorization and not authorization.lower().startswith("bearer"):
        signed = SignedCall(
            method=call.method,
            paths=model_studio.paths(workspace),
            query=call.raw_query,
            headers=call.headers,
            body=call.body,
        )
        service.signatures.admit(signed, now=service.clock())
        return Caller(kind="key", id="access key", rights=GRANTED["query key"])
    key = call.headers.get(model_studio.BEARER_TOKEN)
    return service.access.keys.caller(key) if key else await service.access.admit(call.headers, "retrieve")


def _published(service: Service, workspace: str, id: str) -> PublishedIndex:
    found = service.published.get((workspace, id))
    if found is not None:
        return found
    if any(known == workspace for known, _ in service.published):
        raise NotFound("index", id[:128])
    raise NoWorkspace(workspace[:128])


async def agent_of(service: Service, name: str) -> Agent:
    """Raises NotFound, BackendError."""
    agent = await service.lookup.find(name)
    if agent is None:
        raise NotFound("knowledge agent", name[:128])
    telemetry.described({telemetry.AGENT: agent.name})
    return agent


def body_of(call: Call) -> bytes:
    """Raises BodyTooLarge."""
    if len(call.body) > LARGEST_BODY:
        raise BodyTooLarge(LARGEST_BODY)
    return call.body


def user_token_of(service: Service, call: Call, agent: Agent) -> str | None:
    """The token of the user on whose behalf the caller asks. Raises NotAuthorized where the agent asks for one."""
    token = call.headers.get(USER_TOKEN, "").strip()
    if not token:
        if not {"*", agent.name.lower()}.isdisjoint(service.user_token_agents):
            raise NotAuthorized(f"The agent {agent.name!r} answers only calls that bring {USER_TOKEN}.")
        return None
    if len(token) > LONGEST_USER_TOKEN or not _USER_TOKEN.fullmatch(token):
        raise BadRequest(f"The header {USER_TOKEN} is not a token.", target=USER_TOKEN)
    return token


def asked(operation: str, name: str, caller: Caller | None, *, names: re.Pattern[str] = AGENT_NAME) -> str:
    """What a call asked for and who called, for the log: a name that is none of `names` is not repeated there."""
    return (
        f"{operation} agent={name if names.fullmatch(name) else '-'} caller={('-' if caller is None else caller.id)!r}"
    )


def log_call(log: logging.Logger, what: str, call: Call, answer: Rendered, *, start: float) -> None:
    """The one line of every call. `start` is a time of the running loop."""
    log.info(
        "%s status=%d request_bytes=%d answer_bytes=%d elapsed_ms=%d",
        what,
        answer.status,
        len(call.body),
        len(answer.body),
        round((asyncio.get_running_loop().time() - start) * 1000),
    )


def log_failure(service: Service, error: RetrievalError, status: int) -> None:
    """What went wrong here or behind this service; what callers do wrong shows in the status alone, and in the span."""
    telemetry.failed(error, status=status)
    if status >= 500:
        logger.error("%s", logs.describe(error, content=service.log_content))


def log_content(service: Service, outcome: Outcome) -> None:
    """What was searched and found, where the deployment asks for it."""
    if service.log_content:
        searches = [one.searched.subquery.search for one in outcome.activity if isinstance(one, SearchActivity)]
        keys = [reference.hit.key for reference in outcome.references]
        logger.info("content queries=%r references=%r", searches, keys)
