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
    """The indexes that calls search. `bases` are the names of the targets that are no indexes of Azure AI Search.
    `calibrations` are those of `eval`, by index. `pace` has the times of searches; None where no search is ever
    late. `servers` are the MCP servers at `hosts`; `header_values` are the values that the deployment has for their
    headers."""

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
        """The calibration for a call that searches a single index, since those of several indexes would not agree."""
        names = {target.index for target in targets}
        return self.calibrations.get(next(iter(names))) if len(names) == 1 else None

    async def fields_of(self, agent: Agent) -> Schema | None:
        """The fields of the first index of an agent whose fields can be read; None where there is none, or not soon."""
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
    """The agents and knowledge bases: as they are stored, and as calls look them up, with its source in each target.
    `sources` are the knowledge sources as they are stored. `effort` is for calls that cannot state an effort and whose
    definition does not."""

    store: DefinitionStore[Agent]
    lookup: DefinitionLookup[Agent]
    sources: DefinitionStore[Source]
    effort: Effort | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Models:
    """The chat models that agents may have, the model of an agent, and its name in records."""

    allowed: AllowedModels
    of: Callable[[Agent], ChatModel | None]
    deployment_of: Callable[[Agent], ModelDeployment | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Callers:
    """Who may call: the accepted credentials, the limits, the hosts whose pages may call, and the agents that need a
    user's token."""

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
    """This process: its requests, its clock, its logs, its dependencies.

    A deployed process never ends; tests `close` theirs. The log has `log_calls_percent` of the successful calls. With
    `trace_steps` each step of a call is a span of its own. `unknown_versions` are the unknown versions that callers
    asked for. `begin` starts the work of each new process, beside the first call. `examine` gives the findings about
    the deployment, each as soon as it is known.
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
