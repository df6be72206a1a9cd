"""Drives Microsoft's unmodified KnowledgeAgentRetrievalClient with a token credential and prints what it saw, as JSON.

In an environment of its own with azure-search-documents 11.6.0b12, the functions in the same process; the keys that the
tokens are signed with are served on loopback, as the tenant's authority serves them.
"""

import asyncio
import json
import os
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import jwt
from azure.core.credentials import AccessToken
from azure.core.exceptions import HttpResponseError
from azure.search.documents.agent import KnowledgeAgentRetrievalClient
from azure.search.documents.agent import aio as agent_aio
from azure.search.documents.agent.models import (
    KnowledgeAgentMessage,
    KnowledgeAgentMessageTextContent,
    KnowledgeAgentRetrievalRequest,
)
from cryptography.hazmat.primitives.asymmetric.rsa import generate_private_key
from jwt.algorithms import RSAAlgorithm

TENANT = "8d0f9a14-2f7b-4e0c-9f63-0b8f1a6c7d21"
AUDIENCE = "api://retrieval"
YEAR_2100 = 4_102_444_800
KEY = generate_private_key(public_exponent=65_537, key_size=2_048)
STRANGER = generate_private_key(public_exponent=65_537, key_size=2_048)


class Keys(BaseHTTPRequestHandler):
    """The tenant's keys."""

    def do_GET(self) -> None:
        jwk = {**RSAAlgorithm.to_jwk(KEY.public_key(), as_dict=True), "kid": "one", "use": "sig"}
        body = json.dumps({"keys": [jwk]}).encode()
        self.send_response(200 if self.path == f"/{TENANT}/discovery/v2.0/keys" else 404)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Nothing: what is printed is the answer."""


class Credential:
    """As azure-identity's credentials are, it gives a token for the scope that the client asks for."""

    def __init__(self, authority: str, key: Any = KEY, **changed: object) -> None:
        self._key, self._changed = key, changed
        self._issuer = f"{authority}/{TENANT}/v2.0"

    def get_token(self, *scopes: str, **options: Any) -> AccessToken:
        [scope] = scopes
        claims = {
            "iss": self._issuer,
            "aud": scope.removesuffix("/.default"),
            "exp": YEAR_2100,
            "oid": "object-of-the-app",
            "azp": "client-of-the-app",
            "roles": ["Agents.Retrieve"],
            **self._changed,
        }
        return AccessToken(jwt.encode(claims, self._key, "RS256", headers={"kid": "one"}), YEAR_2100)


class AsyncCredential(Credential):
    """The same for the clients of the `aio` packages."""

    async def get_token(self, *scopes: str, **options: Any) -> AccessToken:  # type: ignore[override]
        return super().get_token(*scopes, **options)

    async def close(self) -> None:
        """Nothing to close."""

    async def __aenter__(self) -> "AsyncCredential":
        return self

    async def __aexit__(self, *exception: object) -> None:
        """Nothing to close."""


REQUEST = KnowledgeAgentRetrievalRequest(
    messages=[
        KnowledgeAgentMessage(
            role="user",
            content=[KnowledgeAgentMessageTextContent(text="Which fires and flares glow where no city is?")],
        )
    ]
)
CALLERS: dict[str, tuple[str, dict[str, Any]]] = {
    "with the role": (AUDIENCE, {}),
    "without a role": (AUDIENCE, {"roles": []}),
    "expired": (AUDIENCE, {"exp": 1}),
    "for Azure AI Search": ("https://search.azure.com", {}),
    "of a stranger": (AUDIENCE, {"key": STRANGER}),
}


def seen(result: Any) -> dict[str, Any]:
    return {"references": len(result.references)}


def failure(error: HttpResponseError) -> dict[str, Any]:
    response: Any = error.response
    challenge = response.headers.get("WWW-Authenticate")
    return {"class": type(error).__name__, "status": error.status_code, "challenge": challenge}


def sync_client(endpoint: str, authority: str, transport: Any) -> dict[str, Any]:
    answers = {}
    for name, (audience, changed) in CALLERS.items():
        credential = Credential(authority, **changed)
        client = KnowledgeAgentRetrievalClient(
            endpoint, "earth-at-night", credential, audience=audience, transport=transport
        )
        try:
            answers[name] = seen(client.retrieve(REQUEST))
        except HttpResponseError as error:
            answers[name] = failure(error)
    return answers


async def async_client(endpoint: str, authority: str, transport: Any) -> dict[str, Any]:
    answers = {}
    for name, (audience, changed) in CALLERS.items():
        client = agent_aio.KnowledgeAgentRetrievalClient(
            endpoint, "earth-at-night", AsyncCredential(authority, **changed), audience=audience, transport=transport
        )
        try:
            answers[name] = seen(await client.retrieve(REQUEST))
        except HttpResponseError as error:
            answers[name] = failure(error)
    return answers


def main() -> dict[str, Any]:
    root = Path(__file__).resolve().parents[2]
    sys.path.insert(0, str(root))
    from retrieval import compose
    from retrieval.local.host import open_host
    from retrieval.local.transport import ENDPOINT, AsyncInProcessTransport, InProcessTransport

    server = ThreadingHTTPServer(("127.0.0.1", 0), Keys)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    authority = f"http://127.0.0.1:{server.server_port}"
    os.environ.update({"ENTRA_TENANT_ID": TENANT, "ENTRA_AUTHORITY": authority, "ENTRA_AUDIENCE": AUDIENCE})
    host = asyncio.run(open_host(root))
    answers = {"sync": sync_client(ENDPOINT, authority, InProcessTransport(host))}
    compose.service.cache_clear()
    answers["async"] = asyncio.run(async_client(ENDPOINT, authority, AsyncInProcessTransport(host)))
    server.shutdown()
    return {"authority": f"{authority}/{TENANT}", **answers}


if __name__ == "__main__":
    print(json.dumps(main()))
