"""One address, as Azure has it: the search service's own routes are served beside those of the app.

So a client that makes an index, loads documents and retrieves needs one endpoint. In production there are no such
routes. `/` is the playground, since a browser that opens the address asks for that.
"""

import re
from dataclasses import replace
from typing import Final

from retrieval.local.wire import WireRequest, WireResponse, WireService

SEARCHED: Final = frozenset(
    "indexes aliases synonymmaps servicestats indexstats indexers datasources skillsets".split()
)
"""First segments of paths. The app serves knowledge sources, knowledge bases and agents itself."""

_ROOT: Final = re.compile(r"/(?=\?|\Z)")
_FIRST: Final = re.compile(r"/{1,2}([A-Za-z]+)(?=[/(?]|\Z)")


def one_address(app: WireService, search: WireService | None) -> WireService:
    """The app, and before it the search service for the paths that are its own; without one, the app."""

    async def answer(request: WireRequest) -> WireResponse:
        if request.method == "GET" and _ROOT.match(request.target):
            return await app(replace(request, target=f"/playground{request.target[1:]}"))
        if search is None:
            return await app(request)
        first = _FIRST.match(request.target)
        return await (search if first is not None and first[1] in SEARCHED else app)(request)

    return answer
