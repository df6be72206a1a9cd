"""What a cold start loads: nothing that is for a first use only, nothing of the local part, nothing of the tests."""

import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

ROOT: Final = Path(__file__).resolve().parent.parent
LATER: Final = frozenset(
    {
        "openai",
        "aiohttp",
        "lark",
        "mcp",
        "mcp_types",
        "azure.data.tables",
        "retrieval.backends.definitions.file",
        "retrieval.contracts.health",
        "retrieval.openapi",
        "retrieval.playground",
        "retrieval.text.languages",
        "retrieval.telemetry.readiness",
        "jwt",
        "cryptography",
        "opentelemetry",
        "azure.monitor",
    }
)
NEVER: Final = frozenset(
    {"retrieval.local", "tantivy", "luqum", "numpy", "re2", "snowballstemmer", "starlette", "uvicorn"}
)
TESTS: Final = frozenset({"pytest", "hypothesis", "httpx", "tests"})


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
    assert {"function_app", "retrieval.call.retrieve", "azure.functions"} <= loaded
