"""Checks one credential of a call, and compares the credential's rights with the right that the call needs.

An API key comes in `api-key`, in a header of a room or as a bearer token. The platform sets the principal header of
App Service authentication before a call reaches the app. Trust this header only if the platform sets it. Otherwise any
caller can write it:
https://learn.microsoft.com/azure/app-service/configure-authentication-user-identities

This module also reads the token of the user for whom a caller asks. The search service checks this token.
"""

import base64
import hmac
import json
import re
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from itertools import chain
from typing import Final, Literal, TypeAlias

from retrieval.errors import BadRequest, NotAuthenticated, NotAuthorized
from retrieval.model.caller import Caller, Right
from retrieval.model.definitions import Agent

HEADER: Final = "api-key"
AUTHORIZATION: Final = "authorization"
BEARER: Final = "bearer"
PRINCIPAL_HEADER: Final = "x-ms-client-principal"
LONGEST_PRINCIPAL: Final = 65_536
USER_TOKEN: Final = "x-ms-query-source-authorization"
LONGEST_USER_TOKEN: Final = 65_536
MOST_KNOWN: Final = 1_024

_USER_TOKEN: Final = re.compile(r"[\x20-\x7e]+")

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

Credential: TypeAlias = Literal["no credential", "query key", "admin key", "retrieve role", "manage role"]

GRANTED: Final[Mapping[Credential, frozenset[Right]]] = {
    "no credential": frozenset(),
    "query key": frozenset({"retrieve"}),
    "admin key": frozenset({"retrieve", "manage"}),
    "retrieve role": frozenset({"retrieve"}),
    "manage role": frozenset({"retrieve", "manage"}),
}
"""A role is an app role or a scope, in a bearer token or in the principal header."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Roles:
    """The names that app roles and scopes have in a deployment. They are compared exactly.

    `bound` maps a knowledge base to the roles that may retrieve from it. Such a role gives access only to the bases
    that list it. `claims` names the claims that are copied into a Caller.
    """

    retrieve: frozenset[str]
    manage: frozenset[str]
    bound: Mapping[str, frozenset[str]] = field(default_factory=dict)
    claims: frozenset[str] = frozenset()

    def caller(self, kind: Literal["token", "principal"], claims: Mapping[str, tuple[str, ...]]) -> Caller:
        """The caller with these claims. The keys are the names of the claims in a token. A role or scope of the
        deployment gives access to every knowledge base, a bound role only to its own."""
        scopes = (scope for value in claims.get("scp", ()) for scope in value.split())
        names = {*claims.get("roles", ()), *scopes}
        bases = frozenset(base for base, roles in self.bound.items() if roles & names)
        retrieves, manages = bool(self.retrieve & names), bool(self.manage & names)
        rights = GRANTED["retrieve role"] if retrieves or bases else GRANTED["no credential"]
        return Caller(
            kind=kind,
            id=(claims.get("oid") or claims.get("sub") or ("unknown",))[0],
            rights=GRANTED["manage role"] if manages else rights,
            bases=None if retrieves or manages else bases,
            claims={name: claims[name] for name in self.claims if claims.get(name)},
        )


@dataclass(frozen=True, slots=True)
class _Key:
    name: str
    digest: bytes
    rights: frozenset[Right]
    base: str | None = None


class ApiKeys:
    """The keys of a deployment. If there are no keys, no API key is accepted. `bound` maps a knowledge base to the
    query keys that give access to this base only.

    The duration of the comparison reveals nothing about a key. All digests have the same length, and all of them are
    compared, each in constant time.
    """

    def __init__(self, *, query: Sequence[str], admin: Sequence[str], bound: Mapping[str, Sequence[str]]) -> None:
        of_bases = (_keys_of("query key", keys, base=base) for base, keys in bound.items())
        self._keys = (*chain.from_iterable(of_bases), *_keys_of("query key", query), *_keys_of("admin key", admin))

    def caller(self, key: str) -> Caller:
        """The caller with this key. The caller's id contains the position of the key in the setting. Raises
        NotAuthorized for an unknown key."""
        if caller := self.find(key):
            return caller
        raise NotAuthorized()

    def find(self, key: str) -> Caller | None:
        """The caller with this key; None for an unknown key."""
        digest = _digest(key)
        matches = [hmac.compare_digest(digest, key.digest) for key in self._keys]
        equal_keys = [key for key, match in zip(self._keys, matches, strict=True) if match]
        if not equal_keys:
            return None
        rights = frozenset[Right]().union(*(key.rights for key in equal_keys))
        bases = frozenset(key.base for key in equal_keys if key.base)
        is_bound = all(key.base for key in equal_keys)
        return Caller(kind="key", id=equal_keys[-1].name, rights=rights, bases=bases if is_bound else None)


def _keys_of(credential: Credential, keys: Sequence[str], *, base: str | None = None) -> tuple[_Key, ...]:
    of_base = f" of {base}" if base else ""
    return tuple(
        _Key(f"{credential} {number}{of_base}", _digest(key), GRANTED[credential], base)
        for number, key in enumerate(keys, 1)
    )


def _digest(key: str) -> bytes:
    return sha256(key.encode("utf-8", "surrogatepass")).digest()


def caller_of_principal(header: str, *, tenant: str, roles: Roles) -> Caller:
    """The caller that the principal header names. Raises NotAuthorized for a principal that cannot be read, or that is
    not from this tenant of Entra ID."""
    claims = _claims(header)
    if claims.get("tid") != (tenant,):
        raise NotAuthorized("The principal is not from this service's tenant.")
    return roles.caller("principal", claims)


def _claims(header: str) -> Mapping[str, tuple[str, ...]]:
    """All values of each claim. The keys are the names of the claims in a token."""
    try:
        principal = json.loads(base64.b64decode(header[:LONGEST_PRINCIPAL], validate=True))
        pairs = [(claim["typ"], claim["val"]) for claim in principal["claims"]]
        is_entra = principal["auth_typ"] == "aad" and len(header) <= LONGEST_PRINCIPAL
    except (ValueError, RecursionError, TypeError, KeyError):
        is_entra = False
    if not is_entra:
        raise NotAuthorized("The principal of App Service authentication is not from Microsoft Entra ID.")
    claims: dict[str, tuple[str, ...]] = {}
    for kind, value in pairs:
        if isinstance(kind, str) and isinstance(value, str) and value:
            name = LONG_NAMES.get(kind, kind)
            claims[name] = (*claims.get(name, ()), value)
    return claims


class KnownHeaders:
    """Remembers whose token or principal a call had, by a digest of the header: of the last `MOST_KNOWN` callers. An
    instance that is full knows such a caller again without checking the token."""

    def __init__(self) -> None:
        self._names: OrderedDict[bytes, str] = OrderedDict()

    def remember(self, headers: Mapping[str, str], caller: Caller) -> None:
        """Remembers a caller who was admitted just now. A key needs no memory: it is compared at once."""
        if caller.kind == "key":
            return
        digest = _sent(headers)
        self._names[digest] = caller.name
        self._names.move_to_end(digest)
        if len(self._names) > MOST_KNOWN:
            self._names.popitem(last=False)

    def find(self, headers: Mapping[str, str]) -> str | None:
        """The name of the caller whose header this was; None if nobody is remembered."""
        return self._names.get(_sent(headers)) if self._names else None


def _sent(headers: Mapping[str, str]) -> bytes:
    return _digest("\n".join(headers.get(name, "") for name in (HEADER, AUTHORIZATION, PRINCIPAL_HEADER)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Access:
    """The credentials that a deployment accepts. If `tokens` or `principals` is None, such credentials are not read.
    `authority` issues the bearer tokens, each for one of the `audiences`. `known` remembers the callers who were
    admitted with a token or a principal. `key_headers` are the headers beside `api-key` in which rooms take keys."""

    keys: ApiKeys
    tokens: Callable[[str], Awaitable[Caller]] | None = None
    principals: Callable[[str], Caller] | None = None
    authority: str | None = None
    audiences: tuple[str, ...] = ()
    known: KnownHeaders = field(default_factory=KnownHeaders)
    key_headers: tuple[str, ...] = ()

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
        credential, which includes `key_headers`. Then the route's admission must decide.

        This check takes microseconds. Raises NotAuthenticated for a call without a credential, and NotAuthorized for an
        unknown key or a missing right.
        """
        key = headers.get(HEADER)
        caller = None if key else self._by_token(headers)
        if caller is None:
            if any(map(headers.get, (AUTHORIZATION, PRINCIPAL_HEADER, *self.key_headers))):
                return None
            if not key:
                raise NotAuthenticated(authority=self.authority, unread=False)
            caller = self.keys.caller(key)
        return _authorize(caller, right)

    def may_admit(self, headers: Mapping[str, str]) -> bool:
        """Whether a call with these headers could be admitted. This check takes microseconds and is made before the
        body is read."""
        sent_keys = [key for name in (HEADER, *self.key_headers) if (key := headers.get(name))]
        if sent_keys:
            return any(self.keys.find(key) for key in sent_keys)
        return bool(headers.get(AUTHORIZATION) or headers.get(PRINCIPAL_HEADER))

    async def _caller(self, headers: Mapping[str, str]) -> Caller:
        key = headers.get(HEADER)
        if key:
            return self.keys.caller(key)
        as_token = self._by_token(headers)
        if as_token is not None:
            return as_token
        authorization = headers.get(AUTHORIZATION, "")
        is_bearer = authorization.lower().startswith(BEARER)
        if self.tokens is not None and is_bearer:
            return await self.tokens(authorization)
        principal = headers.get(PRINCIPAL_HEADER)
        if self.principals is not None and principal:
            return self.principals(principal)
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
