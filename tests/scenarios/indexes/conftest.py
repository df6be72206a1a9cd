"""The functions over the local search service on loopback, on a clock that jumps."""

import json
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import pytest

from retrieval import compose
from retrieval.local.search_service import SearchService
from retrieval.local.server import serving
from retrieval.local.wire import WireRequest, WireResponse
from tests.conftest import Post, Response
from tests.scenarios.failures.conftest import pytest_asyncio_loop_factories

__all__ = ["pytest_asyncio_loop_factories"]

ADMIN: Final = "admin-key-31d8"
SEARCH_KEY: Final = "search-key-77b0"
READER_KEY: Final = "reader-key-4c19"
VERSION: Final = "2026-08-01-preview"
TEXT: Final = {"type": "Edm.String"}


def index(name: str, *fields: object, title: str = "title", content: str = "content") -> dict[str, Any]:
    """The definition of an index with the key `id` and these fields, texts where only a name is given."""
    known = [{"name": "id", **TEXT, "key": True}]
    roles = {"titleField": {"fieldName": title}, "prioritizedContentFields": [{"fieldName": content}]}
    return {
        "name": name,
        "fields": known + [one if isinstance(one, dict) else {"name": one, **TEXT} for one in fields],
        "semantic": {
            "defaultConfiguration": "usual",
            "configurations": [{"name": "usual", "prioritizedFields": roles}],
        },
    }


@dataclass(kw_only=True)
class Deployment:
    """A deployment and the search service behind it. `requests` are those that the search service got."""

    post: Post
    monkeypatch: pytest.MonkeyPatch
    service: SearchService = field(
        default_factory=lambda: SearchService(admin_keys=[SEARCH_KEY], reader_keys=[READER_KEY])
    )
    settings: dict[str, str] = field(default_factory=dict)
    requests: list[WireRequest] = field(default_factory=list)
    composed: bool = False

    async def __call__(self, request: WireRequest) -> WireResponse:
        self.requests.append(request)
        return await self.service(request)

    @property
    def searches(self) -> list[Any]:
        """The bodies of the searches for documents."""
        bodies = [json.loads(one.body) for one in self.requests if "/docs/search" in one.target]
        return [body for body in bodies if "facets" not in body]

    @property
    def definitions_read(self) -> int:
        return sum(one.method == "GET" and "/docs/" not in one.target for one in self.requests)

    async def manage(self, method: str, path: str, body: object = None) -> None:
        """Changes what the search service holds."""
        content = b"" if body is None else json.dumps(body).encode()
        target = f"{path}{'&' if '?' in path else '?'}api-version=2026-04-01"
        headers = (("api-key", SEARCH_KEY), ("content-type", "application/json"))
        answer = await self.service(WireRequest(method=method, target=target, headers=headers, body=content))
        assert answer.status < 300, answer.body

    async def make(self, definition: Mapping[str, Any], *documents: Mapping[str, Any], anew: bool = False) -> None:
        """Makes an index with documents. With `anew` it takes the place of the one of its name."""
        name = definition["name"]
        if anew:
            await self.manage("DELETE", f"/indexes('{name}')")
        await self.manage("PUT", f"/indexes('{name}')", definition)
        if documents:
            await self.manage("POST", f"/indexes('{name}')/docs/search.index", {"value": documents})

    async def send(self, path: str, body: object, *, method: str = "POST") -> Response:
        if not self.composed:
            for name, value in self.settings.items():
                self.monkeypatch.setenv(name, value)
            await compose.end()
            self.composed = True
        return await self.post(body, f"{path}?api-version={VERSION}", method=method, key=ADMIN)

    async def base(self, name: str, index: str, **parameters: object) -> None:
        """Defines a knowledge base over one source, which is the index."""
        source = {"kind": "searchIndex", "searchIndexParameters": {"searchIndexName": index, **parameters}}
        base = {"knowledgeSources": [{"name": name}]}
        for path, body in ((f"/knowledgesources('{name}')", source), (f"/knowledgebases('{name}')", base)):
            answer = await self.send(path, {"name": name, **body}, method="PUT")
            assert answer.status in {200, 201}, answer.body

    async def retrieve(self, name: str, *questions: str, **parameters: object) -> Response:
        """The answer to queries that are searched as they are, with the source data."""
        params = {"knowledgeSourceName": name, "kind": "searchIndex", "includeReferences": True, **parameters}
        body = {
            "intents": [{"type": "semantic", "search": question} for question in questions or ("heron",)],
            "knowledgeSourceParams": [{"includeReferenceSourceData": True, **params}],
            "includeActivity": True,
        }
        return await self.send(f"/knowledgebases('{name}')/retrieve", body)

    async def findings(self, index: str) -> list[str]:
        """What the doctor says of an index."""
        answer = await self.send("/doctor", {}, method="GET")
        findings = answer.json["findings"]
        return [one["said"] for one in findings if (one["subject"], one["name"]) == ("index", index)]


def text(answer: Response) -> Sequence[Mapping[str, Any]]:
    """The grounding text of an answer."""
    assert answer.status == 200, answer.body
    grounding: Sequence[Mapping[str, Any]] = json.loads(answer.json["response"][0]["content"][0]["text"])
    return grounding


def error(answer: Response) -> tuple[int, str, str]:
    """The status, the code and the message of a refusal."""
    said = answer.json["error"]
    return answer.status, said["code"], said["message"]


@pytest.fixture
async def deployment(post: Post, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Deployment]:
    deployment = Deployment(post=post, monkeypatch=monkeypatch)
    async with serving(deployment) as address:
        deployment.settings |= {
            "AZURE_SEARCH_ENDPOINT": address,
            "AZURE_SEARCH_API_KEY": SEARCH_KEY,
            "ADMIN_API_KEYS": ADMIN,
            "API_KEYS": "caller-key-9f2e",
            "LOCAL": "0",
        }
        yield deployment
        await compose.end()
