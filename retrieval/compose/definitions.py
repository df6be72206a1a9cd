"""Composes the definitions of agents, knowledge bases and sources. These are the configured definitions, and the
definitions that callers store. Beside a file of definitions may be the calibrations that `eval --save` made for
indexes.

If callers cannot store definitions, a name of an agent or an index in the access settings that has no definition is an
error. Otherwise such a name is only reported, because a definition with this name may be stored later.
"""

import logging
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final

from retrieval.compose import definitions_file
from retrieval.compose.access import Identity
from retrieval.compose.definitions_file import Defined
from retrieval.definitions import agents_and_sources
from retrieval.definitions.cache import AgentCache
from retrieval.definitions.seeded_store import FirstLook, MemoryStore, SeededStore
from retrieval.definitions.stored_json import AGENTS, SERVICE, SOURCES
from retrieval.errors import DifferingDefinitions, NotConfigured, Problem, UnmatchedNames
from retrieval.http.rooms import Stores
from retrieval.http.service import Agents
from retrieval.model.definitions import Agent, Source, readable_values
from retrieval.model.retrieval import Calibration
from retrieval.ports import DefinitionStore, Ticks
from retrieval.settings.environment import address_fault, secret_fault
from retrieval.settings.missing_definitions import names_any, unknown_names
from retrieval.settings.settings import APP_ROOT, LOCAL_STORE, Settings

if TYPE_CHECKING:
    from retrieval.definitions import file_store, table_store

SOURCES_SUFFIX: Final = ".sources.json"
CALIBRATION_SUFFIX: Final = ".calibration.json"
FILE: Final = "AGENTS_FILE"

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Composed:
    """The definitions of a process, and the first read of the stores.

    `reach` checks the stores and raises BackendError. `reach` is None if there is nothing to check.
    """

    agents: Agents
    first_look: FirstLook = field(default_factory=FirstLook)
    reach: Callable[[], Awaitable[None]] | None = None


def store(settings: Settings, identity: Identity, held: AsyncExitStack) -> Stores:
    """The stores of callers' definitions: in memory, in a table or in files. A table endpoint with plain http is a
    loopback address. It is used with Azurite's public key."""
    place = settings.store
    if place is None:
        return Stores()
    if place == "memory":
        return Stores(agents=MemoryStore(), sources=MemoryStore())
    agents: table_store.TableStore[Agent] | file_store.FileStore[Agent]
    sources: table_store.TableStore[Source] | file_store.FileStore[Source]
    if "://" in place:
        from retrieval.definitions.table_store import TableStore, development_key

        credential = development_key(place) if place.startswith("http://") else identity()
        agents, sources = TableStore(place, credential, AGENTS), TableStore(place, credential, SOURCES)
    else:
        from retrieval.definitions.file_store import FileStore

        path = APP_ROOT / place
        agents, sources = FileStore(path, AGENTS), FileStore(path.with_suffix(SOURCES_SUFFIX), SOURCES)
    held.push_async_callback(agents.close)
    held.push_async_callback(sources.close)
    return Stores(agents=agents, sources=sources, writable=agents.writable)


def compose_definitions(
    settings: Settings, store: Stores, seeds: Defined, *, implied: Iterable[Source] = (), ticks: Ticks
) -> Composed:
    """The definitions of a process. The stores also contain the configured definitions, and lookups are cached for some
    seconds. `implied` are the sources that exist without a definition."""
    by_index = {source.index: source for source in implied}
    stored_agents, stored_sources = store.agents, store.sources
    if stored_agents is None or stored_sources is None:
        agents = SeededStore(MemoryStore(seeds.agents, writable=False), AGENTS)
        sources = SeededStore(MemoryStore(seeds.sources, writable=False), SOURCES)
        return Composed(agents=_agents(agents, sources, by_index, ticks))
    agents = SeededStore(stored_agents, AGENTS, seeds=seeds.agents)
    sources = SeededStore(stored_sources, SOURCES, seeds=seeds.sources)

    async def warn() -> None:
        for problem in await _unknown_names(settings, agents, sources):
            logger.warning("%s Nothing is protected by that until it is made.", problem.sentence)

    async def reach() -> None:
        await agents_and_sources.check(stored_agents, stored_sources)
        await first_look.ended()
        if unknown := await _unknown_names(settings, agents, sources):
            raise UnmatchedNames(SERVICE, [problem.sentence for problem in unknown])
        if differing := (*agents.differing, *sources.differing):
            raise DifferingDefinitions(SERVICE, differing)

    first_look = FirstLook(sources.settle, agents.settle, warn)
    is_checked = store.writable is not None or names_any(settings)
    agents_served = _agents(agents, sources, by_index, ticks)
    return Composed(agents=agents_served, first_look=first_look, reach=reach if is_checked else None)


async def _unknown_names(
    settings: Settings, agents: DefinitionStore[Agent], sources: DefinitionStore[Source]
) -> Sequence[Problem]:
    """The names in the access settings that no agent and no index has. Raises BackendError."""
    if not names_any(settings):
        return ()
    kept_agents, kept_sources = await agents.list(), await sources.list()
    return [*unknown_names(settings, readable_values(kept_agents), readable_values(kept_sources))]


def check_configured(settings: Settings, agents: Iterable[Agent], sources: Iterable[Source]) -> None:
    """Raises NotConfigured if a name in the settings has no configured definition and callers cannot store
    definitions."""
    if settings.store is None and (problems := [*unknown_names(settings, agents, sources)]):
        raise NotConfigured(problems)


def _agents(
    agents: SeededStore[Agent], sources: SeededStore[Source], implied: Mapping[str, Source], ticks: Ticks
) -> Agents:
    return Agents(
        store=agents_and_sources.AgentStore(agents=agents, sources=sources, implied=implied),
        lookup=AgentCache(agents, sources, implied, ticks=ticks),
        sources=agents_and_sources.SourceStore(sources=sources, agents=agents, implied=implied),
    )


def of_file(settings: Settings) -> Defined:
    """The definitions of AGENTS_FILE. Raises NotConfigured."""
    if settings.agents_file is None:
        return Defined()
    try:
        definitions = definitions_file.read(definitions_file.parse((APP_ROOT / settings.agents_file).read_bytes()))
    except OSError as error:
        raise NotConfigured([Problem(FILE, f"{FILE} cannot be read: {error.strerror}.")]) from None
    except ValueError as error:
        sentence = f"{FILE} is not a JSON array of agent definitions, nor an object of definitions: {error}."
        raise NotConfigured([Problem(FILE, sentence)]) from None
    if problems := [problem for agent in definitions.agents for problem in _faults_of_model(agent)]:
        raise NotConfigured(problems)
    return definitions


def _faults_of_model(agent: Agent) -> Iterator[Problem]:
    if agent.model is None:
        return
    if fault := address_fault(agent.model.endpoint):
        yield Problem(FILE, f"{FILE}: the model's resourceUri of agent {agent.name!r} {fault}")
    if agent.model.api_key and (fault := secret_fault(agent.model.api_key)):
        yield Problem(FILE, f"{FILE}: the model's apiKey of agent {agent.name!r} {fault}")


def faults_of_agents(settings: Settings) -> tuple[Problem, ...]:
    try:
        of_file(settings)
    except NotConfigured as error:
        return error.problems
    return ()


def distinct(agents: Iterable[Agent]) -> tuple[Agent, ...]:
    agents = tuple(agents)
    counted = Counter(agent.name for agent in agents)
    if repeated := [name for name, count in counted.items() if count > 1]:
        raise NotConfigured([f"Several agents are called {name!r}." for name in repeated])
    return agents


def calibrations(settings: Settings) -> Mapping[str, Calibration]:
    """The calibrations by index; empty if there is no file. Raises NotConfigured for a file that cannot be read."""
    place = settings.agents_file or settings.agents_store or (LOCAL_STORE if settings.local else None)
    if place is None or place == "memory" or "://" in place:
        return {}
    path = beside(APP_ROOT / place)
    if not path.exists():
        return {}
    from retrieval.settings.shapes import rankings, sentences

    try:
        return rankings(path.read_bytes())
    except (OSError, ValueError) as error:
        raise NotConfigured([f"{path.name} is no file of `eval --save`: {'; '.join(sentences(error))}."]) from None


def beside(definitions: Path) -> Path:
    """The file of calibrations that belongs to a file of definitions."""
    return definitions.with_suffix(CALIBRATION_SUFFIX)
