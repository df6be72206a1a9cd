"""An endpoint that speaks OpenAI's embeddings: what it is sent, what is made of its answers, and of its failures."""

import asyncio
import json
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Thread
from typing import Any

import pytest

from retrieval.local.search_service.models.endpoint_embeddings import MOST_BYTES, EndpointEmbeddings
from retrieval.local.search_service.models.ports import ModelFailed
from retrieval.local.server import serving
from retrieval.local.wire import WireRequest, WireResponse, WireService
from tests.local.search_service.models.encoders import vector
from tests.running import free_port


class Endpoint:
    """Answers as its script says, then with vectors, the last text's first; it keeps what it was asked."""

    def __init__(self, *script: WireResponse) -> None:
        self._script = list(script)
        self.asked: list[WireRequest] = []

    async def __call__(self, request: WireRequest) -> WireResponse:
        self.asked.append(request)
        if self._script:
            return self._script.pop(0)
        texts = json.loads(request.body)["input"]
        rows = [{"index": n, "embedding": vector(text).tolist()} for n, text in enumerate(texts)]
        return answer({"object": "list", "model": "m", "data": rows[::-1]})


def answer(body: Any, status: int = 200, *, retry_after: str = "0") -> WireResponse:
    headers = (("content-type", "application/json"), ("retry-after", retry_after))
    return WireResponse(status=status, headers=headers, body=json.dumps(body).encode())


async def asked(
    endpoint: WireService,
    work: Callable[[EndpointEmbeddings], Any],
    *,
    retries: int = 0,
    pause: Callable[[float], None] = time.sleep,
) -> Any:
    async with serving(endpoint) as address:
        model = EndpointEmbeddings(f"{address}/v1", "nomic", "secret", retries=retries, pause=pause)
        return await asyncio.to_thread(work, model)


async def test_texts_are_sent_together_and_vectors_come_back_in_their_order() -> None:
    endpoint, texts = Endpoint(), ["a ship", "some bread", "the price"]
    found = await asked(endpoint, lambda model: model.passages(texts))
    assert [one.argmax() for one in found] == [0, 1, 2]
    [request] = endpoint.asked
    assert request.target == "/v1/embeddings" and request.header("authorization") == "Bearer secret"
    assert json.loads(request.body) == {"model": "nomic", "input": texts, "encoding_format": "float"}


async def test_an_endpoint_that_is_busy_is_asked_again() -> None:
    endpoint = Endpoint(answer({}, 429), answer({}, 503))
    assert (await asked(endpoint, lambda model: model.query("a ship"), retries=2)).argmax() == 0
    assert len(endpoint.asked) == 3


@pytest.mark.parametrize(
    ("response", "said"),
    [
        (answer({"error": {"message": "no such model"}}, 404), "answered 404: .*no such model"),
        (answer({}, 503), "answered 503"),
        (answer({"data": None}), "cannot be read"),
        (answer({"data": []}), "made 0 vectors of one text|cannot be read"),
        (answer({"data": [{"index": 0, "embedding": ["x"]}]}), "cannot be read"),
        (answer({"data": [{"index": 0, "embedding": None}]}), "cannot be read"),
        (answer({"data": [{"index": 0, "embedding": []}]}), "cannot be read"),
        (answer({"data": [{"index": 0, "embedding": [[1.0]]}]}), "cannot be read"),
        (answer({"data": [{"index": 0, "embedding": [10**400]}]}), "cannot be read"),
        (answer({"data": [None]}), "cannot be read"),
        (WireResponse(status=200, headers=(("content-encoding", "gzip"),), body=b"x"), "cannot be read: it is packed"),
        (WireResponse(status=200, body=b"<html>"), "cannot be read"),
    ],
)
async def test_a_failure_is_an_error_that_names_the_model_and_its_address(response: WireResponse, said: str) -> None:
    with pytest.raises(ModelFailed, match=rf"The model 'nomic at http://127.0.0.1:\d+/v1' .*({said})"):
        await asked(Endpoint(response), lambda model: model.query("a ship"))


def test_an_endpoint_that_is_away_is_named_too() -> None:
    url = f"http://127.0.0.1:{free_port()}/v1"
    with pytest.raises(ModelFailed, match=f"'nomic at {url}' cannot be reached"):
        EndpointEmbeddings(url, "nomic", retries=0).passages(["a ship"])


async def test_of_a_long_text_the_beginning_is_sent() -> None:
    endpoint, texts = Endpoint(), ["ship " * 10_000]
    await asked(endpoint, lambda model: model.passages(texts))
    sent: Sequence[str] = json.loads(endpoint.asked[0].body)["input"]
    assert [len(text) for text in sent] == [32_000]


async def test_a_key_that_the_endpoint_repeats_is_not_in_the_error() -> None:
    repeats = answer({"error": {"message": "Incorrect API key provided: secret."}}, 401)
    with pytest.raises(ModelFailed) as refusal:
        await asked(Endpoint(repeats), lambda model: model.query("a ship"))
    assert "secret" not in refusal.value.message and "answered 401" in refusal.value.message


async def test_a_redirect_is_not_followed() -> None:
    elsewhere = Endpoint()
    async with serving(elsewhere) as other:
        redirect = WireResponse(status=307, headers=(("location", f"{other}/v1/embeddings"),))
        with pytest.raises(ModelFailed, match="answered 307"):
            await asked(Endpoint(redirect), lambda model: model.query("a ship"))
    assert elsewhere.asked == []


@pytest.mark.parametrize("status", [200, 400])
async def test_a_body_without_end_is_read_up_to_its_limit(status: int) -> None:
    """A server of the standard library, since the one beside it writes whole bodies."""
    sent = 0

    class Endless(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            nonlocal sent
            self.send_response(status)
            self.end_headers()
            with suppress(OSError):
                while sent < 4 * MOST_BYTES:
                    sent += self.wfile.write(bytes(1024 * 1024))

        def log_message(self, *_: object) -> None: ...

    with HTTPServer(("127.0.0.1", 0), Endless) as server:
        serving_thread = Thread(target=server.handle_request)
        serving_thread.start()
        model = EndpointEmbeddings(f"http://127.0.0.1:{server.server_port}/v1", "nomic", retries=2)
        with pytest.raises(ModelFailed, match="more than 33,554,432 bytes"):
            await asyncio.to_thread(model.query, "a ship")
        serving_thread.join()
    assert sent < 2 * MOST_BYTES


@pytest.mark.parametrize(("retry_after", "paused"), [("100", []), ("2", [2.0]), ("soon", [0.5])])
async def test_a_query_waits_no_longer_than_its_caller_can(retry_after: str, paused: list[float]) -> None:
    endpoint, pauses = Endpoint(answer({}, 429, retry_after=retry_after)), list[float]()
    call = asked(endpoint, lambda model: model.query("a ship"), retries=1, pause=pauses.append)
    if paused:
        assert (await call).argmax() == 0
    else:
        with pytest.raises(ModelFailed, match="answered 429"):
            await call
    assert pauses == paused


async def test_documents_wait_for_what_a_query_does_not() -> None:
    endpoint, pauses = Endpoint(answer({}, 429, retry_after="20")), list[float]()
    vectors = await asked(endpoint, lambda model: model.passages(["a ship"]), retries=1, pause=pauses.append)
    assert (len(vectors), pauses) == (1, [20.0])
