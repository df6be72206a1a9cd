"""The steps of a retrieval: plan, search, merge, judge, follow up, ground; awaited here, and in `rounds`.

The effort of the request says how far a call goes: `minimal` searches what it was given, `low` plans, `medium` and
`auto` follow up once. Observers get an event for each activity.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import partial
from typing import TYPE_CHECKING, Final

from retrieval import telemetry, threads
from retrieval.call import search
from retrieval.call.budget import ModelCalls, Question
from retrieval.call.ground import ground
from retrieval.call.head_start import HeadStart
from retrieval.call.late import Pace
from retrieval.call.merge import by_source, turns
from retrieval.call.observing import observed
from retrieval.call.order import best_of_each, ordered
from retrieval.call.planning import make_plan
from retrieval.call.records import activity_of
from retrieval.call.rounds import (
    CHUNK_TOKENS,
    MOST_CHUNKS,
    RULES_SECONDS,
    Run,
    extent_of,
    merge_all,
    search_names,
    search_plan,
)
from retrieval.call.waiting import Waits
from retrieval.errors import RetrievalFailed
from retrieval.model.activity import Activity, PlanningActivity
from retrieval.model.conversation import question_of
from retrieval.model.definitions import ModelDeployment
from retrieval.model.plan import QueryPlan
from retrieval.model.retrieval import Grounding, Key, Merged, Outcome, Reference, RetrievalRequest
from retrieval.model.search import Searched
from retrieval.model.steps import StepActivity
from retrieval.ports import ChatModel, Clock, IndexFacets, IndexSchemas, Observer, SearchIndex
from retrieval.steps import plan
from retrieval.text.tokens import BYTES_PER_TOKEN

if TYPE_CHECKING:
    from retrieval.rules.follow_up import Lead
    from retrieval.steps.select import Selection

PLANNING_SHARE: Final = 0.4
"""Of the time that a retrieval has for its plan and its searches."""
WRITING_SHARE: Final = 0.4
"""Of the time of a call, for a model that writes an answer from what was found."""
FOLLOW_UP_SHARE: Final = 0.25
"""A follow-up begins only while this much of the time is left."""
FOLLOWING: Final = frozenset({"medium", "auto"})
"""The efforts that may follow up."""

RESERVED_SECONDS: Final = 0.1
"""Of a retrieval's time, reserved for merging, grounding and writing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What a retrieval found so far: the searches, of which the `first` so many are of round 0, and their documents.

    `selected` are the documents that a model puts first, `judged` says that the first round was looked at, and the
    second made or found needless.
    """

    searched: list[Searched]
    merged: Merged
    first: int
    selected: tuple[Key, ...] = ()
    judged: bool = False


async def retrieve(
    request: RetrievalRequest,
    *,
    index: SearchIndex,
    model: ChatModel | None,
    clock: Clock,
    deployment: ModelDeployment | None = None,
    schemas: IndexSchemas | None = None,
    pace: Pace | None = None,
    facets: IndexFacets | None = None,
    values_shown: bool = False,
    start: float | None = None,
    observers: Sequence[Observer] = (),
) -> Outcome:
    """Answer a retrieval, within `request.max_runtime` seconds of `start` (loop time; None is now).

    Where a model is to write an answer afterwards, in 60 % of that. Every query of the plan runs in every target that
    the plan picks. `deployment` names the model in the activity, `schemas` tells the fields that query hints name,
    `facets` the values that a question may name (`values_shown`: and a model may read), `pace` when a search is late.
    Raises RetrievalFailed when every sub-query failed, or one that must not, UnsupportedFilter when a target cannot
    express its filter.
    """
    request = replace(request, effort=request.effort or "auto")
    calls = ModelCalls(model, runtime=request.max_runtime - RESERVED_SECONDS, start=start, observers=observers)
    run = Run(
        request=request,
        calls=calls,
        index=index,
        clock=clock,
        deployment=deployment,
        schemas=schemas,
        facets=facets,
        values_shown=values_shown,
        waits=Waits(pace),
    )
    started_at, until = clock(), calls.deadline
    if request.output_mode == "answerSynthesis" and model is not None:
        until -= WRITING_SHARE * request.max_runtime
    began = asyncio.get_running_loop().time()
    left = until - began
    planned, searched = await _planned(run, until=until, planning=until - (1 - PLANNING_SHARE) * max(left, 0))
    errors = [one.error for one in searched if one.error is not None]
    if len(errors) == len(searched):
        raise RetrievalFailed(errors)
    search.check_required(searched)
    found = _in_order(Found(searched=searched, merged=await merge_all(run, searched), first=len(searched)), request)
    if request.effort in FOLLOWING and not request.queries:
        found = await _followed_up(run, planned, found, until=until)
    with observed(calls.observers, "ground") as doing:
        work = partial(_ground, run, planned, found, started_at=started_at, began=calls.at(began))
        most = BYTES_PER_TOKEN * request.max_output_tokens
        grounding, activity = await threads.work(min(most, extent_of(found.searched)), work)
        doing.count = len(grounding.included)
    outcome = Outcome(request=request, grounding=grounding, references=found.merged.references, activity=activity)
    telemetry.counted(outcome)
    return outcome


async def _planned(run: Run, *, until: float, planning: float) -> tuple[QueryPlan, list[Searched]]:
    """The plan and its searches, which begin while it is still being written."""
    try:
        async with asyncio.TaskGroup() as group:
            ahead = HeadStart(run, group, until=until)
            planned = await make_plan(run, until=planning, ahead=ahead)
            return planned, await search_plan(run, planned, until=until, begun=ahead.begun)
    except ExceptionGroup as raised:
        raise raised.exceptions[0] from None


async def _followed_up(run: Run, planned: QueryPlan, found: Found, *, until: float) -> Found:
    """What is found after one follow-up, where one is needed and there is time for it.

    At medium a model selects of what was found and asks for what is missing; otherwise, and where it fails, the names
    that the first documents bring are searched. Within a conversation that search costs more than it brings.
    """
    request = run.request
    left = until - asyncio.get_running_loop().time()
    if left < FOLLOW_UP_SHARE * request.max_runtime:
        return found
    if request.effort == "medium" and run.calls.model is not None and found.merged.references:
        selection = await _selected(run, planned, found)
        if selection is not None:
            return await _searched_for_more(run, planned, found, selection, until=until)
    if plan.is_conversation(request):
        return found
    await threads.once(_load_follow_up)
    from retrieval.rules import follow_up

    if follow_up.answers(plan.whole_question(request), found.searched):
        return found
    asked, turned = question_of(request.messages), _turns(run, found)
    lead = follow_up.lead(asked, turned, searches=len(planned.queries), next=planned.next)
    return found if lead is None else await _led(run, found, lead, until=until)


def _in_order(found: Found, request: RetrievalRequest) -> Found:
    """With what a model selected first, then the best document of each query; what a caller planned stays as it is."""
    if request.queries:
        return found
    best = best_of_each(found.merged.references, found.searched)
    return replace(found, merged=ordered(found.merged, (*found.selected, *best)))


async def _led(run: Run, found: Found, lead: "Lead", *, until: float) -> Found:
    """One search for the names of a lead in every target that answered, and its documents in their places."""
    from retrieval.call import places

    first, merged = found.searched, found.merged
    if not search.for_names(lead.query, first):
        return found
    second, more, linked = await search_names(run, lead, first, merged.references, until=until)
    joined = places.placed(merged, more, linked, most=run.request.most_documents)
    return Found(searched=[*first, *second], merged=joined, first=found.first, judged=True)


def _turns(run: Run, found: Found) -> tuple[Reference, ...]:
    return turns(found.merged.references, by_source(found.searched, run.request.targets))


def _load_follow_up() -> None:
    from retrieval.call import places  # noqa: F401
    from retrieval.rules import follow_up  # noqa: F401


async def _selected(run: Run, planned: QueryPlan, found: Found) -> "Selection | None":
    """What a model selects of the first round, and asks for; None where it fails."""
    await threads.once(_load_select)
    from retrieval.call import chunks
    from retrieval.steps import select

    references = found.merged.references if len(planned.queries) == 1 else _turns(run, found)
    gathered = chunks.gather(references, most=MOST_CHUNKS, tokens=CHUNK_TOKENS).chunks
    asked = Question(
        step="judge",
        version=select.PROMPT,
        prompt=select.prompt(run.request, planned.queries, gathered),
        read=partial(select.read, chunks=gathered, searched=planned.queries),
    )
    selected = await run.calls.ask(asked, until=run.calls.deadline - RULES_SECONDS)
    return selected.value


def _load_select() -> None:
    from retrieval.call import chunks  # noqa: F401
    from retrieval.steps import select  # noqa: F401


async def _searched_for_more(
    run: Run, planned: QueryPlan, found: Found, selection: "Selection", *, until: float
) -> Found:
    """The model's queries for what is missing, merged with the first ones; what it selected comes first."""
    searched, merged = found.searched, found.merged
    if selection.follow_ups:
        more = replace(planned, queries=selection.follow_ups, filter=None, hinted=(), history=())
        searched = [*searched, *await search_plan(run, more, until=until, round=1)]
        merged = await merge_all(run, searched, round=1, first=found.first)
    both = Found(searched=searched, merged=merged, first=found.first, selected=selection.first, judged=True)
    return _in_order(both, run.request)


def _ground(
    run: Run, planned: QueryPlan, found: Found, *, started_at: datetime, began: int
) -> tuple[Grounding, tuple[Activity, ...]]:
    grounding = ground(found.merged.references, max_tokens=run.request.max_output_tokens)
    asked = {
        one.step: PlanningActivity(
            elapsed_ms=one.elapsed_ms,
            started_at=started_at + timedelta(milliseconds=one.started_ms - began),
            model=run.deployment,
            input_tokens=one.input_tokens,
            output_tokens=one.output_tokens,
            error=one.error,
        )
        for one in run.calls.activity
        if isinstance(one, StepActivity) and one.prompt is not None
    }
    told = planned.by == "rules" or bool(plan.choices(run.request) or plan.hinted(run.request))
    warning = " ".join(planned.notes) if told else ""
    return grounding, activity_of(
        found.searched,
        planning=asked.get("plan"),
        judging=asked.get("judge"),
        first=found.first,
        merged=found.merged,
        grounding=grounding,
        effort="minimal" if run.request.effort == "minimal" else "medium" if found.judged else "low",
        by=planned.by,
        warning=warning or None,
    )
