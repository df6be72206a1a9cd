"""The end of a retrieval: whole documents as its grounding text, within a number and a budget of tokens, and the
records of its model calls, searches and ranking. Every document found is grounded or counted as dropped.
"""

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import takewhile

from pydantic_core import to_json

from retrieval.call.budget import Run
from retrieval.model.activity import Activity, By, DropReason, RankerActivity, SearchActivity, StepActivity
from retrieval.model.definitions import Effort
from retrieval.model.retrieval import (
    Beside,
    Grounding,
    Key,
    Merged,
    Outcome,
    PlannedQuery,
    QueryPlan,
    Reference,
    RetrievalRequest,
)
from retrieval.model.search import Hit, Page, Searched, SearchTarget
from retrieval.retrieve.search import searching
from retrieval.retrieve.search.merge import any_unscored, in_turns, interleaved
from retrieval.text.counted_noun import how_many
from retrieval.text.length import BYTES_PER_TOKEN, ranked_tokens


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """The documents that come first, best first, and the queries for missing information. `is_sufficient` says that a
    model judged these documents to be enough; without any such document it is false."""

    first: tuple[Key, ...]
    is_sufficient: bool
    follow_ups: tuple[PlannedQuery, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Documents:
    """The state of a retrieval: its searches and their documents.

    `first` is the number of searches of round 0, which come first. `selection` is what a model judged about the
    documents of round 0; None where no model judged. `beside` is that of the plan. `notes` are added to the
    warning in the activity.
    """

    searched: list[Searched]
    merged: Merged
    first: int
    selection: Selection | None = None
    beside: Beside | None = None
    notes: tuple[str, ...] = ()

    @property
    def selected(self) -> tuple[Key, ...]:
        """The documents that a model puts first, best first."""
        return () if self.selection is None else self.selection.first

    @property
    def held(self) -> int:
        """The number of selected documents that are before all others."""
        references = self.merged.references
        return sum(1 for _ in takewhile(lambda reference: reference.key in self.selected, references))

    @property
    def is_followed_up(self) -> bool:
        """Whether there was a follow-up, by a model's queries or by the rules."""
        return len(self.searched) > self.first

    @property
    def is_reordered(self) -> bool:
        """Whether a model selected documents, there was a follow-up, or a query was searched beside others."""
        return bool(self.selected) or self.beside is not None or self.is_followed_up


@dataclass(frozen=True, slots=True, kw_only=True)
class GroundingChoice:
    """The documents of a grounding text: their JSON by their positions among the references. `left_out` has the reason
    of each other position."""

    documents: Mapping[int, bytes]
    left_out: Mapping[int, DropReason]


def ground(run: Run, planned: QueryPlan, documents: Documents) -> Outcome:
    """The outcome of a retrieval: its grounding text, its references and its records."""
    request, effort = run.request, _effort_of(run.request, documents)
    usual = _usual_number(request, effort)
    choice = _choice(request, documents, usual=usual)
    returned, grounding = _numbered(request, documents, choice)
    steps = [record for record in run.activity if isinstance(record, StepActivity)]
    of_server = dict.fromkeys(note for step in steps for note in step.server_notes)
    warning = " ".join((*planned.notes, *documents.notes, *of_server))
    activity = activity_of(
        documents,
        [step for step in steps if step.prompt is not None],
        left_out=choice.left_out,
        usual=usual,
        effort=effort,
        by=planned.by,
        selected=_selected(documents, returned),
        warning=warning,
    )
    return Outcome(request=request, grounding=grounding, references=returned, activity=activity)


def _choice(request: RetrievalRequest, documents: Documents, *, usual: int | None) -> GroundingChoice:
    """The documents of the grounding text, at most `usual`. Where a model called its selection sufficient, the text has
    the selected documents and as many of the next best, unless the request wants everything or more was searched."""
    references, selection = documents.merged.references, documents.selection
    shared = interleaved(references) if any_unscored(documents.searched) else None
    choose_first = partial(choose, references, max_tokens=request.limits.output_tokens)
    needed = 2 * len(documents.selected)
    is_enough = selection is not None and selection.is_sufficient and not documents.is_followed_up
    if request.grounds_everything or not is_enough or (usual is not None and needed >= usual):
        return choose_first(most=usual, first=shared)
    places = {key: place for place, key in enumerate(documents.selected)}
    selected_first = sorted(shared or references, key=lambda reference: places.get(reference.key, needed))
    return choose_first(most=needed, beyond="not needed", first=selected_first)


def _selected(documents: Documents, returned: Sequence[Reference]) -> tuple[int, ...] | None:
    """The ids of the returned references that a model selected, best first. None where no model judged."""
    if documents.selection is None:
        return None
    ids = {reference.key: id for id, reference in enumerate(returned) if reference.target.include_references}
    return tuple(ids[key] for key in documents.selected if key in ids)


def _effort_of(request: RetrievalRequest, documents: Documents) -> Effort:
    if request.effort == "minimal":
        return "minimal"
    return "medium" if documents.selection is not None or documents.is_followed_up else "low"


def _usual_number(request: RetrievalRequest, effort: Effort) -> int | None:
    """The usual number of documents of an effort. None if the caller or a definition states a number, for a caller's
    own queries, and if any target has no ranking."""
    limits = (request.limits.documents, *(target.max_documents for target in request.targets))
    is_stated = any(limit is not None for limit in limits)
    is_usual = not (is_stated or request.queries) and _is_ranked(request)
    return request.limits.usual_documents.get(effort) if is_usual else None


def _is_ranked(request: RetrievalRequest) -> bool:
    return all(target.recall.rerank for target in request.targets)


def _numbered(
    request: RetrievalRequest, documents: Documents, choice: GroundingChoice
) -> tuple[tuple[Reference, ...], Grounding]:
    """The references that the request wants, in the order of their ids, and the grounding text in the same order.

    The documents of a grounding text are in turns of their searches, if nothing but scores orders them.
    """
    references, positions = documents.merged.references, sorted(choice.documents)
    if request.references == "found":
        text = text_of((position, choice.documents[position]) for position in positions)
        return references, Grounding(text=text, included=tuple(positions))
    texts = {id(references[position]): choice.documents[position] for position in positions}
    returned = tuple(references[position] for position in positions)
    if _is_ranked(request) and not documents.is_reordered:
        returned = in_turns(returned)
    text = text_of(enumerate(texts[id(reference)] for reference in returned))
    return returned, Grounding(text=text, included=tuple(range(len(returned))))


def choose(
    references: Sequence[Reference],
    *,
    max_tokens: int,
    most: int | None = None,
    beyond: DropReason = "limit",
    first: Sequence[Reference] | None = None,
) -> GroundingChoice:
    """The documents that fit into a grounding text, at most `most`. `beyond` is the reason of the documents beyond.

    A token counts as four UTF-8 bytes, since a tokenizer would have to download its vocabulary. The first document that
    does not fit into the rest of the budget ends the text. A document larger than the whole budget is skipped. `first`
    has the references in the order in which they use the budget; None means their own order.
    """
    budget = max_tokens * BYTES_PER_TOKEN - len("[]")
    documents: dict[int, bytes] = {}
    place_of = {} if first is None else {reference.key: place for place, reference in enumerate(references)}
    places = range(len(references)) if first is None else [place_of[reference.key] for reference in first]
    left_out: dict[int, DropReason] = dict.fromkeys(places, "budget")
    budget_left = budget
    for place, position in enumerate(places):
        if most is not None and len(documents) >= most:
            left_out.update(dict.fromkeys(places[place:], beyond))
            break
        hit = references[position].hit
        # A character has at least one byte, so the document of a longer hit need not be written.
        if len(hit.title or "") + len(hit.terms or "") + len(hit.content or "") > budget:
            continue
        document = _document(hit)
        size = len(_item(position, document)) + len(",")
        if size > budget:
            continue
        if size > budget_left:
            break
        documents[position] = document
        budget_left -= size
        del left_out[position]
    return GroundingChoice(documents=documents, left_out=left_out)


def text_of(documents: Iterable[tuple[int, bytes]]) -> str:
    """A JSON array of objects with `ref_id`, `title`, `terms` and `content`, like the knowledge agent's content string,
    of documents with their ids."""
    return f"[{b','.join(_item(id, document) for id, document in documents).decode()}]"


def _document(hit: Hit) -> bytes:
    fields = {"title": hit.title, "terms": hit.terms, "content": hit.content}
    return to_json({name: value for name, value in fields.items() if value is not None})


def _item(id: int, document: bytes) -> bytes:
    rest = document[1:]
    return b'{"ref_id":%d%b%b' % (id, b"" if rest == b"}" else b",", rest)


def activity_of(
    documents: Documents,
    steps: Sequence[StepActivity] = (),
    *,
    left_out: Mapping[int, DropReason],
    usual: int | None = None,
    effort: Effort,
    by: By = "rules",
    selected: tuple[int, ...] | None = None,
    warning: str = "",
) -> tuple[Activity, ...]:
    """The records of the model calls and searches in the order in which they began, and last the record of the ranking.
    `steps` are the steps for which a model was asked.

    `left_out` has the reason why a merged reference, by its position, is not in the grounding text, and `usual` the
    number of documents that limits the text where nobody stated a number. `effort` is the effort in force, and `by`
    says who planned. `selected` are the ids of the references that a model selected. `warning` has the notes on the
    plan and the follow-up. The last record has these four.
    """
    searched, merged, first = documents.searched, documents.merged, documents.first
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
        is_sufficient=None if documents.selection is None else documents.selection.is_sufficient,
        warning=" ".join(filter(None, (warning, _warning(searched)))) or None,
    )
    planning, judging = ([record for record in steps if record.step == name] for name in ("plan", "judge"))
    if not documents.is_followed_up:
        planning, judging = _without_judgements(planning, judging)
    return (*_as_begun([*planning, *searches[:first], *judging, *searches[first:]]), ranker)


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
    pages_by_target: dict[str, tuple[SearchTarget, list[Page]]] = {}
    for result in searched:
        if not result.given_up:
            target = result.subquery.target
            pages_by_target.setdefault(target.source_name, (target, []))[1].append(result.page)
    sentences = (
        sentence
        for target, pages in pages_by_target.values()
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
