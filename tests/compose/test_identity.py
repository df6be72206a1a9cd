"""In Azure the service speaks as its managed identity, asked of the platform's own endpoint."""

import json
from base64 import urlsafe_b64encode
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import openai
import pytest
from azure.core.credentials import AccessToken
from azure.core.exceptions import ClientAuthenticationError
from azure.core.rest import HttpRequest

from retrieval.compose import compose_service
from retrieval.errors import BackendForbidden
from retrieval.http.call import Call
from retrieval.http.retrieve import RETRIEVE
from retrieval.http.serving import answer
from retrieval.local.server import serving
from retrieval.local.transport import AsyncInProcessTransport
from retrieval.local.wire import WireRequest, WireResponse
from retrieval.model.definitions import IndexFields
from retrieval.model.search import SearchTarget, Subquery
from retrieval.settings.settings import read
from retrieval.sources.search_index.index import AzureSearchIndex
from retrieval.sources.search_index.over_aiohttp import SearchResponse, SearchTransport
from tests.conftest import ask
from tests.scripted_azure import ScriptedAzure, answering, queries

assert openai.__version__

CLIENT_ID = "11111111-2222-3333-4444-555555555555"


class Credential:
    """Gives a token for anything but for claims, and notes what for."""

    def __init__(self) -> None:
        self.scopes: list[str] = []

    async def get_token(self, *scopes: str, claims: str | None = None, **_: object) -> AccessToken:
        if claims is not None:
            raise ClientAuthenticationError("the identity has no such claims")
        self.scopes += scopes
        return AccessToken("TOKEN", 4_102_444_800)

    async def close(self) -> None:
        """Nothing is held."""

    async def __aenter__(self) -> "Credential":
        return self

    async def __aexit__(self, *_: object) -> None:
        """Nothing is held."""


@pytest.mark.parametrize("audience", [None, "https://search.azure.us"])
async def test_tokens_for_the_search_service_are_for_the_audience_of_the_setting(audience: str | None) -> None:
    credential = Credential()
    index = AzureSearchIndex(
        "https://contoso.search.azure.us",
        credential,
        fields={},
        audience=audience,
        transport=lambda: AsyncInProcessTransport(ScriptedAzure()),
    )
    assert await index.exists("atlas")
    await index.close()
    assert credential.scopes == [f"{audience or 'https://search.azure.com'}/.default"]


async def test_a_search_service_that_asks_for_claims_which_the_identity_has_not_is_told_as_forbidden() -> None:
    class WithoutTls(SearchTransport):
        async def send(self, request: HttpRequest, **options: Any) -> SearchResponse:
            request.url = request.url.replace("https:", "http:")
            return await super().send(request, **options)

    claims = urlsafe_b64encode(b'{"access_token":{"nbf":{"essential":true}}}').decode()
    challenge = f'Bearer realm="", error="insufficient_claims", claims="{claims}"'
    azure = ScriptedAzure(search=answering(b"", status=401, www_authenticate=challenge))
    async with azure.listening():
        index = AzureSearchIndex(
            azure.address.replace("http:", "https:"),
            Credential(),
            fields={"atlas": IndexFields(key="id")},
            transport=lambda: WithoutTls(read_seconds=5),
        )
        with pytest.raises(BackendForbidden, match="No token"):
            await index.search(Subquery(search="roads", target=SearchTarget(index="atlas", threshold=0)))
        await index.close()


@pytest.mark.parametrize("audience", ["", "https://cognitiveservices.azure.us"])
async def test_the_model_is_called_with_the_token_of_the_configured_identity(
    audience: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[WireRequest] = []

    async def identity(request: WireRequest) -> WireResponse:
        asked.append(request)
        token = {"access_token": "TOKEN", "expires_on": "4102444800", "resource": "r", "token_type": "Bearer"}
        return WireResponse(
            status=200, headers=(("content-type", "application/json"),), body=json.dumps(token).encode()
        )

    azure = ScriptedAzure(chat=queries("street grids"))
    agents = tmp_path / "agents.json"
    agents.write_text(json.dumps([{"name": "a", "targetIndexes": [{"indexName": "atlas"}]}]))
    async with azure.listening(), serving(identity) as endpoint:
        monkeypatch.setenv("IDENTITY_ENDPOINT", endpoint)
        monkeypatch.setenv("IDENTITY_HEADER", "from-the-platform")
        settings = {
            "WEBSITE_INSTANCE_ID": "instance",
            "AZURE_CLIENT_ID": CLIENT_ID,
            "AZURE_SEARCH_ENDPOINT": azure.address,
            "AZURE_SEARCH_API_KEY": "search-key",
            "AZURE_OPENAI_ENDPOINT": azure.address,
            "AZURE_OPENAI_DEPLOYMENT": "planner",
            "AZURE_OPENAI_AUDIENCE": audience,
            "API_KEYS": "k",
            "AGENTS_FILE": str(agents),
        }
        service = compose_service(read(settings))
        body = json.dumps(ask("What are street grids?")).encode()
        query = {"api-version": "2025-05-01-preview"}
        call = Call(headers={"api-key": "k"}, query=query, route={"name": "a"}, body=body)
        answers = [await answer(RETRIEVE, service, call, contract_name="agents") for _ in range(2)]
        await service.process.close()
    assert [one.status for one in answers] == [200, 200]
    assert [chat.request.header("authorization") for chat in azure.chats] == ["Bearer TOKEN"] * 2
    [once] = asked
    assert parse_qs(urlsplit(once.target).query)["client_id"] == [CLIENT_ID]
    assert parse_qs(urlsplit(once.target).query)["resource"] == [audience or "https://cognitiveservices.azure.com"]
    assert once.header("x-identity-header") == "from-the-platform"
