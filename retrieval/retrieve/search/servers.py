"""Calls tools of servers, at the same time as the searches of a round. For each server it reads the tools, finds
arguments, and makes the calls.

A server that hangs or fails does not delay the other servers. A model writes the arguments. Without a model's calls, or
at minimal effort, queries go to tools that need one text. Every call is a search with its own record. A server without
a call has a record with the reason.
"""

import asyncio
import json
from collections.abc import Coroutine, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Protocol

from retrieval.call.ports import now
from retrieval.call.run import ARGUMENTS_SHARE, Question, Run, Since
from retrieval.errors import BackendError, BackendTimeout, BackendUnavailable
from retrieval.model.retrieval import QueryPlan
from retrieval.model.search import LONGEST_SEARCH, Searched, SearchTarget, Subquery
from retrieval.model.tools import Tool, ToolCall
from retrieval.retrieve.search import tool_calls
from retrieval.retrieve.search.tool_calls import Calls, Toolset
from retrieval.text.clipped import clip


class Send(Protocol):
    """Runs one search of a round. A failed search is returned with its error. With `failure` the search failed before
    it was sent, and its time counts from `since`."""

    def __call__(
        self, subquery: Subquery, *, failure: BackendError | None = None, since: Since | None = None
    ) -> Coroutine[Any, Any, Searched]: ...


async def call_tools(
    run: Run, planned: QueryPlan, targets: Sequence[SearchTarget], send: Send, *, until: float, round: int
) -> list[Searched]:
    """Call tools of all targets at once. `until` is the deadline, a time of the event loop. `send` runs each call as a
    search."""
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(_call(run, planned, target, send, until=until, round=round)) for target in targets]
    return [searched for task in tasks for searched in await task]


async def _call(
    run: Run, planned: QueryPlan, target: SearchTarget, send: Send, *, until: float, round: int
) -> list[Searched]:
    since = (run.ports.clock(), now())
    bare = Subquery(search=planned.queries[0].query, target=target, passed=run.request.passed)
    try:
        tools = await _tools(run, target, until=until)
        subqueries = await _subqueries(run, planned, bare, tools, until=until)
    except BackendError as error:
        return [await send(bare, failure=error, since=since)]
    run.waits.expect(len(subqueries), round=round)
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(send(each)) for each in subqueries]
    return [await task for task in tasks]


async def _tools(run: Run, target: SearchTarget, *, until: float) -> tuple[Tool, ...]:
    """The tools of a target, awaited until a time of the event loop. Raises BackendError."""
    service, start = _service(run, target), now()
    if run.ports.servers is None:
        raise BackendUnavailable(service, "may not be called: no kind of source here has tools.")
    try:
        async with asyncio.timeout_at(until):
            return await run.ports.servers.tools(target, run.request.passed)
    except TimeoutError:
        raise BackendTimeout(service, seconds=max(now() - start, 0)) from None


async def _subqueries(
    run: Run, planned: QueryPlan, bare: Subquery, tools: tuple[Tool, ...], *, until: float
) -> list[Subquery]:
    """The calls of a target's tools: those that a model chooses, or those that need no model. Raises BackendUnavailable
    where there is no call."""
    name, queries = bare.target.source_name, [query.query for query in planned.queries]
    asked = await _by_model(run, Toolset(source=name, tools=tools), queries, until=until)
    calls = [(_search_text(call) or bare.search, call) for call in asked]
    if not (calls := calls or list(tool_calls.calls_by_rules(queries, tools))):
        raise BackendUnavailable(_service(run, bare.target), f"was not called: {tool_calls.needed(tools)}")
    return [replace(bare, search=text, call=call, target=_ranked_as_listed(bare.target, call)) for text, call in calls]


async def _by_model(run: Run, toolset: Toolset, queries: Sequence[str], *, until: float) -> tuple[ToolCall, ...]:
    """The calls that a model chooses; none without a model, at minimal effort, or where the model fails."""
    if run.ports.model is None or run.request.effort == "minimal":
        return ()
    if not (toolsets := tool_calls.offered((toolset,))):
        return ()
    question = Question(
        step="plan",
        prompt=tool_calls.prompt(run.request, queries, toolsets, today=run.today),
        read=partial(tool_calls.read, toolsets=toolsets),
        notes=lambda value: value.notes,
        count=lambda value: value.count,
    )
    result = await run.ask(question, until=now() + ARGUMENTS_SHARE * max(until - now(), 0))
    return (result.value or Calls(of={})).of.get(toolset.source, ())


def _service(run: Run, target: SearchTarget) -> str:
    """How errors call the server of a target."""
    servers, name = run.ports.servers, target.source_name
    return f"The server of {name!r}" if servers is None else servers.service(name)


def _search_text(call: ToolCall) -> str:
    """The text of the search: the texts among the arguments, clipped."""
    texts = (value for value in json.loads(call.arguments).values() if isinstance(value, str))
    return clip(" ".join(" ".join(texts).split()), LONGEST_SEARCH)


def _ranked_as_listed(target: SearchTarget, call: ToolCall) -> SearchTarget:
    """The target, without ranking where its source turns the ranking of this tool off."""
    if target.server is None or target.server.listed(call.tool).rerank is not False:
        return target
    return replace(target, recall=replace(target.recall, rerank=False))
