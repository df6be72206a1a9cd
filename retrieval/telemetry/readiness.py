"""Tells whether this instance can serve calls. The dependencies are checked at most once in five seconds, for any
number of callers. No credential is needed, so an answer is cheap and contains only states.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal, TypeAlias, get_args

from retrieval import threads
from retrieval.errors import (
    BackendError,
    BackendFailing,
    BackendForbidden,
    BackendMisconfigured,
    BackendMissing,
    BackendThrottled,
    BackendTimeout,
    DifferingDefinitions,
    Lack,
    MissingSources,
    NotConfigured,
    UnmatchedNames,
    UnreadableDefinitions,
)
from retrieval.ports import Ticks
from retrieval.telemetry import log_contents
from retrieval.telemetry.spans import instruments

Dependency: TypeAlias = Literal["search", "model", "agentStore"]
Serving: TypeAlias = Literal[
    "reachable",
    "differing",
    "unmatchedNames",
    "throttled",
    "partlyUnreadable",
    "sourceMissing",
    "partlyLoaded",
]
State: TypeAlias = Literal[
    Serving,
    "forbidden",
    "misconfigured",
    "deploymentMissing",
    "addressUnknown",
    "failing",
    "timedOut",
    "unavailable",
    "notConfigured",
    "unknown",
]
Probes: TypeAlias = Mapping[Dependency, Sequence[Callable[[], Awaitable[object]]]]
"""The probes of each dependency. A probe costs nothing and changes no definition. It raises BackendError for a
failure."""

KEPT_SECONDS: Final = 5.0
PROBE_SECONDS: Final = 3.0
DEPENDENCIES: Final[tuple[Dependency, ...]] = get_args(Dependency)
SERVING: Final[frozenset[State]] = frozenset({*get_args(Serving), "notConfigured"})
"""The states of a dependency in which this instance is still ready. A throttling service is available, and removing
this instance would not help. If one agent has an unreadable definition or a missing source, the other agents are still
served. If definitions differ from the configuration, somebody changed them on purpose."""

TOLD_AT_FIRST: Final[frozenset[State]] = frozenset({"differing", "unmatchedNames"})
"""The states that a probe does not log. The first reading of the definitions in a process has already logged them."""

STATES: Final[Mapping[type[Exception], State]] = {
    BackendThrottled: "throttled",
    BackendForbidden: "forbidden",
    BackendMisconfigured: "misconfigured",
    BackendFailing: "failing",
    BackendTimeout: "timedOut",
    DifferingDefinitions: "differing",
    UnmatchedNames: "unmatchedNames",
    UnreadableDefinitions: "partlyUnreadable",
    MissingSources: "sourceMissing",
    BackendMissing: "partlyLoaded",
    BackendError: "unavailable",
}

LACKING: Final[Mapping[Lack, State]] = {
    "deployment": "deploymentMissing",
    "model": "deploymentMissing",
    "address": "addressUnknown",
}
"""The state for each thing that a misconfigured service may lack. Without an entry here, the state is
`misconfigured`."""

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """The latest states. If `configured` is false, the settings are not valid, and nothing was checked. `failing` are
    the names of the knowledge sources whose searches fail. `warnings` tell what was not loaded."""

    configured: bool
    states: Mapping[Dependency, State] = field(default_factory=lambda: dict.fromkeys(DEPENDENCIES, "unknown"))
    failing: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()

    @property
    def ready(self) -> bool:
        """Whether calls can be served."""
        return self.configured and SERVING.issuperset(self.states.values())


class Readiness:
    """Runs the probes. `probes` returns them or raises NotConfigured. A dependency without a probe has the state
    `notConfigured`. `failing` returns the names of the knowledge sources whose searches fail, and `warnings` what was
    not loaded."""

    def __init__(
        self,
        probes: Callable[[], Probes],
        *,
        ticks: Ticks,
        failing: Callable[[], tuple[str, ...]] = lambda: (),
        warnings: Callable[[], tuple[str, ...]] = lambda: (),
    ) -> None:
        self._probes = probes
        self._failing = failing
        self._warnings = warnings
        self._ticks = ticks
        self._ended = 0.0
        self._probing: asyncio.Task[Report] | None = None

    async def report(self) -> Report:
        """The states, at most five seconds old. Concurrent callers share one round of probes. If the probing raises an
        unexpected exception, the same exception is raised for five seconds, so that callers cannot trigger it more
        often.
        """
        probing = self._probing
        if probing is None or probing.cancelled() or (probing.done() and self._ticks() - self._ended >= KEPT_SECONDS):
            probing = self._probing = asyncio.create_task(self._probe())
            probing.add_done_callback(threads.mark_seen)
        return await asyncio.shield(probing)

    async def _probe(self) -> Report:
        try:
            await threads.once(instruments)
            probes = await threads.at_first(self._probes, self._probes)
            async with asyncio.TaskGroup() as group:
                tasks = {
                    name: [group.create_task(_state(name, ask)) for ask in probes.get(name, ())]
                    for name in DEPENDENCIES
                }
        except NotConfigured as error:
            logger.error("%s", error)
            return Report(configured=False)
        finally:
            self._ended = self._ticks()
        states: dict[Dependency, State] = {
            name: min((task.result() for task in asked), key=SERVING.__contains__, default="notConfigured")
            for name, asked in tasks.items()
        }
        return Report(configured=True, states=states, failing=self._failing(), warnings=self._warnings())


async def _state(name: Dependency, ask: Callable[[], Awaitable[object]]) -> State:
    """The state that a probe finds. The reason of a failure is logged."""
    try:
        async with asyncio.timeout(PROBE_SECONDS):
            await ask()
    except TimeoutError:
        logger.error("not ready: %s did not answer within %.0f s", name, PROBE_SECONDS)
        return "timedOut"
    except BackendError as error:
        state = next(STATES[kind] for kind in type(error).__mro__ if kind in STATES)
        if isinstance(error, BackendMisconfigured):
            state = LACKING.get(error.lack, state)
        if state not in TOLD_AT_FIRST:
            readiness = "ready, but" if state in SERVING else "not ready"
            logger.error("%s: %s", readiness, log_contents.describe(error, content=False))
        return state
    return "reachable"
