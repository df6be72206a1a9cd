"""Tells an MCP client where to sign in: OAuth 2.0 protected resource metadata of the MCP addresses.

The metadata of `/agents/x/mcp` is at `/.well-known/oauth-protected-resource/agents/x/mcp`. A gateway may put its own
path before both addresses. A 401 answer tells the client the full address of the metadata.
https://www.rfc-editor.org/rfc/rfc9728
"""

import re
from collections.abc import Sequence
from functools import partial
from typing import Final
from urllib.parse import quote

from retrieval import threads
from retrieval.access.host_header import origin_of
from retrieval.contracts.rendered import Rendered
from retrieval.errors import NotConfigured, NotFound
from retrieval.http.call import Call
from retrieval.http.service import Service
from retrieval.http.serving import Composition, Open, refuse

WELL_KNOWN: Final = "/.well-known/oauth-protected-resource"

_MCP: Final = re.compile(
    r"(.*)(/(?:agents/[^/]+|knowledgebases(?:/[^/]+|\('[^/]*'\)))/mcp/?)", re.IGNORECASE | re.DOTALL
)
_WELL_KNOWN: Final = re.compile(re.escape(WELL_KNOWN), re.IGNORECASE)
_SAFE: Final = "/%:@!$&'()*+,;=~"


def metadata_address(origin: str, path: str) -> str | None:
    """The address of the metadata of an MCP address; None for any other address."""
    match = _MCP.fullmatch(quote(path, safe=_SAFE))
    return None if match is None else f"{origin}{match[1]}{WELL_KNOWN}{match[2]}"


def _resource_address(origin: str, path: str) -> str:
    """The MCP address that the metadata at this address describes."""
    return origin + _WELL_KNOWN.sub("", quote(path, safe=_SAFE), count=1)


def _scope(resource: str, audiences: Sequence[str]) -> str:
    """The scope for which a client requests a token. Entra ID refuses the request if the scope does not belong to the
    resource that the request names. So the audience that equals the resource's address is used, if there is one.
    Otherwise the first audience is used."""
    return f"{resource if resource in audiences else audiences[0]}/.default"


async def _sign_in(call: Call, composition: Composition) -> Rendered:
    """The metadata of an MCP address. The agent or knowledge base need not exist. Answers 404 if this service accepts
    no tokens, or the host is not valid."""
    try:
        service = await threads.at_first(composition.service, composition.service)
    except NotConfigured as error:
        return refuse(call, error)
    return await threads.at_first(_metadata, partial(_metadata, call, service))


def _metadata(call: Call, service: Service) -> Rendered:
    from retrieval.contracts.mcp.protected_resource import render

    access, origin = service.callers.access, origin_of(call.origin, call.headers, public=service.callers.public_hosts)
    if not access.audiences or origin is None:
        return refuse(call, NotFound("route", call.path[:200]))
    resource = _resource_address(origin, call.path)
    return render(resource, issuer=f"{access.authority}/v2.0", scope=_scope(resource, access.audiences))


SIGN_IN: Final = Open(_sign_in)
