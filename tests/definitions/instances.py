"""Two instances of the service over one store, asked as callers ask them, and the store as somebody else may edit it.

The search service is the local one with its sample; a filter is a page of it.
"""

import json
from collections.abc import Mapping
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Final

from azure.data.tables.aio import TableClient

from retrieval.compose.definitions import SOURCES_SUFFIX
from retrieval.contracts.rendered import Rendered
from retrieval.definitions.file_store import FileStore
from retrieval.definitions.stored_json import AGENTS, SOURCES
from retrieval.definitions.table_store import TABLE, TableStore, development_key
from retrieval.http.call import Call
from retrieval.http.definitions import ROUTES
from retrieval.http.retrieve import RETRIEVE
from retrieval.http.service import Service
from retrieval.http.serving import Endpoint, answer
from retrieval.model.definitions import Agent, Source
from retrieval.ports import DefinitionStore
from tests.conftest import ask
from tests.mcp_messages import ACCEPT, calling, endpoint, request

ADMIN: Final = "admin-key"
INDEX: Final = "earth_at_night"
OLDEST, NEWEST = "2025-05-01-preview", "2026-08-01-preview"
QUESTION: Final = "Why is the street grid of Phoenix so visible?"
PAGES: Final = ("104", "105", "110")

answer_call = partial(answer, contract_name="agents")
"""The answer of a service to a call of an endpoint."""
"""Pages that the question finds, beside many others."""

OPERATIONS: Final = {
    route.address: route.endpoint for route in ROUTES if isinstance(route.endpoint, Endpoint) and not route.odata
}


async def send(service: Service, method: str, path: str, body: object = None) -> Rendered:
    """A call of one who may manage."""
    kind, name = path.split("/")
    content = b"" if body is None else json.dumps(body).encode()
    version = OLDEST if kind == "agents" else NEWEST
    headers = {"api-key": ADMIN, "prefer": "return=representation"}
    call = Call(headers=headers, query={"api-version": version}, route={"name": name}, body=content)
    address = f"{method} {kind}" if method == "POST" else f"{method} {kind}/{{name}}"
    return await answer_call(OPERATIONS[address], service, call)


async def asked(service: Service, name: str) -> Rendered:
    """A retrieve, of an agent or a base."""
    body = json.dumps(ask(QUESTION, indexName=INDEX, rerankerThreshold=0)).encode()
    call = Call(headers={"api-key": ADMIN}, query={"api-version": OLDEST}, route={"name": name}, body=body)
    return await answer_call(RETRIEVE, service, call)


async def tool_names(service: Service, name: str) -> list[str]:
    """The tools that a base lists over MCP."""
    return [tool["name"] for tool in (await spoken(service, name, request("tools/list")))["result"]["tools"]]


async def used(service: Service, name: str) -> Any:
    """A call of the tool of a base over MCP."""
    return await spoken(service, name, calling("knowledge_base_retrieve", {"queries": [QUESTION]}))


async def spoken(service: Service, name: str, message: Mapping[str, object]) -> Any:
    """The answer of a base to a message of MCP."""
    headers = {"api-key": ADMIN, "accept": ACCEPT, "content-type": "application/json"}
    call = Call(headers=headers, query={}, route={"name": name}, body=json.dumps(message).encode())
    told = await answer_call(endpoint("knowledgebases"), service, call)
    assert told.status == 200
    return read(told)


def pages(told: Rendered) -> frozenset[str]:
    """Those of the documents that an answer has; none where it is an error."""
    references = read(told)["references"] if told.status == 200 else ()
    return frozenset(one["docKey"].split("_page_")[1].split("_")[0] for one in references)


def read(told: Rendered) -> Any:
    return json.loads(told.content)


def error(told: Rendered) -> tuple[int, str]:
    """The status and the sentence."""
    return told.status, read(told)["error"]["message"]


def source(name: str, page: str | None = None) -> Mapping[str, object]:
    """One whose documents are of that page alone; of all pages where none is said."""
    filtered = {} if page is None else {"baseFilter": f"page_number eq '{page}'"}
    parameters = {"searchIndexName": INDEX, **filtered}
    return {"name": name, "kind": "searchIndex", "description": "put", "searchIndexParameters": parameters}


def base(name: str, *sources: str) -> Mapping[str, object]:
    return {"name": name, "knowledgeSources": [{"name": one} for one in sources]}


def agent(name: str) -> Mapping[str, object]:
    """It names the index."""
    return {"name": name, "models": [], "targetIndexes": [{"indexName": INDEX}]}


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where definitions are kept: a file, or the endpoint of a table service."""

    address: str
    table: str = field(default=TABLE)

    def stores(self, held: AsyncExitStack) -> tuple[DefinitionStore[Agent], DefinitionStore[Source]]:
        """As an instance opens them."""
        agents: FileStore[Agent] | TableStore[Agent]
        sources: FileStore[Source] | TableStore[Source]
        if "://" in self.address:
            key = development_key(self.address)
            agents = TableStore(self.address, key, AGENTS, table=self.table)
            sources = TableStore(self.address, key, SOURCES, table=self.table)
        else:
            agents = FileStore(Path(self.address), AGENTS)
            sources = FileStore(Path(self.address).with_suffix(SOURCES_SUFFIX), SOURCES)
        held.push_async_callback(agents.close)
        held.push_async_callback(sources.close)
        return agents, sources

    async def lose(self, kind: str, name: str) -> None:
        """Take an entry away behind the service. `kind` is "agent" or "source"."""
        if "://" in self.address:
            async with TableClient(self.address, self.table, credential=development_key(self.address)) as client:
                await client.delete_entity(f"{kind}s", name)
            return
        agents = Path(self.address)
        file = agents if kind == "agent" else agents.with_suffix(SOURCES_SUFFIX)
        entries = json.loads(file.read_text()) if file.exists() else {f"{kind}s": {}}
        entries[f"{kind}s"].pop(name, None)
        beside = file.with_name(f"{file.name}.edited")
        beside.write_text(json.dumps(entries))
        beside.replace(file)
