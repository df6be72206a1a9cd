"""The documents of a call: plan, search, merge, select, follow up, ground.

The effort of the request decides the steps. `minimal` searches the last message, `low` plans queries, and `medium` and
`auto` may follow up once. A caller's own queries are searched unchanged, without a follow-up. Observers get an event
when an activity begins or ends.

The prompt of a selection asks for ids, for further queries, and whether the documents are enough. Unlike the prompt of
`answer`, it asks for no key points and no confidence, which only answers need. Records and events call this step
`judge`.
"""

import asyncio
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from functools import partial
from typing import Final

from retrieval import threads
from retrieval.call import prompt_parts, prompts, replies
from retrieval.call.budget import PLANNING_SHARE, RULES_SECONDS, WRITING_SHARE, Run
from retrieval.call.model_calls import Question, ask
from retrieval.call.ports import Ports
from retrieval.call.prompt_parts import CHUNK_TOKENS, gather, most_chunks, shortenable
from retrieval.model.activity import Begun, StepActivity
from retrieval.model.conversation import Prompt
from retrieval.model.retrieval import Chunk, Merged, Outcome, PlannedQuery, QueryPlan, Reference, RetrievalRequest
from retrieval.model.search import Searched
from retrieval.ports import Observer
from retrieval.retrieve import grounding
from retrieval.retrieve.grounding import Documents, Selection
from retrieval.retrieve.plan import plan_by_model, plan_limits
from retrieval.retrieve.plan.planning import HeadStart, make_plan
from retrieval.retrieve.search import merge, searching
from retrieval.retrieve.search.merge import beside, best_of_each, give_places, in_order, note_of_places
from retrieval.retrieve.search_for_names import Lead, searches_names
from retrieval.telemetry import spans
from retrieval.telemetry.spans import observed
from retrieval.text.length import BYTES_PER_TOKEN

SKIPPED: Final = 10
"""A byte of a document that is too large for the grounding text takes a tenth of the work of one that is written."""

FOLLOWING: Final = frozenset({"medium", "auto"})
"""The efforts that may follow up."""

OF_CHAT_URL: Final = "Names in the documents were searched instead of the queries of the model of CHAT_URL."
NOTHING_NEW: Final = (
    "The plan has a next step, but the model that judged the documents asked for nothing new; names in the documents "
    "were searched instead."
)


async def retrieve(
    request: RetrievalRequest, ports: Ports, *, start: float | None = None, observers: Sequence[Observer] = ()
) -> Outcome:
    """Retrieve documents within the request's runtime. The runtime counts from `start`, a time of the event loop; None
    means now.

    Raises RetrievalFailed when every sub-query of the plan failed, or one of them in a target with `fail_on_error`.
    Raises UnsupportedFilter when a target cannot express its filter.
    """
    return await outcome_of(Run(request, ports, start=start, observers=observers))


async def outcome_of(run: Run) -> Outcome:
    """The outcome of `retrieve`. Raises the same errors as `retrieve`. If a model writes an answer afterwards, 40 % of
    the runtime is reserved for writing."""
    request, now = run.request, asyncio.get_running_loop().time
    until = run.deadline - RULES_SECONDS
    if request.output == "synthesis" and run.ports.model is not None:
        until -= WRITING_SHARE * request.limits.runtime
    planning = until - (1 - PLANNING_SHARE) * max(until - now(), 0)
    planned, searched = await _plan_and_search(run, until=until, planning=planning)
    searching.check_answered(searched)
    searching.check_required(searched)
    merged = await searching.merge_all(run, searched)
    whole = _in_order(Documents(searched=searched, merged=merged, first=len(searched), beside=planned.beside), request)
    documents = _limited(whole, request)
    if request.effort in FOLLOWING and not request.queries:
        documents = await _follow_up(run, planned, documents, whole=whole, until=until)
    with observed(run.observers, Begun(kind="ground")) as ended:
        work = partial(grounding.ground, run, planned, documents)
        size = searching.extent_of(documents.searched)
        most = max(BYTES_PER_TOKEN * request.limits.output_tokens, size // SKIPPED)
        outcome = await threads.work(min(most, size), work)
        ended.count = len(outcome.grounding.included)
    spans.documents(
        subqueries=len(outcome.searches),
        found=outcome.found,
        returned=len(outcome.references),
        dropped=outcome.dropped.items(),
    )
    return outcome


async def _plan_and_search(run: Run, *, until: float, planning: float) -> tuple[QueryPlan, list[Searched]]:
    """The plan and its searches. If a model writes the plan, searches of its first queries may begin while the model is
    still writing."""
    try:
        async with asyncio.TaskGroup() as group:
            ahead = None if run.ports.model is None else HeadStart(run, group, until=until)
            planned = await make_plan(run, until=planning, ahead=ahead)
            begun = () if ahead is None else ahead.searches
            return planned, await searching.search_plan(run, planned, until=until, begun=begun)
    except ExceptionGroup as failures:
        raise failures.exceptions[0] from None


async def _follow_up(run: Run, planned: QueryPlan, first: Documents, *, whole: Documents, until: float) -> Documents:
    """The documents after one follow-up, where one is needed and there is time for it.

    A model may select documents of the first round, and ask for missing information (`_is_judged`). The names in the
    first documents may be searched where no model selects, and where the plan has a next step but the model asks for
    nothing new. They are searched instead of the queries of a model of CHAT_URL: all@10 of a small model at medium was
    27 and 17 points below no model with its own queries, and is 3 and 0 below with the names. `whole` has all documents
    of the first round, so that such a search does not depend on the request's limit of documents.
    """
    if not run.has_time(until=until):
        return first
    until_judged = _end_of_judging(first, until=until)
    is_judged = _is_judged(run, planned, first, until=until_judged)
    selection = await _select(run, planned, first, until=until_judged) if is_judged else None
    asks_nothing = selection is None or (bool(planned.next) and not selection.follow_ups)
    if (asks_nothing or run.ports.server is not None) and searches_names(run.request, planned, first.searched):
        lead = searching.lead_of(run.request, planned, first.searched, _turns(run, whole))
        if lead is not None:
            return await _follow_lead(run, replace(whole, selection=selection), lead, until=until)
    return first if selection is None else await _search_for_more(run, planned, first, selection, until=until)


def _is_judged(run: Run, planned: QueryPlan, first: Documents, *, until: float) -> bool:
    """Whether a model is asked to select documents: at medium effort always, and at `auto` where its plan has a next
    step and there is as much time before `until` as the plan took."""
    if run.ports.model is None or not first.merged.references:
        return False
    if run.request.effort == "medium":
        return True
    plans = [record.elapsed_ms for record in run.activity if isinstance(record, StepActivity)]
    has_time = until - asyncio.get_running_loop().time() >= max(plans, default=0) / 1000
    return bool(planned.next) and plan_limits.follows_up(run.request) and has_time


def _end_of_judging(first: Documents, *, until: float) -> float:
    """The time of the event loop at which a model's selection must be there, so that the rules can still search before
    `until`. A search by the rules gets as much time as the slowest of the first round, but at most half of the rest."""
    slowest = max(search.elapsed_ms for search in first.searched) / 1000
    rest = until - asyncio.get_running_loop().time()
    return until - RULES_SECONDS - min(slowest, rest / 2)


def _in_order(documents: Documents, request: RetrievalRequest) -> Documents:
    """The documents in order: a model's selection, then the best document of each query, then the rest. The order does
    not change for a caller's own queries, or if any document's target has no ranking; but documents of searches
    beside others always follow (`beside`)."""
    if request.queries:
        return documents
    if documents.beside is not None:
        merged = beside(documents.merged, documents.searched, documents.beside, first=documents.selected)
        return replace(documents, merged=merged)
    first = (*documents.selected, *best_of_each(documents.merged.references, documents.searched))
    return replace(documents, merged=in_order(documents.merged, first))


def _limited(documents: Documents, request: RetrievalRequest) -> Documents:
    """The documents within the request's limit: the first in their order. Where scores are not comparable, the searches
    take turns."""
    most, merged = request.limits.documents, documents.merged
    if most is None:
        return documents
    dropped, lost = [Counter(counts) for counts in merged.dropped], dict(merged.lost)
    shares = documents.beside is None and not merge.comparable(documents.searched)
    kept = merge.within(merged.references, dropped, lost, most=most, in_turns=shares)
    return replace(documents, merged=Merged(references=kept, dropped=tuple(dropped), lost=lost))


async def _follow_lead(run: Run, first: Documents, lead: Lead, *, until: float) -> Documents:
    """Searches for the names of a `Lead`, and places linked documents among those of the first round. The documents
    that a model selected stay first."""
    ordered = first if first.selection is None else _in_order(first, run.request)
    references, most = first.merged.references, run.request.limits.documents
    second, more, linked = await searching.search_names(run, lead, first.searched, references, until=until)
    in_turns = first.beside is None and not merge.comparable(first.searched)
    both = give_places(ordered.merged, more, linked, held=ordered.held, most=most, in_turns=in_turns)
    instead = () if first.selection is None else (OF_CHAT_URL if run.ports.server is not None else NOTHING_NEW,)
    notes = (*instead, *note_of_places(both, first=first.first))
    return replace(ordered, searched=[*first.searched, *second], merged=both, notes=notes)


def _turns(run: Run, documents: Documents) -> tuple[Reference, ...]:
    """The documents in turns of their searches. Where a query was searched beside others, their order has the turns."""
    if documents.beside is not None:
        return documents.merged.references
    return merge.interleaved(documents.merged.references, merge.by_source(documents.searched, run.request.targets))


async def _select(run: Run, planned: QueryPlan, first: Documents, *, until: float) -> Selection | None:
    """A model's selection from the documents of the first round, and its further queries. None where the model
    fails."""
    is_one = len(planned.queries) == 1 and not merge.any_unscored(first.searched)
    references = first.merged.references if is_one else _turns(run, first)
    gathering = partial(gather, references, most=most_chunks(run.ports.server), tokens=CHUNK_TOKENS)
    gathered = (await threads.work(searching.extent_of(first.searched), gathering)).chunks

    def make(request: RetrievalRequest, chunks: tuple[Chunk, ...]) -> Question[Selection]:
        return Question(
            step="judge",
            prompt=selection_prompt(request, planned, chunks, today=run.today),
            read=partial(read_selection, chunks=chunks, searched=planned.queries),
        )

    question = shortenable(make, run.request, gathered)
    return (await ask(run, question, until=until)).value


async def _search_for_more(
    run: Run, planned: QueryPlan, first: Documents, selection: Selection, *, until: float
) -> Documents:
    """Searches the model's further queries, and merges their documents with those of the first round. The documents
    that the model selected come first."""
    searched, merged = first.searched, first.merged
    if selection.follow_ups:
        more = replace(planned, queries=selection.follow_ups, filter=None, hinted=(), history=())
        new = await searching.search_plan(run, more, until=until, round=1, earlier=searched)
        searched = [*searched, *new]
        merged = await searching.merge_all(run, searched, round=1, first=first.first)
    documents = replace(first, searched=searched, merged=merged, selection=selection)
    return _limited(_in_order(documents, run.request), run.request)


SELECTION_PROMPT: Final[str] = "select-2"
MOST_SELECTED: Final = 8
MOST_FOLLOW_UPS: Final = 3

SELECTION: Final = replies.object_of(
    {
        "selected": replies.array_of({"type": "string"}),
        "is_sufficient": {"type": "boolean"},
        "follow_ups": replies.array_of(
            replies.object_of({"query": {"type": "string"}, "guessed": {"type": "boolean"}})
        ),
    }
)


def selection_prompt(request: RetrievalRequest, planned: QueryPlan, chunks: Sequence[Chunk], *, today: date) -> Prompt:
    """The prompt for a model. It says what the plan wanted to look up next, and shows the facet values of each
    document."""
    messages = prompt_parts.guided(request.messages, request.instructions)
    queries = [query.query for query in planned.queries]
    shown = prompts.searched(queries, messages, today=today, next=planned.next)
    return prompts.over_chunks(
        SELECTION_PROMPT, chunks, shown, parts=("selected",), schema=SELECTION, nonce=request.nonce
    )


def read_selection(text: str, *, chunks: Sequence[Chunk], searched: Sequence[PlannedQuery]) -> Selection:
    """The usable part of a reply: the keys of known ids, and new queries unless the selected documents are enough.
    Raises BadModelReply."""
    reply = replies.read_object(text)
    keys = {chunk.id: chunk.reference.key for chunk in chunks}
    ids = map(replies.chunk_id, replies.items(reply, "selected")[: replies.MOST_ITEMS])
    first = tuple(dict.fromkeys(keys[id] for id in ids if id in keys))[:MOST_SELECTED]
    if replies.boolean(reply, "is_sufficient") and first:
        return Selection(first=first, is_sufficient=True)
    items = replies.items(reply, "follow_ups")[: replies.MOST_ITEMS]
    follow_ups = plan_by_model.unlike(map(plan_by_model.follow_up, items), known=searched, most=MOST_FOLLOW_UPS)
    return Selection(first=first, is_sufficient=False, follow_ups=follow_ups)
