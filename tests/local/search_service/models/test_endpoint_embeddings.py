"""An endpoint that speaks OpenAI's embeddings: what it is sent, what is made of its answers, and of its failures."""

import asyncio
import json
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from retrieval.local.search_service.models.endpoint_embeddings import EndpointEmbeddings
from retrieval.local.search_service.models.ports import ModelFailed
from retrieval.local.server import serving
from retrieval.local.wire import WireRequest, WireResponse
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


def answer(body: Any, status: int = 200) -> WireResponse:
    headers = (("content-type", "application/json"), ("retry-after", "0"))
    return WireResponse(status=status, headers=headers, body=json.dumps(body).encode())


async def asked(endpoint: Endpoint, work: Callable[[EndpointEmbeddings], Any], *, retries: int = 0) -> Any:
    async with serving(endpoint) as address:
        return await asyncio.to_thread(work, EndpointEmbeddings(f"{address}/v1", "nomic", "secret", retries=retries))


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
