"""Which routes an address means, whatever the method; and a call to an address beneath a gateway's base path.

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
    given = path_segments(path)
    fitting = ((route, template.match(given)) for route, template in _templates())
    return {route.method: (route, values) for route, values in fitting if values is not None}


def beneath(base: str, call: Call) -> tuple[Route, Call] | None:
    """The route that a call to a path beneath `base` means, and the call as its function would have got it.

    `base` is compared without case, and has no slash at its ends. None where the path is not beneath it.
    """
    path = call.route.get("path", "")
    if not base or path[: len(base) + 1].lower() != f"{base.lower()}/":
        return None
    meant = routes_of(path[len(base) + 1 :]).get(call.method.upper())
    return None if meant is None else (meant[0], replace(call, route=meant[1]))


@cache
def _templates() -> tuple[tuple[Route, Template], ...]:
    served = (route for route in ROUTES.values() if route.operation not in REFUSED)
    return tuple((route, read_template(route.template)) for route in served)
