"""Answers the questions about this service itself, one coroutine an operation: everybody may ask them.

Only the examination is for those who may manage: `GET doctor`. It asks the services behind this one, as a retrieval
would: it costs a semantic query an index, a few tokens a model, a Retrieve a base of Model Studio. A start loads none
of it: the modules that answer are imported with the first call.
"""

import asyncio
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Final

from retrieval import threads
from retrieval.access.hosts import origin_of
from retrieval.access.protected_resource import resource_address
from retrieval.contracts.rendered import Rendered
from retrieval.errors import NotConfigured, NotFound
from retrieval.http.call import Call
from retrieval.http.service import Service
from retrieval.http.serving import Admitted, Composition, Endpoint, Open, refuse

if TYPE_CHECKING:
    from retrieval.telemetry.readiness import Report


async def _alive(call: Call, composition: Composition) -> Rendered:
    """Answer 200 as long as this process answers at all."""
    return await threads.at_first(_health, _health)


async def _readiness(call: Call, composition: Composition) -> Rendered:
    """Answer 200 when calls can be served, else 503."""
    readiness = await threads.at_first(composition.readiness, composition.readiness)
    return await threads.at_first(_report, partial(_report, await readiness.report()))


async def _document(call: Call, composition: Composition) -> Rendered:
    return Rendered(status=200, body=await asyncio.to_thread(composition.document))


async def _page(call: Call, composition: Composition) -> Rendered:
    """The playground and its files; 404 where it is not served.

    The page's links are relative to an address without a slash at its end.
    """
    return await asyncio.to_thread(_file, call) if composition.playground() else _no_file(call)


def _health() -> Rendered:
    from retrieval.contracts.health import render_health

    return render_health()


def _report(report: "Report") -> Rendered:
    from retrieval.contracts.health import render_readiness

    return render_readiness(report)


def _file(call: Call) -> Rendered:
    from retrieval.playground.files import PAGE, read

    name = call.route.get("name", PAGE)
    if name == PAGE and call.path.endswith("/"):
        return Rendered(status=308, body=b"", headers={"Location": "../playground"})
    return read(name) or _no_file(call)


def _no_file(call: Call) -> Rendered:
    return refuse(call, NotFound("route", "/".join(["playground", *call.route.values()])[:200]))


async def examine(admitted: Admitted, _: None) -> Rendered:
    """The answer with the findings."""
    from retrieval.contracts.health import render_examination

    return render_examination(await admitted.service.process.examine(lambda finding: None))


def _load() -> None:
    import_module("retrieval.contracts.health")


async def _sign_in(call: Call, composition: Composition) -> Rendered:
    """The metadata, whether or not there is such an agent or base; 404 where no tenant's tokens are accepted."""
    try:
        service = await threads.at_first(composition.service, composition.service)
    except NotConfigured as error:
        return refuse(call, error)
    return await threads.at_first(_metadata, partial(_metadata, call, service))


def _metadata(call: Call, service: Service) -> Rendered:
    from retrieval.contracts.health import render

    callers = service.callers
    sign_in, origin = callers.access.sign_in, origin_of(call.origin, call.headers, public=callers.public_hosts)
    if sign_in is None or origin is None:
        return refuse(call, NotFound("route", call.path[:200]))
    resource = resource_address(origin, call.path)
    return render(resource, issuer=sign_in.issuer, scope=sign_in.scope(resource))


HEALTH: Final = Open(operation="tell that it is alive", work=_alive)
READY: Final = Open(operation="tell whether it is ready", work=_readiness)
OPENAPI: Final = Open(operation="describe itself", work=_document)
PLAYGROUND: Final = Open(operation="show the playground", work=_page)
SIGN_IN: Final = Open(operation="tell where to sign in", work=_sign_in)
EXAMINE: Final[Endpoint[None]] = Endpoint(
    operation="examine the deployment",
    work=examine,
    speaks=lambda call: None,
    contract=lambda call: "doctor",
    subject=lambda words, call, caller: f"{words} caller={('-' if caller is None else caller.id)!r}",
    load=_load,
)
