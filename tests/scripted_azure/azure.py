"""The service: a few routes, each with its script, and a record of what was asked."""

import asyncio
import json
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, Final, Literal, TypeAlias
from urllib.parse import unquote

from retrieval.local.server import serving
from retrieval.local.wire import WireRequest, WireResponse, WireService
from tests.scripted_azure.scripts import answering, definition, failing, found

Route: TypeAlias = Literal["search", "index", "alias", "count", "chat", "models"]

_ROUTES: Final[tuple[tuple[Route, re.Pattern[str]], ...]] = (
    ("search", re.compile(r"POST /indexes\('[^']+'\)/docs/search\.post\.search")),
    ("count", re.compile(r"GET /indexes\('[^']+'\)/docs/\$count")),
    ("index", re.compile(r"GET /indexes\('[^']+'\)")),
    ("alias", re.compile(r"GET /aliases\('[^']+'\)")),
    ("chat", re.compile(r"POST /openai/(deployments/[^/]+|v1)/chat/completions")),
    ("models", re.compile(r"GET /openai/(v1/)?models")),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Recorded:
    """A request that came in, under the route that took it."""

    route: Route
    request: WireRequest

    @property
    def json(self) -> Any:
        """The body."""
        return json.loads(self.request.body)

    @property
    def version(self) -> str:
        """The api-version."""
        found = re.search(r"[?&]api-version=([^&]*)", self.request.target)
        return found[1] if found else ""


class ScriptedAzure:
    """A search service and a chat model at one address. What no route takes is a 404, and `lost` holds it."""

    def __init__(
        self, *, search: WireService | None = None, index: WireService | None = None, chat: WireService | None = None
    ) -> None:
        self.search = search or found()
        self.index = index or definition()
        self.alias = failing(404)
        self.count = answering(b"\xef\xbb\xbf7", content_type="text/plain")
        self.chat = chat or failing(500)
        self.models = answering({"object": "list", "data": []})
        self.address = ""
        self.recorded: list[Recorded] = []
        self.lost: list[WireRequest] = []
        self.given_up = 0
        self._open: set[asyncio.Task[object]] = set()
        self._changed = asyncio.Event()

    @property
    def searches(self) -> list[Recorded]:
        return self._of("search")

    @property
    def definitions_read(self) -> list[Recorded]:
        return self._of("index")

    @property
    def chats(self) -> list[Recorded]:
        return self._of("chat")

    async def __call__(self, request: WireRequest) -> WireResponse:
        route = _route(request)
        if route is None:
            self.lost.append(request)
            return WireResponse(status=404)
        self.recorded.append(Recorded(route=route, request=request))
        task = asyncio.current_task()
        assert task is not None
        self._open.add(task)
        self._tell()
        try:
            return await self._script(route)(request)
        except asyncio.CancelledError:
            self.given_up += 1
            self._tell()
            raise
        finally:
            self._open.discard(task)

    @asynccontextmanager
    async def listening(self) -> AsyncIterator[None]:
        """Be at `address`, a free port of this machine. At the end, calls that are still held are cut."""
        async with serving(self) as self.address:
            try:
                yield
            finally:
                for task in self._open:
                    task.cancel()

    async def asked(self, route: Route, count: int) -> None:
        """Return when that many requests have come in on the route, answered or not."""
        while len(self._of(route)) < count:
            await self._changed.wait()

    async def abandoned(self, count: int) -> None:
        """Return when callers have abandoned that many requests that were not answered."""
        while self.given_up < count:
            await self._changed.wait()

    def _of(self, route: Route) -> list[Recorded]:
        return [one for one in self.recorded if one.route == route]

    def _script(self, route: Route) -> WireService:
        match route:
            case "search":
                return self.search
            case "index":
                return self.index
            case "alias":
                return self.alias
            case "count":
                return self.count
            case "chat":
                return self.chat
            case "models":
                return self.models

    def _tell(self) -> None:
        self._changed.set()
        self._changed = asyncio.Event()


def _route(request: WireRequest) -> Route | None:
    line = f"{request.method} {unquote(request.target.partition('?')[0])}"
    return next((route for route, pattern in _ROUTES if pattern.fullmatch(line)), None)
