"""One address, as Azure has it: the search service's own routes are served beside those of the app.

So a client that makes an index, loads documents and retrieves needs one endpoint. In production there are no such
routes.
"""

import re
from typing import Final

from retrieval.local.wire import WireRequest, WireResponse, WireService

SEARCHED: Final = frozenset("indexes aliases synonymmaps servicestats indexers datasources skillsets".split())
"""First segments of paths. The app serves knowledge sources, knowledge bases and agents itself."""

_FIRST: Final = re.compile(r"/{1,2}([A-Za-z]+)(?=[/(?]|\Z)")


def one_address(app: WireService, search: WireService | None) -> WireService:
    """The app, and before it the search service for the paths that are its own; without one, the app."""
    if search is None:
        return app

    async def answer(request: WireRequest) -> WireResponse:
        first = _FIRST.match(request.target)
        of_search = first is not None and first[1] in SEARCHED
        return await (search if of_search else app)(request)

    return answer
