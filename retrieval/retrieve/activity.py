"""The activity of a retrieval: the records of its model calls, searches and ranking. Every document found is grounded
or counted as dropped.
"""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

from retrieval.model.activity import Activity, By, DropReason, RankerActivity, SearchActivity, StepActivity
from retrieval.model.definitions import Effort
from retrieval.model.retrieval import Merged
from retrieval.model.search import Page, Searched, SearchTarget
from retrieval.retrieve.search import searching
from retrieval.text.counted_noun import how_many
from retrieval.text.tokens import ranked_tokens


def activity_of(
    searched: Sequence[Searched],
    *,
    steps: Sequence[StepActivity] = (),
    first: int | None = None,
    merged: Merged,
    left_out: Mapping[int, DropReason],
    usual: int | None = None,
    effort: Effort,
    by: By = "rules",
    selected: tuple[int, ...] | None = None,
    is_sufficient: bool | None = None,
    warning: str | None = None,
) -> tuple[Activity, ...]:
    """The records of the model calls and searches in the order in which they began, and last the record of the ranking.
    `steps` are the steps for which a model was asked.

    `first` is the number of searches of the first round. `left_out` has the reason why a merged reference, by its
    position, is not in the grounding text, and `usual` the number of documents that limits the text where nobody stated
    a number. `effort` is the effort in force, and `by` says who planned. `selected` are the ids of the references that
    a model selected, and `is_sufficient` its judgement. `warning` has the notes on the plan and the follow-up. The last
    record has these five.
    """
    not_grounded = _by_search(merged, left_out)
    searches = [
        SearchActivity(
            searched=result,
            found=result.page.found,
            dropped=Counter(merged.dropped[position]) + not_grounded[position],
            beyond=not_grounded[position]["limit"],
            usual=usual,
        )
        for position, result in enumerate(searched)
    ]
    ranker = RankerActivity(
        input_tokens=sum(ranked_tokens(result.subquery.search, result.page.hits) for result in searched),
        elapsed_ms=max(result.elapsed_ms for result in searched),
        started_at=min(result.started_at for result in searched),
        effort=effort,
        by=by,
        selected=selected,
        is_sufficient=is_sufficient,
        warning=" ".join(filter(None, (warning, _warning(searched)))) or None,
    )
    planning, judging = ([record for record in steps if record.step == name] for name in ("plan", "judge"))
    later = [] if first is None else searches[first:]
    if not later:
        planning, judging = _without_judgements(planning, judging)
    return (*_as_begun([*planning, *searches[:first], *judging, *later]), ranker)


def _without_judgements(
    planning: list[StepActivity], judging: list[StepActivity]
) -> tuple[list[StepActivity], list[StepActivity]]:
    """The records of planning and judging where nothing more was searched. Azure has a second planning only where
    further searches follow it. So the tokens of a judgement count with the plan, and a judgement has a record only if
    it failed or if there is no record of a plan."""
    if not planning:
        return planning, judging
    *earlier, last = planning
    counted = [last, *(record for record in judging if record.error is None)]
    whole = replace(
        last,
        input_tokens=sum(record.input_tokens for record in counted),
        output_tokens=sum(record.output_tokens for record in counted),
    )
    return [*earlier, whole], [record for record in judging if record.error is not None]


def _as_begun(records: Sequence[StepActivity | SearchActivity]) -> Sequence[StepActivity | SearchActivity]:
    """The records in the order in which their activities began, if that is known."""
    ids = [record.searched.id if isinstance(record, SearchActivity) else record.id for record in records]
    known = [id for id in ids if id is not None]
    if len(known) < len(ids):
        return records
    return [record for _, record in sorted(zip(known, records, strict=True), key=lambda pair: pair[0])]


def _by_search(merged: Merged, left_out: Mapping[int, DropReason]) -> Sequence[Counter[DropReason]]:
    """The numbers of documents that are not in the grounding text, by search and by reason."""
    counts: list[Counter[DropReason]] = [Counter() for _ in merged.dropped]
    for position, reason in left_out.items():
        counts[merged.references[position].subquery][reason] += 1
    return counts


def _warning(searched: Sequence[Searched]) -> str | None:
    """Sentences about documents that were not ranked, options that a target did not apply, and hints that were given
    up."""
    final = [result for result in searched if not result.given_up]
    targets = {result.subquery.target.source_name: result.subquery.target for result in final}
    pages_by_target = [
        (target, [result.page for result in final if result.subquery.target.source_name == name])
        for name, target in targets.items()
    ]
    sentences = (
        sentence
        for target, pages in pages_by_target
        for sentence in (_too_few(target, pages), _own_threshold(target, pages), _cannot_say(target))
    )
    return " ".join([*filter(None, sentences), *searching.notes_of_hints(searched)]) or None


def _too_few(target: SearchTarget, pages: Sequence[Page]) -> str | None:
    documents_wanted, most = target.max_documents, min(page.most for page in pages)
    if documents_wanted is None or len(pages) * most >= documents_wanted:
        return None
    queries_needed, documents_ranked = (
        how_many(math.ceil(documents_wanted / most), "sub-query"),
        how_many(len(pages) * most, "document"),
    )
    return (
        f"Ranking {how_many(documents_wanted, 'document')} of {target.index!r} takes {queries_needed}; "
        f"{len(pages)} distinct could be planned, so at most {documents_ranked} were ranked."
    )


def _cannot_say(target: SearchTarget) -> str | None:
    """A sentence about the options that the target ignores."""
    if target.ignoring is None:
        return None
    wishes = {
        "search fields": target.search_fields,
        "source fields": target.source_fields,
        "a semantic configuration": target.semantic_configuration,
        "results in the order of the search": not target.recall.rerank,
        "query hints": target.hints,
    }
    ignored_names = [name for name, value in wishes.items() if value]
    return (
        f"{target.source_name!r} is {target.ignoring} and ignored {', '.join(ignored_names)}."
        if ignored_names
        else None
    )


def _own_threshold(target: SearchTarget, pages: Sequence[Page]) -> str | None:
    if not any(page.cut for page in pages):
        return None
    return (
        f"{target.index!r} applied its own threshold; that of the request, {target.threshold:g}, was not applied to it."
    )
