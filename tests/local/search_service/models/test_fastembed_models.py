"""all-MiniLM-L6-v2 by fastembed, from a folder: its vectors, and what cannot be opened."""

import asyncio
import json
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from retrieval.errors import NotConfigured
from retrieval.local.search_service.models.endpoint_embeddings import EndpointEmbeddings
from retrieval.local.search_service.models.fastembed_models import FastembedEmbeddings
from retrieval.local.server import serving
from retrieval.local.wire import WireRequest, WireResponse
from tests.minilm import needs_minilm

TEXTS = [
    "That is a happy person.",
    "That is a very happy dog.",
    "Today is a sunny day.",
    "The lightship lay at anchor on the sandbank for forty winters.",
]


@pytest.fixture(scope="module")
def minilm() -> FastembedEmbeddings:
    return FastembedEmbeddings(str(needs_minilm()))


def test_its_vectors_are_those_that_its_authors_publish(minilm: FastembedEmbeddings) -> None:
    """https://huggingface.co/sentence-transformers/all-MiniLM-L6-v2: .695 and .257 to "That is a happy person"."""
    person, dog, day = minilm.passages(["That is a happy person", "That is a happy dog", "Today is a sunny day"])
    assert [round(float(person @ dog), 3), round(float(person @ day), 3)] == [0.695, 0.257]
    assert minilm.query("That is a happy person") == pytest.approx(person, abs=1e-6)


def test_a_batch_gives_what_each_text_gives_alone(minilm: FastembedEmbeddings) -> None:
    together = np.array(minilm.passages(TEXTS))
    alone = np.array([minilm.passages([text])[0] for text in TEXTS])
    assert together == pytest.approx(alone, abs=1e-5)


async def test_an_endpoint_with_the_same_vectors_gives_the_same_order(minilm: FastembedEmbeddings) -> None:
    async def endpoint(request: WireRequest) -> WireResponse:
        found = minilm.passages(json.loads(request.body)["input"])
        rows = [{"index": n, "embedding": one.tolist()} for n, one in enumerate(found)]
        return WireResponse(
            status=200, headers=(("content-type", "application/json"),), body=json.dumps({"data": rows}).encode()
        )

    async with serving(endpoint) as address:
        served = EndpointEmbeddings(f"{address}/v1", "minilm", retries=0)
        passages = await asyncio.to_thread(served.passages, TEXTS)
        query = await asyncio.to_thread(served.query, "a boat in winter")
    here = np.array(minilm.passages(TEXTS)) @ minilm.query("a boat in winter")
    assert np.argsort(-(np.array(passages) @ query)).tolist() == np.argsort(-here).tolist()
    assert int(here.argmax()) == 3


@pytest.mark.skipif(find_spec("fastembed") is None, reason="fastembed is not installed")
def test_a_name_that_nobody_knows_is_said() -> None:
    with pytest.raises(NotConfigured, match="'nobody/knows' is no folder here and none of fastembed's models"):
        FastembedEmbeddings("nobody/knows")


@pytest.mark.skipif(find_spec("fastembed") is None, reason="fastembed is not installed")
def test_a_folder_whose_model_cannot_be_read_is_said(tmp_path: Path) -> None:
    for name in ("model.onnx", "config.json", "tokenizer.json"):
        (tmp_path / name).write_text('{"hidden_size": 4}', encoding="utf-8")
    with pytest.raises(NotConfigured, match="cannot be opened"):
        FastembedEmbeddings(str(tmp_path))
