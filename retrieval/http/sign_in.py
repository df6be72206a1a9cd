"""Tells an MCP client where to sign in: `GET .well-known/oauth-protected-resource/…`."""

from functools import partial
from typing import Final

from retrieval import threads
from retrieval.access.host_header import origin_of
from retrieval.access.protected_resource import resource_address
from retrieval.contracts.rendered import Rendered
from retrieval.errors import NotConfigured, NotFound
from retrieval.http.call import Call
from retrieval.http.service import Service
from retrieval.http.serving import Composition, Open, refuse


async def _sign_in(call: Call, composition: Composition) -> Rendered:
    """The metadata of an MCP address. The agent or knowledge base need not exist. Answers 404 if this service accepts
    no tokens, or the host is not valid."""
    try:
        service = await threads.at_first(composition.service, composition.service)
    except NotConfigured as error:
        return refuse(call, error)
    return await threads.at_first(_metadata, partial(_metadata, call, service))


def _metadata(call: Call, service: Service) -> Rendered:
    from retrieval.contracts.protected_resource import render

    callers = service.callers
    sign_in, origin = callers.access.sign_in, origin_of(call.origin, call.headers, public=callers.public_hosts)
    if sign_in is None or origin is None:
        return refuse(call, NotFound("route", call.path[:200]))
    resource = resource_address(origin, call.path)
    return render(resource, issuer=sign_in.issuer, scope=sign_in.scope(resource))


SIGN_IN: Final = Open(operation="tell where to sign in", work=_sign_in)
