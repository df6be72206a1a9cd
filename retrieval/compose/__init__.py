"""Composes the service of a process. Only this package chooses the concrete classes. A process composes its service on
the first call, or in `start`.

`search`, `definitions`, `access` and `models` each compose the part with their name. `rooms` has a row for each room,
and `materials` is what rooms make their parts of. `definitions_file` reads and writes files of definitions.
"""

import gc
import os
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime
from functools import cache, partial
from typing import TYPE_CHECKING, Final

from retrieval.access.imposed_filters import ImposedFilters
from retrieval.access.rate_limits import RateLimits
from retrieval.call.ports import Pace, now
from retrieval.compose import access, definitions, materials, models, search
from retrieval.compose.access import identity
from retrieval.compose.definitions import calibrations
from retrieval.compose.definitions_file import Defined
from retrieval.compose.rooms import DOORS, EXPOSED_HEADERS, gather
from retrieval.errors import NotConfigured
from retrieval.http.call import OfEveryCall, UnknownVersions
from retrieval.http.in_flight import InFlight
from retrieval.http.rooms import Materials
from retrieval.http.service import Callers, Indexes, Process, Service
from retrieval.outgoing.access_tokens import WAITED_SECONDS, NamedTokens
from retrieval.ports import Clock, Ticks
from retrieval.settings.settings import Settings, can_stream
from retrieval.sources.room import Rooms, implied, named
from retrieval.sources.search_index.index import AzureSearchIndex
from retrieval.telemetry import log_contents
from retrieval.telemetry.outgoing_calls import Outcomes

if TYPE_CHECKING:
    from retrieval.model.definitions import Agent
    from retrieval.telemetry.readiness import Readiness

GARBAGE: Final = 10_000
"""The number of new objects after which the garbage collector runs. The default is 700 up to Python 3.12, and 2,000 in
3.13. With 700 and 64 concurrent calls of 250 documents each, the collector found little garbage and took 5 to 10 % of
the time."""

LOCAL_RUNTIME: Final = 230.0
"""The seconds of a call that the server of CHAT_URL has where nobody states them: as many as an HTTP call may take."""

_utc: Final[Clock] = partial(datetime.now, UTC)


@cache
def service() -> Service:
    """The service of this process. Raises NotConfigured. After this error, the next call tries again."""
    settings, problems = gather(os.environ)
    if problems:
        raise NotConfigured((*problems, *definitions.faults_of_agents(settings)))
    return compose_service(settings)


@cache
def settings() -> Settings:
    """The settings of this process, as far as they can be read."""
    return gather(os.environ)[0]


@cache
def of_every_call() -> OfEveryCall:
    """The fields that every call of this process has by the settings."""
    return fields_of_calls(settings())


def fields_of_calls(settings: Settings) -> OfEveryCall:
    """The fields that every call of a deployment has by its settings."""
    return {
        "cors_origins": frozenset(settings.cors_origins),
        "exposed_headers": EXPOSED_HEADERS,
        "hosts": settings.answered_hosts,
        "strict_versions": settings.strict_api_versions,
    }


@cache
def streams_events() -> bool:
    """Whether events are sent with the extension of Azure Functions for HTTP streams. With LOCAL=1, the extension is
    not used."""
    if not os.environ.get("STREAM_EVENTS"):
        return False
    return settings().stream_events and not settings().local and can_stream()


@cache
def beats() -> bool:
    """Whether a timer asks whether this app is ready. With LOCAL=1 there is no timer."""
    return bool(os.environ.get("HEARTBEAT")) and settings().heartbeat and not settings().local


def playground() -> bool:
    """Whether this process serves the playground."""
    return settings().shows_playground


def start() -> tuple[str, ...]:
    """Compose the service now instead of on the first call. Returns one sentence for each problem."""
    try:
        service()
    except NotConfigured as error:
        return error.sentences
    return ()


def check_installed() -> None:
    """Raises NotInstalled if the local search service is used and its packages are missing. Composes no service."""
    if os.environ.get("LOCAL"):
        search.check_installed(gather(os.environ)[0])


@cache
def readiness() -> "Readiness":
    """The readiness check of this process. It exists even if the settings are not valid."""
    from retrieval.telemetry.readiness import Readiness

    return Readiness(
        lambda: service().process.probes,
        ticks=now,
        failing=lambda: service().indexes.outcomes.failing(),
        warnings=lambda: search.warnings(settings()),
    )


def may_accept(headers: Mapping[str, str]) -> bool:
    """Whether a call with these headers may be accepted. If the service is configured, it is False for a call without a
    credential, and for a call with unknown keys in the headers of keys.

    `headers` has lower-case names.
    """
    try:
        return service().callers.access.may_admit(headers)
    except NotConfigured:
        return True


async def end() -> None:
    """Close the service of this process, if there is one. The next call composes a new service."""
    readiness.cache_clear()
    settings.cache_clear()
    of_every_call.cache_clear()
    if service.cache_info().currsize:
        await service().process.close()
        service.cache_clear()


def compose_service(settings: Settings, *, ticks: Ticks = now) -> Service:
    """A service with the clients and stores that the settings name. `ticks` is the clock of caches and rate limits.
    Raises NotConfigured."""
    gc.set_threshold(GARBAGE)
    held = AsyncExitStack()
    seconds = WAITED_SECONDS if settings.in_azure else None
    own_identity = cache(lambda: NamedTokens(identity(settings, held), seconds=seconds))
    index, endpoint = search.search(settings, own_identity, held)
    local = search.stand_in(settings)
    of_local = Defined() if local is None else Defined(agents=local.agents, sources=local.sources)
    of_file = definitions.of_file(settings)
    configured = definitions.distinct((*of_local.agents, *of_file.agents))
    sources = (*of_local.sources, *of_file.sources)
    rooms = search.rooms(settings, held)
    search.check_targets(configured, sources, rooms, settings)
    definitions.check_configured(settings, configured, sources)
    seeds = Defined(agents=configured, sources=sources)
    store = definitions.store(settings, own_identity, held)
    unwritten = (*implied(rooms), *(() if local is None else local.implied))
    composed = definitions.compose_definitions(settings, store, seeds, implied=unwritten, ticks=ticks)
    held.push_async_callback(composed.first_look.close)
    chat, probed = models.chat(settings, configured, own_identity, held)
    outcomes = Outcomes(ticks=now)
    imposed = ImposedFilters(settings.imposed_filters) if settings.imposed_filters else None
    federated = search.federated(index, rooms)
    log_contents.keep_content_out(settings.log_content)
    unknown = UnknownVersions()
    of_rooms = replace(materials.materials(settings, seeds, store, unknown), other_sources=named(rooms).keys())
    parts = [door.compose(of_rooms) for door in DOORS if door.compose is not None]
    return Service(
        indexes=Indexes(
            search=search.traced(federated, endpoint, rooms, settings),
            federated=federated,
            rooms=rooms,
            imposed=imposed,
            calibrations=calibrations(settings),
            pace=None if settings.wait_for_late_searches else Pace(),
            outcomes=outcomes,
        ),
        agents=replace(
            composed.agents,
            effort=settings.agent_effort,
            grounds_everything=settings.grounding == "all",
            runtime=None if chat.server is None else LOCAL_RUNTIME,
        ),
        models=chat,
        callers=Callers(
            access=access.access(settings, imposed, held, clock=_utc),
            limits=RateLimits(settings.limits, ticks=ticks) if settings.limits else None,
            public_hosts=settings.public_hosts,
            user_token_agents=frozenset(name.lower() for name in settings.user_token_agents),
        ),
        process=Process(
            in_flight=InFlight(settings.max_concurrent_requests, ticks=now),
            clock=_utc,
            log_content=settings.log_content,
            log_calls_percent=settings.log_calls_percent,
            trace_steps=settings.trace_steps,
            probes={
                "search": (*_reach(index, configured, composed, rooms, settings), outcomes.check),
                "model": probed,
                "agentStore": () if composed.reach is None else (composed.reach,),
            },
            unknown_versions=unknown,
            begin=cache(composed.first_look.begin),
            close=held.aclose,
        ),
        rooms={type(part): part for part in parts},
    )


@asynccontextmanager
async def opened(environ: Mapping[str, str]) -> AsyncIterator[Service | Materials]:
    """The service that the environment describes. If no service can be composed from it, its materials."""
    settings, faults = gather(environ)
    async with AsyncExitStack() as held:
        made: Service | Materials
        try:
            if problems := (*faults, *definitions.faults_of_agents(settings)):
                raise NotConfigured(problems)
            made = compose_service(settings)
        except NotConfigured as error:
            made = materials.of_settings(settings, error.problems, held)
        else:
            held.push_async_callback(made.process.close)
        yield made


def _reach(
    index: AzureSearchIndex | None,
    configured: "Iterable[Agent]",
    composed: definitions.Composed,
    rooms: Rooms,
    settings: Settings,
) -> Sequence[Callable[[], Awaitable[None]]]:
    """The check whether the search service answers, if there is one. It requests one index. For the local search
    service, it checks that the indexes of all agents exist."""
    if index is None:
        return ()
    if settings.uses_local_search:
        return (partial(search.loaded, index, composed.agents.store, frozenset(named(rooms))),)
    return (partial(index.reach, search.some_index(configured, rooms)),)
