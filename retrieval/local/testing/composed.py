"""The whole service in this process, any number of them side by side: each with settings of its own.

`function_app` has the one service of its process, composed by the environment; here a service is composed of settings
that are given, and its routes are called behind the local host as the functions of the app are.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from threading import Lock
from typing import Final
from urllib.parse import urlsplit
from uuid import uuid4

from retrieval import compose
from retrieval.call.ports import now
from retrieval.compose.rooms import TABLE, gather
from retrieval.compose.search import local_search
from retrieval.contracts.rendered import Rendered
from retrieval.errors import NotConfigured
from retrieval.http.call import Call, OfEveryCall
from retrieval.http.routes import Route, answer_unmatched
from retrieval.http.service import Service
from retrieval.http.serving import answer_call
from retrieval.local import stand_in
from retrieval.local.host import host_over
from retrieval.local.host.exchange import Invocation
from retrieval.local.host.table import Function
from retrieval.local.one_address import one_address
from retrieval.local.transport import wait
from retrieval.local.wire import WireRequest, WireResponse, WireService
from retrieval.settings.settings import Settings
from retrieval.telemetry.readiness import Readiness

UNMATCHED: Final = "zz_unmatched"
_OF: Final = TABLE.functions()
_ROUTES: Final[Mapping[str, Mapping[str, Route]]] = {name: routes for (name, _), routes in _OF.items()}
_FUNCTIONS: Final = (
    *(Function(name=name, route=template, methods=(*routes,)) for (name, template), routes in _OF.items()),
    Function(name=UNMATCHED, route="{*path}"),
)
_one_at_a_time: Final = Lock()


@dataclass(frozen=True, kw_only=True)
class Composed:
    """A service with its settings and readiness, as the routes take it (`Composition`), and the functions over it
    (`Engine`)."""

    settings: Settings
    composed: Service
    ready: Readiness

    title: str = "in process"
    functions: tuple[Function, ...] = _FUNCTIONS

    @cached_property
    def of_every_call(self) -> OfEveryCall:
        return compose.fields_of_calls(self.settings)

    def service(self) -> Service:
        return self.composed

    def readiness(self) -> Readiness:
        return self.ready

    def playground(self) -> bool:
        return self.settings.shows_playground

    async def invoke(self, function: str, call: Invocation) -> WireResponse:
        answer = await self._answer(function, _call(call, self.of_every_call))
        headers = (*answer.headers.items(), ("content-type", "application/json; charset=utf-8"))
        named = {name.lower(): value for name, value in reversed(headers)}
        return WireResponse(status=answer.status, headers=tuple(named.items()), body=answer.content)

    async def _answer(self, function: str, call: Call) -> Rendered:
        if function != UNMATCHED:
            return await answer_call(_ROUTES[function][call.method].endpoint, call, self)
        return await answer_unmatched(TABLE, self.settings.base_path, call, self)

    def accepts(self, head: WireRequest) -> bool:
        """Whether a request with this head may be read further."""
        return self.composed.callers.access.may_admit(dict(reversed(head.headers)))


@contextmanager
def composed(environ: Mapping[str, str]) -> Iterator[tuple[WireService, Composed]]:
    """A service of these settings, with the local search service beside it at one address. Raises NotConfigured."""
    settings, problems = gather(environ)
    if problems:
        raise NotConfigured(problems)
    with _one_at_a_time:
        stand_in.forget()
        service = compose.compose_service(settings)
        search = local_search(settings)
    ready = Readiness(lambda: service.process.probes, ticks=now)
    app = Composed(settings=settings, composed=service, ready=ready)
    try:
        yield one_address(host_over(app), search), app
    finally:
        wait(service.process.close())


def _call(call: Invocation, of_every_call: OfEveryCall) -> Call:
    url = urlsplit(call.url)
    return Call(
        method=call.method,
        headers={name.lower(): value for name, value in call.headers.items()},
        query={name.lower(): value for name, value in call.query.items()},
        route=call.route_values,
        origin=f"{url.scheme}://{url.netloc}",
        path=url.path,
        raw_query=url.query,
        body=call.body,
        request_id=str(uuid4()),
        **of_every_call,
    )
