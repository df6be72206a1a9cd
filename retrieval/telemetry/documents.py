"""What became of the documents of a retrieval, counted."""

from collections import Counter

from retrieval.model import DropReason, Outcome, SearchActivity
from retrieval.telemetry import names
from retrieval.telemetry.spans import described, instruments


def counted(outcome: Outcome) -> None:
    """Count what was found, returned and dropped, and set it on the span under way.

    Found is returned plus dropped, but for `budget`: those are references that the grounding text had no room for.
    """
    searches = [one for one in outcome.activity if isinstance(one, SearchActivity)]
    found, returned = sum(one.found for one in searches), len(outcome.references)
    dropped: Counter[DropReason] = Counter()
    for one in searches:
        dropped.update(one.dropped)
    made = instruments()
    made.found.add(found)
    made.returned.add(returned)
    for reason, count in dropped.items():
        made.dropped.add(count, {names.REASON: reason})
    described(
        {
            names.SUBQUERIES: len(searches),
            names.FOUND: found,
            names.RETURNED: returned,
            **{f"{names.DROPPED}.{reason}": count for reason, count in dropped.items()},
        }
    )
