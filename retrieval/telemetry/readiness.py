"""Whether this instance can serve: what it depends on, asked at most once in five seconds however many want to know.

Everybody may ask, so an answer is cheap and tells states only: no name, no address, no message of another service.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal, TypeAlias

from retrieval.errors import (
    BackendError,
    BackendForbidden,
    BackendThrottled,
    BackendTimeout,
    DifferingDefinitions,
    NotConfigured,
    UnreadableDefinitions,
)
from retrieval.ports import Ticks
from retrieval.telemetry import logs

Dependency: TypeAlias = Literal["search", "model", "agentStore"]
State: TypeAlias = Literal[
    "reachable",
    "differing",
    "throttled",
    "partlyUnreadable",
    "forbidden",
    "timedOut",
    "unavailable",
    "notConfigured",
    "unknown",
]

KEPT_SECONDS: Final = 5.0
PROBE_SECONDS: Final = 3.0
DEPENDENCIES: Final[tuple[Dependency, ...]] = ("search", "model", "agentStore")
SERVING: Final[frozenset[State]] = frozenset(
    {"reachable", "differing", "throttled", "partlyUnreadable", "notConfigured"}
)
"""A service that throttles is there: taking this instance away would not help it. Nor would it help an agent that
cannot be read, and all others are served; what differs from the configuration was changed on purpose, as the log said
when it was found."""

STATES: Final[Mapping[type[Exception], State]] = {
    BackendThrottled: "throttled",
    BackendForbidden: "forbidden",
    BackendTimeout: "timedOut",
    DifferingDefinitions: "differing",
    UnreadableDefinitions: "partlyUnreadable",
    BackendError: "unavailable",
}

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Probe:
    """`ask` asks a service behind this one for something that costs nothing and changes nothing.

    It raises BackendError.
    """

    of: Dependency
    ask: Callable[[], Awaitable[object]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """How things stood a moment ago. Without complete settings nothing could be asked."""

    configured: bool
    states: Mapping[Dependency, State] = field(default_factory=lambda: dict.fromkeys(DEPENDENCIES, "unknown"))

    @property
    def ready(self) -> bool:
        """Whether calls can be served."""
        return self.configured and SERVING.issuperset(self.states.values())


class Readiness:
    """`probes` gives what can be asked, or raises NotConfigured. What is not among them is not configured."""

    def __init__(self, probes: Callable[[], Sequence[Probe]], *, ticks: Ticks) -> None:
        self._probes = probes
        self._ticks = ticks
        self._ended = 0.0
        self._probing: asyncio.Task[Report] | None = None

    async def report(self) -> Report:
        """As it was five seconds ago at most. Whoever asks while dependencies are asked shares that one probing.

        A fault of this service is kept and raised as long, so that nobody makes it happen more often.
        """
        probing = self._probing
        if probing is None or probing.cancelled() or (probing.done() and self._ticks() - self._ended >= KEPT_SECONDS):
            probing = self._probing = asyncio.create_task(self._probe())
            probing.add_done_callback(_seen)
        return await asyncio.shield(probing)

    async def _probe(self) -> Report:
        try:
            return await self._asked()
        finally:
            self._ended = self._ticks()

    async def _asked(self) -> Report:
        try:
            probes = self._probes()
        except NotConfigured as error:
            logger.error("%s", error)
            return Report(configured=False)
        async with asyncio.TaskGroup() as group:
            tasks = [(probe.of, group.create_task(_state(probe))) for probe in probes]
        found = [(name, task.result()) for name, task in tasks]
        states = {one: _worst(state for name, state in found if name == one) for one in DEPENDENCIES}
        return Report(configured=True, states=states)


def _worst(states: Iterable[State]) -> State:
    return min(states, key=SERVING.__contains__, default="notConfigured")


def _told(error: BackendError) -> State:
    state = next(STATES[kind] for kind in type(error).__mro__ if kind in STATES)
    if state != "differing":
        said = "ready, but" if state in SERVING else "not ready"
        logger.error("%s: %s", said, logs.describe(error, content=False))
    return state


async def _state(probe: Probe) -> State:
    """What came of a probe; why it did not go well stands in the log."""
    try:
        async with asyncio.timeout(PROBE_SECONDS):
            await probe.ask()
    except TimeoutError:
        logger.error("not ready: %s did not answer within %.0f s", probe.of, PROBE_SECONDS)
        return "timedOut"
    except BackendError as error:
        return _told(error)
    return "reachable"


def _seen(task: asyncio.Task[Any]) -> None:
    """A fault that nobody waited for any more: whoever asks next will see it again."""
    if not task.cancelled():
        task.exception()
