"""Counts of the documents of a retrieval: found, returned, dropped."""

from collections import Counter
from collections.abc import Iterable

from retrieval.model.activity import DropReason, SearchActivity
from retrieval.model.retrieval import Outcome
from retrieval.telemetry import names
from retrieval.telemetry.spans import described, instruments


def counted(outcome: Outcome) -> None:
    """Count the documents found, returned and dropped, and set the counts on the current span.

    The number found is that of returned plus dropped documents, without `budget`, which counts references that did not
    fit into the grounding text.
    """
    searches = [activity for activity in outcome.activity if isinstance(activity, SearchActivity)]
    dropped: Counter[DropReason] = Counter()
    for search in searches:
        dropped.update(search.dropped)
    found, returned = sum(search.found for search in searches), len(outcome.references)
    documents(subqueries=len(searches), found=found, returned=returned, dropped=dropped.items())


def documents(*, subqueries: int, found: int, returned: int, dropped: Iterable[tuple[str, int]]) -> None:
    """Count the documents that a call found, returned and dropped by reason; set the counts on the current span."""
    counters = instruments()
    counters.found.add(found)
    counters.returned.add(returned)
    reasons = dict(dropped)
    for reason, count in reasons.items():
        counters.dropped.add(count, {names.REASON: reason})
    described(
        {
            names.SUBQUERIES: subqueries,
            names.FOUND: found,
            names.RETURNED: returned,
            **{f"{names.DROPPED}.{reason}": count for reason, count in reasons.items()},
        }
    )
