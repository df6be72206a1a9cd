"""CPU time of admitting one call: by a key among four, and by a token when the tenant's keys are known.

Beside the token, in the same run, the check of its RSA signature alone, which is the least that it can cost.
"""

import asyncio
import gc
import json
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from statistics import median
from time import process_time
from typing import Final

import jwt
from cryptography.hazmat.primitives.asymmetric.padding import PKCS1v15
from cryptography.hazmat.primitives.asymmetric.rsa import generate_private_key
from cryptography.hazmat.primitives.hashes import SHA256
from jwt.algorithms import RSAAlgorithm

from retrieval.access.credentials import Access, ApiKeys, Roles
from retrieval.access.entra import EntraTokens, Tenant
from tests.benchmarks.table import Row, show

ROUNDS: Final = 15
CALLS: Final = 400
TENANT: Final = "8d0f9a14-2f7b-4e0c-9f63-0b8f1a6c7d21"
AUTHORITY: Final = f"https://login.microsoftonline.com/{TENANT}"
KEY: Final = generate_private_key(public_exponent=65_537, key_size=2_048)
KEYS: Final = ApiKeys(query=["query-key-one", "query-key-two"], admin=["admin-key-one", "admin-key-two"], bound={})
SIGNED: Final = b"." * 1_200
CLAIMS: Final = {
    "iss": f"{AUTHORITY}/v2.0",
    "aud": "api://retrieval",
    "exp": 4_102_444_800,
    "nbf": 1,
    "azp": "client",
    "oid": "object",
    "tid": TENANT,
    "roles": ["Agents.Retrieve"],
    "groups": [f"6c1f4a0e-0000-4000-8000-{n:012d}" for n in range(12)],
}

Call = Callable[[], Awaitable[object]]


def access() -> Access:
    async def document() -> bytes:
        return json.dumps({"keys": [{**RSAAlgorithm.to_jwk(KEY.public_key(), as_dict=True), "kid": "k"}]}).encode()

    tokens = EntraTokens(
        Tenant(id=TENANT, authority=AUTHORITY, audiences=("api://retrieval",)),
        key_document=document,
        roles=Roles(
            retrieve=frozenset({"Agents.Retrieve"}),
            manage=frozenset({"Agents.Manage"}),
            claims=frozenset({"tid", "groups"}),
        ),
        clock=lambda: datetime.now(UTC),
    )
    return Access(keys=KEYS, tokens=tokens.caller, authority=AUTHORITY)


async def microseconds(call: Call) -> float:
    gc.collect()
    start = process_time()
    for _ in range(CALLS):
        await call()
    return (process_time() - start) * 1_000_000 / CALLS


async def main() -> None:
    admitting, public = access(), KEY.public_key()
    signature = KEY.sign(SIGNED, PKCS1v15(), SHA256())
    bearer = {"authorization": f"Bearer {jwt.encode(CLAIMS, KEY, 'RS256', headers={'kid': 'k'})}"}

    async def by_key() -> object:
        return await admitting.admit({"api-key": "admin-key-two"}, "retrieve")

    async def by_token() -> object:
        return await admitting.admit(bearer, "retrieve")

    async def signature_alone() -> object:
        return public.verify(signature, SIGNED, PKCS1v15(), SHA256())

    for call in (by_key, by_token, signature_alone):
        await microseconds(call)
    rounds = [[await microseconds(call) for call in (by_key, by_token, signature_alone)] for _ in range(ROUNDS)]
    key, token, bare = (median(column) for column in zip(*rounds, strict=True))
    show(
        "CPU time of admitting a call",
        [
            Row(name="key", value=key, target=20, unit="µs", note="among two query keys and two admin keys"),
            Row(
                name="token",
                value=token,
                target=250,
                unit="µs",
                note=f"{len(bearer['authorization'])} characters, keys known; its signature alone {bare:.0f} µs",
            ),
        ],
    )


if __name__ == "__main__":
    asyncio.run(main())
