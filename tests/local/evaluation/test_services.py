"""A deployment, asked over HTTP."""

import json

from retrieval.local.evaluation.replies import reason
from retrieval.local.evaluation.services import TRIES, Reply, deployment
from retrieval.local.server import serving
from retrieval.local.wire import WireRequest, WireResponse
from tests.running import free_port

BUSY = WireResponse(status=429, headers=(("retry-after", "0"),))
DONE = WireResponse(status=200, body=b"{}")


class Server:
    """Gives its answers in turn, the last one again and again, and keeps what it was asked."""

    def __init__(self, *answers: WireResponse) -> None:
        self._answers = list(answers)
        self.asked: list[WireRequest] = []

    async def __call__(self, request: WireRequest) -> WireResponse:
        self.asked.append(request)
        return self._answers.pop(0) if len(self._answers) > 1 else self._answers[0]

    async def ask(self, *, token: str | None = None) -> Reply:
        async with serving(self) as address, deployment(f"{address}/", key="k", token=token) as service:
            return await service.ask("retrieve", "my notes", {"intents": []})


async def test_the_newest_version_is_asked_with_the_key() -> None:
    server = Server(DONE)
    reply = await server.ask()
    [request] = server.asked
    assert (reply.status, reply.content, json.loads(request.body)) == (200, b"{}", {"intents": []})
    assert request.target == "/knowledgebases/my%20notes/retrieve?api-version=2026-08-01-preview"
    assert request.header("api-key") == "k"


async def test_a_call_is_sent_again_when_the_service_is_busy() -> None:
    server = Server(BUSY, BUSY, DONE)
    assert (await server.ask()).status == 200
    assert len(server.asked) == 3
    server = Server(BUSY)
    assert (await server.ask()).status == 429
    assert len(server.asked) == TRIES


async def test_a_redirect_is_not_followed_since_the_key_would_go_with_it() -> None:
    server = Server(WireResponse(status=307, headers=(("location", "/elsewhere"),)), DONE)
    assert (await server.ask()).status == 307
    assert len(server.asked) == 1


async def test_where_nobody_listens_the_reply_says_so() -> None:
    async with deployment(f"http://127.0.0.1:{free_port()}", key=None, token="t") as service:
        reply = await service.ask("answer", "notes", {})
    assert reply.status == 0
    assert "Cannot connect" in reason(reply.status, reply.content)
