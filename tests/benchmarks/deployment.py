"""The functions behind the local host, in this process, as a benchmark deploys them."""

import json
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from retrieval import compose
from retrieval.local.host import Host, open_host
from retrieval.local.wire import WireRequest

ROOT: Final = Path(__file__).resolve().parents[2]
KEY: Final = "benchmark-key"
AGENT: Final = "planner"
INDEX: Final = "atlas"
FIELDS: Final = {"key": "id", "title": "title", "content": ["content"], "semanticConfiguration": "usual"}


@asynccontextmanager
async def over_azure(address: str) -> AsyncIterator[Host]:
    """An agent with a model and an index, both at that address."""
    parameters = {"resourceUri": address, "deploymentId": "planner-model", "apiKey": KEY}
    agent = {
        "name": AGENT,
        "models": [{"kind": "azureOpenAI", "azureOpenAIParameters": parameters}],
        "targetIndexes": [{"indexName": INDEX}],
    }
    with TemporaryDirectory() as folder:
        file = Path(folder, "agents.json")
        file.write_text(json.dumps([agent]))
        settings = {
            "LOCAL": "0",
            "AZURE_SEARCH_ENDPOINT": address,
            "AZURE_SEARCH_API_KEY": KEY,
            "API_KEYS": KEY,
            "AGENTS_FILE": str(file),
            "AGENTS_STORE": "memory",
            "INDEX_FIELDS": json.dumps({INDEX: FIELDS}),
        }
        os.environ.update(settings)
        yield await open_host(ROOT)
        await compose.service().process.close()


async def over_the_sample() -> Host:
    """The sample corpus in the local search service, as `make run` has it."""
    unset = ("AZURE_SEARCH_ENDPOINT", "AZURE_OPENAI_ENDPOINT", "AZURE_OPENAI_DEPLOYMENT", "AGENTS_FILE", "INDEX_FIELDS")
    os.environ.update({**dict.fromkeys(unset, ""), "LOCAL": "1", "API_KEYS": KEY, "AGENTS_STORE": "memory"})
    return await open_host(ROOT)


async def retrieve(host: Host, text: str, *, agent: str = AGENT) -> bytes:
    """One call, from bytes to bytes; it must succeed."""
    body = json.dumps({"messages": [{"role": "user", "content": [{"type": "text", "text": text}]}]}).encode()
    headers = (("api-key", KEY), ("content-type", "application/json"), ("content-length", str(len(body))))
    target = f"/agents('{agent}')/retrieve?api-version=2025-05-01-preview"
    response = await host(WireRequest(method="POST", target=target, headers=headers, body=body))
    assert response.status == 200, response.body
    return response.body
