"""Knowledge bases of Alibaba Cloud Model Studio as a SearchIndex: Retrieve, 2023-12-29, through Alibaba's SDK.

The SDK is an optional extra. It takes a second to import, so it is imported with the first search, in a thread beside
the event loop. Its retries would block the loop while they wait, so it tries once, and transient failures are retried
here. Every call opens a new connection: the SDK keeps none.
"""

import asyncio
import json
import math
from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Final, TypeAlias
from urllib.parse import urlsplit

from retrieval import pauses, telemetry, threads
from retrieval.backends.bodies import UNREADABLE
from retrieval.backends.model_studio.response import (
    MOST_CHUNKS,
    SERVICE,
    Failure,
    empty_page,
    failure,
    read_answer,
    seconds,
)
from retrieval.errors import BackendRefused, BackendThrottled, BackendTimeout, BackendUnavailable
from retrieval.filters.searchfilters import reader
from retrieval.filters.tree import Boolean
from retrieval.model.conversation import Message
from retrieval.model.model_studio_base import ModelStudioBase
from retrieval.model.search import Page, SearchTarget, Subquery
from retrieval.text.clipped import clip

if TYPE_CHECKING:
    from alibabacloud_bailian20231229.client import Client
    from alibabacloud_bailian20231229.models import RetrieveRequest, RetrieveResponse
    from darabonba.runtime import RuntimeOptions

JsonObject: TypeAlias = Mapping[str, object]

SDK: Final = "alibabacloud_bailian20231229"
CALL_SECONDS: Final = 60
CONNECT_SECONDS: Final = 5
PAUSES: Final = (0.3, 1.0)
LONGEST_WAIT: Final = 2.0
LOWEST_THRESHOLD: Final = 0.01
LONGEST_HISTORY: Final = 1_000
"""Characters of earlier turns. The whole call is in the request line, where a Chinese character is nine bytes."""


class ModelStudioIndex:
    """Searches the knowledge bases of `bases`, by the names that agents use, with one access key."""

    def __init__(self, bases: Mapping[str, ModelStudioBase], *, access_key_id: str, access_key_secret: str) -> None:
        self._bases = dict(bases)
        self._key = (access_key_id, access_key_secret)
        self._clients: dict[str, Client] = {}

    async def search(self, subquery: Subquery) -> Page:
        """The 20 best chunks. Raises BackendError, and UnsupportedFilter."""
        base = self._bases[subquery.target.index]
        if subquery.user_token is not None:
            reason = "it has no permissions of documents, so x-ms-query-source-authorization cannot be honoured"
            raise BackendRefused(SERVICE, status=400, message=reason)
        if subquery.target.filter == Boolean(False):
            return empty_page(base)
        filters = _filters(subquery, base)
        await threads.once(_load)
        return await self._patiently(base, _request(subquery, base, filters))

    async def tried(self, base: str, query: str) -> Failure | None:
        """The failure of one call, which is not retried; None for a page. Raises BackendError."""
        await threads.once(_load)
        target = SearchTarget(index=base, threshold=0)
        found = self._bases[base]
        answer = await self._call(found, _request(Subquery(search=query, target=target), found, ()))
        return answer if isinstance(answer, Failure) else None

    async def _patiently(self, base: ModelStudioBase, request: "RetrieveRequest") -> Page:
        """Retry transient failures soon or not at all: if the service asks for a longer wait, the failure is final."""
        waits = iter(PAUSES)
        while isinstance(answer := await self._call(base, request), Failure):
            if isinstance(answer.error, BackendThrottled):
                telemetry.throttled(telemetry.MODEL_STUDIO)
            wait = max(next(waits, math.inf), answer.retry_after or 0)
            if not answer.passing or wait > LONGEST_WAIT:
                raise answer.error
            telemetry.retried(telemetry.MODEL_STUDIO)
            pauses.tell(wait)
            await asyncio.sleep(wait)
        return answer

    async def _call(self, base: ModelStudioBase, request: "RetrieveRequest") -> Page | Failure:
        from darabonba.exceptions import ResponseException, UnretryableException

        try:
            async with asyncio.timeout(CALL_SECONDS):
                response = await self._client(base.endpoint).retrieve_with_options_async(
                    base.workspace, request, telemetry.outgoing(), _runtime()
                )
        except TimeoutError:
            raise BackendTimeout(SERVICE, seconds=CALL_SECONDS) from None
        except ResponseException as error:
            wait = seconds(error.retry_after)
            return failure(error.status_code, error.code, error.message, retry_after=wait)
        except UnretryableException as error:
            return _unreachable(error.inner_exception)
        return read_answer(_json(response), headers=response.headers, base=base)

    def _client(self, endpoint: str) -> "Client":
        if endpoint not in self._clients:
            from alibabacloud_bailian20231229.client import Client
            from alibabacloud_tea_openapi.utils_models import Config

            address = urlsplit(endpoint)
            access_key_id, access_key_secret = self._key
            self._clients[endpoint] = Client(
                Config(
                    access_key_id=access_key_id,
                    access_key_secret=access_key_secret,
                    endpoint=address.netloc,
                    protocol=address.scheme,
                )
            )
        return self._clients[endpoint]


def _load() -> None:
    import_module("retrieval.backends.model_studio.sdk")


def _runtime() -> "RuntimeOptions":
    from darabonba.runtime import RuntimeOptions

    return RuntimeOptions(connect_timeout=CONNECT_SECONDS * 1_000, read_timeout=2 * CALL_SECONDS * 1_000)


def _request(subquery: Subquery, base: ModelStudioBase, filters: Sequence[JsonObject]) -> "RetrieveRequest":
    """A base with a calibration is asked for everything: its hits are compared with the request's threshold here, where
    those below it are counted."""
    from alibabacloud_bailian20231229.models import RetrieveRequest, RetrieveRequestQueryHistory

    turns = [RetrieveRequestQueryHistory(content=turn.text, role=turn.role) for turn in _history(subquery.history)]
    return RetrieveRequest(
        index_id=base.index,
        query=subquery.search,
        enable_reranking=True,
        rerank_top_n=MOST_CHUNKS,
        rerank_min_score=None if base.calibration is None else LOWEST_THRESHOLD,
        enable_rewrite=True if turns else None,
        query_history=turns or None,
        search_filters=list(filters) or None,
    )


def _history(turns: Sequence[Message]) -> list[Message]:
    """The latest turns of the two roles that the service accepts, within the limit."""
    kept: list[Message] = []
    room = LONGEST_HISTORY
    for turn in reversed(turns):
        text = clip(turn.text, room)
        if turn.role in {"user", "assistant"} and text.strip():
            kept.append(Message(role=turn.role, text=text))
            room -= len(text)
        if room <= 0:
            break
    return kept[::-1]


def _filters(subquery: Subquery, base: ModelStudioBase) -> Sequence[JsonObject]:
    if subquery.target.filter is None:
        return ()
    return reader.write(subquery.target.filter, base.fields)


def _unreachable(cause: Exception) -> Failure:
    """A transient failure. Raises BackendUnavailable for an answer that is too long or cannot be read."""
    from aiohttp import ClientError
    from darabonba.exceptions import RetryError

    if isinstance(cause, BackendUnavailable):
        raise cause from None
    if not isinstance(cause, ClientError | RetryError):
        raise BackendUnavailable(SERVICE, UNREADABLE)
    return failure(0, type(cause).__name__, "", retry_after=None)


def _json(response: "RetrieveResponse") -> bytes:
    """The body as strict JSON: the SDK's reader accepts text that cannot be written again, e.g. half characters."""
    if response.body is None:
        raise BackendUnavailable(SERVICE, UNREADABLE)
    try:
        return json.dumps(response.body.to_map()).encode()
    except (ValueError, TypeError, RecursionError):
        raise BackendUnavailable(SERVICE, UNREADABLE) from None
