"""What became of the documents of a retrieval, counted."""

from collections import Counter
from collections.abc import Iterable

from retrieval.model.activity import DropReason, SearchActivity
from retrieval.model.retrieval import Outcome
from retrieval.telemetry import names
from retrieval.telemetry.spans import described, instruments


def counted(outcome: Outcome) -> None:
    """Count what was found, returned and dropped, and set it on the span under way.

    Found is returned plus dropped, but for `budget`: those are references that the grounding text had no room for.
    """
    searches = [one for one in outcome.activity if isinstance(one, SearchActivity)]
    dropped: Counter[DropReason] = Counter()
    for one in searches:
        dropped.update(one.dropped)
    found, returned = sum(one.found for one in searches), len(outcome.references)
    documents(subqueries=len(searches), found=found, returned=returned, dropped=dropped.items())


def documents(*, subqueries: int, found: int, returned: int, dropped: Iterable[tuple[str, int]]) -> None:
    """Count what a call found, returned and dropped, a reason and its count each; set it on the span under way."""
    made = instruments()
    made.found.add(found)
    made.returned.add(returned)
    reasons = dict(dropped)
    for reason, count in reasons.items():
        made.dropped.add(count, {names.REASON: reason})
    described(
        {
            names.SUBQUERIES: subqueries,
            names.FOUND: found,
            names.RETURNED: returned,
            **{f"{names.DROPPED}.{reason}": count for reason, count in reasons.items()},
        }
    )
