"""What rooms make their parts of the service of (`http/rooms.py`)."""

from collections.abc import Sequence
from contextlib import AsyncExitStack
from dataclasses import replace
from functools import cache, partial
from typing import TYPE_CHECKING

from retrieval.compose import definitions, models, search
from retrieval.compose.access import identity
from retrieval.compose.definitions_file import Defined
from retrieval.errors import NotConfigured, Problem
from retrieval.http.call import UnknownVersions
from retrieval.http.rooms import Materials, Stores
from retrieval.outgoing.access_tokens import Tokens
from retrieval.settings.settings import Settings, usable

if TYPE_CHECKING:
    from retrieval.models.local_completions import LocalChatModel


def materials(settings: Settings, configured: Defined, stores: Stores, unknown: UnknownVersions) -> Materials:
    """The materials of a deployment."""

    def chat(held: AsyncExitStack) -> "LocalChatModel | None":
        server = models.chat_server(settings)
        return None if server is None else models.local_client(server, held)

    return Materials(
        settings=settings,
        agents=configured.agents,
        sources=configured.sources,
        stores=stores,
        unknown_versions=unknown,
        tokens=lambda held: Tokens(cache(partial(identity, settings, held))),
        local_search=partial(search.asked_locally, settings),
        chat=chat,
        models=partial(models.deployments, settings, configured.agents),
        rooms=partial(search.rooms, settings),
    )


def of_settings(settings: Settings, problems: Sequence[Problem], held: AsyncExitStack) -> Materials:
    """The materials for settings from which no service can be composed. Settings without a valid value are not used."""
    whole = usable(settings, problems)
    try:
        configured = definitions.of_file(whole)
    except NotConfigured:
        configured = Defined()
    stores = definitions.store(whole, lambda: identity(whole, held), held)
    return replace(materials(whole, configured, stores, UnknownVersions()), problems=problems)
