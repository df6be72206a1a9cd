"""Faults on request: a service that fails as a script says, to see what a client makes of it.

    service = Faults(SearchService(), [throttled(retry_after=1), None, cut()])

The first request is refused with 429, the second is answered, the third finds its connection cut; those that follow are
answered. `when` says which requests the script is for. Faults work over any carrier, in process and over loopback.
"""

import asyncio
import json
import threading
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import replace
from typing import TypeAlias

from retrieval.local.search_service.api.scripted import RANKER_HEADER
from retrieval.local.search_service.features.additions import RankerAway
from retrieval.local.wire import ConnectionCut, WireRequest, WireResponse, WireService

Fault: TypeAlias = Callable[[WireRequest, WireService], Awaitable[WireResponse]]
"""What is done with a request instead of answering it; the service is there for faults that answer after all."""


class Faults:
    """Takes one entry of `script` for each request that `when` accepts; None answers it as usual."""

    def __init__(
        self,
        service: WireService,
        script: Iterable[Fault | None],
        *,
        when: Callable[[WireRequest], bool] = lambda request: True,
    ) -> None:
        self._service = service
        self._script = iter(script)
        self._when = when
        self._lock = threading.Lock()

    async def __call__(self, request: WireRequest) -> WireResponse:
        fault = None
        if self._when(request):
            with self._lock:
                fault = next(self._script, None)
        return await self._service(request) if fault is None else await fault(request, self._service)


def throttled(*, retry_after: int | None = 1) -> Fault:
    """429, with Retry-After in seconds unless that is None."""
    return _refused(429, "TooManyRequests", "The service is too busy.", retry_after)


def unavailable(*, retry_after: int | None = None) -> Fault:
    """503, as while a service is moved or out of capacity."""
    return _refused(503, "ServiceUnavailable", "The service is temporarily unavailable.", retry_after)


def too_large() -> Fault:
    """413, whatever the size of the body."""
    return _refused(413, "RequestEntityTooLarge", "The request is too large.", None)


def cut() -> Fault:
    """The connection ends before an answer."""

    async def fault(request: WireRequest, service: WireService) -> WireResponse:
        raise ConnectionCut

    return fault


def delayed(until: Awaitable[object] | float) -> Fault:
    """The answer comes after so many seconds, or after `until`, which a test holds in its hands."""

    async def fault(request: WireRequest, service: WireService) -> WireResponse:
        await (asyncio.sleep(until) if isinstance(until, int | float) else until)
        return await service(request)

    return fault


def without_ranker(reason: RankerAway = "transient") -> Fault:
    """A semantic search is answered with 206 and unranked results, or 503 where it says semanticErrorHandling fail."""

    async def fault(request: WireRequest, service: WireService) -> WireResponse:
        return await service(replace(request, headers=(*request.headers, (RANKER_HEADER, reason))))

    return fault


def _refused(status: int, code: str, message: str, retry_after: int | None) -> Fault:
    body = json.dumps({"error": {"code": code, "message": message}}).encode()
    headers = [("content-type", "application/json; charset=utf-8")]
    if retry_after is not None:
        headers.append(("retry-after", str(retry_after)))

    async def fault(request: WireRequest, service: WireService) -> WireResponse:
        return WireResponse(status=status, headers=tuple(headers), body=body)

    return fault
