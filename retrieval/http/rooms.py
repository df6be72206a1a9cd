"""The door of a room: the routes that a folder brings to the service, and its part of the service.

A room can be taken away. It has its folder, and a row in `retrieval.compose.rooms`. Nothing else names it, except docs
and the files that `make written` writes. `room.py` of the folder has its door.
"""

from collections.abc import Awaitable, Callable, Collection, Coroutine, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from retrieval.errors import Problem
from retrieval.filters.schema import Schema
from retrieval.http.call import UnknownVersions
from retrieval.http.routes import Resembling, Route
from retrieval.model.definitions import Agent, ModelDeployment, Source
from retrieval.outgoing.access_tokens import Tokens
from retrieval.ports import DefinitionStore
from retrieval.settings.settings import RoomSettings, Settings
from retrieval.sources.room import Rooms

if TYPE_CHECKING:
    from retrieval.models.local_completions import LocalChatModel
    from retrieval.outgoing.connections import HttpAnswer, HttpRequest, Silence


@dataclass(frozen=True, slots=True, kw_only=True)
class LocalSearch:
    """The local search service. `ask` sends requests to its address without a network, and all others over the network.
    `agents` search the indexes that it loaded. `schema` returns the fields of an index."""

    endpoint: str
    key: str
    agents: Sequence[Agent]
    schema: Callable[[str], Schema]
    ask: "Callable[[HttpRequest], Coroutine[Any, Any, HttpAnswer | Silence]]"


@dataclass(frozen=True, slots=True, kw_only=True)
class Stores:
    """The stores of callers' definitions; None if callers cannot store definitions. `writable` raises BackendError if
    this process may not write to the store of agents. The store of sources is not checked. `writable` is None for
    stores in memory."""

    agents: DefinitionStore[Agent] | None = None
    sources: DefinitionStore[Source] | None = None
    writable: Callable[[], Awaitable[None]] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Materials:
    """What a room's part of the service is made of: the settings, the configured definitions, the stores of callers'
    definitions, and the clients of other services. `problems` are the faults of the settings. `unknown_versions` are
    the unknown api-versions that callers of this process asked for. `other_sources` are the names of sources that are
    no indexes of the search service.

    `tokens` makes the tokens of the deployment's identity, `chat` the client of the server of CHAT_URL, if there is
    one, and `rooms` the kinds of knowledge sources that are no indexes. The stack closes them. `local_search` returns
    the local search service, if it is used, and `models` the model deployments that may be called."""

    settings: Settings
    agents: Sequence[Agent]
    sources: Sequence[Source]
    stores: Stores
    unknown_versions: UnknownVersions
    tokens: Callable[[AsyncExitStack], Tokens]
    local_search: Callable[[], LocalSearch | None]
    chat: "Callable[[AsyncExitStack], LocalChatModel | None]"
    models: Callable[[], Sequence[ModelDeployment]]
    rooms: Callable[[AsyncExitStack], Rooms]
    problems: Sequence[Problem] = ()
    other_sources: Collection[str] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Door:
    """What a room brings. `compose` makes its part of the service, which its endpoints find by its class.
    `resembling` refuses a call whose path has no route, but resembles those of the room. `settings` is the class of the
    settings that only this room has. `key_headers` are the headers in which only its callers send API keys, and
    `exposed_headers` are headers that only its answers have and pages may read."""

    routes: tuple[Route, ...]
    compose: Callable[[Materials], object] | None = None
    resembling: Resembling | None = None
    settings: type[RoomSettings] | None = None
    key_headers: tuple[str, ...] = ()
    exposed_headers: tuple[str, ...] = ()
