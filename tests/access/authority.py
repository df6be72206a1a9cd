"""An Entra ID tenant for tests: it signs tokens, and gives its keys on loopback, as a test scripts it."""

import base64
import hmac
import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from functools import cache
from types import MappingProxyType
from typing import Any, Final

import jwt
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey, generate_private_key
from jwt.algorithms import RSAAlgorithm

from retrieval.local.server import serving
from retrieval.local.wire import WireRequest, WireResponse, WireService
from tests.scripted_azure import answering

TENANT: Final = "8d0f9a14-2f7b-4e0c-9f63-0b8f1a6c7d21"
AUDIENCE: Final = "api://retrieval"
KEY_ID: Final = "first-key"
LONG_AGO: Final = 1
FAR_AHEAD: Final = 4_102_444_800
"""The year 2100: a token that is valid until then needs no clock in a test."""


@cache
def signing_key(name: str) -> RSAPrivateKey:
    """The private key of that name; one whose name begins with "small" is too small."""
    return generate_private_key(public_exponent=65_537, key_size=1_024 if name.startswith("small") else 2_048)


def public_jwk(key_id: str, *, key: str | None = None, **members: object) -> dict[str, object]:
    """A public key as a JWKS has it: the one named `key`, under the id `key_id`."""
    jwk = RSAAlgorithm.to_jwk(signing_key(key or key_id).public_key(), as_dict=True)
    return {**jwk, "kid": key_id, "use": "sig", **members}


def jwks(*keys: dict[str, object]) -> WireService:
    """A script that gives these keys."""
    return answering({"keys": list(keys)})


class Authority:
    """Serves one tenant at `address`. `script` answers for its keys; `asked` holds every request for them."""

    def __init__(self) -> None:
        self.script = jwks(public_jwk(KEY_ID))
        self.asked: list[WireRequest] = []
        self.address = ""

    async def __call__(self, request: WireRequest) -> WireResponse:
        self.asked.append(request)
        return await self.script(request)

    @asynccontextmanager
    async def listening(self) -> AsyncIterator[None]:
        """Be at `address`, a free port of this machine."""
        async with serving(self) as self.address:
            yield

    @property
    def settings(self) -> dict[str, str]:
        """What makes a deployment take this tenant's tokens."""
        return {"ENTRA_TENANT_ID": TENANT, "ENTRA_AUTHORITY": self.address, "ENTRA_AUDIENCE": AUDIENCE}

    @property
    def issuer(self) -> str:
        return f"{self.address}/{TENANT}/v2.0"

    def claims(self, **changed: object) -> dict[str, Any]:
        """Those of an app that may retrieve. A claim that is changed to None is left out."""
        usual: dict[str, object] = {
            "iss": self.issuer,
            "aud": AUDIENCE,
            "exp": FAR_AHEAD,
            "nbf": LONG_AGO,
            "tid": TENANT,
            "oid": "oid-of-the-caller",
            "azp": "client-of-the-caller",
            "roles": ["Agents.Retrieve"],
        }
        return {name: value for name, value in {**usual, **changed}.items() if value is not None}

    def token(
        self,
        changes: Mapping[str, object] = MappingProxyType({}),
        *,
        key: str = KEY_ID,
        key_id: str | None = KEY_ID,
        **changed: object,
    ) -> str:
        """A token with these claims changed, signed with the key of that name."""
        headers = {} if key_id is None else {"kid": key_id}
        return jwt.encode(self.claims(**changes, **changed), signing_key(key), "RS256", headers=headers)


def forged(header: object, claims: object, *, secret: bytes | None = None) -> str:
    """A token put together by hand: with HS256 over `secret`, or with an empty signature."""
    signed = ".".join(_part(json.dumps(part).encode()) for part in (header, claims))
    signature = b"" if secret is None else hmac.digest(secret, signed.encode(), "sha256")
    return f"{signed}.{_part(signature)}"


def public_pem(key: str = KEY_ID) -> bytes:
    """What an attacker takes for the secret of HS256."""
    public = signing_key(key).public_key()
    return public.public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)


def _part(content: bytes) -> str:
    return base64.urlsafe_b64encode(content).rstrip(b"=").decode()
