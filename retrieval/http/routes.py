"""The routes of the service, as a table. A route has a method and a template, and states its function, its endpoint and
its id.

`retrieval.compose.rooms` has the table, and `function_app` registers its functions. `tools.openapi` describes each
route by its id. `unmatched` finds the routes of a path. docs/operating/access.md shows the right that each route needs.

The Functions host tries functions in the alphabetical order of their names, so `zz_unmatched` comes last. `POST
/agents/index/retrieve` asks the agent "index": the workspace route matches only ids that begin with `llm` or `ws`.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, TypeAlias

from retrieval.contracts.rendered import Rendered
from retrieval.http.call import Call
from retrieval.http.serving import Endpoint, Open
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
        return None if isinstance(self.endpoint, Open) else self.endpoint.needs

    @property
    def refuses(self) -> bool:
        """Whether the route refuses every call."""
        return not isinstance(self.endpoint, Open) and self.endpoint.refuses

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
        routes = (route for route in self.routes.values() if not route.refuses)
        return tuple((route, read_template(route.template)) for route in routes)
