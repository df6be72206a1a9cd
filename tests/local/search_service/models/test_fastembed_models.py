"""all-MiniLM-L6-v2 by fastembed, from a folder: its vectors, and what cannot be opened."""

import asyncio
import json
import math
import shutil
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from retrieval.errors import NotConfigured
from retrieval.local.search_service.models.endpoint_embeddings import EndpointEmbeddings
from retrieval.local.search_service.models.fastembed_models import FastembedEmbeddings
from retrieval.local.search_service.models.ports import Candidates
from retrieval.local.search_service.models.wanted import Wanted, open_models
from retrieval.local.server import serving
from retrieval.local.wire import WireRequest, WireResponse
from tests.environments import environment, run
from tests.minilm import needs_minilm
from tests.third_parties import MINILM_PACKAGES

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
    assert np.argmax(here) == 3


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


MAKE_CROSS_ENCODER = """
import sys, onnx
from onnx import TensorProto as T, helper as h
names = ["input_ids", "attention_mask", "token_type_ids"]
nodes = [
    h.make_node("Cast", ["attention_mask"], ["mask"], to=T.FLOAT),
    h.make_node("ReduceSum", ["mask", "axis"], ["tokens"], keepdims=1),
    h.make_node("Mul", ["tokens", "tenth"], ["scaled"]),
    h.make_node("Sub", ["scaled", "three"], ["logits"]),
]
constants = [
    h.make_tensor("axis", T.INT64, [1], [1]),
    h.make_tensor("tenth", T.FLOAT, [], [0.1]),
    h.make_tensor("three", T.FLOAT, [], [3.0]),
]
inputs = [h.make_tensor_value_info(name, T.INT64, ["batch", "tokens"]) for name in names]
outputs = [h.make_tensor_value_info("logits", T.FLOAT, ["batch", 1])]
graph = h.make_graph(nodes, "length", inputs, outputs, constants)
onnx.save(h.make_model(graph, opset_imports=[h.make_opsetid("", 17)], ir_version=8), sys.argv[1])
"""
"""A model whose logit is a tenth of the number of tokens of question and document, less 3."""


@pytest.mark.slow
def test_a_cross_encoder_scores_question_and_document_together(tmp_path: Path) -> None:
    minilm = needs_minilm()
    for name in ("config.json", "tokenizer.json", "tokenizer_config.json", "special_tokens_map.json"):
        shutil.copy(minilm / name, tmp_path)
    python = environment("minilm", MINILM_PACKAGES)
    run([python, "-c", MAKE_CROSS_ENCODER, tmp_path / "model.onnx"])
    models = open_models(Wanted(ranker=str(tmp_path)), tmp_path)
    texts = ["one", "one two three", "one " * 100]

    def among(some: list[str]) -> Candidates:
        return Candidates(words=lambda: [0.0] * len(some), near=lambda: None, texts=lambda: some)

    found = models.ranker.scores("what", among(texts))
    assert found == [round(4 / (1 + math.exp(3 - tokens / 10)), 4) for tokens in (5, 7, 104)]
    assert models.ranker.scores("what", among([])) == []
    assert models.ranker.label == tmp_path.name and models.dimensions is None
