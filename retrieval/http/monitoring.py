"""What everybody may ask of this service about itself, one coroutine a route.

A start loads none of it: what answers is imported with the first call.
"""

import asyncio
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from retrieval import threads
from retrieval.contracts.rendered import Rendered
from retrieval.errors import NotFound
from retrieval.http.call import Call
from retrieval.http.serving import refuse

if TYPE_CHECKING:
    from retrieval.telemetry.readiness import Readiness, Report


async def alive() -> Rendered:
    """`GET health`: 200 as long as this process answers at all."""
    return await threads.at_first(_health, _health)


async def readiness(known: "Callable[[], Readiness]") -> Rendered:
    """`GET ready`: 200 when calls can be served, else 503."""
    readiness = await threads.at_first(known, known)
    return await threads.at_first(_report, partial(_report, await readiness.report()))


async def described() -> Rendered:
    """`GET openapi.json`."""
    return Rendered(status=200, body=await asyncio.to_thread(_document))


async def shown(call: Call, *, served: bool) -> Rendered:
    """`GET playground` and its files; 404 where it is not `served`.

    What the page links to is relative to an address without a slash at its end.
    """
    return await asyncio.to_thread(_shown, call) if served else _not_shown(call)


def _health() -> Rendered:
    from retrieval.contracts.health import render_health

    return render_health()


def _report(report: "Report") -> Rendered:
    from retrieval.contracts.health import render_readiness

    return render_readiness(report)


def _shown(call: Call) -> Rendered:
    from retrieval.playground.files import PAGE, read

    name = call.route.get("name", PAGE)
    if name == PAGE and call.path.endswith("/"):
        return Rendered(status=308, body=b"", headers={"Location": "../playground"})
    return read(name) or _not_shown(call)


def _not_shown(call: Call) -> Rendered:
    return refuse(call, NotFound("route", "/".join(["playground", *call.route.values()])[:200]))


def _document() -> bytes:
    from retrieval.openapi import document

    return document()
