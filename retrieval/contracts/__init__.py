"""The contracts that callers use, in a table: from bytes to the hub, and back to bytes.

A contract is a module with `parse`, `render` and `render_error`; that of definitions has `parse_agent`, `render_agent`
and `render_agents`. A missing key is the version gate; a new version is one more row and one more
package, which imports no other version's. The tables hold names, so a contract is loaded at its first call.

- `answer`: The answer workflow, `POST agents/{name}/answer`: one request, and its answer in two forms
- `azure`: Azure AI Search's contracts: one package a version, and what all versions share
- `health`: The answers for monitors: the process is alive, and whether it can serve
- `mcp`: MCP, the Model Context Protocol, over streamable HTTP without sessions: `POST agents/{name}/mcp`
- `model_studio`: Alibaba Cloud Model Studio, Retrieve, version 2023-12-29: `POST {workspaceId}/index/retrieve`
- `retry_after`: When an answer says that the call may be sent again
- `rendered`: What a contract renders: status, headers and a body, before any web framework
- `server_sent_events`: Server-sent events as bytes
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import datetime
from functools import cache
from importlib import import_module
from types import MappingProxyType
from typing import Final, Protocol, cast

from retrieval.contracts.rendered import Rendered
from retrieval.errors import RetrievalError, UnsupportedVersion
from retrieval.model.activity import Activity, Begun
from retrieval.model.definitions import Agent, ModelDeployment
from retrieval.model.etags import Kept, Stored
from retrieval.model.retrieval import Outcome, RetrievalRequest


class Contract(Protocol):
    """One version of one contract."""

    def parse(self, body: bytes, agent: Agent, *, user_token: str | None) -> RetrievalRequest:
        """The request in hub terms, defaults filled in from the agent and the contract. Raises BadRequest."""

    def render(self, outcome: Outcome) -> Rendered:
        """The answer to a retrieval."""

    def render_error(self, error: RetrievalError) -> Rendered:
        """The answer for an error, in the contract's envelope."""


class AgentContract(Protocol):
    """One version of the definitions of agents. `has_key` says whether the configuration holds a key for a model."""

    def parse_agent(self, body: bytes, *, name: str | None, has_key: Callable[[ModelDeployment], bool]) -> Agent:
        """The agent that a body defines; `name` is the name in the path. Raises BadRequest."""

    def render_agent(
        self, stored: Stored[Agent], *, status: int, has_key: Callable[[ModelDeployment], bool]
    ) -> Rendered:
        """One definition, no secret in it."""

    def render_agents(self, kept: Sequence[Kept[Agent]], *, has_key: Callable[[ModelDeployment], bool]) -> Rendered:
        """The list of all; what cannot be read is in it by its name."""


class EventContract(Protocol):
    """One version of a retrieval as events. `id` is that of the call, each id of an activity as in the whole answer."""

    def started(self, request: RetrievalRequest, agent: Agent, *, id: str) -> bytes:
        """What is asked: the first event."""

    def begun(self, activity: Begun, *, id: int, at: datetime) -> bytes:
        """An activity that begins."""

    def ended(self, activity: Activity, *, id: int, request: RetrievalRequest) -> bytes:
        """Its record."""

    def completed(self, outcome: Outcome) -> tuple[bytes, ...]:
        """The references, the answer if one was asked for, and the whole answer: the last events."""


CONTRACTS: Final[Mapping[tuple[str, str], str]] = MappingProxyType(
    {
        ("agents", "2025-05-01-preview"): "azure.v2025_05_01_preview",
        ("agents", "2025-08-01-preview"): "azure.v2025_08_01_preview",
        ("knowledgebases", "2025-11-01-preview"): "azure.v2025_11_01_preview",
        ("knowledgebases", "2026-04-01"): "azure.v2026_04_01",
        ("knowledgebases", "2026-05-01-preview"): "azure.v2026_05_01_preview",
        ("knowledgebases", "2026-08-01-preview"): "azure.v2026_08_01_preview",
    }
)
"""The module of each contract, by route and version."""

AGENT_CONTRACTS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "2025-05-01-preview": "azure.v2025_05_01_preview.agents",
    }
)
"""The module of the definitions of agents, by version."""

EVENTS: Final[Mapping[tuple[str, str], str]] = MappingProxyType(
    {
        ("knowledgebases", "2026-08-01-preview"): "azure.v2026_08_01_preview.events",
    }
)
"""The module that renders a retrieval as events, by route and version; a version that is not here has none."""


def contract(route: str, version: str | None) -> Contract:
    """The contract of a route in a version, compared without case. Raises UnsupportedVersion."""
    module = CONTRACTS.get((route, (version or "").lower()))
    if module is None:
        raise UnsupportedVersion(version, sorted(known for name, known in CONTRACTS if name == route))
    return cast(Contract, _loaded(module))


def agent_contract(version: str | None) -> AgentContract:
    """The contract of agents' definitions in a version, compared without case. Raises UnsupportedVersion."""
    module = AGENT_CONTRACTS.get((version or "").lower())
    if module is None:
        raise UnsupportedVersion(version, sorted(AGENT_CONTRACTS))
    return cast(AgentContract, _loaded(module))


def version_name(table: Collection[str], version: str | None) -> str:
    """An api-version as logs and metrics have it: `-` where it is none of the table's, since anybody can send one."""
    known = (version or "").lower()
    return known if known in table else "-"


def events_of(route: str, version: str | None) -> EventContract | None:
    """How a retrieval is told as events in that version; None where it has none."""
    module = EVENTS.get((route, (version or "").lower()))
    return None if module is None else cast(EventContract, _loaded(module))


@cache
def _loaded(module: str) -> object:
    return import_module(f"{__name__}.{module}")
