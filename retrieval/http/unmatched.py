"""Answers calls that fit no function. The error has the format of the contract that the path resembles. The Functions
host has no status 405, so calls with a wrong method also come here. If a gateway adds a base path (`BASE_PATH`), calls
beneath this path come here too, because no function has a route for them.
"""

import logging
from collections.abc import Mapping
from dataclasses import replace
from functools import cache, partial
from typing import Final

from retrieval import threads
from retrieval.access.host_header import ORIGIN
from retrieval.access.rights import REFUSED
from retrieval.contracts.rendered import Rendered
from retrieval.errors import MethodNotAllowed, NoSuchCall, NotFound
from retrieval.http.call import Call
from retrieval.http.cors import is_preflight, permission
from retrieval.http.mcp import tools_refusal
from retrieval.http.routes import ROUTES, Route
from retrieval.http.serving import refuse
from retrieval.http.template import Template, path_segments, read_template
from retrieval.http.workspaces import workspace_refusal

LONGEST: Final = 200
"""The most characters of a path in an answer, and of an origin in the log."""

REFUSED_PAGE: Final = (
    "The preflight request of a page was refused. The setting CORS_ORIGINS does not list the origin of the page: %r"
)
METHODS: Final = sorted({route.method for route in ROUTES.values()})

logger = logging.getLogger(__name__)


async def unmatched(call: Call) -> Rendered:
    """The answer to the preflight request of an allowed page; 405 with `Allow` if the path has other methods; otherwise
    404."""
    return await threads.at_first(_unmatched, partial(_unmatched, call))


def _unmatched(call: Call) -> Rendered:
    from retrieval.contracts import model_studio

    preflight_answer = permission(call.method, call.headers, call.cors_origins, methods=METHODS)
    if preflight_answer is not None:
        return preflight_answer
    if is_preflight(call.method, call.headers):
        logger.warning(REFUSED_PAGE, call.headers.get(ORIGIN, "")[:LONGEST])
    path = call.route.get("path", "")
    routes = {method: route for method, (route, _) in routes_of(path).items()}
    if routes and call.method.upper() not in routes:
        return _other_methods(call, routes)
    if model_studio.resembles(path):
        return workspace_refusal(call, NoSuchCall("operation", f"{call.method} {path[:LONGEST]}"))
    return refuse(call, NotFound("route", path[:LONGEST]))


def _other_methods(call: Call, routes: Mapping[str, Route]) -> Rendered:
    """The refusal of a call with a wrong method. `routes` are the routes of the path by method. All of them have the
    same contract."""
    error, template = MethodNotAllowed(call.method, sorted(routes)), next(iter(routes.values())).template
    if template.endswith("/index/retrieve"):
        return workspace_refusal(call, error)
    if template.endswith("/mcp") and not template.startswith("."):
        return tools_refusal(call, error)
    return refuse(call, error)


def routes_of(path: str) -> Mapping[str, tuple[Route, Mapping[str, str]]]:
    """The routes of a path by method, each with the values of its parameters. `path` is decoded, without its first
    slash. Routes that refuse every call are left out.
    """
    segments = path_segments(path)
    matches = ((route, template.match(segments)) for route, template in _templates())
    return {route.method: (route, values) for route, values in matches if values is not None}


def beneath(base: str, call: Call) -> tuple[Route, Call] | None:
    """The route of a call beneath the path `base`, and the call with the values of the route's parameters. The
    comparison with `base` ignores case. `base` has no slash at its ends. None if the path is not beneath `base` or has
    no route there.
    """
    path = call.route.get("path", "")
    if not base or path[: len(base) + 1].lower() != f"{base.lower()}/":
        return None
    route_and_values = routes_of(path[len(base) + 1 :]).get(call.method.upper())
    return None if route_and_values is None else (route_and_values[0], replace(call, route=route_and_values[1]))


@cache
def _templates() -> tuple[tuple[Route, Template], ...]:
    routes = (route for route in ROUTES.values() if route.operation not in REFUSED)
    return tuple((route, read_template(route.template)) for route in routes)
