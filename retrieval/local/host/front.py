"""The host as a service: one request in, one function run, one answer out."""

import logging
import os
from collections.abc import MutableMapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

from retrieval.http.template import path_segments
from retrieval.local.host.engine import Engine, OpenEngine, open_engine
from retrieval.local.host.exchange import content_length, invocation, is_chunked
from retrieval.local.host.paths import decode_path, split_target
from retrieval.local.host.project import DEFAULT_BODY_LIMIT, read_project
from retrieval.local.host.sdk_engine import open_sdk
from retrieval.local.host.table import FunctionRoute, RouteTable, route_table
from retrieval.local.wire import WireRequest, WireResponse

WITHOUT_LENGTH: Final = (
    "A body came in chunks, without its length (Transfer-Encoding: chunked), and was passed on; `func start` would "
    "pass on an empty one. This is said once."
)

_log = logging.getLogger(__name__)


class Once:
    """A warning for the log, which is given once."""

    def __init__(self, warning: str) -> None:
        self._warning = warning
        self._given = False

    def give(self) -> None:
        if not self._given:
            self._given = True
            _log.warning("%s", self._warning)


@dataclass(frozen=True, slots=True, kw_only=True)
class Host:
    """A `WireService` over the functions of an app. `body_limit` counts bytes, `function_timeout` seconds."""

    engine: Engine
    table: RouteTable
    body_limit: int = DEFAULT_BODY_LIMIT
    function_timeout: int = 1_800
    without_length: Once = field(default_factory=lambda: Once(WITHOUT_LENGTH))

    async def __call__(self, request: WireRequest) -> WireResponse:
        """Empty answers: 404 where no route takes it, 413 for a body over the limit, 400 for a target that is none.

        That is one with a NUL in its path, or with anything that is not ASCII (Kestrel reads no other).
        """
        if not request.target.isascii():
            return WireResponse(status=400)
        try:
            path = decode_path(split_target(request.target)[0])
        except ValueError:
            return WireResponse(status=400)
        found = self.table.find(request.method, path_segments(path[1:])) if path.startswith("/") else None
        if found is None:
            return WireResponse(status=404)
        if max(content_length(request) or 0, len(request.body)) > self.body_limit:
            return WireResponse(status=413)
        if is_chunked(request) and request.body:
            self.without_length.give()
        function, route_values = found
        return await self.engine.invoke(function.name, invocation(request, path, route_values))

    def listing(self, address: str) -> tuple[str, ...]:
        """One line a function, in the order in which they are tried: its name, its methods and its URL."""
        return tuple(_line(route, address) for route in self.table.routes)


def _line(route: FunctionRoute, address: str) -> str:
    methods = ",".join(route.function.methods) or "ANY"
    return f"{route.function.name}: [{methods}] {address}/{route.template.text.lstrip('/')}"


def host_over(engine: Engine, *, prefix: str = "", body_limit: int = DEFAULT_BODY_LIMIT) -> Host:
    """A host over an engine that is there already; HostError when the functions do not go together."""
    return Host(engine=engine, table=route_table(engine.functions, prefix=prefix), body_limit=body_limit)


async def open_host(
    root: Path, *, opening: OpenEngine = open_sdk, environ: MutableMapping[str, str] = os.environ
) -> Host:
    """Read the files of an app root, put its settings into the environment, import the app and index it.

    HostError says why not. The settings stay in `environ` afterwards: they are the app's, and it reads them when it
    likes.
    """
    project = read_project(root, environ)
    environ.update(project.settings)
    opened = await open_engine(root, opening)
    host = host_over(opened, prefix=project.route_prefix, body_limit=project.body_limit)
    return replace(host, function_timeout=project.function_timeout)
