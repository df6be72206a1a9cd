"""The tables of Azure AI Search's contracts, by route and version.

A contract of retrieve is a module with `parse` and `render`. A module of definitions has a contract for each kind of
definition. A version that is in no table is refused, unless `later_versions` finds a substitute. A new version needs a
row in the table and a package of its own. The package of a version does not import the package of another version. The
tables hold the names of modules. A module is loaded when its contract is first looked up.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib import import_module
from types import MappingProxyType, ModuleType
from typing import TYPE_CHECKING, Any, Final, Protocol, TypeVar, cast

from retrieval.contracts.rendered import Rendered
from retrieval.errors import UnsupportedVersion
from retrieval.model.definitions import Agent
from retrieval.model.retrieval import Outcome, RetrievalRequest

if TYPE_CHECKING:
    from retrieval.contracts.azure.retrieve.events import Events


Result_contra = TypeVar("Result_contra", contravariant=True)


class Contract(Protocol[Result_contra]):
    """A contract in one version: it reads the request from bytes, and renders the result as bytes."""

    def parse(self, body: bytes, agent: Agent, *, user_token: str | None) -> RetrievalRequest:
        """Reads the retrieval request. Members that the body leaves out get the default of the agent or of the
        contract.

        Raises BadRequest.
        """

    def render(self, result: Result_contra, /) -> Rendered:
        """Renders the answer for a result."""


_AGENTS: Final = ("agents",)
_BASES: Final = ("knowledgebases", "knowledgesources", "knowledgesources/status")
_EVENTS: Final = "knowledgebases as events"

VERSIONS: Final[Mapping[str, Sequence[str]]] = MappingProxyType(
    {
        "2025-05-01-preview": _AGENTS,
        "2025-08-01-preview": (*_AGENTS, "knowledgesources"),
        "2025-11-01-preview": _BASES,
        "2026-04-01": _BASES,
        "2026-05-01-preview": _BASES,
        "2026-08-01-preview": (*_BASES, _EVENTS),
        "2026-10-01": (*_BASES, _EVENTS),
        "2026-11-01-preview": (*_BASES, _EVENTS),
    }
)
"""The routes of each api-version of Azure AI Search. The package of a version is named after the version."""


PROVISIONAL: Final = frozenset({"2026-11-01-preview"})
"""The versions whose specification is not public yet. Until the specification is public, this service may change how it
implements such a version."""


def versions_of(route: str) -> Sequence[str]:
    """The versions that have a route."""
    return [version for version, routes in VERSIONS.items() if route in routes]


def _modules(*routes: str, module: str) -> Mapping[tuple[str, str], str]:
    pairs = (
        (route, version) for version, version_routes in VERSIONS.items() for route in routes if route in version_routes
    )
    return MappingProxyType(
        {(route.partition(" ")[0], version): f"azure.v{version.replace('-', '_')}{module}" for route, version in pairs}
    )


CONTRACTS: Final = _modules("agents", "knowledgebases", module=".retrieve")
"""The module of each retrieve contract, by route and version."""

DEFINITION_CONTRACTS: Final = _modules("agents", *_BASES, module=".definitions")
"""The module of the definitions, by route and version. A module has one contract for each kind of definition."""

EVENTS: Final = _modules(_EVENTS, module=".events")
"""The module that renders a retrieval as events, by route and version. A version that is missing here has no events."""

_OF_ROUTE: Final = {
    "agents": "AGENTS",
    "knowledgebases": "BASES",
    "knowledgesources": "SOURCES",
    "knowledgesources/status": "SOURCES",
}


def contract(route: str, version: str | None) -> Contract[Outcome]:
    """The contract of a route in a version. The version is compared without case. Raises UnsupportedVersion."""
    return cast("Contract[Outcome]", _load(_module(CONTRACTS, route, version)))


def definition_contract(route: str, version: str | None) -> Any:
    """The AzureDefinitions of a route in a version. Raises UnsupportedVersion."""
    return getattr(_load(_module(DEFINITION_CONTRACTS, route, version)), _OF_ROUTE[route])


def definition_contracts() -> Iterator[tuple[str, str, Any]]:
    """Each contract of definitions with its route and its version."""
    return ((route, version, definition_contract(route, version)) for route, version in DEFINITION_CONTRACTS)


def _module(table: Mapping[tuple[str, str], str], route: str, version: str | None) -> str:
    key = (version or "").lower()
    module = table.get((route, key))
    if module is None:
        supported = sorted(table_version for name, table_version in table if name == route)
        raise UnsupportedVersion(
            version, supported, elsewhere=[name for name, table_version in table if table_version == key]
        )
    return module


def contract_name(table: Mapping[tuple[str, str], str], route: str, version: str | None) -> str:
    """The name of a contract in logs and metrics: its route and its version. A version that is not in the table becomes
    `-`.

    A caller can send any text as a version, and that text must not get into logs and metrics.
    """
    lower_version = (version or "").lower()
    return f"{route} {lower_version if (route, lower_version) in table else '-'}"


def default_threshold(version: str | None) -> float:
    """The threshold of a knowledge base that states none, in this version. In an unknown version it is that of the
    newest version, since a client of MCP need not name a version."""
    module = CONTRACTS.get(("knowledgebases", (version or "").lower())) or [*CONTRACTS.values()][-1]
    threshold: float = _load(module).DEFAULT_THRESHOLD
    return threshold


def events_of(route: str, version: str | None) -> "Events | None":
    """The contract that renders a retrieval as events in a version. None if the version has no events."""
    module = EVENTS.get((route, (version or "").lower()))
    if module is None:
        return None
    events: Events = _load(module).EVENTS
    return events


@cache
def _load(module: str) -> ModuleType:
    return import_module(f"retrieval.contracts.{module}")
