"""Where clients that sign in find the tenant: OAuth 2.0 protected resource metadata of MCP's addresses.

The metadata of `/agents/x/mcp` is at `/.well-known/oauth-protected-resource/agents/x/mcp`. Beneath a gateway's own path
both are after that path, and a 401 tells the client so.
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
    """The authority whose tokens are accepted for one of `audiences`: its `issuer` has its own metadata."""

    issuer: str
    audiences: tuple[str, ...]

    def scope(self, resource: str) -> str:
        """What to ask tokens for. Entra ID refuses a client that names a resource which its scope is not of, so an
        audience that is the resource's own address comes first."""
        audience = resource if resource in self.audiences else self.audiences[0]
        return f"{audience}/.default"


def metadata_address(origin: str, path: str) -> str | None:
    """Where the metadata of an address of MCP is; None for any other address."""
    match = _MCP.fullmatch(quote(path, safe=_SAFE))
    return None if match is None else f"{origin}{match[1]}{WELL_KNOWN}{match[2]}"


def resource_address(origin: str, path: str) -> str:
    """The address of MCP that an address has the metadata of."""
    return origin + _WELL_KNOWN.sub("", quote(path, safe=_SAFE), count=1)
