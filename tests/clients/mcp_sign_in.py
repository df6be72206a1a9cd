"""Signs in with the OAuth providers of the official `mcp` package, 1.x or 2.x, unmodified: `mcp_sign_in.py JOB`.

JOB is a JSON object with `url`, `client`, `secret` and `redirect`. Prints the tools that a user sees and that an app
sees, or what was raised. Runs in an environment of either version, by which not all types can be checked.
"""

# mypy: ignore-errors

import asyncio
import json
import logging
import sys
from importlib.metadata import version
from typing import Any
from urllib.parse import parse_qs, urlsplit

from mcp import ClientSession
from mcp.client import streamable_http
from mcp.client.auth import OAuthClientProvider
from mcp.client.auth.extensions.client_credentials import ClientCredentialsOAuthProvider
from mcp.shared.auth import OAuthClientInformationFull, OAuthClientMetadata, OAuthToken

NEW = version("mcp").startswith("2.")
if NEW:
    import httpx2 as httpx
    from mcp.client.auth import AuthorizationCodeResult
else:
    import httpx

logging.disable(logging.CRITICAL)


class Storage:
    """Holds the app's registration and its tokens."""

    def __init__(self, client: OAuthClientInformationFull | None = None) -> None:
        self._client, self._tokens = client, None

    async def get_tokens(self) -> OAuthToken | None:
        return self._tokens

    async def set_tokens(self, tokens: OAuthToken) -> None:
        self._tokens = tokens

    async def get_client_info(self) -> OAuthClientInformationFull | None:
        return self._client

    async def set_client_info(self, client_info: OAuthClientInformationFull) -> None:
        self._client = client_info


class Browser:
    """A user who is signed in to the tenant and consents: what the tenant redirects to has the code."""

    def __init__(self) -> None:
        self._redirected: dict[str, list[str]] = {}

    async def go(self, address: str) -> None:
        async with httpx.AsyncClient() as client:
            answer = await client.get(address)
        self._redirected = parse_qs(urlsplit(answer.headers["location"]).query)

    async def come_back(self) -> Any:
        if "error" in self._redirected:
            raise RuntimeError(self._redirected["error_description"][0])
        code, state = self._redirected["code"][0], self._redirected["state"][0]
        return AuthorizationCodeResult(code=code, state=state) if NEW else (code, state)


def of_user(job: dict[str, str]) -> OAuthClientProvider:
    registration = {"redirect_uris": [job["redirect"]], "token_endpoint_auth_method": "none"}
    registered = OAuthClientInformationFull(client_id=job["client"], **registration)
    browser = Browser()
    return OAuthClientProvider(
        server_url=job["url"],
        client_metadata=OAuthClientMetadata(client_name="test", **registration),
        storage=Storage(registered),
        redirect_handler=browser.go,
        callback_handler=browser.come_back,
    )


def of_app(job: dict[str, str]) -> OAuthClientProvider:
    return ClientCredentialsOAuthProvider(
        server_url=job["url"], storage=Storage(), client_id=job["client"], client_secret=job["secret"]
    )


def transport(url: str, provider: OAuthClientProvider) -> Any:
    if NEW:
        return streamable_http.streamable_http_client(url, http_client=httpx.AsyncClient(auth=provider))
    return streamable_http.streamablehttp_client(url, auth=provider)


async def tools(url: str, provider: OAuthClientProvider) -> list[str] | str:
    try:
        async with transport(url, provider) as streams, ClientSession(*streams[:2]) as session:
            await session.initialize()
            return [tool.name for tool in (await session.list_tools()).tools]
    except BaseException as error:
        return said(error)


def said(error: BaseException) -> str:
    if isinstance(error, BaseExceptionGroup):
        return " | ".join(said(one) for one in error.exceptions)
    return f"{type(error).__name__}: {error}"


async def main() -> None:
    job = json.loads(sys.argv[1])
    ways = {"user": of_user(job), "app": of_app(job)}
    print(json.dumps({way: await tools(job["url"], provider) for way, provider in ways.items()}))


asyncio.run(main())
