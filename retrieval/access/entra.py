"""Checks bearer tokens of Microsoft Entra ID, and reads their roles and scopes.

The signature, the issuer, the audience and the times of a token are checked. PyJWT does the cryptography. This page
explains the checks: https://learn.microsoft.com/entra/identity-platform/access-tokens#validate-tokens
"""

import json
import re
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Final, TypeAlias, TypeGuard

import jwt
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey

from retrieval.access.rights import Roles
from retrieval.access.signing_keys import SigningKeys
from retrieval.errors import BackendUnanswered, BackendUnavailable, NotAuthenticated
from retrieval.model.caller import Caller
from retrieval.ports import Clock

SERVICE: Final = "Microsoft Entra ID"
ALGORITHM: Final = "RS256"
LONGEST_TOKEN: Final = 16_384
LONGEST_KEY_ID: Final = 256
SMALLEST_MODULUS: Final = 2_048
MOST_KEYS: Final = 100
SKEW_SECONDS: Final = 300

_BEARER: Final = re.compile(r"(?i:bearer) +([A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+)")

Claims: TypeAlias = Mapping[str, object]


@dataclass(frozen=True, slots=True, kw_only=True)
class Tenant:
    """A tenant. Its tokens are accepted if `authority` (`https://login.microsoftonline.com/<tenant>`) issued them for
    one of `audiences`."""

    id: str
    authority: str
    audiences: tuple[str, ...]

    @property
    def issuers(self) -> tuple[str, ...]:
        """The issuers of version 2.0 and version 1.0 tokens. The registration of an app decides which version the app
        gets."""
        return f"{self.authority}/v2.0", f"https://sts.windows.net/{self.id}/"


class EntraTokens:
    """Identifies callers by their tokens. `key_document` reads the tenant's JWKS. `claims` names the claims that are
    copied into the Caller."""

    def __init__(
        self,
        tenant: Tenant,
        *,
        key_document: Callable[[], Awaitable[bytes]],
        roles: Roles,
        claims: frozenset[str],
        clock: Clock,
    ) -> None:
        async def read() -> Mapping[str, RSAPublicKey]:
            return read_keys(await key_document())

        self._tenant = tenant
        self._roles = roles
        self._claim_names = claims
        self._clock = clock
        self._keys = SigningKeys(read)

    async def caller(self, authorization: str) -> Caller:
        """The caller that the token identifies. Raises NotAuthenticated, and BackendError if the tenant's keys are
        unavailable."""
        token = self._token(authorization)
        key = await self._keys.get(self._key_id(token))
        if key is None:
            raise self._refusal("it is signed with a key that is not its issuer's")
        claims = self._verify(token, key)
        self._check_times(claims)
        if not _texts(claims.get("azp")) and not _texts(claims.get("appid")):
            raise self._refusal("it is not an access token")
        roles, scopes = _texts(claims.get("roles")), " ".join(_texts(claims.get("scp"))).split()
        texts = {name: _texts(claims.get(name)) for name in self._claim_names}
        return Caller(
            kind="token",
            id=(_texts(claims.get("oid")) or _texts(claims.get("sub")) or ("unknown",))[0],
            rights=self._roles.rights([*roles, *scopes]),
            bases=self._roles.bases([*roles, *scopes]),
            claims={name: values for name, values in texts.items() if values},
        )

    async def close(self) -> None:
        """Cancel a running request for the signing keys."""
        await self._keys.close()

    def _token(self, authorization: str) -> str:
        if len(authorization) > LONGEST_TOKEN:
            raise self._refusal(f"it is longer than {LONGEST_TOKEN} characters")
        match = _BEARER.fullmatch(authorization)
        if match is None:
            raise self._refusal("it is not a JSON Web Token")
        return match[1]

    def _key_id(self, token: str) -> str:
        try:
            header = jwt.get_unverified_header(token)
        except (jwt.PyJWTError, ValueError, RecursionError):
            raise self._refusal("it cannot be read") from None
        if header.get("alg") != ALGORITHM or "crit" in header or "b64" in header:
            raise self._refusal(f"it is not signed with {ALGORITHM}")
        key_id = header.get("kid")
        if not isinstance(key_id, str) or not 0 < len(key_id) <= LONGEST_KEY_ID:
            raise self._refusal("it names no key")
        return key_id

    def _verify(self, token: str, key: RSAPublicKey) -> Claims:
        """The claims of a token with a valid signature, issuer and audience. `_check_times` checks the times, by this
        service's clock. Raises NotAuthenticated."""
        try:
            claims: Claims = jwt.decode(
                token,
                key,
                algorithms=[ALGORITHM],
                issuer=self._tenant.issuers,
                audience=self._tenant.audiences,
                options={
                    "require": ["exp", "iss", "aud"],
                    "verify_exp": False,
                    "verify_nbf": False,
                    "verify_iat": False,
                },
            )
        except jwt.InvalidSignatureError:
            raise self._refusal("its signature does not hold") from None
        except jwt.InvalidIssuerError:
            raise self._refusal("it was issued by another authority") from None
        except jwt.InvalidAudienceError:
            raise self._refusal("it is meant for another service") from None
        except (jwt.PyJWTError, ValueError, RecursionError):
            raise self._refusal("it cannot be read") from None
        return claims

    def _check_times(self, claims: Claims) -> None:
        now = self._clock().timestamp()
        expires, begins = claims.get("exp"), claims.get("nbf", 0)
        if not _is_number(expires) or not _is_number(begins):
            raise self._refusal("its times cannot be read")
        if not expires + SKEW_SECONDS > now:
            raise self._refusal("it has expired")
        if not begins - SKEW_SECONDS <= now:
            raise self._refusal("it is not yet valid")

    def _refusal(self, reason: str) -> NotAuthenticated:
        return NotAuthenticated(reason=reason, authority=self._tenant.authority)


def read_keys(document: bytes) -> Mapping[str, RSAPublicKey]:
    """The RSA keys of a JWKS that can check signatures, by key id. Raises BackendUnavailable if the document cannot be
    read or has no such key."""
    try:
        entries = json.loads(document)["keys"][:MOST_KEYS]
    except (ValueError, RecursionError, TypeError, KeyError):
        reason = "answered with something other than a set of keys."
        raise BackendUnanswered(SERVICE, reason, why="unreadable") from None
    keys = dict(pair for entry in entries if (pair := _key(entry)) is not None)
    if not keys:
        raise BackendUnavailable(SERVICE, "has no key that signs tokens.")
    return keys


def _key(entry: object) -> tuple[str, RSAPublicKey] | None:
    """The id and the RSA key of a JWKS entry. None for a key that has another type, use or algorithm, that is too
    small, or that cannot be read."""
    if not isinstance(entry, dict) or entry.get("kty") != "RSA" or entry.get("use", "sig") != "sig":
        return None
    key_id = entry.get("kid")
    if not isinstance(key_id, str) or entry.get("alg", ALGORITHM) != ALGORITHM:
        return None
    try:
        key = jwt.PyJWK(entry, ALGORITHM).key
    except (jwt.PyJWTError, ValueError, TypeError):
        return None
    return (key_id, key) if isinstance(key, RSAPublicKey) and key.key_size >= SMALLEST_MODULUS else None


def _texts(claim: object) -> tuple[str, ...]:
    """The texts of a claim that is a non-empty text, or a list of non-empty texts. Any other claim counts as
    missing."""
    values = claim if isinstance(claim, list) else [claim]
    texts = tuple(value for value in values if isinstance(value, str) and value)
    return texts if len(texts) == len(values) else ()


def _is_number(value: object) -> TypeGuard[int | float]:
    return isinstance(value, int | float) and not isinstance(value, bool)
