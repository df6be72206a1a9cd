"""Admission: checks one credential of a call, and compares its rights with the right that the route needs.

It also reads the token of the user on whose behalf a caller asks, which the search service checks.
"""

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Final, Protocol

from retrieval.access import app_service, keys
from retrieval.access.app_service import Principals
from retrieval.access.keys import ApiKeys
from retrieval.access.protected_resource import SignIn
from retrieval.access.rights import NEEDED, Operation
from retrieval.errors import BadRequest, NotAuthenticated, NotAuthorized
from retrieval.model.caller import Caller
from retrieval.model.definitions import Agent

AUTHORIZATION: Final = "authorization"
BEARER: Final = "bearer"
USER_TOKEN: Final = "x-ms-query-source-authorization"
LONGEST_USER_TOKEN: Final = 65_536

_USER_TOKEN: Final = re.compile(r"[\x20-\x7e]+")


class BearerTokens(Protocol):
    """Identifies a caller by the value of the Authorization header."""

    async def caller(self, authorization: str) -> Caller:
        """Raises NotAuthenticated, BackendError."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Access:
    """The credentials of a deployment. A kind of credential that is None is not read. `authority` issues bearer tokens,
    for which callers sign in as `sign_in` says."""

    keys: ApiKeys
    tokens: BearerTokens | None = None
    principals: Principals | None = None
    authority: str | None = None
    sign_in: SignIn | None = None

    async def admit(self, headers: Mapping[str, str], operation: Operation) -> Caller:
        """The caller, who may do `operation`. `headers` has lower-case names.

        A key is tried before a token, and a token before the platform's header. After a refusal nothing else is tried.
        A bearer token may be a key. Raises NotAuthenticated, NotAuthorized, and BackendError where a token cannot be
        judged now.
        """
        return _authorize(await self._caller(headers), operation)

    def at_once(self, headers: Mapping[str, str], operation: Operation) -> Caller | None:
        """The caller of a call whose only credential is a key; None where another credential has to be checked.

        It takes microseconds. Raises NotAuthenticated for a call without a credential, and NotAuthorized.
        """
        key = headers.get(keys.HEADER)
        as_token = None if key else self._by_token(headers)
        if as_token is not None:
            return _authorize(as_token, operation)
        if headers.get(AUTHORIZATION) or headers.get(app_service.HEADER):
            return None
        if not key:
            raise NotAuthenticated(authority=self.authority, unread=False)
        return _authorize(self.keys.caller(key), operation)

    def may_admit(self, headers: Mapping[str, str]) -> bool:
        """Whether some operation may admit a call with these headers; it takes microseconds, before the body is
        read."""
        sent_keys = [key for name in (keys.HEADER, keys.ACS_HEADER) if (key := headers.get(name))]
        if sent_keys:
            return any(self.keys.find(key) for key in sent_keys)
        return bool(headers.get(AUTHORIZATION) or headers.get(app_service.HEADER))

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
        principal = headers.get(app_service.HEADER)
        if self.principals is not None and principal:
            return self.principals.caller(principal)
        raise NotAuthenticated(authority=self.authority, unread=is_bearer)

    def _by_token(self, headers: Mapping[str, str]) -> Caller | None:
        """The caller whose bearer token is a key: many programs have a field for a token, and none for headers."""
        scheme, _, key = headers.get(AUTHORIZATION, "").partition(" ")
        return self.keys.find(key.strip()) if scheme.lower() == BEARER else None


def _authorize(caller: Caller, operation: Operation) -> Caller:
    right = NEEDED[operation]
    if right not in caller.rights:
        raise NotAuthorized(f"This credential does not give the right to {right}.")
    return caller


def user_token_of(headers: Mapping[str, str], agent: Agent, *, needed_by: Collection[str]) -> str | None:
    """The token of the user. `headers` has lower-case names. Raises NotAuthorized where the agent needs one.

    `needed_by` are the names, in lower case, of the agents that do; `*` stands for all.
    """
    token = headers.get(USER_TOKEN, "").strip()
    if not token:
        if not {"*", agent.name.lower()}.isdisjoint(needed_by):
            raise NotAuthorized(f"The agent {agent.name!r} answers only calls that bring {USER_TOKEN}.")
        return None
    if len(token) > LONGEST_USER_TOKEN or not _USER_TOKEN.fullmatch(token):
        raise BadRequest(f"The header {USER_TOKEN} is not a token.", target=USER_TOKEN)
    return token
