"""What is asked: this code in process with the corpus loaded, or a deployment over HTTP. Both speak the contracts."""

import asyncio
import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal, Protocol, TypeAlias
from urllib.parse import quote

import aiohttp

from retrieval.compose import compose_service
from retrieval.http.answer import ANSWER
from retrieval.http.call import Call
from retrieval.http.retrieve import RETRIEVE_FROM_BASE
from retrieval.http.serving import Endpoint, serve
from retrieval.local.model_arguments import SETTINGS
from retrieval.model.json_value import JsonValue
from retrieval.settings.settings import LOCAL_KEY, read

if TYPE_CHECKING:
    from retrieval.http.service import Service as Composed

Operation: TypeAlias = Literal["retrieve", "answer"]

VERSION: Final = "2026-08-01-preview"
SECONDS: Final = 240
"""Of a call; the Functions host gives up after 230."""

TRIES: Final = 4
LONGEST_WAIT: Final = 30.0
BUSY: Final = frozenset({429, 503})

OF_THE_MODEL: Final = (
    *("AZURE_OPENAI_ENDPOINT", "AZURE_OPENAI_DEPLOYMENT", "AZURE_OPENAI_API_KEY", "AZURE_CLIENT_ID"),
    *("CHAT_URL", "CHAT_MODEL", "CHAT_API_KEY", "CHAT_CONTEXT", "CHAT_CALLS"),
)
"""What an evaluation in process takes from the environment, beside the language of the corpus and its local models."""

_ROUTES: Final[Mapping[Operation, str]] = {
    "retrieve": "knowledgebases/{name}/retrieve",
    "answer": "agents/{name}/answer",
}
_ENDPOINTS: Final[Mapping[Operation, Endpoint[Any]]] = {"retrieve": RETRIEVE_FROM_BASE, "answer": ANSWER}


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """`seconds` is the wall time of the call that was answered."""

    status: int
    content: bytes
    seconds: float


class Service(Protocol):
    """Whom a run asks."""

    async def ask(self, operation: Operation, base: str, body: Mapping[str, JsonValue]) -> Reply: ...


class InProcess:
    """A composed service: the whole way of a call, but for the Functions host."""

    def __init__(self, composed: "Composed") -> None:
        self._composed = composed

    async def ask(self, operation: Operation, base: str, body: Mapping[str, JsonValue]) -> Reply:
        content = json.dumps(body).encode()
        headers = {"api-key": LOCAL_KEY, "content-type": "application/json", "content-length": str(len(content))}
        call = Call(headers=headers, query={"api-version": VERSION}, body=content, route={"name": base})
        endpoint, loop = _ENDPOINTS[operation], asyncio.get_running_loop()
        start = loop.time()
        answered = await serve(endpoint, call, lambda: self._composed)
        return Reply(status=answered.status, content=answered.content, seconds=loop.time() - start)


@asynccontextmanager
async def in_process(corpora: Mapping[str, str], environ: Mapping[str, str], *, model: bool) -> AsyncIterator[Service]:
    """A service over corpora (name, path), with the model of the environment or none. Raises NotConfigured."""
    wanted = ("LOCAL_LANGUAGE", *SETTINGS, *(OF_THE_MODEL if model else ()))
    named = {name: environ[name] for name in wanted if name in environ}
    local = {"LOCAL": "1", "AGENTS_STORE": "memory", "LOCAL_CORPORA": json.dumps(dict(corpora))}
    composed = compose_service(read({**named, **local}))
    try:
        yield InProcess(composed)
    finally:
        await composed.process.close()


class Deployment:
    """A service at an address. A call that it is too busy for is sent again, after the time that it says.

    Redirects are not followed, since the key would go with them.
    """

    def __init__(self, session: aiohttp.ClientSession, url: str) -> None:
        self._session = session
        self._url = url.rstrip("/")

    async def ask(self, operation: Operation, base: str, body: Mapping[str, JsonValue]) -> Reply:
        url = f"{self._url}/{_ROUTES[operation].format(name=quote(base, safe=''))}"
        params = {"api-version": VERSION} if operation == "retrieve" else {}
        loop = asyncio.get_running_loop()
        for left in reversed(range(TRIES)):
            start = loop.time()
            try:
                async with self._session.post(url, json=body, params=params, allow_redirects=False) as response:
                    content = await response.read()
            except (aiohttp.ClientError, TimeoutError) as error:
                reason = json.dumps({"error": {"code": type(error).__name__, "message": str(error) or "no answer"}})
                return Reply(status=0, content=reason.encode(), seconds=loop.time() - start)
            if response.status not in BUSY or not left:
                break
            await asyncio.sleep(_wait(response.headers.get("Retry-After", "")))
        return Reply(status=response.status, content=content, seconds=loop.time() - start)


def _wait(retry_after: str) -> float:
    return min(float(retry_after), LONGEST_WAIT) if retry_after.isdigit() else 1.0


@asynccontextmanager
async def deployment(url: str, *, key: str | None, token: str | None) -> AsyncIterator[Service]:
    """A service at an address, by a key or a bearer token."""
    headers = {"api-key": key} if key else {"authorization": f"Bearer {token}"} if token else {}
    timeout = aiohttp.ClientTimeout(total=SECONDS)
    async with aiohttp.ClientSession(headers=headers, timeout=timeout) as session:
        yield Deployment(session, url)
