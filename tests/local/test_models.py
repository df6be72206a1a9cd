"""`--model` and `--ranker`, as a command and the settings take them, and what a machine without a model does."""

import subprocess
import sys
from pathlib import Path

import pytest

from retrieval.errors import NotConfigured
from retrieval.local.search_service.models.wanted import Wanted, open_models
from retrieval.local.stand_in import models_of
from retrieval.settings.settings import read
from tests.environments import ROOT
from tests.running import free_port

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
    return " ".join(caught.value.problems)


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


def test_the_command_says_it_in_a_sentence_and_ends(tmp_path: Path) -> None:
    done = subprocess.run([*SEARCH, "--model", str(tmp_path)], capture_output=True, text=True, check=False, cwd=ROOT)
    assert done.returncode == 1
    assert done.stderr.startswith("The model folder ") and "Traceback" not in done.stderr
