"""Searches knowledge bases of Alibaba Cloud Model Studio as a SearchIndex. It calls the operation Retrieve, version
2023-12-29, and signs each call with an access key."""

from collections.abc import Mapping
from datetime import UTC, datetime
from functools import cached_property, partial
from typing import TYPE_CHECKING, Final
from uuid import uuid4

from retrieval import threads
from retrieval.errors import BackendRefused
from retrieval.filters.tree import Boolean
from retrieval.model.model_studio import ModelStudioBase
from retrieval.model.search import Page, SearchTarget, Subquery
from retrieval.outgoing.connections import session
from retrieval.outgoing.plain_http import send
from retrieval.outgoing.retries import patiently
from retrieval.sources.model_studio import request
from retrieval.sources.model_studio.response import SERVICE, SYSTEM, Failure, page_of, read_answer
from retrieval.telemetry import outgoing_calls, spans

if TYPE_CHECKING:
    from aiohttp import ClientSession

CALL_SECONDS: Final = 60
WAITS: Final = (0.3, 1.0)
"""The seconds before each repetition of a call."""

MOST_BYTES: Final = 8_388_608
"""The most bytes of an answer. Twenty chunks of 6,000 characters each take at most a tenth of this size."""


class ModelStudioIndex:
    """Searches knowledge bases with one access key. The keys of `bases` are the names that agents use."""

    def __init__(self, bases: Mapping[str, ModelStudioBase], *, access_key_id: str, access_key_secret: str) -> None:
        self._bases = dict(bases)
        self._key = (access_key_id, access_key_secret)

    async def search(self, subquery: Subquery) -> Page:
        """The 20 best chunks. Raises BackendError, and UnsupportedFilter."""
        base = self._bases[subquery.target.index]
        if subquery.user_token is not None:
            reason = "it has no permissions of documents, so x-ms-query-source-authorization cannot be honoured"
            raise BackendRefused(SERVICE, status=400, message=reason)
        if subquery.target.filter == Boolean(False):
            return page_of([], base)
        answer = await patiently(
            partial(self._call, base, request.query(subquery, base)),
            wait_of=_wait,
            waits=WAITS,
            system=SYSTEM,
        )
        if isinstance(answer, Failure):
            raise answer.error
        return answer

    async def try_once(self, base: str, query: str) -> Failure | None:
        """Make one call without retries. Returns the failure, or None if the call succeeds. Raises BackendError."""
        subquery = Subquery(search=query, target=SearchTarget(index=base, threshold=0))
        answer = await self._call(self._bases[base], request.query(subquery, self._bases[base]))
        return answer if isinstance(answer, Failure) else None

    async def close(self) -> None:
        """Close the connections, if there are any."""
        if "_session" in self.__dict__:
            await self._session.close()

    async def _call(self, base: ModelStudioBase, query: str) -> Page | Failure:
        await threads.imported("retrieval.outgoing.over_aiohttp")
        call = request.sign(base, query, spans.outgoing(), key=self._key, at=datetime.now(UTC), nonce=uuid4().hex)
        answer = await send(call, self._session, service=SERVICE, seconds=CALL_SECONDS, most=MOST_BYTES)
        return await threads.work(len(answer.content), partial(read_answer, answer, base))

    @cached_property
    def _session(self) -> "ClientSession":
        return session()


def _wait(answer: Page | Failure) -> float | None:
    """The least seconds to wait before the call is repeated; None if the answer is final. Retrieve is idempotent, so a
    call can be repeated after a temporary failure."""
    if isinstance(answer, Page):
        return None
    if answer.throttled:
        outgoing_calls.throttled(SYSTEM)
    return answer.retry_after or 0.0 if answer.passing else None
