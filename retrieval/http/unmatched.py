"""What no function takes: a sentence in the envelope of the contract that the address belongs to, or resembles.

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
"""Characters of a path that are said again."""

METHODS: Final = sorted({route.method for route in ROUTES.values()})


async def unmatched(call: Call) -> Rendered:
    """What a page asks before a call, where it may; 405 with `Allow` where the path has other methods; or else 404."""
    return await threads.at_first(_unmatched, partial(_unmatched, call))


def _unmatched(call: Call) -> Rendered:
    from retrieval.contracts import model_studio

    permitted = permission(call.method, call.headers, call.cors_origins, methods=METHODS)
    if permitted is not None:
        return permitted
    path = call.route.get("path", "")
    served = {method: route for method, (route, _) in routes_of(path).items()}
    if served and call.method.upper() not in served:
        return _other_methods(call, served)
    if model_studio.resembles(path):
        return workspace_refusal(call, NoSuchCall("operation", f"{call.method} {path[:LONGEST]}"))
    return refuse(call, NotFound("route", path[:LONGEST]))


def _other_methods(call: Call, served: Mapping[str, Route]) -> Rendered:
    """`served` are the routes of the path by their methods; those of one path are of one contract."""
    error, template = MethodNotAllowed(call.method, sorted(served)), next(iter(served.values())).template
    if template.endswith("/index/retrieve"):
        return workspace_refusal(call, error)
    if template.endswith("/mcp") and not template.startswith("."):
        return tools_refusal(call, error)
    return refuse(call, error)
