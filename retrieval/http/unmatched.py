"""Answers calls that no function takes: a sentence in the envelope of the contract that the address resembles.

The Functions host knows no 405: a method that fits no function is a 404 for it, and comes here. So do calls beneath a
path that a gateway has before those of this service (`BASE_PATH`), for which no function has a route.
"""

from collections.abc import Mapping
from dataclasses import replace
from functools import cache, partial
from typing import Final

from retrieval import threads
from retrieval.access.rights import REFUSED
from retrieval.contracts.rendered import Rendered
from retrieval.errors import MethodNotAllowed, NoSuchCall, NotFound
from retrieval.http.call import Call
from retrieval.http.cors import permission
from retrieval.http.mcp import tools_refusal
from retrieval.http.routes import ROUTES, Route
from retrieval.http.serving import refuse
from retrieval.http.template import Template, path_segments, read_template
from retrieval.http.workspaces import workspace_refusal

LONGEST: Final = 200
"""The most characters of a path in an answer."""

METHODS: Final = sorted({route.method for route in ROUTES.values()})


async def unmatched(call: Call) -> Rendered:
    """The answer to the preflight of a page that may call; 405 with `Allow` where the path has other methods; else
    404."""
    return await threads.at_first(_unmatched, partial(_unmatched, call))


def _unmatched(call: Call) -> Rendered:
    from retrieval.contracts import model_studio

    preflight_answer = permission(call.method, call.headers, call.cors_origins, methods=METHODS)
    if preflight_answer is not None:
        return preflight_answer
    path = call.route.get("path", "")
    routes = {method: route for method, (route, _) in routes_of(path).items()}
    if routes and call.method.upper() not in routes:
        return _other_methods(call, routes)
    if model_studio.resembles(path):
        return workspace_refusal(call, NoSuchCall("operation", f"{call.method} {path[:LONGEST]}"))
    return refuse(call, NotFound("route", path[:LONGEST]))


def _other_methods(call: Call, routes: Mapping[str, Route]) -> Rendered:
    """The refusal of a call. `routes` are the routes of the path by their methods; all have the same contract."""
    error, template = MethodNotAllowed(call.method, sorted(routes)), next(iter(routes.values())).template
    if template.endswith("/index/retrieve"):
        return workspace_refusal(call, error)
    if template.endswith("/mcp") and not template.startswith("."):
        return tools_refusal(call, error)
    return refuse(call, error)


def routes_of(path: str) -> Mapping[str, tuple[Route, Mapping[str, str]]]:
    """The routes that serve a path, by method, each with its values. `path` is decoded, without its first slash.

    A route that refuses every call serves no path.
    """
    segments = path_segments(path)
    matches = ((route, template.match(segments)) for route, template in _templates())
    return {route.method: (route, values) for route, values in matches if values is not None}


def beneath(base: str, call: Call) -> tuple[Route, Call] | None:
    """The route that a call to a path beneath `base` means, and the call as its function would have got it.

    `base` is compared without case, and has no slash at its ends. None where the path is not beneath it.
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
