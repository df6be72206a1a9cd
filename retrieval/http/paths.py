"""Finds the routes of an address, whatever the method, also beneath a gateway's base path.

A gateway may put a path of its own before those of this service (`BASE_PATH`). No function has such a route, so these
calls reach the function that takes what no other does, and it asks here.
"""

from collections.abc import Mapping
from dataclasses import replace
from functools import cache

from retrieval.access.rights import REFUSED
from retrieval.http.call import Call
from retrieval.http.routes import ROUTES, Route
from retrieval.http.template import Template, path_segments, read_template


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
