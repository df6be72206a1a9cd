"""The way of a retrieval: plan, search everything at once, merge, ground. The awaiting happens here."""

import asyncio
import logging
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from retrieval import plan, telemetry
from retrieval.account import account
from retrieval.errors import BackendError, BackendTimeout, BadModelReply, RetrievalFailed
from retrieval.ground import ground
from retrieval.merge import merge
from retrieval.model import Message, Outcome, Page, PlanningActivity, RetrievalRequest, Searched, Subquery
from retrieval.ports import ChatModel, Clock, SearchIndex

logger = logging.getLogger(__name__)

PLANNING_SHARE: Final = 0.4


@dataclass(frozen=True, slots=True, kw_only=True)
class Planned:
    """The queries, the earlier turns they may lean on, and the record of the model call if there was one."""

    queries: tuple[str, ...]
    history: tuple[Message, ...] = ()
    activity: PlanningActivity | None = None
    warning: str | None = None


async def retrieve(request: RetrievalRequest, *, index: SearchIndex, model: ChatModel | None, clock: Clock) -> Outcome:
    """Answer a retrieval within `request.max_runtime` seconds.

    Every query of the plan runs in every target. Raises RetrievalFailed when every sub-query failed, UnsupportedFilter
    when a target cannot say its filter.
    """
    deadline = asyncio.get_running_loop().time() + request.max_runtime
    with telemetry.step("plan") as step:
        planned = await make_plan(request, model=model, clock=clock)
        _tell(step, planned)
    subqueries = [
        Subquery(search=query, target=target, history=planned.history, user_token=request.user_token)
        for target in request.targets
        for query in planned.queries
    ]
    searched = await search_all(index, subqueries, deadline=deadline, clock=clock)
    errors = [one.error for one in searched if one.error is not None]
    if len(errors) == len(searched):
        raise RetrievalFailed(errors)
    return _outcome(searched, planned, max_tokens=request.max_output_tokens)


def _tell(step: telemetry.Step, planned: Planned) -> None:
    activity = planned.activity
    by_model = activity is not None and activity.error is None
    step.set({telemetry.QUERIES: len(planned.queries), telemetry.BY: "model" if by_model else "rules"})
    if activity is not None and activity.error is not None:
        step.fail(activity.error)
        logger.warning("a retrieval is planned without the model: %s", type(activity.error).__name__)


def _outcome(searched: Sequence[Searched], planned: Planned, *, max_tokens: int) -> Outcome:
    with telemetry.step("merge"):
        merged = merge(searched)
    with telemetry.step("ground") as step:
        grounding = ground(merged.references, max_tokens=max_tokens)
        step.set({telemetry.GROUNDED: len(grounding.included)})
    outcome = Outcome(
        grounding=grounding,
        references=merged.references,
        activity=account(
            searched, planning=planned.activity, merged=merged, grounding=grounding, warning=planned.warning
        ),
    )
    telemetry.counted(outcome)
    return outcome


async def make_plan(request: RetrievalRequest, *, model: ChatModel | None, clock: Clock) -> Planned:
    """Ask the model for the plan in at most 40 % of the time; without one, or when it fails, plan without it."""
    if request.queries:
        return Planned(queries=request.queries)
    if request.planning == "verbatim":
        return Planned(queries=(plan.verbatim(request),))
    if model is None:
        return _without_model(request)
    loop = asyncio.get_running_loop()
    start, seconds = loop.time(), request.max_runtime * PLANNING_SHARE
    used: tuple[int, int] = (0, 0)
    queries: tuple[str, ...] = ()
    error: BackendError | BadModelReply | None = None
    try:
        async with asyncio.timeout(seconds):
            reply = await model.complete(plan.prompt(request, today=clock().date()))
        used = (reply.input_tokens, reply.output_tokens)
        queries = plan.read(reply.whole(), most=plan.wanted(request)[1])
    except TimeoutError:
        error = BackendTimeout("The chat model", seconds=seconds)
    except (BackendError, BadModelReply) as caught:
        error = caught
    elapsed = _milliseconds(loop.time() - start)
    record = PlanningActivity(elapsed_ms=elapsed, input_tokens=used[0], output_tokens=used[1], error=error)
    return Planned(queries=queries, activity=record) if queries else _without_model(request, activity=record)


def _without_model(request: RetrievalRequest, *, activity: PlanningActivity | None = None) -> Planned:
    return Planned(
        queries=plan.without_model(request),
        history=plan.history(request),
        activity=activity,
        warning=plan.clipped(request),
    )


async def search_all(
    index: SearchIndex, subqueries: Sequence[Subquery], *, deadline: float, clock: Clock
) -> list[Searched]:
    """Run every sub-query at once until the deadline (loop time); a failed one is data, not an exception.

    A filter that its target cannot say is the caller's fault, not a failure: UnsupportedFilter ends all of them.
    """
    loop = asyncio.get_running_loop()

    async def one(subquery: Subquery) -> Searched:
        started_at, start = clock(), loop.time()
        page: Page = Page()
        error: BackendError | None = None
        try:
            async with asyncio.timeout_at(deadline):
                page = await index.search(subquery)
        except TimeoutError:
            error = BackendTimeout(f"The search in {subquery.target.index!r}", seconds=max(deadline - start, 0))
        except BackendError as caught:
            error = caught
        elapsed = _milliseconds(loop.time() - start)
        return Searched(subquery=subquery, page=page, error=error, started_at=started_at, elapsed_ms=elapsed)

    try:
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(one(subquery)) for subquery in subqueries]
    except ExceptionGroup as raised:
        raise raised.exceptions[0] from None
    return [task.result() for task in tasks]


def _milliseconds(seconds: float) -> int:
    return round(seconds * 1000)
