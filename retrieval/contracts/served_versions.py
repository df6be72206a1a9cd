"""The tables of Azure AI Search's contracts, by route and version.

A version that is in no table is refused, unless `served_as` finds a substitute. A client may ask for a version that is
newer than this service. A later version of Azure's API usually only adds members. So the newest known version of the
same sort, GA or preview, is the best substitute.

A new version needs a row in the table and a module of its own, which is loaded when the version is first looked up.
"""

import re
from collections.abc import Collection, Hashable, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import date
from functools import cache
from importlib import import_module
from types import MappingProxyType
from typing import Any, Final, Protocol, TypeVar

from retrieval.contracts.rendered import Rendered
from retrieval.errors import UnsupportedVersion
from retrieval.model.definitions import Agent, SourceKind
from retrieval.model.retrieval import Outcome, RetrievalRequest

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


class Version(Contract[Outcome], Hashable, Protocol):
    """The contracts of a version: of retrieve, of its events, and of definitions.

    `kinds` are the kinds of sources that the version has. `changes` has the members, as `Shape.member`, that it has or
    lacks whatever their marks say. `request` and `response` are the shapes of retrieve. `threshold` is that of a
    definition that states none.
    """

    @property
    def name(self) -> str: ...

    @property
    def kinds(self) -> tuple[SourceKind, ...]: ...

    @property
    def changes(self) -> Mapping[str, bool]: ...

    request: Any
    response: Any

    @property
    def threshold(self) -> float: ...

    @property
    def answer_first(self) -> bool | None: ...

    @property
    def events(self) -> Any:
        """The Events of the version, which has events unless `answer_first` is None."""

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

CONTRACTS: Final = [
    (route, version) for version, routes in VERSIONS.items() for route in routes if route in ("agents", _BASES[0])
]
"""The route and the version of each retrieve contract."""

DEFINITION_CONTRACTS: Final = [(route, version) for version, routes in VERSIONS.items() for route in routes]
"""The route and the version of each contract of definitions."""

SERVED: Final = "api-version-served"
"""The response header with the version of the answer. It is sent if the caller asked for another version."""

_FORM: Final = r"([0-9]{4}-[0-9]{2}-[0-9]{2})(-preview)?"


def versions_of(route: str) -> Sequence[str]:
    """The versions that have a route."""
    return [version for version, routes in VERSIONS.items() if route in routes]


def contract(route: str, version: str | None) -> Version:
    """The contract of a route in a version. The version is compared without case. Raises UnsupportedVersion."""
    return _known(CONTRACTS, route, version)


def definition_contract(route: str, version: str | None) -> Any:
    """The AzureDefinitions of a route in a version. Raises UnsupportedVersion."""
    return _known(DEFINITION_CONTRACTS, route, version).definitions(route)


def definition_contracts() -> Iterator[tuple[str, str, Any]]:
    """Each contract of definitions with its route and its version."""
    return ((route, version, definition_contract(route, version)) for route, version in DEFINITION_CONTRACTS)


def _known(table: Collection[tuple[str, str]], route: str, version: str | None) -> Version:
    key = (version or "").lower()
    if (route, key) not in table:
        supported = sorted(table_version for name, table_version in table if name == route)
        raise UnsupportedVersion(
            version, supported, elsewhere=[name for name, table_version in table if table_version == key]
        )
    return version_of(key)


def contract_name(table: Collection[tuple[str, str]], route: str, version: str | None) -> str:
    """The name of a contract in logs and metrics: its route and its version. A version that is not in the table becomes
    `-`.

    A caller can send any text as a version, and that text must not get into logs and metrics.
    """
    lower_version = (version or "").lower()
    return f"{route} {lower_version if (route, lower_version) in table else '-'}"


@cache
def version_of(name: str) -> Version:
    """The version of a name in the table."""
    version: Version = import_module(f"retrieval.contracts.azure.versions.v{name.replace('-', '_')}").VERSION
    return version


def served_as(version: str, known_versions: Collection[str]) -> str | None:
    """The newest known version of the same sort, GA or preview, if `version` is later than all known versions.

    None for any other version or text, and if no known version is of the same sort.
    """
    match = re.fullmatch(_FORM, version, re.IGNORECASE)
    if match and match[1] > max(known_version[:10] for known_version in known_versions):
        with suppress(ValueError):
            date.fromisoformat(match[1])
            return newest(known_versions, preview=match[2] is not None)
    return None


def newest(known_versions: Collection[str], *, preview: bool) -> str | None:
    """The newest known version of one sort, preview or GA; None if no known version is of that sort."""
    return max((version for version in known_versions if version.endswith("-preview") == preview), default=None)
