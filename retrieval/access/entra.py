"""Checks bearer tokens of Microsoft Entra ID, and reads their roles and scopes. Reads the keys that sign tokens, keeps
them, and refreshes them (RFC 7517, section 5).

The signature, the issuer, the audience and the times of a token are checked. PyJWT does the cryptography. This page
explains the checks: https://learn.microsoft.com/entra/identity-platform/access-tokens#validate-tokens

All concurrent callers share one read of the keys. While there are keys, calls with unknown key ids start at most one
read a minute.
"""

import asyncio
import json
import re
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Final, TypeAlias, TypeGuard

import jwt
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey

from retrieval.access.credentials import Roles
from retrieval.errors import BackendError, BackendUnanswered, BackendUnavailable, NotAuthenticated
from retrieval.model.caller import Caller
from retrieval.outgoing.connections import HttpRequest, send, session
from retrieval.ports import Clock

SERVICE: Final = "Microsoft Entra ID"
SECONDS: Final = 5.0
LARGEST: Final = 262_144
ALGORITHM: Final = "RS256"
SMALLEST_MODULUS: Final = 2_048
MOST_KEYS: Final = 100

FRESH_SECONDS: Final = 3_600.0
"""After this time the next call starts a new read. Meanwhile calls use the known keys."""

USABLE_SECONDS: Final = 86_400.0
"""The known keys are used for at most this time after the last successful read. So a revoked key is not accepted for a
longer time."""

PAUSE_SECONDS: Final = 60.0
"""The shortest pause between two reads while there are keys. Without keys, the pause is RETRY_SECONDS."""

RETRY_SECONDS: Final = 5.0

LONGEST_TOKEN: Final = 16_384
LONGEST_KEY_ID: Final = 256
SKEW_SECONDS: Final = 300

_BEARER: Final = re.compile(r"(?i:bearer) +([A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+)")

_FAULTS: Final[Mapping[type[Exception], str]] = {
    jwt.InvalidSignatureError: "its signature does not hold",
    jwt.InvalidIssuerError: "it was issued by another authority",
    jwt.InvalidAudienceError: "it is meant for another service",
}

Claims: TypeAlias = Mapping[str, object]


@dataclass(frozen=True, slots=True, kw_only=True)
class Tenant:
    """A tenant. Its tokens are accepted if `authority` (`https://login.microsoftonline.com/<tenant>`) issued them for
    one of `audiences`."""

    id: str
    authority: str
    audiences: tuple[str, ...]


class EntraTokens:
    """Identifies callers by their tokens. `key_document` reads the tenant's JWKS."""

    def __init__(
        self, tenant: Tenant, *, key_document: Callable[[], Awaitable[bytes]], roles: Roles, clock: Clock
    ) -> None:
        self._tenant = tenant
        self._roles = roles
        self._clock = clock
        self._keys = SigningKeys(key_document)

    async def caller(self, authorization: str) -> Caller:
        """The caller that the token identifies. Raises NotAuthenticated, and BackendError if the tenant's keys are
        unavailable."""
        token = self._token(authorization)
        key = await self._keys.get(self._key_id(token))
        if key is None:
            raise self._refusal("it is signed with a key that is not its issuer's")
        claims = self._verify(token, key)
        self._check_times(claims)
        texts = {name: _texts(claim) for name, claim in claims.items()}
        if not texts.get("azp") and not texts.get("appid"):
            raise self._refusal("it is not an access token")
        return self._roles.caller("token", texts)

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
        """The claims of a token with a valid signature, issuer and audience. The registration of an app decides whether
        it gets tokens of version 2.0 or 1.0, whose issuers differ. `_check_times` checks the times, by this service's
        clock. Raises NotAuthenticated."""
        try:
            claims: Claims = jwt.decode(
                token,
                key,
                algorithms=[ALGORITHM],
                issuer=(f"{self._tenant.authority}/v2.0", f"https://sts.windows.net/{self._tenant.id}/"),
                audience=self._tenant.audiences,
                options={
                    "require": ["exp", "iss", "aud"],
                    "verify_exp": False,
                    "verify_nbf": False,
                    "verify_iat": False,
                },
            )
        except (jwt.PyJWTError, ValueError, RecursionError) as error:
            raise self._refusal(_FAULTS.get(type(error), "it cannot be read")) from None
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


def _texts(claim: object) -> tuple[str, ...]:
    """The texts of a claim that is a non-empty text, or a list of non-empty texts. Any other claim counts as
    missing."""
    values = claim if isinstance(claim, list) else [claim]
    texts = tuple(value for value in values if isinstance(value, str) and value)
    return texts if len(texts) == len(values) else ()


def _is_number(value: object) -> TypeGuard[int | float]:
    return isinstance(value, int | float) and not isinstance(value, bool)


class SigningKeys:
    """The keys of an authority. `key_document` reads its JWKS. If a read raises BackendError, the known keys are
    kept."""

    def __init__(self, key_document: Callable[[], Awaitable[bytes]]) -> None:
        self._key_document = key_document
        self._keys: Mapping[str, RSAPublicKey] = {}
        self._read_at = float("-inf")
        self._tried_at = float("-inf")
        self._failure: BackendError | None = None
        self._reading: asyncio.Task[None] | None = None

    async def get(self, id: str) -> RSAPublicKey | None:
        """The key with this id; None if the keys of the last successful read do not include it. Raises BackendError if
        the keys could not be read and there are no usable keys."""
        key = self._usable().get(id)
        if key is None:
            reading = self._start(PAUSE_SECONDS if self._usable() else RETRY_SECONDS)
            if reading is not None:
                await asyncio.shield(reading)
            key = self._usable().get(id)
        elif _now() - self._read_at >= FRESH_SECONDS:
            self._start(PAUSE_SECONDS)
        if not self._usable() and self._failure is not None:
            raise self._failure
        return key

    async def close(self) -> None:
        """Cancel a running read of the keys."""
        if self._reading is not None:
            self._reading.cancel()

    def _usable(self) -> Mapping[str, RSAPublicKey]:
        return self._keys if _now() - self._read_at < USABLE_SECONDS else {}

    def _start(self, pause: float) -> asyncio.Task[None] | None:
        """The running read, or a new read. None if the last read was less than `pause` seconds ago."""
        if self._reading is None and _now() - self._tried_at >= pause:
            self._tried_at = _now()
            self._reading = asyncio.create_task(self._once())
        return self._reading

    async def _once(self) -> None:
        try:
            self._keys, self._failure = _rsa_keys(await self._key_document()), None
            self._read_at = _now()
        except BackendError as error:
            self._failure = error
        finally:
            self._reading = None
            self._tried_at = _now()


def _now() -> float:
    return asyncio.get_running_loop().time()


async def read_document(url: str) -> bytes:
    """The JWKS at an address: at most 256 KiB, within five seconds. It is usually read once an hour, so no connection
    is kept. Raises BackendError."""
    async with session() as connections:
        request = HttpRequest(method="GET", url=url)
        answer = await send(request, connections, service=SERVICE, seconds=SECONDS, most=LARGEST)
    if answer.status != 200:
        raise BackendUnavailable(SERVICE, f"did not return its keys ({answer.status}).", status=answer.status)
    return answer.content


def _rsa_keys(document: bytes) -> Mapping[str, RSAPublicKey]:
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
