"""What everybody may ask of this service about itself, one coroutine a route.

A start loads none of it: what answers is imported with the first call.
"""

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING

from retrieval.contracts.rendered import Rendered

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


def _document() -> bytes:
    from retrieval.openapi import document

    return document()
