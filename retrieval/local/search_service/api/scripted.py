"""What a request may say to have a part of the service fail; `retrieval.local.faults` says it."""

from typing import Final, get_args

from retrieval.local.search_service.errors import InvalidArgument
from retrieval.local.search_service.features.additions import RankerAway
from retrieval.local.wire import WireRequest

RANKER_HEADER: Final = "x-local-search-ranker-away"
"""A search with this header finds the semantic ranker away, for the reason that is its value."""

_REASONS: Final[tuple[RankerAway, ...]] = get_args(RankerAway)


def ranker_away(request: WireRequest) -> RankerAway | None:
    """Why the ranker is away; None when it is not. Raises InvalidArgument for a reason that there is not."""
    said = request.header(RANKER_HEADER)
    found = next((reason for reason in _REASONS if reason == said), None)
    if said is not None and found is None:
        raise InvalidArgument(f"{RANKER_HEADER} is one of {', '.join(_REASONS)}; not {said[:40]!r}.")
    return found
