"""The header by which a request makes the semantic ranker unavailable."""

from typing import Final, get_args

from retrieval.local.search_service.errors import InvalidArgument
from retrieval.local.search_service.features.additions import RankerAway
from retrieval.local.wire import WireRequest

RANKER_HEADER: Final = "x-local-search-ranker-away"
"""For a search with this header the semantic ranker is unavailable; the value is the reason."""

_REASONS: Final[tuple[RankerAway, ...]] = get_args(RankerAway)


def ranker_away(request: WireRequest) -> RankerAway | None:
    """Why the ranker is unavailable; None when it is available. Raises InvalidArgument for an unknown reason."""
    said = request.header(RANKER_HEADER)
    found = next((reason for reason in _REASONS if reason == said), None)
    if said is not None and found is None:
        raise InvalidArgument(f"{RANKER_HEADER} is one of {', '.join(_REASONS)}; not {said[:40]!r}.")
    return found
