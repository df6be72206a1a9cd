"""OAuth 2.0 protected resource metadata of the MCP addresses. It tells clients which tenant issues the tokens.

The metadata of `/agents/x/mcp` is at `/.well-known/oauth-protected-resource/agents/x/mcp`. A gateway may put its own
path before both addresses. A 401 answer tells the client the full address of the metadata.
https://www.rfc-editor.org/rfc/rfc9728
"""

import re
from dataclasses import dataclass
from typing import Final
from urllib.parse import quote

WELL_KNOWN: Final = "/.well-known/oauth-protected-resource"

_MCP: Final = re.compile(
    r"(.*)(/(?:agents/[^/]+|knowledgebases(?:/[^/]+|\('[^/]*'\)))/mcp/?)", re.IGNORECASE | re.DOTALL
)
_WELL_KNOWN: Final = re.compile(re.escape(WELL_KNOWN), re.IGNORECASE)
_SAFE: Final = "/%:@!$&'()*+,;=~"


@dataclass(frozen=True, slots=True, kw_only=True)
class SignIn:
    """The authority that issues the accepted tokens. Each token is for one of `audiences`. Clients read the authority's
    metadata at `issuer`."""

    issuer: str
    audiences: tuple[str, ...]

    def scope(self, resource: str) -> str:
        """The scope for which a client requests a token. Entra ID refuses the request if the scope does not belong to
        the resource that the request names. So the audience that equals the resource's address is used, if there is
        one. Otherwise the first audience is used."""
        audience = resource if resource in self.audiences else self.audiences[0]
        return f"{audience}/.default"


def metadata_address(origin: str, path: str) -> str | None:
    """The address of the metadata of an MCP address; None for any other address."""
    match = _MCP.fullmatch(quote(path, safe=_SAFE))
    return None if match is None else f"{origin}{match[1]}{WELL_KNOWN}{match[2]}"


def resource_address(origin: str, path: str) -> str:
    """The MCP address that the metadata at this address describes."""
    return origin + _WELL_KNOWN.sub("", quote(path, safe=_SAFE), count=1)
