"""Answers calls that no function takes: a sentence in the envelope of the contract that the address resembles.

The Functions host knows no 405: a method that fits no function is a 404 for it, and comes here.
"""

from collections.abc import Mapping
from functools import partial
from typing import Final

from retrieval import threads
from retrieval.contracts.rendered import Rendered
from retrieval.errors import MethodNotAllowed, NoSuchCall, NotFound
from retrieval.http.call import Call
from retrieval.http.cors import permission
from retrieval.http.mcp import tools_refusal
from retrieval.http.paths import routes_of
from retrieval.http.routes import ROUTES, Route
from retrieval.http.serving import refuse
from retrieval.http.workspaces import workspace_refusal

LONGEST: Final = 200
"""The most characters of a path in an answer."""

METHODS: Final = sorted({route.method for route in ROUTES.values()})


async def unmatched(call: Call) -> Rendered:
    """The answer to a page's preflight, where it may call; 405 with `Allow` where the path has other methods; else
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
    """`served` are the routes of the path by their methods; those of one path are of one contract."""
    error, template = MethodNotAllowed(call.method, sorted(routes)), next(iter(routes.values())).template
    if template.endswith("/index/retrieve"):
        return workspace_refusal(call, error)
    if template.endswith("/mcp") and not template.startswith("."):
        return tools_refusal(call, error)
    return refuse(call, error)
