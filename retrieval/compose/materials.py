"""What rooms make their parts of the service of (`http/doors.py`)."""

from collections.abc import Collection, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from functools import cache, partial
from typing import TYPE_CHECKING

from retrieval.compose import definitions, models, search
from retrieval.compose.access import identity
from retrieval.compose.definitions_file import Defined
from retrieval.errors import NotConfigured, Problem
from retrieval.http.call import UnknownVersions
from retrieval.http.doors import Materials, Stores
from retrieval.model.definitions import Agent, ModelDeployment
from retrieval.outgoing.access_tokens import Tokens
from retrieval.settings.settings import Settings, usable
from retrieval.sources.room import Rooms

if TYPE_CHECKING:
    from retrieval.models.local_completions import LocalChatModel


@dataclass(frozen=True, slots=True, kw_only=True)
class DeploymentClients:
    """Makes clients of the services that the settings and the configured agents name."""

    settings: Settings
    agents: Sequence[Agent]

    def tokens(self, held: AsyncExitStack) -> Tokens:
        return Tokens(cache(partial(identity, self.settings, held)))

    def local_search(self) -> search.AskedLocally | None:
        return search.asked_locally(self.settings)

    def chat(self, held: AsyncExitStack) -> "LocalChatModel | None":
        server = models.chat_server(self.settings)
        return None if server is None else models.local_client(server, held)

    def models(self) -> Sequence[ModelDeployment]:
        return tuple(models.deployments(self.settings, self.agents))

    def sources(self, held: AsyncExitStack) -> Rooms:
        return search.rooms(self.settings, held)


def materials(
    settings: Settings,
    configured: Defined,
    stores: Stores,
    *,
    unknown: UnknownVersions,
    problems: Sequence[Problem] = (),
    other_sources: Collection[str] = (),
) -> Materials:
    """The materials of a deployment."""
    return Materials(
        settings=settings,
        agents=configured.agents,
        sources=configured.sources,
        stores=stores,
        clients=DeploymentClients(settings=settings, agents=configured.agents),
        unknown_versions=unknown,
        problems=problems,
        other_sources=other_sources,
    )


def of_settings(settings: Settings, problems: Sequence[Problem], held: AsyncExitStack) -> Materials:
    """The materials for settings from which no service can be composed. Settings without a valid value are not used."""
    whole = usable(settings, problems)
    try:
        configured = definitions.of_file(whole)
    except NotConfigured:
        configured = Defined()
    stores = definitions.store(whole, lambda: identity(whole, held), held)
    return materials(whole, configured, stores, unknown=UnknownVersions(), problems=problems)
