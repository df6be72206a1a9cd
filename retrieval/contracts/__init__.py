"""The contracts that callers use, in a table: from bytes to the hub, and back to bytes.

A contract is a module with `parse`, `render` and `render_error`; that of definitions has an object for each kind. A
missing key is the version gate; a new version is one more row and one more package, which imports no other version's.
The tables hold names, so a contract is loaded at its first call.

- `answer`: The answer workflow, `POST agents/{name}/answer`: one request, and its answer in two forms
- `azure`: Azure AI Search's contracts: one package a version, and what all versions share
- `doctor`: The answer of `GET doctor`: what is wrong with the deployment
- `health`: The answers for monitors: the process is alive, and whether it can serve
- `mcp`: MCP, the Model Context Protocol, over streamable HTTP without sessions: `POST agents/{name}/mcp`
- `model_studio`: Alibaba Cloud Model Studio, Retrieve, version 2023-12-29: `POST {workspaceId}/index/retrieve`
- `protected_resource`: The metadata of an address of MCP: which authority signs its callers in, and for which scope
- `retry_after`: When an answer says that the call may be sent again
- `rendered`: What a contract renders: status, headers and a body, before any web framework
- `server_sent_events`: Server-sent events as bytes
- `version_gate`: The gate for versions that nobody knows yet: the one place that compares dates
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from functools import cache
from importlib import import_module
from types import MappingProxyType, ModuleType
from typing import Final, Protocol, TypeAlias, cast

from retrieval.contracts.rendered import Part, Rendered
from retrieval.errors import RetrievalError, UnsupportedVersion
from retrieval.model.activity import Activity, Begun
from retrieval.model.definitions import Agent, ModelDeployment, Source
from retrieval.model.etags import Defined, Kept, Stored
from retrieval.model.retrieval import Outcome, RetrievalRequest


class Contract(Protocol):
    """One version of one contract."""

    def parse(self, body: bytes, agent: Agent, *, user_token: str | None) -> RetrievalRequest:
        """The request in hub terms, defaults filled in from the agent and the contract. Raises BadRequest."""

    def render(self, outcome: Outcome) -> Rendered:
        """The answer to a retrieval."""

    def render_error(self, error: RetrievalError) -> Rendered:
        """The answer for an error, in the contract's envelope."""


HasKey: TypeAlias = Callable[[ModelDeployment], bool]
"""Whether the configuration holds a key for a model."""


class DefinitionContract(Protocol[Defined]):
    """One version of the definitions of a kind. Where it `names_indexes`, of Azure's one at most, it has no sources;
    where it is `paged`, a list is as much as its query asks for."""

    @property
    def names_indexes(self) -> bool:
        """Whether a definition names indexes instead of knowledge sources."""

    @property
    def paged(self) -> bool:
        """Whether `search`, `pageSize` and `searchType` say how much of a list is wanted."""

    def parse(self, body: bytes, *, name: str | None, has_key: HasKey) -> Callable[[Defined | None], Defined]:
        """What a body makes of what is stored; `name` is the one of the address. Raises BadRequest."""

    def render(self, stored: Stored[Defined], *, status: int, has_key: HasKey) -> Rendered:
        """One definition, no secret in it."""

    def render_all(self, kept: Sequence[Kept[Defined]], *, has_key: HasKey, following: str | None = None) -> Rendered:
        """The list; what cannot be read is in it by its name. `following` is a link to the rest."""

    def read_all(self, values: object) -> tuple[Defined, ...]:
        """The definitions of a file, from a JSON array. Raises ValueError."""


class SourceContract(DefinitionContract[Source], Protocol):
    """One version of the definitions of knowledge sources."""

    def render_status(self, source: Source) -> Rendered:
        """Whether a source can be searched."""


class EventContract(Protocol):
    """One version of a retrieval as events. `id` is that of the call, each id of an activity as in the whole answer."""

    def started(self, request: RetrievalRequest, agent: Agent, *, id: str) -> bytes:
        """What is asked: the first event."""

    def begun(self, activity: Begun, *, id: int, at: datetime) -> bytes:
        """An activity that begins."""

    def ended(self, activity: Activity, *, id: int, request: RetrievalRequest) -> bytes:
        """Its record."""

    def completed(self, outcome: Outcome) -> tuple[Part, ...]:
        """The references, the answer if one was asked for, and the whole answer: the last events."""


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
"""The api-versions of Azure AI Search, each with its routes: a row a version, whose package is named after it."""


PROVISIONAL: Final = frozenset({"2026-11-01-preview"})
"""Those whose specification is not public: what they mean here may change until it is."""


def versions_of(route: str) -> Sequence[str]:
    """The versions that have a route."""
    return [version for version, routes in VERSIONS.items() if route in routes]


def _served(*routes: str, module: str = "") -> Mapping[tuple[str, str], str]:
    named = ((route, version) for version, served in VERSIONS.items() for route in routes if route in served)
    return MappingProxyType(
        {(route.partition(" ")[0], version): f"azure.v{version.replace('-', '_')}{module}" for route, version in named}
    )


CONTRACTS: Final = _served("agents", "knowledgebases")
"""The module of each contract, by route and version."""

DEFINITION_CONTRACTS: Final = _served("agents", *_BASES, module=".definitions")
"""The module of the definitions of each kind, by route and version; it has one contract a kind."""

EVENTS: Final = _served(_EVENTS, module=".events")
"""The module that renders a retrieval as events, by route and version; a version that is not here has none."""

_OF_ROUTE: Final = {
    "agents": "AGENTS",
    "knowledgebases": "BASES",
    "knowledgesources": "SOURCES",
    "knowledgesources/status": "SOURCES",
}


def contract(route: str, version: str | None) -> Contract:
    """The contract of a route in a version, compared without case. Raises UnsupportedVersion."""
    return cast(Contract, _loaded(_module(CONTRACTS, route, version)))


def agent_contract(route: str, version: str | None) -> DefinitionContract[Agent]:
    """That of agents' definitions, or of knowledge bases', in a version. Raises UnsupportedVersion."""
    return cast(DefinitionContract[Agent], _defined(route, version))


def source_contract(version: str | None, *, route: str = "knowledgesources") -> SourceContract:
    """That of knowledge sources, or of their status, in a version. Raises UnsupportedVersion."""
    return cast(SourceContract, _defined(route, version))


def definition_contracts() -> Iterator[tuple[str, str, object]]:
    """Each contract of definitions with its route and its version."""
    return ((route, version, _defined(route, version)) for route, version in DEFINITION_CONTRACTS)


def _defined(route: str, version: str | None) -> object:
    return getattr(_loaded(_module(DEFINITION_CONTRACTS, route, version)), _OF_ROUTE[route])


def _module(table: Mapping[tuple[str, str], str], route: str, version: str | None) -> str:
    asked = (version or "").lower()
    module = table.get((route, asked))
    if module is None:
        supported = sorted(known for name, known in table if name == route)
        raise UnsupportedVersion(version, supported, elsewhere=[name for name, known in table if known == asked])
    return module


def contract_name(table: Mapping[tuple[str, str], str], route: str, version: str | None) -> str:
    """A contract as logs and metrics have it: the version is `-` where the table lacks it, since callers send any."""
    known = (version or "").lower()
    return f"{route} {known if (route, known) in table else '-'}"


def events_of(route: str, version: str | None) -> EventContract | None:
    """How a retrieval is told as events in that version; None where it has none."""
    module = EVENTS.get((route, (version or "").lower()))
    return None if module is None else cast(EventContract, _loaded(module).EVENTS)


@cache
def _loaded(module: str) -> ModuleType:
    return import_module(f"{__name__}.{module}")
