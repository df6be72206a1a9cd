"""The parts that the endpoints work with, composed once a process."""

import asyncio
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from retrieval import telemetry
from retrieval.access.credentials import Access
from retrieval.access.imposed import ImposedFilters
from retrieval.access.models import AllowedModels
from retrieval.call.run import SCHEMA_SECONDS
from retrieval.call.waiting import Pace
from retrieval.errors import BackendError
from retrieval.filters.schema import Schema
from retrieval.http.in_flight import InFlight
from retrieval.model.calibration import Calibration
from retrieval.model.definitions import Agent, Effort, ModelDeployment, PublishedIndex, Source
from retrieval.model.finding import Finding
from retrieval.model.mcp_hosts import NO_HOSTS, McpHost, McpHosts
from retrieval.model.search import SearchTarget
from retrieval.ports import (
    ChatModel,
    Clock,
    DefinitionLookup,
    DefinitionStore,
    IndexCounts,
    IndexFacets,
    IndexNames,
    IndexSchemas,
    SearchIndex,
    ToolServers,
)

if TYPE_CHECKING:
    from retrieval.access.acs3 import Signatures
    from retrieval.access.limits import RateLimits
    from retrieval.telemetry.readiness import Probe


@dataclass(frozen=True, slots=True, kw_only=True)
class Indexes:
    """The indexes that calls search. `bases` are the names of the targets that are no indexes of Azure AI Search,
    `calibrations` what `eval` found on an index, `pace` how long searches took; None where a late search is waited
    for. `servers` are the MCP servers, of `hosts` alone; `header_values` names the values of headers for each."""

    search: SearchIndex
    names: IndexNames
    counts: IndexCounts
    schemas: IndexSchemas
    facets: IndexFacets
    bases: Collection[str]
    imposed: ImposedFilters
    calibrations: Mapping[str, Calibration]
    pace: Pace | None
    servers: ToolServers | None = None
    hosts: McpHosts = NO_HOSTS
    header_values: Mapping[McpHost, Collection[str]] = field(default_factory=dict)

    def calibration_of(self, targets: Sequence[SearchTarget]) -> Calibration | None:
        """The calibration for a call that searches a single index: those of several indexes would not agree."""
        names = {target.index for target in targets}
        return self.calibrations.get(next(iter(names))) if len(names) == 1 else None

    async def fields_of(self, agent: Agent) -> Schema | None:
        """The fields of the first index of an agent that tells its fields; None where none does, or not soon."""
        for target in agent.targets:
            try:
                async with asyncio.timeout(SCHEMA_SECONDS):
                    schema = await self.schemas.schema(target.index)
            except (BackendError, TimeoutError):
                schema = None
            if schema is not None:
                return schema
        return None


@dataclass(frozen=True, slots=True, kw_only=True)
class Agents:
    """The agents and knowledge bases: as they are stored, and as calls look them up, each target with its source.
    `sources` are the knowledge sources as they are stored. `effort` is for calls that cannot state one and whose
    definition does not."""

    store: DefinitionStore[Agent]
    lookup: DefinitionLookup[Agent]
    sources: DefinitionStore[Source]
    effort: Effort | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Models:
    """The chat models that agents may have, the one that an agent has, and what to call it in a record."""

    allowed: AllowedModels
    of: Callable[[Agent], ChatModel | None]
    deployment_of: Callable[[Agent], ModelDeployment | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Callers:
    """Who may call: by which credential, how often, from pages of which hosts, for which agents only with a user's
    token."""

    access: Access
    limits: "RateLimits | None"
    public_hosts: Collection[str]
    user_token_agents: Collection[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Workspaces:
    """The indexes published in Model Studio's terms, by workspace and id, and the signatures of its callers."""

    published: Mapping[tuple[str, str], PublishedIndex]
    signatures: "Signatures"


@dataclass(frozen=True, slots=True, kw_only=True)
class Process:
    """This process: its requests, its clock, its logs, what it depends on. A deployed one never ends; tests `close`.

    The log has `log_calls_percent` of the calls that are answered well. With `trace_steps` each step of a call is a
    span of its own.
    `unknown_versions` are what callers asked for that nobody knows yet. `begin` starts, on the first call and beside
    it, what is done once a process. `examine` gives what is wrong with the deployment, and tells each finding as it
    comes.
    """

    in_flight: InFlight
    clock: Clock
    log_content: bool
    log_calls_percent: int
    trace_steps: bool
    probes: "Sequence[Probe]"
    unknown_versions: telemetry.UnknownVersions
    begin: Callable[[], None]
    examine: Callable[[Callable[[Finding], None]], Awaitable[tuple[Finding, ...]]]
    close: Callable[[], Awaitable[None]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Service:
    """The service: all of its parts."""

    indexes: Indexes
    agents: Agents
    models: Models
    callers: Callers
    workspaces: Workspaces
    process: Process
