"""Answers calls that fit no function. The error has the format of the contract that the path resembles. The Functions
host has no status 405, so calls with a wrong method also come here. If a gateway adds a base path (`BASE_PATH`), calls
beneath this path come here too, because no function has a route for them.
"""

import logging
from dataclasses import replace
from functools import partial
from typing import Final

from retrieval import threads
from retrieval.access.host_header import ORIGIN
from retrieval.contracts.rendered import Rendered
from retrieval.errors import MethodNotAllowed, NotFound
from retrieval.http.call import Call
from retrieval.http.cors import is_preflight, permission
from retrieval.http.routes import Table
from retrieval.http.serving import Composition, Open, answer_call, refuse

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
        refusal_of = refuse if isinstance(endpoint, Open) else endpoint.refuse
        return refusal_of(call, MethodNotAllowed(call.method, sorted(routes)))
    refusals = filter(None, (refusal(call, path) for refusal in table.resembling))
    return next(refusals, None) or refuse(call, NotFound("route", path[:LONGEST]))
