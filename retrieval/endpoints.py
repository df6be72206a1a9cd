"""One coroutine a route: admit the call, find its contract and agent, run the pipeline, render the answer or error."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final

from retrieval.access.keys import admit
from retrieval.contracts import contract
from retrieval.contracts.azure.errors import render_error
from retrieval.contracts.rendered import Rendered
from retrieval.errors import BodyTooLarge, NotFound, Overloaded, RetrievalError
from retrieval.model import Agent
from retrieval.pipeline import retrieve
from retrieval.ports import AgentStore, ChatModel, Clock, SearchIndex

LARGEST_BODY: Final = 1_048_576
RETRY_AFTER_SECONDS: Final = 1
USER_TOKEN: Final = "x-ms-query-source-authorization"

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """An HTTP call as the Functions host hands it over. `headers` and `query` have lower-case names."""

    headers: Mapping[str, str]
    query: Mapping[str, str]
    body: bytes


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


def no_such_route(path: str) -> Rendered:
    """The answer where no route takes a call."""
    return render_error(NotFound("route", path[:200]))


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
