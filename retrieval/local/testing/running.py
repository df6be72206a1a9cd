"""What a test holds: the address and the keys of a service, its calls, and what a client of azure-core needs for it.

A service in this process has no socket: its address is a name that only `connect` and the calls here can reach.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from http.client import HTTPConnection
from typing import Any, Final, TypeAlias
from urllib.parse import quote, urlsplit

from retrieval.local.wire import WireRequest, WireResponse, WireService

VERSION: Final = "2026-10-01"
TIMEOUT: Final = 300
"""Seconds; a service that answers late is the test's subject, not this module's."""

JsonObject: TypeAlias = Mapping[str, Any]


class Refused(Exception):
    """An answer that is no success. A retrieve of which a search failed is one too (206)."""

    def __init__(self, call: str, status: int, code: str, message: str) -> None:
        super().__init__(f"{call}: {status} {code}: {message}")
        self.status = status
        self.code = code
        self.message = message


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """A returned document. `score` is 0 to 4; None where nothing ranked it."""

    key: str
    title: str
    content: str
    score: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class RunningSearch:
    """A service of Azure AI Search's REST API. `key` reads documents, `admin_key` does everything."""

    address: str
    key: str = field(repr=False)
    admin_key: str = field(repr=False)
    service: WireService | None = field(default=None, repr=False)
    """The service itself, where it has no socket."""

    def connect(self, *, admin: bool = False) -> dict[str, Any]:
        """The keyword arguments of a client of azure-core: `SearchClient(index_name="x", **service.connect())`."""
        from azure.core.credentials import AzureKeyCredential

        from retrieval.local.transport import connect

        if self.service is None:
            return {"endpoint": self.address, "credential": AzureKeyCredential(self._key(admin))}
        return {**connect(self.service, endpoint=self.address, key=self._key(admin))}

    def connect_async(self, *, admin: bool = False) -> dict[str, Any]:
        """The same for the clients of the `aio` packages."""
        from retrieval.local.transport import connect_async

        if self.service is None:
            return self.connect(admin=admin)
        return {**connect_async(self.service, endpoint=self.address, key=self._key(admin))}

    def call(self, method: str, path: str, body: object = None, *, version: str = VERSION, admin: bool = True) -> Any:
        """The JSON of the answer, None where it has no body. Raises Refused unless it is a success."""
        answer = self._ask(method, f"{path}?api-version={version}", body, admin=admin)
        content = json.loads(answer.body) if answer.body else None
        if answer.status >= 300:
            fault = content.get("error", {}) if isinstance(content, dict) else {}
            raise Refused(f"{method} {path}", answer.status, fault.get("code", ""), fault.get("message", ""))
        return content

    def search(self, index: str, text: str, **options: object) -> tuple[JsonObject, ...]:
        """The documents that a search finds, the best first. `options` are members of the body, such as `top`."""
        body = {"search": text, **options}
        return tuple(self.call("POST", f"/indexes('{quote(index)}')/docs/search", body, admin=False)["value"])

    def _key(self, admin: bool) -> str:
        return self.admin_key if admin else self.key

    def _ask(self, method: str, target: str, body: object, *, admin: bool) -> WireResponse:
        content = b"" if body is None else json.dumps(body).encode()
        headers = {"api-key": self._key(admin), "content-type": "application/json", "content-length": str(len(content))}
        if self.service is None:
            return _over_http(self.address, method, target, headers, content)
        from retrieval.local.transport import wait

        request = WireRequest(method=method, target=target, headers=tuple(headers.items()), body=content)
        return wait(self.service(request))


def _over_http(address: str, method: str, target: str, headers: Mapping[str, str], body: bytes) -> WireResponse:
    connection = HTTPConnection(urlsplit(address).netloc, timeout=TIMEOUT)
    try:
        connection.request(method, target, body, dict(headers))
        response = connection.getresponse()
        return WireResponse(status=response.status, body=response.read())
    finally:
        connection.close()


@dataclass(frozen=True, slots=True, kw_only=True)
class RunningRetrieval(RunningSearch):
    """The whole service, beside the local search service that it searches. `key` retrieves, `admin_key` manages too.

    `base` is the knowledge base that `retrieve` asks where the test names none.
    """

    base: str = "earth-at-night"

    def retrieve(self, question: str, *, base: str | None = None, **options: object) -> tuple[Passage, ...]:
        """The passages that a question brings, the best first. `options` are members of the body.

        Raises Refused, also where a search failed and the others' passages came (206).
        """
        content = [{"type": "text", "text": question}]
        body = {"messages": [{"role": "user", "content": content}], **options}
        path = f"/knowledgebases/{quote(base or self.base)}/retrieve"
        answer = self.call("POST", path, body, admin=False)
        failures = [step["error"] for step in answer.get("activity", ()) if step.get("error")]
        if failures:
            raise Refused(f"POST {path}", 206, failures[0].get("code", ""), failures[0].get("message", ""))
        return tuple(_passages(answer))


def _passages(answer: JsonObject) -> list[Passage]:
    texts = [part["text"] for message in answer.get("response", ()) for part in message["content"]]
    chunks = {str(chunk["ref_id"]): chunk for text in texts for chunk in json.loads(text or "[]")}
    return [
        Passage(
            key=reference.get("docKey") or "",
            title=chunks[reference["id"]].get("title") or "",
            content=chunks[reference["id"]].get("content") or "",
            score=reference.get("rerankerScore"),
        )
        for reference in answer.get("references", ())
        if reference["id"] in chunks
    ]
