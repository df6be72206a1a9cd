"""A redirect is followed nowhere: it would take keys, tokens and signatures to another host."""

from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from typing import Final

import pytest
from azure.core.credentials import AzureKeyCredential, AzureNamedKeyCredential

from retrieval.access.entra import read_document
from retrieval.definitions.stored_json import AGENTS
from retrieval.definitions.table_store import AZURITE_KEY, TableStore
from retrieval.errors import BackendError
from retrieval.local.server import serving
from retrieval.local.wire import WireRequest, WireResponse
from retrieval.model.conversation import Prompt
from retrieval.model.definitions import ModelDeployment
from retrieval.models.chat_completions import AzureOpenAIModel
from retrieval.outgoing.connections import HttpRequest, ask
from retrieval.sources.search_index.index import AzureSearchIndex


async def search(address: str) -> None:
    index = AzureSearchIndex(address, AzureKeyCredential("key"), fields={})
    try:
        await index.reach("atlas")
    finally:
        await index.close()


async def complete(address: str) -> None:
    async def token() -> str:
        return "token"

    model = AzureOpenAIModel(ModelDeployment(endpoint=address, deployment="planner", api_key="key"), token=token)
    try:
        await model.complete(Prompt(name="plan", instructions="Plan.", data="{}", schema={"type": "object"}))
    finally:
        await model.close()


async def get(address: str) -> None:
    store = TableStore(address, AzureNamedKeyCredential("devstoreaccount1", AZURITE_KEY), AGENTS)
    try:
        await store.get("atlas")
    finally:
        await store.close()


async def keys(address: str) -> None:
    await read_document(f"{address}/keys")


async def examine(address: str) -> None:
    await ask(HttpRequest(method="GET", url=f"{address}/indexes", headers={"api-key": "key"}))


WAYS: Final[Mapping[str, Callable[[str], Awaitable[None]]]] = {
    "Azure AI Search": search,
    "the chat model": complete,
    "the table of definitions": get,
    "the keys of Entra ID": keys,
    "the doctor": examine,
}


REDIRECTS: Final = (301, 302, 303, 307, 308)


@pytest.mark.parametrize("status", REDIRECTS)
@pytest.mark.parametrize("way", WAYS)
async def test_a_redirect_is_not_followed_by(way: str, status: int) -> None:
    assert await asked_by(WAYS[way], status) == {"here"}


async def asked_by(way: Callable[[str], Awaitable[None]], status: int) -> set[str]:
    """What is asked, here and elsewhere, by a call that is redirected."""
    asked: list[str] = []

    async def elsewhere(request: WireRequest) -> WireResponse:
        asked.append(f"elsewhere {request.target}")
        return WireResponse(status=200, body=b"{}")

    async with serving(elsewhere) as other:

        async def redirecting(request: WireRequest) -> WireResponse:
            asked.append("here")
            return WireResponse(status=status, headers=(("location", f"{other}{request.target}"),))

        async with serving(redirecting) as address:
            with suppress(BackendError):
                await way(address)
    return set(asked)
