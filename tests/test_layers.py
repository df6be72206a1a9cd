"""Imports point one way: the layers of the project, who may import an SDK, who may read the environment."""

import ast
from collections.abc import Collection, Iterator, Sequence
from functools import cache
from pathlib import Path

from retrieval.sources import ROOMS
from tests.deployment import package

ROOT = Path(__file__).resolve().parent.parent
SOURCES = [
    ROOT / "function_app.py",
    *(path for folder in ("retrieval", "tools") for path in sorted((ROOT / folder).rglob("*.py"))),
]

LAYERS: list[list[tuple[str, ...]]] = [
    [("function_app",), ("retrieval.doctor.__main__", "retrieval.doctor.export_import"), ("tools",)],
    [("retrieval.compose",)],
    [("retrieval.doctor",), ("retrieval.contracts.mcp",), ("retrieval.contracts.model_studio",)],
    [("retrieval.http",)],
    [
        ("retrieval.playground",),
        ("retrieval.sources.model_studio",),
        ("retrieval.sources.mcp_server",),
    ],
    [
        ("retrieval.contracts",),
        ("retrieval.answer", "retrieval.retrieve", "retrieval.writing", "retrieval.call"),
        ("retrieval.sources.search_index",),
        ("retrieval.definitions",),
        ("retrieval.models",),
        ("retrieval.access",),
        ("retrieval.settings",),
    ],
    [("retrieval.outgoing",), ("retrieval.sources",)],
    [("retrieval.telemetry",), ("retrieval.text",)],
    [("retrieval.ports",)],
    [("retrieval.model",)],
    [("retrieval.filters",)],
    [
        ("retrieval.errors", "retrieval.text.counted_noun"),
        ("retrieval.text.strict_json",),
        ("retrieval.threads",),
        ("retrieval.version",),
    ],
]
"""Each row imports only what stands below it. Parts of one row do not import each other, but along a chain."""

SEARCH_SERVICE = [
    {"api"},
    {"features"},
    {"engine"},
    {"models", "query"},
    {"definitions"},
    {"text"},
    {"bodies", "errors", "problems", "request_line"},
]
"""The folders of the local search service, by the same rule. Modules of one folder import each other."""

ALLOWED_IN = {
    "azure.functions": {"function_app", "retrieval.local.host"},
    "azurefunctions": {"function_app", "retrieval.http.stream_extension"},
    "azure": {
        "retrieval.compose",
        "retrieval.definitions.table_store",
        "retrieval.local",
        "retrieval.models",
        "retrieval.outgoing",
        "retrieval.sources.search_index",
    },
    "openai": {"retrieval.models", "retrieval.local.search_service.models"},
    "httpx2": {"retrieval.models", "retrieval.local.search_service.models"},
    "fastembed": {"retrieval.local.search_service.models"},
    "aiohttp": {"retrieval.local.evaluation", "retrieval.models", "retrieval.outgoing", "retrieval.sources"},
    "ir_measures": {"retrieval.local.evaluation"},
    "scipy": {"retrieval.local.evaluation"},
    "mcp": {"retrieval.contracts.mcp"},
    "mcp_types": {"retrieval.contracts.mcp"},
    "opentelemetry": {"retrieval.telemetry", "retrieval.local.traces"},
    "jwt": {"retrieval.access.entra"},
    "cryptography": {"retrieval.access", "retrieval.local"},
    "uvicorn": {"retrieval.local"},
    "chardet": {"retrieval.local.documents"},
    "justhtml": {"retrieval.local.documents"},
    "markdown_it": {"retrieval.local.documents"},
    "mammoth": {"retrieval.local.documents"},
    "docutils": {"retrieval.local.documents"},
    "olefile": {"retrieval.local.documents"},
    "openpyxl": {"retrieval.local.documents"},
    "oxmsg": {"retrieval.local.documents"},
    "pptx": {"retrieval.local.documents"},
    "pypdf": {"retrieval.local.documents"},
    "pytest": {"retrieval.local.testing.plugin"},
    "tantivy": {"retrieval.local"},
    "lark": {"retrieval.filters", "retrieval.local"},
    "pydantic": {
        "retrieval.contracts",
        "retrieval.definitions",
        "retrieval.doctor.response",
        "retrieval.local",
        "retrieval.models",
        "retrieval.settings",
        "retrieval.sources",
        "tools.openapi",
    },
}


PURE = ("model", "filters", "text", "call", "retrieve", "writing", "answer", "contracts")
AWAITING = {
    "retrieval.contracts.mcp",
    "retrieval.contracts.model_studio.room",
    "retrieval.call.budget",
    "retrieval.call.model_calls",
    "retrieval.call.ports",
    "retrieval.retrieve.synthesis",
    "retrieval.retrieve.plan.planning",
    "retrieval.retrieve.plan.facet_preferences",
    "retrieval.retrieve.retrieve_documents",
    "retrieval.retrieve.search.searching",
    "retrieval.retrieve.search.tool_calls",
    "retrieval.writing.shown_draft",
    "retrieval.answer.answers",
    "retrieval.answer.reading",
    "retrieval.answer.rounds",
    "retrieval.answer.second_round",
}
"""What awaits in the pure parts: a protocol of an SDK, and the modules that run the steps."""


@cache
def module_name(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


@cache
def parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


@cache
def imports(path: Path) -> Sequence[str]:
    return tuple(_imports(parsed(path), path))


def _imports(tree: ast.Module, path: Path) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0 and node.module, f"{path} imports relatively"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def within(module: str, package: str) -> bool:
    return module == package or module.startswith(f"{package}.")


KINDS = "retrieval.sources.room"
"""The shape of a room of sources, which is none itself."""


@cache
def rooms() -> Sequence[str]:
    """The rooms: the folders that can be taken away."""
    return tuple(
        name.removesuffix(".room") for name in map(module_name, SOURCES) if name.endswith(".room") and name != KINDS
    )


@cache
def place(module: str) -> tuple[int, int, int] | None:
    """The row of a module, its chain in the row and its position in the chain: of the longest name that holds it."""
    found = [
        (len(part), (depth, number, position))
        for depth, row in enumerate(LAYERS)
        for number, chain in enumerate(row)
        for position, part in enumerate(chain)
        if within(module, part)
    ]
    return max(found)[1] if found else None


@cache
def all_imports() -> Sequence[tuple[str, str]]:
    """Each module with each name that it imports."""
    return tuple((module_name(path), imported) for path in SOURCES for imported in imports(path))


def test_a_module_imports_only_what_stands_below_it() -> None:
    assert [f"{name} imports {imported}" for name, imported in all_imports() if not _stands_below(imported, name)] == []


def _stands_below(imported: str, name: str) -> bool:
    here, there = place(name), place(imported)
    if here is None or there is None:
        return True
    return there[0] > here[0] or (there[:2] == here[:2] and there[2] >= here[2])


def test_nothing_of_the_package_imports_the_tools() -> None:
    ours = [(name, imported) for name, imported in all_imports() if not within(name, "tools")]
    assert [f"{name} imports {imported}" for name, imported in ours if within(imported, "tools")] == []


def test_nothing_that_is_deployed_imports_what_is_not_but_the_local_part() -> None:
    names = {module_name(path) for path in SOURCES}
    deployed = {module_name(ROOT / file) for file in package.files() if file.endswith(".py")}
    here = {name for name in names - deployed if not within(name, "retrieval.local")}
    ours = [(name, imported) for name, imported in all_imports() if name in deployed]
    assert [f"{name} imports {imported}" for name, imported in ours if _known(imported, names) in here] == []


def test_the_tools_import_nothing_of_a_folder_that_describes_itself() -> None:
    describing = [module_name(path).removesuffix(".description") for path in SOURCES if path.name == "description.py"]
    theirs = [(name, imported) for name, imported in all_imports() if within(name, "tools")]
    found = [
        f"{name} imports {imported}" for name, imported in theirs if any(within(imported, one) for one in describing)
    ]
    assert len(describing) > 1 and found == []


def test_every_module_of_the_product_has_its_layer() -> None:
    names = [module_name(path) for path in SOURCES]
    product = [name for name in names if name != "retrieval" and not within(name, "retrieval.local")]
    assert [name for name in product if place(name) is None] == []


def test_only_compose_knows_the_local_part_and_only_lazily() -> None:
    for path in SOURCES:
        name = module_name(path)
        if within(name, "retrieval.local"):
            continue
        top_level = {alias for node in parsed(path).body for alias in _names(node)}
        assert not any(within(imported, "retrieval.local") for imported in top_level), name
        if name != "retrieval.compose.search":
            assert not any(within(imported, "retrieval.local") for imported in imports(path)), name


def _names(node: ast.stmt) -> Iterator[str]:
    if isinstance(node, ast.ImportFrom) and node.module:
        yield node.module
    elif isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)


def test_a_package_is_imported_only_where_it_belongs() -> None:
    for name, imported in all_imports():
        package = next((known for known in ALLOWED_IN if within(imported, known)), None)
        if package is not None:
            assert any(within(name, home) for home in ALLOWED_IN[package]), f"{name} imports {imported}"


def test_what_is_pure_awaits_nothing() -> None:
    pure = [path for path in SOURCES if any(within(module_name(path), f"retrieval.{part}") for part in PURE)]
    awaiting = {module_name(path) for path in pure if any(map(_awaits, ast.walk(parsed(path))))}
    assert {name for name in awaiting if not any(within(name, part) for part in AWAITING)} == set()


def _awaits(node: ast.AST) -> bool:
    return isinstance(node, ast.Await | ast.AsyncFunctionDef | ast.AsyncFor | ast.AsyncWith)


def test_a_kind_of_source_awaits_and_calls_out_only_in_its_search_and_its_checks() -> None:
    rooms = [f"retrieval.sources.{folder}" for folder in ROOMS.values()]
    may = [f"{room}.{part}" for room in rooms for part in ("search", "checks")]
    paths = {module_name(path): path for path in SOURCES}
    pure = {name for name in paths if _is_in(name, rooms) and not _is_in(name, may)}
    assert len(pure) > 2 * len(rooms)
    assert {name for name in pure if any(map(_awaits, ast.walk(parsed(paths[name]))))} == set()
    assert [name for name, imported in all_imports() if name in pure and within(imported, "aiohttp")] == []


def test_a_kind_of_source_is_known_by_its_row_alone() -> None:
    rooms = [f"retrieval.sources.{folder}" for folder in ROOMS.values()]
    others = [(name, imported) for name, imported in all_imports() if not _is_in(name, rooms)]
    assert [f"{name} imports {imported}" for name, imported in others if _is_in(imported, rooms)] == []


def _is_in(name: str, packages: Collection[str]) -> bool:
    return any(within(name, package) for package in packages)


def test_no_room_imports_another() -> None:
    known = rooms()
    theirs = [(name, imported, room) for name, imported in all_imports() for room in known if within(name, room)]
    others = [
        f"{name} imports {imported}"
        for name, imported, room in theirs
        if any(within(imported, other) for other in known if other != room)
    ]
    assert len(known) > 0 and others == []


def test_only_its_row_imports_a_room() -> None:
    known = [(name, imported, room) for name, imported in all_imports() for room in rooms() if within(imported, room)]
    outside = [(name, imported) for name, imported, room in known if not within(name, room)]
    rows = ("retrieval.compose.rooms", "retrieval.compose.search")
    assert [f"{name} imports {imported}" for name, imported in outside if name not in rows] == []


def test_no_contract_imports_another_version() -> None:
    for name, imported in all_imports():
        version = next((part for part in name.split(".") if part.startswith("v20")), None)
        others = [part for part in imported.split(".") if part.startswith("v20") and part != version]
        assert version is None or not others, f"{name} imports {imported}"


def test_only_the_composition_hands_the_environment_to_the_settings() -> None:
    may = {"retrieval.compose", "retrieval.doctor.__main__"}
    reading = [name for name, imported in all_imports() if imported in {"os", "os.environ", "os.getenv"}]
    assert [name for name in reading if name not in may and not within(name, "retrieval.local")] == []


def test_a_folder_of_the_search_service_imports_only_what_stands_below_it() -> None:
    for name, imported in all_imports():
        here, there = _folder(name), _folder(imported)
        if here is None or there is None:
            continue
        below = there[0] > here[0] or there == here or here[0] == there[0] == len(SEARCH_SERVICE) - 1
        assert below, f"{name} imports {imported}"


def _folder(module: str) -> tuple[int, str] | None:
    """The row of a module of the search service, and its folder there."""
    inner = module.removeprefix("retrieval.local.search_service.")
    part = inner.partition(".")[0]
    return next(((row, part) for row, parts in enumerate(SEARCH_SERVICE) if inner != module and part in parts), None)


def test_no_import_goes_round_in_a_circle() -> None:
    names = {module_name(path): path for path in SOURCES}
    graph = {name: {_known(one, names) for one in imports(path)} - {"", name} for name, path in names.items()}
    while graph:
        free = {name for name, needed in graph.items() if not needed & graph.keys()}
        assert free, f"These import each other: {sorted(graph)}"
        graph = {name: needed for name, needed in graph.items() if name not in free}


def _known(imported: str, names: Collection[str]) -> str:
    """The module that an import leads to, empty where it is none of the project's."""
    while imported and imported not in names:
        imported = imported.rpartition(".")[0]
    return imported
