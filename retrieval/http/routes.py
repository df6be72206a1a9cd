"""The routes of the service, as a table. A route has a method and a template, and states its function, its endpoint and
its id.

`retrieval.compose.rooms` has the table, and `function_app` registers its functions. `tools.openapi` describes each
route by its id. docs/operating/access.md shows the right that each route needs.

The Functions host tries functions in the alphabetical order of their names, so `zz_unmatched` comes last. `POST
/agents/index/retrieve` asks the agent "index": the workspace route matches only ids that begin with `llm` or `ws`.

`answer_unmatched` answers calls that fit no function. The error has the format of the contract that the path resembles.
The Functions host has no status 405, so calls with a wrong method also come here. If a gateway adds a base path
(`BASE_PATH`), calls beneath this path come here too, because no function has a route for them.
"""

import logging
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any, Final, TypeAlias

from retrieval import threads
from retrieval.contracts.rendered import Rendered
from retrieval.errors import MethodNotAllowed, NotFound
from retrieval.http.call import Call
from retrieval.http.cors import ORIGIN, is_preflight, permission
from retrieval.http.serving import Composition, Endpoint, Open, answer_call, refuse
from retrieval.http.template import Template, path_segments, read_template
from retrieval.model.caller import Right

Resembling: TypeAlias = Callable[[Call, str], Rendered | None]
"""The refusal of a call whose path has no route; None if the path does not resemble those of the contract."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Route:
    """A route. `odata` is true for the form `agents('{name}')`, which SDKs use. Its `id` is the same as for
    `agents/{name}`; OpenAPI appends `Odata` to it."""

    function: str
    method: str
    template: str
    endpoint: Endpoint[Any] | Open
    id: str
    odata: bool = False

    @property
    def needs(self) -> Right | None:
        """The right that a caller needs; None if the route needs no right and no credential."""
        return self.endpoint.needs

    @property
    def address(self) -> str:
        """The method and the template, such as `GET agents/{name}`. No two routes have the same address."""
        return f"{self.method} {self.template}"


def route(address: str, function: str, endpoint: Endpoint[Any] | Open, id: str) -> tuple[Route, ...]:
    """The route of an address."""
    method, template = address.split(" ")
    return (Route(function=function, method=method, template=template, endpoint=endpoint, id=id),)


def both_forms(address: str, function: str, endpoint: Endpoint[Any] | Open, id: str) -> tuple[Route, ...]:
    """The routes of an address, in its slash form and in its OData form."""
    (slash,) = route(address, function, endpoint, id)
    template = slash.template.replace("/{name}", "('{name}')")
    return slash, replace(slash, template=template, function=f"{function}_odata", odata=True)


class Table:
    """The routes by address, in the order of the OpenAPI document, and the refusals of paths that resemble them."""

    def __init__(self, routes: Iterable[Route], resembling: Iterable[Resembling] = ()) -> None:
        self.routes = {route.address: route for route in routes}
        self.resembling = tuple(resembling)

    def functions(self) -> Mapping[tuple[str, str], Mapping[str, Route]]:
        """The routes of each function by method. A function is identified by its name and its template."""
        by_function: dict[tuple[str, str], dict[str, Route]] = {}
        for route in self.routes.values():
            by_function.setdefault((route.function, route.template), {})[route.method] = route
        return by_function

    def of_path(self, path: str) -> Mapping[str, tuple[Route, Mapping[str, str]]]:
        """The routes of a path by method, each with the values of its parameters. `path` is decoded, without its first
        slash. Routes that refuse every call are left out.
        """
        segments = path_segments(path)
        matches = ((route, template.match(segments)) for route, template in self._templates)
        return {route.method: (route, values) for route, values in matches if values is not None}

    @cached_property
    def _templates(self) -> tuple[tuple[Route, Template], ...]:
        routes = (route for route in self.routes.values() if not route.endpoint.refuses)
        return tuple((route, read_template(route.template)) for route in routes)


LONGEST: Final = 200
"""The most characters of a path in an answer, and of an origin in the log."""

REFUSED_PAGE: Final = (
    "The preflight request of a page was refused. The setting CORS_ORIGINS does not list the origin of the page: %r"
)

logger = logging.getLogger(__name__)


async def answer_unmatched(table: Table, base: str, call: Call, composition: Composition) -> Rendered:
    """The answer to a call that fits no function. Beneath the path `base` it is that of the route for the rest of the
    path. The comparison with `base` ignores case. `base` has no slash at its ends.

    Otherwise it is the answer to the preflight request of an allowed page; 405 with `Allow` if the path has other
    methods; or 404.
    """
    path = call.route.get("path", "")
    if base and path[: len(base) + 1].lower() == f"{base.lower()}/":
        routes = table.of_path(path[len(base) + 1 :])
        if call.method.upper() in routes:
            route, values = routes[call.method.upper()]
            return await answer_call(route.endpoint, replace(call, route=values), composition)

    async def refusal(call: Call, composition: Composition) -> Rendered:
        return await threads.at_first(_unmatched, partial(_unmatched, table, call))

    return await answer_call(Open(refusal), call, composition)


def _unmatched(table: Table, call: Call) -> Rendered:
    methods = sorted({route.method for route in table.routes.values()})
    preflight_answer = permission(call.method, call.headers, call.cors_origins, methods=methods)
    if preflight_answer is not None:
        return preflight_answer
    if is_preflight(call.method, call.headers):
        logger.warning(REFUSED_PAGE, call.headers.get(ORIGIN, "")[:LONGEST])
    path = call.route.get("path", "")
    routes = {method: route for method, (route, _) in table.of_path(path).items()}
    if routes and call.method.upper() not in routes:
        endpoint = next(iter(routes.values())).endpoint  # All routes of a path have the same contract.
        return endpoint.refuse(call, MethodNotAllowed(call.method, sorted(routes)))
    refusals = filter(None, (refusal(call, path) for refusal in table.resembling))
    return next(refusals, None) or refuse(call, NotFound("route", path[:LONGEST]))
