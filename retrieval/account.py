"""The account of a retrieval: a record for every step; every document found is returned or counted as dropped."""

from collections import Counter
from collections.abc import Mapping, Sequence

from retrieval.ground import ranked_tokens
from retrieval.model import (
    RANKED_PER_SUBQUERY,
    Activity,
    DropReason,
    Grounding,
    Merged,
    PlanningActivity,
    RankerActivity,
    SearchActivity,
    Searched,
)


def account(
    searched: Sequence[Searched],
    *,
    planning: PlanningActivity | None,
    merged: Merged,
    grounding: Grounding,
    max_documents: int | None,
    warning: str | None = None,
) -> tuple[Activity, ...]:
    """The records in the order of their activity ids: planning if a model was asked, the searches, the ranking.

    `warning` is what the plan had to leave out; it stands on the last record.
    """
    budget = _over_budget(merged, grounding)
    searches = [
        SearchActivity(
            searched=one,
            found=len(one.page.hits) + one.page.unreadable,
            dropped=_with_budget(merged.dropped[position], budget[position]),
        )
        for position, one in enumerate(searched)
    ]
    ranker = RankerActivity(
        input_tokens=sum(_tokens_ranked(one) for one in searched),
        elapsed_ms=max(one.elapsed_ms for one in searched),
        warning=" ".join(filter(None, (warning, _too_few(max_documents, len(searched))))) or None,
    )
    return (*((planning,) if planning else ()), *searches, ranker)


def _over_budget(merged: Merged, grounding: Grounding) -> Counter[int]:
    included = set(grounding.included)
    return Counter(ref.subquery for position, ref in enumerate(merged.references) if position not in included)


def _with_budget(dropped: Mapping[DropReason, int], budget: int) -> dict[DropReason, int]:
    return {**dropped, "budget": budget} if budget else dict(dropped)


def _tokens_ranked(searched: Searched) -> int:
    return ranked_tokens(searched.subquery.search, [hit for hit in searched.page.hits if hit.score is not None])


def _too_few(max_documents: int | None, subqueries: int) -> str | None:
    ranked = subqueries * RANKED_PER_SUBQUERY
    if max_documents is None or ranked >= max_documents:
        return None
    return (
        f"Ranking {max_documents} documents takes {max_documents // RANKED_PER_SUBQUERY} sub-queries; "
        f"{subqueries} distinct could be planned, so at most {ranked} documents were ranked."
    )
