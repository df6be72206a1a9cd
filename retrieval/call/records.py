"""The activity of a retrieval: a record for every step; every document found is returned or counted as dropped."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence

from retrieval.call import hinted_search
from retrieval.call.ground import ranked_tokens
from retrieval.model.activity import Activity, By, DropReason, PlanningActivity, RankerActivity, SearchActivity
from retrieval.model.definitions import Effort
from retrieval.model.retrieval import Grounding, Merged
from retrieval.model.search import Page, Searched, SearchTarget
from retrieval.text.how_many import how_many


def activity_of(
    searched: Sequence[Searched],
    *,
    planning: PlanningActivity | None,
    judging: PlanningActivity | None = None,
    first: int | None = None,
    merged: Merged,
    grounding: Grounding,
    effort: Effort = "low",
    by: By = "rules",
    warning: str | None = None,
) -> tuple[Activity, ...]:
    """The records in the order of their activity ids: planning if a model was asked, the searches, the ranking.

    A model that judged what was found is told of after the `first` so many searches, which it judged.

    `effort` is what was done and `by` who planned it; `warning` is what the plan had to leave out. The last
    record has all three.
    """
    budget = _over_budget(merged, grounding)
    searches = [
        SearchActivity(
            searched=one,
            found=one.page.found,
            dropped=_with_budget(merged.dropped[position], budget[position]),
        )
        for position, one in enumerate(searched)
    ]
    ranker = RankerActivity(
        input_tokens=sum(_tokens_ranked(one) for one in searched),
        elapsed_ms=max(one.elapsed_ms for one in searched),
        started_at=min(one.started_at for one in searched),
        effort=effort,
        by=by,
        warning=" ".join(filter(None, (warning, _warning(searched)))) or None,
    )
    made = (searches[:first], searches[first:] if first is not None else [])
    return (*_some(planning), *made[0], *_some(judging), *made[1], ranker)


def _some(planning: PlanningActivity | None) -> tuple[PlanningActivity, ...]:
    return (planning,) if planning else ()


def _over_budget(merged: Merged, grounding: Grounding) -> Counter[int]:
    included = set(grounding.included)
    return Counter(ref.subquery for position, ref in enumerate(merged.references) if position not in included)


def _with_budget(dropped: Mapping[DropReason, int], budget: int) -> dict[DropReason, int]:
    return {**dropped, "budget": budget} if budget else dict(dropped)


def _tokens_ranked(searched: Searched) -> int:
    return ranked_tokens(searched.subquery.search, [hit for hit in searched.page.hits if hit.score is not None])


def _warning(searched: Sequence[Searched]) -> str | None:
    """A sentence for each wish of the caller that a target could not fulfil."""
    final = [one for one in searched if not one.given_up]
    targets = {one.subquery.target.source_name: one.subquery.target for one in final}
    found = [
        (target, [one.page for one in final if one.subquery.target.source_name == name])
        for name, target in targets.items()
    ]
    sentences = (
        sentence
        for target, pages in found
        for sentence in (_too_few(target, pages), _own_threshold(target, pages), _cannot_say(target))
    )
    return " ".join([*filter(None, sentences), *hinted_search.notes(searched)]) or None


def _too_few(target: SearchTarget, pages: Sequence[Page]) -> str | None:
    wanted, most = target.max_documents, min(page.most for page in pages)
    if wanted is None or len(pages) * most >= wanted:
        return None
    needed, ranked = how_many(math.ceil(wanted / most), "sub-query"), how_many(len(pages) * most, "document")
    return (
        f"Ranking {how_many(wanted, 'document')} of {target.index!r} takes {needed}; {len(pages)} distinct could be "
        f"planned, so at most {ranked} were ranked."
    )


def _cannot_say(target: SearchTarget) -> str | None:
    """What a base of Model Studio has no word for."""
    if target.kind != "modelStudioBase":
        return None
    said = {
        "search fields": target.search_fields,
        "source fields": target.source_fields,
        "a semantic configuration": target.semantic_configuration,
        "results in the order of the search": not target.recall.rerank,
        "query hints": target.hints,
    }
    ignored = [name for name, value in said.items() if value]
    return f"{target.source_name!r} is a base of Model Studio and ignored {', '.join(ignored)}." if ignored else None


def _own_threshold(target: SearchTarget, pages: Sequence[Page]) -> str | None:
    if not any(page.cut for page in pages):
        return None
    return (
        f"{target.index!r} applied its own threshold; that of the request, {target.threshold:g}, was not applied to it."
    )
