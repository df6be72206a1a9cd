"""What everybody may ask of this service about itself, one coroutine a route.

A start loads none of it: what answers is imported with the first call.
"""

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING

from retrieval.contracts.rendered import Rendered
from retrieval.errors import NotFound
from retrieval.http.call import Call
from retrieval.http.serving import refuse

if TYPE_CHECKING:
    from retrieval.telemetry.readiness import Readiness


async def alive() -> Rendered:
    """`GET health`: 200 as long as this process answers at all."""
    from retrieval.contracts.health import render_health

    return render_health()


async def readiness(known: "Callable[[], Readiness]") -> Rendered:
    """`GET ready`: 200 when calls can be served, else 503."""
    from retrieval.contracts.health import render_readiness

    return render_readiness(await known().report())


async def described() -> Rendered:
    """`GET openapi.json`."""
    return Rendered(status=200, body=await asyncio.to_thread(_document))


async def shown(call: Call, *, served: bool) -> Rendered:
    """`GET playground` and its files; 404 where it is not `served`.

    What the page links to is relative to an address without a slash at its end.
    """
    from retrieval.playground.files import PAGE, read

    name = call.route.get("name", PAGE)
    if served and name == PAGE and call.path.endswith("/"):
        return Rendered(status=308, body=b"", headers={"Location": "../playground"})
    found = await asyncio.to_thread(read, name) if served else None
    return refuse(call, NotFound("route", f"playground/{name[:200]}")) if found is None else found


def _document() -> bytes:
    from retrieval.openapi import document

    return document()
