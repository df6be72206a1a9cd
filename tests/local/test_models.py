"""`--model` and `--ranker`, as a command and the settings take them, and what a machine without a model does."""

import asyncio
import json
import os
import pty
import re
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
from azure.core.credentials import AzureKeyCredential

from retrieval.errors import NotConfigured
from retrieval.local.search_command import Keys, open_search
from retrieval.local.search_service.models.wanted import Wanted, open_models
from retrieval.local.server import serving
from retrieval.local.stand_in import models_of
from retrieval.local.transport import ENDPOINT, AsyncInProcessTransport
from retrieval.local.wire import WireRequest, WireResponse
from retrieval.model.search import SearchTarget, Subquery
from retrieval.settings.settings import read
from retrieval.sources.search_index.index import AzureSearchIndex
from tests.environments import ROOT
from tests.local.search_service.models.encoders import vector
from tests.running import free_port, start_lines

SEARCH = [sys.executable, "-m", "retrieval.local", "search", "--port", "0"]
WITHOUT = """
import sys
from retrieval.local.stand_in import stand_in
from retrieval.local.transport import connect
from azure.search.documents import SearchClient
client = SearchClient(index_name="earth_at_night", **connect(stand_in(()).service))
assert list(client.search("gas flares", query_type="semantic"))
packages = ("fastembed", "onnxruntime", "tokenizers", "huggingface_hub", "openai")
modules = (".remembered", ".mixed_ranker", ".preparing", ".fastembed_models", ".endpoint_embeddings")
print([name for name in sys.modules if name.partition(".")[0] in packages or name.endswith(modules)])
"""


def problems(wanted: Wanted, folder: Path) -> str:
    """What is wrong; nothing is left in the folder then."""
    with pytest.raises(NotConfigured) as caught:
        open_models(wanted, folder / "vectors", retries=0)
    assert not (folder / "vectors").exists()
    return " ".join(caught.value.sentences)


def test_a_machine_without_a_model_imports_nothing_for_it() -> None:
    done = subprocess.run([sys.executable, "-c", WITHOUT], capture_output=True, text=True, check=True, cwd=ROOT)
    assert done.stdout.strip() == "[]"


def test_the_settings_name_the_models() -> None:
    named = {
        "LOCAL": "1",
        "LOCAL_MODEL": "nomic",
        "LOCAL_RANKER": "ms-marco",
        "EMBEDDINGS_URL": "http://localhost:11434/v1",
        "EMBEDDINGS_API_KEY": "k",
    }
    assert models_of(read(named)) == Wanted(model="nomic", ranker="ms-marco", url="http://localhost:11434/v1", key="k")
    assert models_of(read({"LOCAL": "1"})) == Wanted()
    assert "'k'" not in repr(models_of(read(named)))


def test_an_endpoint_needs_the_name_of_its_model(tmp_path: Path) -> None:
    assert "EMBEDDINGS_URL needs the name" in problems(Wanted(url="http://localhost:1/v1"), tmp_path)


def test_an_endpoint_that_is_away_is_said_before_anything_is_loaded(tmp_path: Path) -> None:
    url = f"http://127.0.0.1:{free_port()}/v1"
    assert f"The model 'nomic at {url}' cannot be reached" in problems(Wanted(model="nomic", url=url), tmp_path)


def test_a_folder_without_a_model_says_what_it_lacks(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text("{}", encoding="utf-8")
    assert "lacks tokenizer.json, model.onnx" in problems(Wanted(model=str(tmp_path)), tmp_path)
    assert "lacks tokenizer.json, model.onnx" in problems(Wanted(ranker=str(tmp_path)), tmp_path)


class Endpoint:
    """Embeddings of OpenAI's shape by topics; it fails after so many texts, and counts them."""

    def __init__(self, *, fails_after: int | None = None) -> None:
        self.texts = 0
        self.left = fails_after

    async def __call__(self, request: WireRequest) -> WireResponse:
        headers = (("content-type", "application/json"),)
        texts = json.loads(request.body)["input"]
        if self.left is not None and self.texts + len(texts) > self.left:
            return WireResponse(status=400, headers=headers, body=b'{"error": {"message": "out of memory"}}')
        self.texts += len(texts)
        rows = [{"index": n, "embedding": vector(text).tolist()} for n, text in enumerate(texts)]
        return WireResponse(status=200, headers=headers, body=json.dumps({"data": rows}).encode())


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    texts = ["The lightship lay at anchor.", "Supper is at seven.", "The fee is due in March."]
    lines = [{"_id": str(n), "title": f"Note {n}", "text": texts[n % 3]} for n in range(60)]
    (tmp_path / "notes.jsonl").write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    return tmp_path / "notes.jsonl"


def loaded(folder: Path, corpus: Path, address: str) -> tuple[int, list[str]]:
    """How many documents a start over the folder has, and what `retrieve` finds in them for "boat"."""
    wanted = Wanted(model="topics", url=f"{address}/v1")
    with open_search(folder, {"notes": str(corpus)}, Keys(admin=["key"]), models=wanted) as service:
        index = AzureSearchIndex(
            ENDPOINT, AzureKeyCredential("key"), fields={}, transport=lambda: AsyncInProcessTransport(service)
        )
        page = asyncio.run(index.search(Subquery(search="boat", target=SearchTarget(index="notes", threshold=0))))
        return len(service.catalog.get("notes")), [hit.content or "" for hit in page.hits]


async def test_what_is_loaded_has_vectors_and_a_second_start_embeds_nothing(corpus: Path, tmp_path: Path) -> None:
    endpoint = Endpoint()
    async with serving(endpoint) as address:
        held, found = await asyncio.to_thread(loaded, tmp_path / "data", corpus, address)
        assert held == 60 and len(found) == 50 and found[:20] == ["The lightship lay at anchor."] * 20
        assert endpoint.texts == 62  # the documents, the query, and a word whose vector has the dimensions
        again = await asyncio.to_thread(loaded, tmp_path / "data", corpus, address)
        assert again == (held, found) and endpoint.texts == 64


async def test_a_model_that_fails_while_loading_is_named_and_no_half_index_is_kept(
    corpus: Path, tmp_path: Path
) -> None:
    async with serving(Endpoint(fails_after=40)) as address:
        with pytest.raises(NotConfigured, match=r"The corpus 'notes' cannot be loaded: .*'topics at .*out of memory"):
            await asyncio.to_thread(loaded, tmp_path / "data", corpus, address)
    with open_search(tmp_path / "data", {}, Keys(admin=["key"])) as service:
        assert list(service.catalog) == []
    endpoint = Endpoint()
    async with serving(endpoint) as address:
        held, _ = await asyncio.to_thread(loaded, tmp_path / "data", corpus, address)
    assert held == 60


async def test_a_search_service_tells_the_embedding_model_by_the_address_of_its_endpoint() -> None:
    said: list[str] = []

    def start(url: str) -> None:
        wanted = Wanted(model="topics", url=url)
        with open_search(None, {}, Keys(admin=["key"]), models=wanted, say=lambda *lines: said.extend(lines)):
            pass

    async with serving(Endpoint()) as address:
        await asyncio.to_thread(start, f"{address}/v1")
    assert said == [f"embedding model topics at {address}/v1"]


@pytest.mark.slow
@pytest.mark.parametrize("command", ["serve", "search"])
async def test_a_start_names_the_embedding_model(command: str) -> None:
    async with serving(Endpoint()) as address:
        environ = {"EMBEDDINGS_URL": f"{address}/v1", "LOCAL": "1", "AGENTS_STORE": "memory"}
        said = await asyncio.to_thread(start_lines, [*SEARCH[:3], command, *SEARCH[4:], "--model", "topics"], environ)
    assert f"embedding model topics at {address}/v1" in said


@pytest.mark.slow
async def test_a_terminal_is_told_how_many_passages_a_second_are_embedded(tmp_path: Path) -> None:
    lines = [{"_id": str(n), "title": "", "text": f"Note {n} about bread."} for n in range(300)]
    (tmp_path / "notes.jsonl").write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    async with serving(Endpoint()) as address:
        command = [
            *SEARCH,
            "--model",
            "topics",
            "--data",
            str(tmp_path / "data"),
            "--load",
            f"notes={tmp_path}/notes.jsonl",
        ]
        told = await asyncio.to_thread(on_a_terminal, command, {"EMBEDDINGS_URL": f"{address}/v1"})
    assert re.search(rb"\rembedding notes: 256 of 300 passages, [\d,]+ a second\rembedding notes: 300 passages", told)


def on_a_terminal(command: Sequence[str], environ: Mapping[str, str]) -> bytes:
    """What a start writes on standard error until it is ready."""
    terminal, end = pty.openpty()
    with subprocess.Popen(
        command, cwd=ROOT, env={**os.environ, **environ}, stdout=subprocess.PIPE, stderr=end, text=True
    ) as process:
        assert process.stdout is not None
        assert any(line.startswith("ready ") for line in process.stdout)
        process.terminate()
    os.close(end)
    told = os.read(terminal, 10_000)
    os.close(terminal)
    return told


def test_a_model_that_cannot_be_fetched_is_one_sentence_without_a_log(tmp_path: Path) -> None:
    environ = {**os.environ, "HF_HUB_OFFLINE": "1", "PYTHONPATH": str(ROOT)}
    command = [*SEARCH, "--model", "BAAI/bge-small-en-v1.5"]
    done = subprocess.run(command, cwd=tmp_path, env=environ, capture_output=True, text=True, check=False)
    assert (done.returncode, len(done.stderr.splitlines())) == (1, 1), done.stderr
    assert done.stderr.startswith("The model 'BAAI/bge-small-en-v1.5' ")


def test_the_command_says_it_in_a_sentence_and_ends(tmp_path: Path) -> None:
    done = subprocess.run([*SEARCH, "--model", str(tmp_path)], capture_output=True, text=True, check=False, cwd=ROOT)
    assert done.returncode == 1
    assert done.stderr.startswith("The model folder ") and "Traceback" not in done.stderr
