"""The tables of Azure AI Search's contracts, by route and version.

A version that is in no table is refused, unless `later_versions` finds a substitute. A new version needs a row in the
table and a module of its own, which is loaded when the version is first looked up.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cache
from importlib import import_module
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, Protocol, TypeVar

from retrieval.contracts.rendered import Rendered
from retrieval.errors import UnsupportedVersion
from retrieval.model.definitions import Agent, SourceKind
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


class Version(Contract[Outcome], Protocol):
    """The contracts of a version: of retrieve, of its events, and of definitions.

    `request` and `response` are the shapes of retrieve. `kinds` are the kinds of sources that the version has.
    `threshold` is that of a definition that states none. `events` is None if the version has no events.
    """

    name: str
    kinds: tuple[SourceKind, ...]

    @property
    def request(self) -> Any: ...

    @property
    def response(self) -> Any: ...

    @property
    def threshold(self) -> float: ...

    @property
    def events(self) -> "Events | None": ...

    def definitions(self, route: str) -> Any:
        """The AzureDefinitions of a route."""


_AGENTS: Final = ("agents",)
_BASES: Final = ("knowledgebases", "knowledgesources", "knowledgesources/status")

VERSIONS: Final[Mapping[str, Sequence[str]]] = MappingProxyType(
    {
        "2025-05-01-preview": _AGENTS,
        "2025-08-01-preview": (*_AGENTS, "knowledgesources"),
        "2025-11-01-preview": _BASES,
        "2026-04-01": _BASES,
        "2026-05-01-preview": _BASES,
        "2026-08-01-preview": _BASES,
        "2026-10-01": _BASES,
        "2026-11-01-preview": _BASES,
    }
)
"""The routes of each api-version of Azure AI Search. The module of a version is named after the version."""


PROVISIONAL: Final = frozenset({"2026-11-01-preview"})
"""The versions whose specification is not public yet. Until the specification is public, this service may change how it
implements such a version."""


def versions_of(route: str) -> Sequence[str]:
    """The versions that have a route."""
    return [version for version, routes in VERSIONS.items() if route in routes]


def _pairs(*routes: str) -> Sequence[tuple[str, str]]:
    return [
        (route, version) for version, version_routes in VERSIONS.items() for route in routes if route in version_routes
    ]


CONTRACTS: Final = _pairs("agents", "knowledgebases")
"""The route and the version of each retrieve contract."""

DEFINITION_CONTRACTS: Final = _pairs("agents", *_BASES)
"""The route and the version of each contract of definitions."""


def contract(route: str, version: str | None) -> Contract[Outcome]:
    """The contract of a route in a version. The version is compared without case. Raises UnsupportedVersion."""
    return version_of(_known(CONTRACTS, route, version))


def definition_contract(route: str, version: str | None) -> Any:
    """The AzureDefinitions of a route in a version. Raises UnsupportedVersion."""
    return version_of(_known(DEFINITION_CONTRACTS, route, version)).definitions(route)


def definition_contracts() -> Iterator[tuple[str, str, Any]]:
    """Each contract of definitions with its route and its version."""
    return ((route, version, definition_contract(route, version)) for route, version in DEFINITION_CONTRACTS)


def _known(table: Collection[tuple[str, str]], route: str, version: str | None) -> str:
    key = (version or "").lower()
    if (route, key) not in table:
        supported = sorted(table_version for name, table_version in table if name == route)
        raise UnsupportedVersion(
            version, supported, elsewhere=[name for name, table_version in table if table_version == key]
        )
    return key


def contract_name(table: Collection[tuple[str, str]], route: str, version: str | None) -> str:
    """The name of a contract in logs and metrics: its route and its version. A version that is not in the table becomes
    `-`.

    A caller can send any text as a version, and that text must not get into logs and metrics.
    """
    lower_version = (version or "").lower()
    return f"{route} {lower_version if (route, lower_version) in table else '-'}"


def events_of(route: str, version: str | None) -> "Events | None":
    """The contract that renders a retrieval as events in a version. None if the version has no events."""
    key = (version or "").lower()
    return version_of(key).events if (route, key) in CONTRACTS else None


@cache
def version_of(name: str) -> Version:
    """The version of a name in the table."""
    module = import_module(f"retrieval.contracts.azure.versions.v{name.replace('-', '_')}")
    version: Version = module.VERSION
    return version
