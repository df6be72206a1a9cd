"""A running call: its request, its ports, its budget of time and tokens, and the searches that it waits for."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Final, TypeAlias

from retrieval.call.late_searches import Pace, Waits
from retrieval.call.model_calls import ModelCalls
from retrieval.model.definitions import ModelDeployment
from retrieval.model.retrieval import RetrievalRequest
from retrieval.ports import (
    ChatModel,
    Clock,
    IndexFacets,
    IndexSchemas,
    ModelServer,
    Observer,
    SearchIndex,
    Tell,
    ToolServers,
)
from retrieval.telemetry import Outcomes

SCHEMA_SECONDS: Final = 2.0
"""The most seconds that a plan waits for the fields and facets of indexes. The first plan of an answer may wait longer
for fields."""

RULES_SECONDS: Final = 0.1
"""The seconds reserved for the steps after the last model call."""

OPENING_SHARE: Final = 0.3
"""The share of an answer's runtime in which its route and plan must be made. A second plan gets this share of the
remaining time."""

SEARCHING_SHARE: Final = 0.6
"""The share of an answer's runtime in which the first round of searches must end, if the call has a model."""

PLANNING_SHARE: Final = 0.4
"""The plan's share of the time that a retrieval has for its plan and its searches."""

WRITING_SHARE: Final = 0.4
"""The share of a retrieval's runtime for a model that writes an answer from the documents."""

ARGUMENTS_SHARE: Final = 0.4
"""The share of the remaining time that a model may take to write the arguments of tools."""

FOLLOW_UP_SHARE: Final = 0.25
"""A follow-up begins only while at least this share of the runtime is left."""


Since: TypeAlias = tuple[datetime, float]
"""The time at which work began, as a date and as a time of the event loop."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ports:
    """The ports of a call. Without a `model` the rules do its steps; `deployment` names the model in records.

    `schemas` gives the fields that filters and query hints name, `facets` the values that a question may name; both may
    be None. `values_shown` says that the deployment hides no document from any caller, so that a model may read values
    of facets. `servers` lists the tools of MCP servers; `index` calls the tools. `pace` says when a search is late;
    without it no search is late. `outcomes` records the end of each search. `server` is the server of the model where
    it stands on a developer's machine, and `replaced` the deployment of the definition, which that model replaces.
    """

    index: SearchIndex
    model: ChatModel | None
    clock: Clock
    deployment: ModelDeployment | None = None
    schemas: IndexSchemas | None = None
    facets: IndexFacets | None = None
    values_shown: bool = False
    servers: ToolServers | None = None
    pace: Pace | None = None
    outcomes: Outcomes | None = None
    server: ModelServer | None = None
    replaced: ModelDeployment | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """A running call. `calls` has the rest of its budget, and its records."""

    request: RetrievalRequest
    ports: Ports
    calls: ModelCalls
    waits: Waits = field(default_factory=Waits)

    def has_time(self, *, until: float) -> bool:
        """Whether there is time for a follow-up before `until`, a time of the event loop."""
        return until - asyncio.get_running_loop().time() >= FOLLOW_UP_SHARE * self.request.limits.runtime


def new_run(
    request: RetrievalRequest,
    ports: Ports,
    *,
    start: float | None = None,
    observers: Sequence[Observer] = (),
    tell: Tell | None = None,
) -> Run:
    """Starts a call, whose time counts from `start`, a time of the event loop; None is now.

    `tell` gets its progress. The effort of an answer is always `medium`. For an answer, and where a model may judge or
    write, the searches read the dates and facet values of documents.
    """
    request = replace(request, effort="medium" if request.output == "answer" else request.asked_effort)
    may_judge = request.effort in ("medium", "auto") and not request.queries
    if request.output == "answer" or (ports.model is not None and (may_judge or request.output == "synthesis")):
        request = replace(request, targets=tuple(replace(target, dated=True) for target in request.targets))
    calls = ModelCalls(
        ports.model,
        clock=ports.clock,
        deployment=ports.deployment,
        runtime=request.limits.runtime,
        tokens=request.limits.tokens,
        start=start,
        observers=observers,
        tell=tell,
        server=ports.server,
        replaced=ports.replaced,
    )
    return Run(request=request, ports=ports, calls=calls, waits=Waits(ports.pace))
