"""Reads the principal header of App Service authentication. The platform sets this header before a call reaches the
app.

Trust the header only if the platform sets it. Otherwise any caller can write it. This page describes the header:
https://learn.microsoft.com/azure/app-service/configure-authentication-user-identities
"""

import base64
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from retrieval.access.rights import Roles
from retrieval.errors import NotAuthorized
from retrieval.model.caller import Caller

HEADER: Final = "x-ms-client-principal"
LONGEST: Final = 65_536
ENTRA: Final = "aad"

_IDENTITY: Final = "http://schemas.microsoft.com/identity/claims/"
_SOAP: Final = "http://schemas.xmlsoap.org/ws/2005/05/identity/claims/"
LONG_NAMES: Final[Mapping[str, str]] = {
    f"{_IDENTITY}objectidentifier": "oid",
    f"{_IDENTITY}tenantid": "tid",
    f"{_IDENTITY}scope": "scp",
    f"{_SOAP}nameidentifier": "sub",
    f"{_SOAP}emailaddress": "email",
    f"{_SOAP}upn": "upn",
    "http://schemas.microsoft.com/ws/2008/06/identity/claims/role": "roles",
}
"""Maps the platform's long names of some claims to the names of these claims in a token."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Principals:
    """Identifies callers by the principals of one tenant."""

    tenant: str
    roles: Roles

    def caller(self, header: str) -> Caller:
        """The caller that the header names. Raises NotAuthorized for a principal that cannot be read, or that is not
        from this tenant of Entra ID."""
        claims = _claims(header)
        if claims.get("tid") != (self.tenant,):
            raise NotAuthorized("The principal is not from this service's tenant.")
        return self.roles.caller("principal", claims)


def _claims(header: str) -> Mapping[str, tuple[str, ...]]:
    """All values of each claim. The keys are the names of the claims in a token."""
    if len(header) > LONGEST:
        raise _unreadable()
    try:
        principal = json.loads(base64.b64decode(header, validate=True))
        if principal["auth_typ"] != ENTRA:
            raise _unreadable()
        pairs = [(claim["typ"], claim["val"]) for claim in principal["claims"]]
    except (ValueError, RecursionError, TypeError, KeyError):
        raise _unreadable() from None
    claims: dict[str, tuple[str, ...]] = {}
    for kind, value in pairs:
        if isinstance(kind, str) and isinstance(value, str) and value:
            name = LONG_NAMES.get(kind, kind)
            claims[name] = (*claims.get(name, ()), value)
    return claims


def _unreadable() -> NotAuthorized:
    return NotAuthorized("The principal of App Service authentication is not from Microsoft Entra ID.")
