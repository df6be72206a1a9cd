"""Imports point one way: the layers of the project, who may import an SDK, who may read the environment."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
SOURCES = [ROOT / "function_app.py", *sorted((ROOT / "retrieval").rglob("*.py"))]

LAYERS = [
    {"function_app"},
    {"retrieval.compose"},
    {"retrieval.management", "retrieval.monitoring", "retrieval.tool_calls", "retrieval.answering"},
    {"retrieval.openapi"},
    {"retrieval.endpoints"},
    {"retrieval.contracts", "retrieval.backends", "retrieval.access", "retrieval.workflow", "retrieval.settings"},
    {"retrieval.rounds"},
    {"retrieval.pipeline", "retrieval.model_calls"},
    {"retrieval.account", "retrieval.environment", "retrieval.readiness", "retrieval.steps"},
    {"retrieval.plan", "retrieval.merge", "retrieval.ground"},
    {"retrieval.sources", "retrieval.near_duplicates"},
    {"retrieval.carry_over"},
    {"retrieval.telemetry"},
    {"retrieval.ports"},
    {"retrieval.stored"},
    {"retrieval.answer"},
    {"retrieval.model", "retrieval.knowledge_base"},
    {"retrieval.filters"},
    {"retrieval.logs"},
    {"retrieval.errors"},
]
"""Each layer imports only what stands below it; parts of one layer do not import each other, but for their own."""

ALLOWED_IN = {
    "azure.functions": {"function_app", "retrieval.local.host"},
    "azure": {"retrieval.backends", "retrieval.compose", "retrieval.local"},
    "openai": {"retrieval.backends.azure_openai"},
    "aiohttp": {"retrieval.backends"},
    "alibabacloud_bailian20231229": {"retrieval.backends.model_studio"},
    "alibabacloud_tea_openapi": {"retrieval.backends.model_studio"},
    "darabonba": {"retrieval.backends.model_studio"},
    "mcp": {"retrieval.contracts.mcp"},
    "mcp_types": {"retrieval.contracts.mcp"},
    "opentelemetry": {"retrieval.telemetry"},
    "jwt": {"retrieval.access.entra"},
    "cryptography": {"retrieval.access", "retrieval.local"},
    "uvicorn": {"retrieval.local"},
    "tantivy": {"retrieval.local"},
    "lark": {"retrieval.filters", "retrieval.local"},
    "pydantic": {"retrieval.contracts", "retrieval.backends", "retrieval.local", "retrieval.openapi"},
}


def module_name(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


def imports(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0 and node.module, f"{path} imports relatively"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def within(module: str, package: str) -> bool:
    return module == package or module.startswith(f"{package}.")


def layer(module: str) -> tuple[int, str] | None:
    found = ((depth, part) for depth, parts in enumerate(LAYERS) for part in parts if within(module, part))
    return next(found, None)


@pytest.mark.parametrize("path", SOURCES, ids=module_name)
def test_a_module_imports_only_what_stands_below_it(path: Path) -> None:
    here = layer(module_name(path))
    if here is None:
        return
    for imported in imports(path):
        there = layer(imported)
        assert there is None or there[0] > here[0] or there[1] == here[1], f"{module_name(path)} imports {imported}"


@pytest.mark.parametrize("path", SOURCES, ids=module_name)
def test_every_module_of_the_product_has_its_layer(path: Path) -> None:
    name = module_name(path)
    assert name == "retrieval" or within(name, "retrieval.local") or layer(name), f"{name} has no layer"


@pytest.mark.parametrize("path", SOURCES, ids=module_name)
def test_only_compose_knows_the_local_part_and_only_lazily(path: Path) -> None:
    name = module_name(path)
    if within(name, "retrieval.local"):
        return
    top_level = {alias for node in ast.parse(path.read_text(encoding="utf-8")).body for alias in _names(node)}
    assert not any(within(imported, "retrieval.local") for imported in top_level)
    if name != "retrieval.compose.search":
        assert not any(within(imported, "retrieval.local") for imported in imports(path))


def _names(node: ast.stmt) -> Iterator[str]:
    if isinstance(node, ast.ImportFrom) and node.module:
        yield node.module
    elif isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)


@pytest.mark.parametrize("path", SOURCES, ids=module_name)
def test_a_package_is_imported_only_where_it_belongs(path: Path) -> None:
    for imported in imports(path):
        package = next((known for known in ALLOWED_IN if within(imported, known)), None)
        if package is not None:
            homes = ALLOWED_IN[package]
            assert any(within(module_name(path), home) for home in homes), f"{module_name(path)} imports {imported}"


@pytest.mark.parametrize("path", SOURCES, ids=module_name)
def test_no_contract_imports_another_version(path: Path) -> None:
    name = module_name(path)
    version = next((part for part in name.split(".") if part.startswith("v20")), None)
    if version is None:
        return
    assert not any(part.startswith("v20") and part != version for one in imports(path) for part in one.split("."))


@pytest.mark.parametrize("path", SOURCES, ids=module_name)
def test_only_the_composition_hands_the_environment_to_the_settings(path: Path) -> None:
    name = module_name(path)
    if name == "retrieval.compose" or within(name, "retrieval.local"):
        return
    assert not any(one in {"os", "os.environ", "os.getenv"} for one in imports(path)), f"{name} imports os"
