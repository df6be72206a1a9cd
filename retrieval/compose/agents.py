"""The agents: those of the configuration, and the store of those made at run time."""

from collections import Counter
from collections.abc import Awaitable, Callable, Iterator
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from retrieval.backends.definitions.cache import DefinitionCache
from retrieval.backends.definitions.document import AGENTS
from retrieval.backends.definitions.memory import MemoryStore
from retrieval.compose.identity import Identity
from retrieval.errors import NotConfigured
from retrieval.model.definitions import Agent
from retrieval.ports import DefinitionStore, Ticks
from retrieval.settings.environment import address_fault, secret_fault
from retrieval.settings.settings import Settings

APP_ROOT: Final = Path(__file__).resolve().parents[2]


@dataclass(frozen=True, slots=True, kw_only=True)
class Store:
    """Where agents made at run time are kept, None for nowhere, and how to find out whether it is there."""

    agents: DefinitionStore[Agent] | None
    reach: Callable[[], Awaitable[None]] | None = None


def store(settings: Settings, identity: Identity, held: AsyncExitStack) -> Store:
    place = settings.store
    if place is None:
        return Store(agents=None)
    if place == "memory":
        return Store(agents=MemoryStore())
    if "://" in place:
        return _table(place, identity, held)
    from retrieval.backends.definitions.file import FileStore

    file = FileStore(APP_ROOT / place, AGENTS)
    held.push_async_callback(file.close)
    return Store(agents=file, reach=file.reach)


def _table(endpoint: str, identity: Identity, held: AsyncExitStack) -> Store:
    """Plain http is Azurite on this machine, which the settings see to; it has a key that everybody knows."""
    from retrieval.backends.definitions.table import TableStore, development_key

    credential = development_key(endpoint) if endpoint.startswith("http://") else identity()
    store = TableStore(endpoint, credential, AGENTS)
    held.push_async_callback(store.close)
    return Store(agents=store, reach=store.reach)


def agents(store: Store, *, seeds: tuple[Agent, ...], ticks: Ticks) -> DefinitionCache[Agent]:
    """The store that is configured, with the configured agents in it, behind a memory of a few seconds."""
    if store.agents is None:
        return DefinitionCache(MemoryStore(seeds, writable=False), AGENTS, ticks=ticks)
    return DefinitionCache(store.agents, AGENTS, ticks=ticks, seeds=seeds)


def agents_of_file(settings: Settings) -> tuple[Agent, ...]:
    if settings.agents_file is None:
        return ()
    from retrieval.contracts.azure.v2025_05_01_preview.agents import read_agents

    try:
        agents = read_agents((APP_ROOT / settings.agents_file).read_bytes())
    except OSError as error:
        raise NotConfigured([f"AGENTS_FILE cannot be read: {error.strerror}."]) from None
    except ValueError as error:
        raise NotConfigured([f"AGENTS_FILE is not a JSON array of agent definitions: {error}."]) from None
    if problems := [problem for agent in agents for problem in _faults_of_model(agent)]:
        raise NotConfigured(problems)
    return agents


def _faults_of_model(agent: Agent) -> Iterator[str]:
    if agent.model is None:
        return
    if fault := address_fault(agent.model.endpoint):
        yield f"AGENTS_FILE: the model's resourceUri of agent {agent.name!r} {fault}"
    if agent.model.api_key and (fault := secret_fault(agent.model.api_key)):
        yield f"AGENTS_FILE: the model's apiKey of agent {agent.name!r} {fault}"


def faults_of_agents(settings: Settings) -> tuple[str, ...]:
    try:
        agents_of_file(settings)
    except NotConfigured as error:
        return error.problems
    return ()


def distinct(agents: tuple[Agent, ...]) -> tuple[Agent, ...]:
    counted = Counter(agent.name for agent in agents)
    if repeated := [name for name, count in counted.items() if count > 1]:
        raise NotConfigured([f"Several agents are called {name!r}." for name in repeated])
    return agents
