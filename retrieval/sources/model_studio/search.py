"""Searches knowledge bases of Alibaba Cloud Model Studio as a SearchIndex. It calls the operation Retrieve, version
2023-12-29, in the same form as Alibaba's SDK for Python. All parameters are texts in the query string, and every header
is signed with an access key."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from functools import cached_property, partial
from typing import TYPE_CHECKING, Final
from urllib.parse import quote, urlsplit
from uuid import uuid4

from retrieval import threads
from retrieval.errors import BackendRefused
from retrieval.filters.tree import Boolean
from retrieval.model.conversation import Message
from retrieval.model.search import Page, SearchTarget, Subquery
from retrieval.outgoing import acs3
from retrieval.outgoing.breakers_and_retries import patiently
from retrieval.outgoing.connections import HttpRequest, send, session
from retrieval.sources.model_studio import search_filters
from retrieval.sources.model_studio.base import SYSTEM, ModelStudioBase
from retrieval.sources.model_studio.response import MOST_CHUNKS, SERVICE, Failure, page_of, read_answer
from retrieval.telemetry import outgoing_calls, spans
from retrieval.text.length import clip
from retrieval.version import USER_AGENT

if TYPE_CHECKING:
    from aiohttp import ClientSession

LOWEST_THRESHOLD: Final = 0.01
LONGEST_HISTORY: Final = 1_000
"""The most characters of earlier turns. All parameters are in the URL, where a Chinese character takes nine bytes."""

USUAL: Final = {
    "accept": "application/json",
    "user-agent": USER_AGENT,
    "x-acs-action": "Retrieve",
    "x-acs-content-sha256": hashlib.sha256(b"").hexdigest(),
    "x-acs-credentials-provider": "static_ak",
    "x-acs-version": "2023-12-29",
}

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
        if subquery.user_token is not None:
            reason = "it has no permissions of documents, so x-ms-query-source-authorization cannot be honoured"
            raise BackendRefused(SERVICE, status=400, message=reason)
        if subquery.target.filter == Boolean(False):
            return page_of([], self._bases[subquery.target.index])
        answer = await patiently(partial(self._call, subquery), wait_of=_wait, waits=WAITS, system=SYSTEM)
        if isinstance(answer, Failure):
            raise answer.error
        return answer

    async def try_once(self, base: str, query: str) -> Failure | None:
        """Make one call without retries. Returns the failure, or None if the call succeeds. Raises BackendError."""
        answer = await self._call(Subquery(search=query, target=SearchTarget(index=base, threshold=0)))
        return answer if isinstance(answer, Failure) else None

    async def close(self) -> None:
        """Close the connections, if there are any."""
        if "_session" in self.__dict__:
            await self._session.close()

    async def _call(self, subquery: Subquery) -> Page | Failure:
        """The answer to a signed call, whose headers are all signed."""
        await threads.imported("retrieval.outgoing.over_aiohttp")
        base = self._bases[subquery.target.index]
        path, query = f"/{quote(base.workspace, safe='')}/index/retrieve", _query(subquery, base)
        headers = {
            **USUAL,
            "host": urlsplit(base.endpoint).netloc,
            "x-acs-date": datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
            "x-acs-signature-nonce": uuid4().hex,
            **spans.outgoing(),
        }
        headers["authorization"] = acs3.authorization("POST", path, query, headers, key=self._key)
        call = HttpRequest(method="POST", url=f"{base.endpoint}{path}?{query}", headers=headers)
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
    return answer.retry_after or 0.0 if answer.throttled or answer.status >= 500 else None


def _query(subquery: Subquery, base: ModelStudioBase) -> str:
    """The query string of a call for the 20 best chunks. Raises UnsupportedFilter.

    For a knowledge base with a calibration, the call requests hits with a score of at least LOWEST_THRESHOLD. This
    service then compares their scores with the request's threshold, so that it can count the hits below the threshold.
    """
    turns, filter = _history(subquery.history), subquery.target.filter
    parameters: Mapping[str, object] = {
        "EnableReranking": True,
        "EnableRewrite": True if turns else None,
        "IndexId": base.index,
        "Query": subquery.search,
        "QueryHistory": _json([{"content": turn.text, "role": turn.role} for turn in turns]),
        "RerankMinScore": None if base.calibration is None else LOWEST_THRESHOLD,
        "RerankTopN": MOST_CHUNKS,
        "SearchFilters": _json([] if filter is None else search_filters.write(filter, base.fields)),
    }
    return acs3.query_string({name: str(value) for name, value in parameters.items() if value is not None})


def _json(values: Sequence[object]) -> str | None:
    return json.dumps(values, ensure_ascii=False, separators=(",", ":")) if values else None


def _history(turns: Sequence[Message]) -> list[Message]:
    """The latest turns with the roles user and assistant, up to LONGEST_HISTORY characters. The service accepts only
    these two roles."""
    history: list[Message] = []
    room = LONGEST_HISTORY
    for turn in reversed(turns):
        text = clip(turn.text, room)
        if turn.role in {"user", "assistant"} and text.strip():
            history.append(Message(role=turn.role, text=text))
            room -= len(text)
        if room <= 0:
            break
    return history[::-1]
