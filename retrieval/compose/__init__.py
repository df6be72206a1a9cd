"""Composition: the one place that knows concrete classes. Built on the first call, once a process.

`search`, `agents`, `access` and `models` each compose what they are called, `identity` what these call others with.
"""

import os
from collections.abc import Iterable, Iterator
from contextlib import AsyncExitStack
from datetime import UTC, datetime
from functools import cache, partial
from time import monotonic
from typing import TYPE_CHECKING

from retrieval import logs
from retrieval.access.imposed import ImposedFilters
from retrieval.backends.azure_openai import AzureOpenAIModel
from retrieval.backends.azure_search import AzureSearchIndex
from retrieval.compose import access, agents, models, search
from retrieval.compose.identity import identity
from retrieval.endpoints import InFlight, Service
from retrieval.errors import NotConfigured
from retrieval.ports import Ticks
from retrieval.settings import Settings, gather

if TYPE_CHECKING:
    from retrieval.readiness import Probe, Readiness


@cache
def service() -> Service:
    """The service of this process. Raises NotConfigured; the next call tries again."""
    settings, problems = gather(os.environ)
    if problems:
        raise NotConfigured((*problems, *agents.faults_of_agents(settings)))
    return compose(settings)


def start() -> tuple[str, ...]:
    """Compose now, not on the first call. What is missing or malformed, one sentence each; empty when all is well."""
    try:
        service()
    except NotConfigured as error:
        return error.problems
    return ()


@cache
def readiness() -> "Readiness":
    """What this process knows of its dependencies; it is there before the settings are."""
    from retrieval.readiness import Readiness

    return Readiness(lambda: service().probes, ticks=monotonic)


async def end() -> None:
    """Give back what the service of this process holds, if there is one; the next call composes anew."""
    readiness.cache_clear()
    if service.cache_info().currsize:
        await service().close()
        service.cache_clear()


def compose(settings: Settings, *, ticks: Ticks = monotonic) -> Service:
    """A service over what the settings name. `ticks` is the clock of what is kept for seconds. Raises NotConfigured."""
    from retrieval.access.acs3 import Signatures

    held = AsyncExitStack()
    caller = cache(lambda: identity(settings, held))
    found = search.search(settings, caller, held)
    configured = agents.distinct((*found.agents, *agents.agents_of_file(settings)))
    search.check_targets(configured, settings)
    allowed = models.allowed_models(settings, configured)
    store = agents.store(settings, caller, held)
    kept = agents.agents(store, seeds=configured, ticks=ticks)
    client = models.client_of(caller, held)
    asked = map(client, models.resources(settings, configured, allowed))
    imposed = ImposedFilters(settings.imposed_filters)
    index = search.federated(found.index, settings)
    logs.keep_content_out(settings.log_content)
    return Service(
        index=search.traced(index, found.endpoint, settings),
        index_names=index,
        schemas=index,
        bases=frozenset(settings.model_studio_bases),
        agents=kept,
        lookup=kept,
        model_of=models.model_of(settings, allowed, client),
        models=allowed,
        access=access.access(settings, imposed, held, clock=_utc),
        imposed=imposed,
        user_token_agents=frozenset(name.lower() for name in settings.user_token_agents),
        public_hosts=settings.public_hosts,
        log_content=settings.log_content,
        published=search.published(configured, found.published, settings),
        signatures=Signatures(secrets=settings.signing_keys, hosts=settings.public_hosts),
        in_flight=InFlight(settings.max_concurrent_requests),
        probes=tuple(_probes(found.index, search.some_index(configured, settings), store, models=asked)),
        clock=_utc,
        close=held.aclose,
    )


def _utc() -> datetime:
    return datetime.now(UTC)


def _probes(
    index: AzureSearchIndex | None, some: str, store: agents.Store, *, models: Iterable[AzureOpenAIModel]
) -> "Iterator[Probe]":
    """Of Azure AI Search, the model resources and the table of agents, as far as they are configured."""
    from retrieval.readiness import Probe

    if index is not None:
        yield Probe(of="search", ask=partial(index.reach, some))
    for model in models:
        yield Probe(of="model", ask=model.reach)
    if store.reach is not None:
        yield Probe(of="agentStore", ask=store.reach)
