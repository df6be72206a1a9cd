"""One coroutine a route: admit the call, find its contract and agent, run the pipeline, render the answer or error."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final

from retrieval.access.acs3 import Signatures, SignedCall
from retrieval.access.keys import admit
from retrieval.contracts import contract, model_studio
from retrieval.contracts.azure.errors import render_error
from retrieval.contracts.rendered import Rendered
from retrieval.errors import BodyTooLarge, NoSuchCall, NotFound, NoWorkspace, Overloaded, RetrievalError
from retrieval.model import Agent, PublishedIndex
from retrieval.pipeline import retrieve
from retrieval.ports import AgentStore, ChatModel, Clock, SearchIndex

LARGEST_BODY: Final = 1_048_576
RETRY_AFTER_SECONDS: Final = 1
USER_TOKEN: Final = "x-ms-query-source-authorization"

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
    """What the endpoints work with, composed once a process. A deployed process never ends; tests `close` theirs."""

    index: SearchIndex
    agents: AgentStore
    model_of: Callable[[Agent], ChatModel | None]
    query_keys: Sequence[str]
    published: Mapping[tuple[str, str], PublishedIndex]
    signatures: Signatures
    in_flight: InFlight
    clock: Clock
    close: Callable[[], Awaitable[None]]


async def retrieve_with_agent(service: Service, call: Call, name: str) -> Rendered:
    """`POST agents('{name}')/retrieve` in the version that the call asks for. Never raises a RetrievalError."""
    render = render_error
    start = asyncio.get_running_loop().time()
    try:
        admit(call.headers, service.query_keys)
        spoken = contract("agents", call.query.get("api-version"))
        render = spoken.render_error
        with service.in_flight.one():
            agent = await _agent(service, name)
            request = spoken.parse(_body(call), agent, user_token=call.headers.get(USER_TOKEN) or None)
            outcome = await retrieve(request, index=service.index, model=service.model_of(agent), clock=service.clock)
            answer = spoken.render(outcome)
    except RetrievalError as error:
        answer = render(error)
        _log_failure(error, answer.status)
    elapsed = round((asyncio.get_running_loop().time() - start) * 1000)
    logger.info("retrieve agent=%.128r status=%d elapsed_ms=%d", name, answer.status, elapsed)
    return answer


async def retrieve_from_workspace(service: Service, call: Call, workspace: str) -> Rendered:
    """`POST {workspaceId}/index/retrieve`, Model Studio's Retrieve. Never raises a RetrievalError."""
    start = asyncio.get_running_loop().time()
    try:
        body = _body(call)
        _admit_signed(service, call, workspace)
        with service.in_flight.one():
            found = model_studio.read(call.raw_query, call.headers.get("content-type", ""), body)
            published = _published(service, workspace, found.index_id)
            agent = await _agent(service, published.agent)
            request = model_studio.parse(found, published, agent, user_token=call.headers.get(USER_TOKEN) or None)
            outcome = await retrieve(request, index=service.index, model=service.model_of(agent), clock=service.clock)
            answer = model_studio.render(outcome, published, request_id=call.request_id.upper())
    except RetrievalError as error:
        answer = workspace_failure(call, error)
        _log_failure(error, answer.status)
    elapsed = round((asyncio.get_running_loop().time() - start) * 1000)
    logger.info("retrieve workspace=%.128r status=%d elapsed_ms=%d", workspace, answer.status, elapsed)
    return answer


def no_such_route(call: Call, path: str) -> Rendered:
    """The answer where no route takes a call, in the envelope of the contract that its path resembles."""
    if model_studio.resembles(path):
        return workspace_failure(call, NoSuchCall("operation", f"{call.method} {path[:200]}"))
    return agents_failure(call, NotFound("route", path[:200]))


def agents_failure(call: Call, error: RetrievalError) -> Rendered:
    """An error in Azure's envelope, where no version of a contract was chosen yet."""
    return render_error(error)


def workspace_failure(call: Call, error: RetrievalError) -> Rendered:
    """An error in Model Studio's envelope."""
    return model_studio.render_error(error, request_id=call.request_id.upper())


def _admit_signed(service: Service, call: Call, workspace: str) -> None:
    """A call is signed, or brings a key of this service as a bearer token or as `api-key`. Raises AccessError."""
    model_studio.check_action(call.headers)
    if call.headers.get("authorization"):
        signed = SignedCall(
            method=call.method,
            paths=model_studio.paths(workspace),
            query=call.raw_query,
            headers=call.headers,
            body=call.body,
        )
        service.signatures.admit(signed, now=service.clock())
    else:
        key = call.headers.get(model_studio.BEARER_TOKEN) or call.headers.get("api-key", "")
        admit({"api-key": key}, service.query_keys)


def _published(service: Service, workspace: str, id: str) -> PublishedIndex:
    found = service.published.get((workspace, id))
    if found is not None:
        return found
    if any(known == workspace for known, _ in service.published):
        raise NotFound("index", id[:128])
    raise NoWorkspace(workspace[:128])


async def _agent(service: Service, name: str) -> Agent:
    agent = await service.agents.get(name)
    if agent is None:
        raise NotFound("knowledge agent", name[:128])
    return agent


def _body(call: Call) -> bytes:
    if len(call.body) > LARGEST_BODY:
        raise BodyTooLarge(LARGEST_BODY)
    return call.body


def _log_failure(error: RetrievalError, status: int) -> None:
    if status >= 500:
        logger.error("%s", error)
