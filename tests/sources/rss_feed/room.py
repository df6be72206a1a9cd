"""The feeds of a deployment. They need no settings."""

from contextlib import AsyncExitStack

from retrieval.errors import BadRequest
from retrieval.model.definitions import Source
from retrieval.settings.settings import Settings
from retrieval.sources.room import Room
from retrieval.telemetry.outgoing_calls import CalledService

from .search import Feeds


def room(settings: Settings, held: AsyncExitStack) -> Room:
    """Every feed."""
    return Room(
        kind="rssFeed",
        index=Feeds(),
        check=_check,
        service_of=lambda index: CalledService(system="rss", endpoint=index),
        checks=lambda sources: iter(()),
    )


def _check(source: Source) -> None:
    if not source.index.startswith("http"):
        raise BadRequest("A feed has an address with http or https.", target="rssFeedParameters.feedUrl")
