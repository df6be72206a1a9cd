"""Where clients that sign in find the tenant: OAuth 2.0 protected resource metadata of MCP's addresses.

The metadata of `/agents/x/mcp` is at `/.well-known/oauth-protected-resource/agents/x/mcp`. A gateway may put a path of
its own before both; a 401 tells the client the whole address. https://www.rfc-editor.org/rfc/rfc9728
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
    """The authority that issues the accepted tokens, each for one of `audiences`. Clients read its own metadata at
    `issuer`."""

    issuer: str
    audiences: tuple[str, ...]

    def scope(self, resource: str) -> str:
        """The scope that a client asks a token for. Entra ID refuses a client whose scope is not of the resource that
        it names. So an audience that is the resource's own address comes first."""
        audience = resource if resource in self.audiences else self.audiences[0]
        return f"{audience}/.default"


def metadata_address(origin: str, path: str) -> str | None:
    """The address of the metadata of an MCP address; None for any other address."""
    match = _MCP.fullmatch(quote(path, safe=_SAFE))
    return None if match is None else f"{origin}{match[1]}{WELL_KNOWN}{match[2]}"


def resource_address(origin: str, path: str) -> str:
    """The MCP address that the metadata at this address describes."""
    return origin + _WELL_KNOWN.sub("", quote(path, safe=_SAFE), count=1)
