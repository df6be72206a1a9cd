"""Creates an agent as the deployed app would, and prints what it saw: `as_in_azure.py TABLE_ENDPOINT`, by itself.

The platform's identity endpoint and the search service are stubs on loopback; the table service is real, and speaks
https with the certificate of SSL_CERT_FILE.
"""

import asyncio
import base64
import json
import os
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from retrieval.compose import compose_service  # noqa: E402
from retrieval.http.call import Call  # noqa: E402
from retrieval.http.definitions import ROUTES  # noqa: E402
from retrieval.http.serving import Endpoint  # noqa: E402
from retrieval.local.server import serving  # noqa: E402
from retrieval.local.wire import WireRequest, WireResponse  # noqa: E402
from retrieval.settings.settings import read  # noqa: E402
from tests.definitions.instances import answer_call  # noqa: E402
from tests.scripted_azure import ScriptedAzure  # noqa: E402

OPERATIONS = {route.address: route.endpoint for route in ROUTES if isinstance(route.endpoint, Endpoint)}
DEFINITION = {"name": "mine", "models": [], "targetIndexes": [{"indexName": "atlas"}]}


def token() -> str:
    """Azurite looks at the claims and not at the signature."""
    now = int(time.time())
    claims = {
        "aud": "https://storage.azure.com",
        "iss": "https://sts.windows.net/11111111-2222-3333-4444-555555555555/",
        "iat": now,
        "nbf": now - 60,
        "exp": now + 3_600,
    }
    parts = [json.dumps(part).encode() for part in ({"alg": "RS256", "typ": "JWT"}, claims)]
    return ".".join(base64.urlsafe_b64encode(part).rstrip(b"=").decode() for part in (*parts, b"signature"))


def call(body: object = None, headers: Mapping[str, str] | None = None) -> Call:
    content = b"" if body is None else json.dumps(body).encode()
    sent = {"api-key": "admin", **(headers or {})}
    return Call(headers=sent, query={"api-version": "2025-05-01-preview"}, route={"name": "mine"}, body=content)


async def main(endpoint: str) -> None:
    asked: list[str] = []

    async def identity(request: WireRequest) -> WireResponse:
        asked.extend(parse_qs(urlsplit(request.target).query)["resource"])
        given = {"access_token": token(), "expires_on": "4102444800", "resource": "r", "token_type": "Bearer"}
        return WireResponse(
            status=200, headers=(("content-type", "application/json"),), body=json.dumps(given).encode()
        )

    azure = ScriptedAzure()
    async with azure.listening(), serving(identity) as identity_endpoint:
        os.environ.update(IDENTITY_ENDPOINT=identity_endpoint, IDENTITY_HEADER="from-the-platform")
        settings = {
            "WEBSITE_INSTANCE_ID": "instance",
            "AZURE_SEARCH_ENDPOINT": azure.address,
            "AZURE_SEARCH_API_KEY": "search-key",
            "ADMIN_API_KEYS": "admin",
            "AGENTS_STORE": endpoint,
        }
        service = compose_service(read(settings))
        created = await answer_call(OPERATIONS["POST agents"], service, call(DEFINITION))
        stale = await answer_call(OPERATIONS["PUT agents/{name}"], service, call(DEFINITION, {"if-match": '"0xOLD"'}))
        got = await answer_call(OPERATIONS["GET agents/{name}"], service, call())
        await service.process.close()
    print(json.dumps({"statuses": [created.status, stale.status, got.status], "same": created.body == got.body}))
    print(json.dumps(sorted(set(asked))))


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1]))
