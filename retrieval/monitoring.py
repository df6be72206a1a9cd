"""What everybody may ask of this service about itself, one coroutine a route."""

from retrieval.contracts.health import render_health, render_readiness
from retrieval.contracts.rendered import Rendered
from retrieval.readiness import Readiness


async def alive() -> Rendered:
    """`GET health`: 200 as long as this process answers at all."""
    return render_health()


async def readiness(known: Readiness) -> Rendered:
    """`GET ready`: 200 when calls can be served, else 503."""
    return render_readiness(await known.report())


async def described() -> Rendered:
    """`GET openapi.json`. Its builder is loaded with the first call."""
    from retrieval.openapi import document

    return Rendered(status=200, body=document())
