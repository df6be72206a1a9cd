"""Checks one credential of a call, and compares the credential's rights with the right that the call needs.

The platform sets the principal header of App Service authentication before a call reaches the app. Trust this header
only if the platform sets it. Otherwise any caller can write it:
https://learn.microsoft.com/azure/app-service/configure-authentication-user-identities

This module also reads the token of the user for whom a caller asks. The search service checks this token.
"""

import base64
import hashlib
import json
import re
from collections import OrderedDict
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Final, Protocol

from retrieval.access import keys
from retrieval.access.keys import ApiKeys
from retrieval.access.rights import Roles
from retrieval.errors import BadRequest, NotAuthenticated, NotAuthorized
from retrieval.model.caller import Caller, Right
from retrieval.model.definitions import Agent

AUTHORIZATION: Final = "authorization"
BEARER: Final = "bearer"
PRINCIPAL_HEADER: Final = "x-ms-client-principal"
LONGEST_PRINCIPAL: Final = 65_536
USER_TOKEN: Final = "x-ms-query-source-authorization"
LONGEST_USER_TOKEN: Final = 65_536
MOST_KNOWN: Final = 1_024

_USER_TOKEN: Final = re.compile(r"[\x20-\x7e]+")


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
    if len(header) > LONGEST_PRINCIPAL:
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


class BearerTokens(Protocol):
    """Identifies a caller by the Authorization header. `EntraTokens` (`access/entra.py`) implements it."""

    async def caller(self, authorization: str) -> Caller:
        """The caller. Raises NotAuthenticated, BackendError."""


class KnownHeaders:
    """Remembers whose token or principal a call had, by a digest of the header: of the last `MOST_KNOWN` callers. An
    instance that is full knows such a caller again without checking the token."""

    def __init__(self) -> None:
        self._names: OrderedDict[bytes, str] = OrderedDict()

    def remember(self, headers: Mapping[str, str], caller: Caller) -> None:
        """Remembers a caller who was admitted just now. A key needs no memory: it is compared at once."""
        if caller.kind == "key":
            return
        digest = _digest(headers)
        self._names[digest] = caller.name
        self._names.move_to_end(digest)
        if len(self._names) > MOST_KNOWN:
            self._names.popitem(last=False)

    def find(self, headers: Mapping[str, str]) -> str | None:
        """The name of the caller whose header this was; None if nobody is remembered."""
        return self._names.get(_digest(headers)) if self._names else None


def _digest(headers: Mapping[str, str]) -> bytes:
    sent = "\n".join(headers.get(name, "") for name in (keys.HEADER, AUTHORIZATION, PRINCIPAL_HEADER))
    return hashlib.sha256(sent.encode("utf-8", "surrogatepass")).digest()


@dataclass(frozen=True, slots=True, kw_only=True)
class Access:
    """The credentials that a deployment accepts. If `tokens` or `principals` is None, such credentials are not read.
    `authority` issues the bearer tokens, each for one of the `audiences`. `known` remembers the callers who were
    admitted with a token or a principal."""

    keys: ApiKeys
    tokens: BearerTokens | None = None
    principals: Principals | None = None
    authority: str | None = None
    audiences: tuple[str, ...] = ()
    known: KnownHeaders = field(default_factory=KnownHeaders)

    async def admit(self, headers: Mapping[str, str], right: Right) -> Caller:
        """The caller, if the caller has the right. `headers` has lower-case names.

        An API key is tried before a token, and a token before the App Service header. After a refusal, no other
        credential is tried. An API key may also be sent as a bearer token. Raises NotAuthenticated, NotAuthorized, and
        BackendError if a token cannot be checked now.
        """
        caller = _authorize(await self._caller(headers), right)
        self.known.remember(headers, caller)
        return caller

    def at_once(self, headers: Mapping[str, str], right: Right) -> Caller | None:
        """The caller with an API key. Two cases are decided here: a key as a bearer token without a key header, and a
        key in its own header without another credential's header. None for any other call with the header of a
        credential, which includes the header of a key in Model Studio's format. Then the route's admission must decide.

        This check takes microseconds. Raises NotAuthenticated for a call without a credential, and NotAuthorized for an
        unknown key or a missing right.
        """
        key = headers.get(keys.HEADER)
        as_token = None if key else self._by_token(headers)
        if as_token is not None:
            return _authorize(as_token, right)
        if headers.get(AUTHORIZATION) or headers.get(PRINCIPAL_HEADER) or headers.get(keys.ACS_HEADER):
            return None
        if not key:
            raise NotAuthenticated(authority=self.authority, unread=False)
        return _authorize(self.keys.caller(key), right)

    def may_admit(self, headers: Mapping[str, str]) -> bool:
        """Whether a call with these headers could be admitted. This check takes microseconds and is made before the
        body is read."""
        sent_keys = [key for name in (keys.HEADER, keys.ACS_HEADER) if (key := headers.get(name))]
        if sent_keys:
            return any(self.keys.find(key) for key in sent_keys)
        return bool(headers.get(AUTHORIZATION) or headers.get(PRINCIPAL_HEADER))

    async def _caller(self, headers: Mapping[str, str]) -> Caller:
        key = headers.get(keys.HEADER)
        if key:
            return self.keys.caller(key)
        as_token = self._by_token(headers)
        if as_token is not None:
            return as_token
        authorization = headers.get(AUTHORIZATION, "")
        is_bearer = authorization.lower().startswith(BEARER)
        if self.tokens is not None and is_bearer:
            return await self.tokens.caller(authorization)
        principal = headers.get(PRINCIPAL_HEADER)
        if self.principals is not None and principal:
            return self.principals.caller(principal)
        raise NotAuthenticated(authority=self.authority, unread=is_bearer)

    def _by_token(self, headers: Mapping[str, str]) -> Caller | None:
        """The caller with a bearer token that is an API key; None for any other token. Many programs have a field for a
        bearer token, but no field for other headers."""
        scheme, _, key = headers.get(AUTHORIZATION, "").partition(" ")
        return self.keys.find(key.strip()) if scheme.lower() == BEARER else None


def _authorize(caller: Caller, right: Right) -> Caller:
    if right not in caller.rights:
        raise NotAuthorized(f"This credential does not give the right to {right}.")
    return caller


def user_token_of(headers: Mapping[str, str], agent: Agent, *, needed_by: Collection[str]) -> str | None:
    """The token of the user; None if the call has no such token. `headers` has lower-case names.

    `needed_by` are the names, in lower case, of the agents that need a user token. `*` stands for all agents. Raises
    NotAuthorized if the agent needs a token and the call has none, and BadRequest for an invalid token.
    """
    token = headers.get(USER_TOKEN, "").strip()
    if not token:
        if not {"*", agent.name.lower()}.isdisjoint(needed_by):
            raise NotAuthorized(f"The agent {agent.name!r} answers only calls that bring {USER_TOKEN}.")
        return None
    if len(token) > LONGEST_USER_TOKEN or not _USER_TOKEN.fullmatch(token):
        raise BadRequest(f"The header {USER_TOKEN} is not a token.", target=USER_TOKEN)
    return token
