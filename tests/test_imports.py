"""What a cold start loads: nothing that is for a first use only, nothing of the local part, of tests or of tools."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from tests.test_layers import SOURCES, module_name, parsed, rooms, within

ROOT: Final = Path(__file__).resolve().parent.parent
LATER: Final = frozenset(
    {
        "openai",
        "aiohttp",
        "lark",
        "mcp",
        "mcp_types",
        "azure.data.tables",
        "retrieval.definitions.file_store",
        "retrieval.sources.mcp_server.search",
        "retrieval.retrieve.retrieve_documents",
        "retrieval.citations",
        "retrieval.contracts.health",
        "retrieval.playground",
        "retrieval.rules",
        "retrieval.steps",
        "retrieval.text.languages",
        "retrieval.telemetry.readiness",
        "jwt",
        "cryptography",
        "opentelemetry",
        "azure.monitor",
    }
)
NEVER: Final = frozenset(
    {"retrieval.local", "tantivy", "luqum", "numpy", "re2", "snowballstemmer", "stopwordsiso", "starlette", "uvicorn"}
)
LATER_IN: Final = {
    "function_app": "HTTP streams, for a deployment that has STREAM_EVENTS",
    "retrieval.outgoing.access_tokens": "aiohttp, for the first token that cannot be had",
    "retrieval.models.chat_completions": "the client of a model, for the first model call",
    "retrieval.sources.search_index.definition_cache": "what reads definitions of indexes, for the first search",
    "retrieval.sources.search_index.index": "aiohttp, for the first search",
    "retrieval.outgoing.connections": "aiohttp, for the first call out",
    "retrieval.retrieve.search.searching": "calls of tools, for the first base with an MCP server",
    "retrieval.filters.odata": "lark, for the first filter",
    "retrieval.contracts.azure.version": "the shapes of definitions and of events, for the first call of each",
    "retrieval.contracts.azure.versions.v2025_05_01_preview": "the shapes of definitions, for the first call of them",
    "retrieval.http.answer": "the workflow and its contract, for the first answer",
    "retrieval.http.retrieve": "the call, its steps and its rules, for the first retrieve, and events",
    "retrieval.http.monitoring": "health and the page, for the first look at them",
    "retrieval.settings.environment": "pydantic's shapes of settings, for a deployment that has such settings",
}
"""What imports modules of the project inside a function, beside `compose` and the rooms, and what a cold start does
without."""

TESTS: Final = frozenset({"pytest", "hypothesis", "httpx", "tests", "tools"})


@pytest.fixture(scope="module")
def loaded() -> frozenset[str]:
    """The modules of a fresh interpreter that has imported `function_app` and nothing else."""
    code = "import function_app, sys; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    return frozenset(done.stdout.split())


@pytest.mark.parametrize("package", sorted(LATER | NEVER | TESTS))
def test_importing_the_app_does_not_load(package: str, loaded: frozenset[str]) -> None:
    assert package not in loaded


def test_importing_the_app_loads_the_app(loaded: frozenset[str]) -> None:
    assert {"function_app", "retrieval.http.retrieve", "azure.functions"} <= loaded


def test_only_what_a_cold_start_does_without_is_imported_inside_a_function() -> None:
    free = ("retrieval.local", "retrieval.compose", *rooms())
    assert {name for name in _importing() if not any(within(name, one) for one in free)} == set(LATER_IN)


def _importing() -> Iterator[str]:
    """The modules with a function that imports one of the project's own."""
    for path in SOURCES:
        functions = (
            node for node in ast.walk(parsed(path)) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        )
        imported = (node for function in functions for node in ast.walk(function) if isinstance(node, ast.ImportFrom))
        if any((node.module or "").startswith("retrieval") for node in imported):
            yield module_name(path)
