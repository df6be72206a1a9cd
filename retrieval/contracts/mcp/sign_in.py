"""Tells an MCP client where to sign in: OAuth 2.0 protected resource metadata of the MCP addresses.

The metadata of `/agents/x/mcp` is at `/.well-known/oauth-protected-resource/agents/x/mcp`. A gateway may put its own
path before both addresses. A 401 answer tells the client the full address of the metadata.
https://www.rfc-editor.org/rfc/rfc9728
"""

import re
from typing import Final
from urllib.parse import quote

from pydantic import BaseModel, ConfigDict

from retrieval.contracts.rendered import Rendered
from retrieval.errors import NotFound
from retrieval.http.call import Call, origin_of
from retrieval.http.service import Service
from retrieval.http.serving import refuse

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


class ProtectedResource(BaseModel):
    """The metadata. `resource` is the address of the MCP endpoint. `authorization_servers` are the issuers of
    tokens."""

    model_config = ConfigDict(defer_build=True)

    resource: str
    authorization_servers: list[str]
    scopes_supported: list[str]
    bearer_methods_supported: list[str]


def render(call: Call, service: Service) -> Rendered:
    """The metadata of the MCP address that this address describes. The agent or knowledge base need not exist. Answers
    404 if this service accepts no tokens, or the host is not valid. The answer must not be cached, because it contains
    the address that the caller used.

    Entra ID refuses a client's request for a token if the scope does not belong to the resource that the request names.
    So the audience that equals the resource's address is used, if there is one. Otherwise the first audience is used.
    """
    access, origin = service.callers.access, origin_of(call.origin, call.headers, public=service.callers.public_hosts)
    if not access.audiences or origin is None:
        return refuse(call, NotFound("route", call.path[:200]))
    resource = origin + _WELL_KNOWN.sub("", quote(call.path, safe=_SAFE), count=1)
    audience = resource if resource in access.audiences else access.audiences[0]
    metadata = ProtectedResource(
        resource=resource,
        authorization_servers=[f"{access.authority}/v2.0"],
        scopes_supported=[f"{audience}/.default"],
        bearer_methods_supported=["header"],
    )
    return Rendered(status=200, body=metadata.model_dump_json().encode(), headers={"Cache-Control": "no-store"})
