"""The parts of the service that the endpoints use. They are composed once in each process."""

import asyncio
from collections.abc import Awaitable, Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeVar

from retrieval.access.allowed_models import AllowedModels
from retrieval.access.credentials import Access
from retrieval.access.imposed_filters import ImposedFilters
from retrieval.call.budget import SCHEMA_SECONDS
from retrieval.call.ports import Pace
from retrieval.definitions.cache import AgentCache
from retrieval.errors import BackendError
from retrieval.filters.schema import Schema
from retrieval.http.call import UnknownVersions
from retrieval.http.in_flight import InFlight
from retrieval.model.definitions import Agent, Effort, ModelDeployment, Source
from retrieval.model.retrieval import Calibration
from retrieval.ports import (
    ChatModel,
    Clock,
    DefinitionStore,
    ModelServer,
    SearchIndex,
)
from retrieval.sources.room import KnownIndex, Rooms
from retrieval.telemetry.outgoing_calls import Outcomes

if TYPE_CHECKING:
    from retrieval.access.rate_limits import RateLimits
    from retrieval.telemetry.readiness import Probes

Part = TypeVar("Part")


@dataclass(frozen=True, slots=True, kw_only=True)
class Indexes:
    """The indexes that calls search.

    - `search`: a `TracedIndex` around a `GuardedIndex` around a `FederatedIndex`, which calls the `AzureSearchIndex` or
      the index of a room (`compose/search.py`)
    - `federated`: the `FederatedIndex` alone
    - `rooms`: the kinds of knowledge sources that are not indexes of Azure AI Search
    - `calibrations`: the calibrations that `retrieval.local eval` made, by index
    - `pace`: the durations of earlier searches, by which late searches are given up; None if the service waits for
      every search
    - `outcomes`: the outcomes of searches, by knowledge source
    """

    search: SearchIndex
    federated: KnownIndex
    rooms: Rooms
    imposed: ImposedFilters | None
    calibrations: Mapping[str, Calibration]
    pace: Pace | None
    outcomes: Outcomes

    async def fields_of(self, agent: Agent) -> Schema | None:
        """The fields of an agent's first index with a schema that can be read in time; None if there is no such
        index."""
        for target in agent.targets:
            try:
                async with asyncio.timeout(SCHEMA_SECONDS):
                    schema = await self.federated.schema(target.index)
            except (BackendError, TimeoutError):
                schema = None
            if schema is not None:
                return schema
        return None


@dataclass(frozen=True, slots=True, kw_only=True)
class Agents:
    """The agents and knowledge bases. `store` has the configured and the stored definitions. `lookup`
    finds a definition for a call, with the source of each target. `sources` has the
    configured and the stored knowledge sources, and the sources that agents imply. `effort` is used if neither the
    request nor the definition states an effort, `runtime` in seconds if neither states a runtime, and
    `grounds_everything` if neither says what a grounding text has."""

    store: DefinitionStore[Agent]
    lookup: AgentCache
    sources: DefinitionStore[Source]
    effort: Effort | None = None
    grounds_everything: bool = False
    runtime: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Models:
    """The chat models that agents may use. `usual` is the deployment for agents that name none. `of` returns the model
    of a deployment: a `TracedModel` around a `GuardedModel` around an `AzureOpenAIModel` (`compose/models.py`). The
    `server` of CHAT_URL answers for every deployment, with its model `usual`."""

    allowed: AllowedModels
    usual: ModelDeployment | None
    of: Callable[[ModelDeployment], ChatModel]
    server: ModelServer | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Callers:
    """The access rules for callers: the accepted credentials, the limits, the public host names of this service, and
    the agents that need a user's token."""

    access: Access
    limits: "RateLimits | None"
    public_hosts: Collection[str]
    user_token_agents: Collection[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Process:
    """The state and settings of this process. `close` closes the clients and stores. The log has `log_calls_percent`
    percent of the successful calls. With `trace_steps` each step of a call has its own span. `unknown_versions` are the
    unknown versions that callers asked for. `begin` starts the background work of the process at the first call.
    """

    in_flight: InFlight
    clock: Clock
    log_content: bool
    log_calls_percent: int
    trace_steps: bool
    probes: "Probes"
    unknown_versions: UnknownVersions
    begin: Callable[[], None]
    close: Callable[[], Awaitable[None]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Service:
    """All parts of the service. `rooms` are the parts that rooms made, by class (`http/rooms.py`)."""

    indexes: Indexes
    agents: Agents
    models: Models
    callers: Callers
    process: Process
    rooms: Mapping[type, object] = field(default_factory=dict)

    def room(self, kind: type[Part]) -> Part:
        """The part of this class that a room made. Raises TypeError if no room made it."""
        part = self.rooms.get(kind)
        if not isinstance(part, kind):
            raise TypeError(f"No room made a {kind.__name__}.")
        return part
