"""Answers four operations that need no credential: health, readiness, the OpenAPI document and the playground. The
first call of an operation imports its modules. A heartbeat asks for the readiness without a call.
"""

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Final

from retrieval import threads
from retrieval.contracts.rendered import Rendered
from retrieval.errors import NotFound
from retrieval.http.call import Call
from retrieval.http.routes import route
from retrieval.http.serving import Composition, Open, refuse
from retrieval.telemetry import names
from retrieval.telemetry.spans import count

if TYPE_CHECKING:
    from retrieval.telemetry.readiness import Report

HEARTBEAT: Final = "0 */5 * * * *"
"""When the heartbeat beats: three times in what an alert looks back."""

DOCUMENT: Final = Path(__file__).with_name("openapi.json")
"""The OpenAPI document, which `tools.openapi` writes."""


async def _alive(call: Call, composition: Composition) -> Rendered:
    """Answers 200."""
    await threads.imported("retrieval.contracts.health")
    from retrieval.contracts.health import render_health

    return render_health()


async def _readiness(call: Call, composition: Composition) -> Rendered:
    """Answers 200 if calls can be served, otherwise 503."""
    report = await _ready(composition)
    await threads.imported("retrieval.contracts.health")
    from retrieval.contracts.health import render_readiness

    return render_readiness(report)


async def _ready(composition: Composition) -> "Report":
    readiness = await threads.at_first(composition.readiness, composition.readiness)
    return await readiness.report()


async def beat(composition: Composition) -> None:
    """Counts a beat, with the status that `GET ready` has. Its row is a sign of life where nobody outside can ask."""
    ready = await _ready(composition)
    count(names.HEARTBEAT, {names.STATUS: 200 if ready.ready else 503})


async def _document(call: Call, composition: Composition) -> Rendered:
    return Rendered(status=200, body=await asyncio.to_thread(DOCUMENT.read_bytes))


async def _page(call: Call, composition: Composition) -> Rendered:
    """The playground and its files; 404 if the playground is off. The links of the page are relative to the address
    without a final slash, so an address with a final slash is redirected.
    """
    return await asyncio.to_thread(_file, call) if composition.playground() else _no_file(call)


def _file(call: Call) -> Rendered:
    from retrieval.playground.files import PAGE, read

    name = call.route.get("name", PAGE)
    if name == PAGE and call.path.endswith("/"):
        return Rendered(status=308, body=b"", headers={"Location": "../playground"})
    return read(name) or _no_file(call)


def _no_file(call: Call) -> Rendered:
    return refuse(call, NotFound("route", "/".join(["playground", *call.route.values()])[:200]))


_PLAYGROUND: Final = Open(_page)

ROUTES: Final = (
    *route("GET health", "health", Open(_alive), "getHealth"),
    *route("GET ready", "ready", Open(_readiness), "getReadiness"),
    *route("GET openapi.json", "openapi", Open(_document), "getDocument"),
    *route("GET playground", "playground", _PLAYGROUND, "getPage"),
    *route("GET playground/{name}", "playground_file", _PLAYGROUND, "getPageFile"),
)
