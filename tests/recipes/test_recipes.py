"""Each recipe of docs/calling/recipes is linked by the page, and prints what the page shows."""

import json
import os
import re
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import pytest

from tests.conftest import KEY, ROOT
from tests.recipes.model import scripted_model
from tests.running import served
from tests.third_parties import RECIPES, recipe

FOLDER: Final = ROOT / "docs" / "calling" / "recipes"
PAGE: Final = (ROOT / "docs" / "calling" / "recipes.md").read_text(encoding="utf-8")
WRONG_KEY: Final = "is not accepted here|403 Forbidden"
NAMED_MODEL: Final = (
    "langgraph_answer.py",
    "agent_framework_context.py",
    "semantic_kernel_mcp.py",
    "openai_agents_mcp.py",
)
"""The recipes that take the name of their model from the environment."""

HALF: Final = {"name": "half", "targetIndexes": [{"indexName": "earth_at_night"}, {"indexName": "away"}]}
LOOSE: Final = {
    "name": "loose",
    "targetIndexes": [{"indexName": "earth_at_night", "defaultRerankerThreshold": 0}],
}
ASKED_TWICE: Final = "Which agency launched the satellite of the instrument that photographed Phoenix?"
"""It is followed up, and a document that no ranker scored gets a place."""
ASK_HALF: Final = """
from langchain_retriever import KnowledgeBaseRetriever
print(*(found.id for found in KnowledgeBaseRetriever(knowledge_base="half").invoke("Phoenix street grid from space")))
"""


def shown(file: str, language: str) -> str:
    """The first block of that language after the line that links to the file."""
    found = re.search(rf"^\[{file}\]\(recipes/{file}\)$.*?^```{language}\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
    assert found, f"docs/calling/recipes.md has no {language} of {file}"
    return found[1]


@contextmanager
def surroundings(folder: Path) -> Iterator[Mapping[str, str]]:
    """The environment of a reader who has the service and a model; one base's second source is away."""
    agents = folder / "agents.json"
    agents.write_text(json.dumps([HALF, LOOSE]), encoding="utf-8")
    away = {"away": {"workspace": "llm-away", "index": "away", "endpoint": "http://127.0.0.1:9"}}
    environ = {"AGENTS_STORE": "memory", "AGENTS_FILE": str(agents), "MODEL_STUDIO_BASES": json.dumps(away)}
    keys = {"MODEL_STUDIO_ACCESS_KEY_ID": "id", "MODEL_STUDIO_ACCESS_KEY_SECRET": "secret"}
    with served(environ={**environ, **keys}) as address, scripted_model() as model:
        yield {
            **{name: value for name, value in os.environ.items() if not name.lower().endswith("_proxy")},
            "RETRIEVAL_ENDPOINT": address,
            "RETRIEVAL_API_KEY": KEY,
            "RETRIEVAL_ADMIN_KEY": "local-admin-key",
            "OPENAI_API_KEY": "scripted",
            "OPENAI_BASE_URL": model,
            "OPENAI_API_BASE": model,
            "HAYSTACK_TELEMETRY_ENABLED": "False",
            "OPENAI_AGENTS_DISABLE_TRACING": "1",
            "PYTHONDONTWRITEBYTECODE": "1",
            "PYTHONPATH": "",
        }


@pytest.fixture(scope="module")
def environ(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Mapping[str, str]]:
    with surroundings(tmp_path_factory.mktemp("recipes")) as found:
        yield found


def run(file: str, environ: Mapping[str, str], *arguments: str) -> subprocess.CompletedProcess[str]:
    command: list[str | Path] = [recipe(file), *(arguments or (file,))]
    return subprocess.run(command, cwd=FOLDER, env=environ, capture_output=True, text=True, check=False, timeout=100)


def test_the_page_links_every_file() -> None:
    linked = re.findall(r"\[([\w.]+)\]\(recipes/\1\)", PAGE)
    assert sorted(linked) == sorted(path.name for path in FOLDER.iterdir() if path.is_file())


@pytest.mark.parametrize("file", RECIPES)
def test_the_page_says_what_to_install(file: str) -> None:
    needed = " ".join(f"'{one}'" if "[" in one else one for one in RECIPES[file])
    assert shown(file, "bash") == f"pip install {needed}\n"


@pytest.mark.slow
@pytest.mark.parametrize("file", RECIPES)
def test_a_recipe_prints_what_the_page_shows(file: str, environ: Mapping[str, str]) -> None:
    done = run(file, environ)
    assert (done.returncode, done.stdout) == (0, shown(file, "text")), done.stderr


@pytest.mark.slow
@pytest.mark.parametrize("file", NAMED_MODEL)
def test_the_environment_names_the_model(file: str, environ: Mapping[str, str]) -> None:
    done = run(file, {**environ, "OPENAI_MODEL": "qwen2.5:3b"})
    assert "So says qwen2.5:3b." in done.stdout, done.stderr


@pytest.mark.slow
@pytest.mark.parametrize("file", RECIPES)
def test_a_wrong_key_is_an_error_that_is_raised(file: str, environ: Mapping[str, str]) -> None:
    done = run(file, {**environ, "RETRIEVAL_API_KEY": "wrong", "RETRIEVAL_ADMIN_KEY": "wrong"})
    assert done.returncode != 0 and re.search(WRONG_KEY, done.stderr), done.stderr


@pytest.mark.slow
def test_agent_framework_reads_the_twenty_documents_of_a_follow_up(environ: Mapping[str, str]) -> None:
    script = (FOLDER / "agent_framework_context.py").read_text(encoding="utf-8")
    for usual, other in (
        ('"earth-at-night"', '"loose"'),
        ('effort="low"', 'effort="medium"'),
        ("Why is the street grid of Phoenix so sharply visible from space?", ASKED_TWICE),
        ('["found"][:2]', '["found"]'),
    ):
        assert usual in script
        script = script.replace(usual, other)
    done = run("agent_framework_context.py", environ, "-c", script)
    assert done.returncode == 0, done.stderr
    references = [line.split() for line in done.stdout.splitlines()[-20:]]
    assert [id for id, _, _ in references] == [str(id) for id in range(20)]


@pytest.mark.slow
def test_what_a_failed_search_leaves_is_returned_and_the_failure_is_logged(environ: Mapping[str, str]) -> None:
    done = run("langchain_retriever.py", environ, "-c", ASK_HALF)
    assert "earth_at_night_508_page_105_verbalized" in done.stdout, done.stderr
    assert "A search failed, the others' results are here: Model Studio could not be reached" in done.stderr


@pytest.mark.slow
@pytest.mark.parametrize("tool", ["answer", "knowledge_base_retrieve"])
def test_the_recipe_of_semantic_kernel_lives_when_the_model_chooses_another_tool(
    tool: str, environ: Mapping[str, str]
) -> None:
    """The script has no arguments that `knowledge_base_retrieve` takes, so that this call fails."""
    with scripted_model(tool) as model:
        done = run("semantic_kernel_mcp.py", {**environ, "OPENAI_BASE_URL": model})
    assert done.returncode == 0, done.stderr
    assert len(done.stdout.splitlines()) == 2 and done.stdout.endswith(f"{tool}\n")
