"""A retrieval as events: each activity as it begins and as it ends, then the references and the whole answer."""

import asyncio
from collections.abc import Callable, Coroutine, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from functools import partial
from typing import Any, Final

from retrieval import threads
from retrieval.contracts import Contract, EventContract
from retrieval.contracts.rendered import Events, Part, Rendered
from retrieval.contracts.server_sent_events import EVENT_STREAM
from retrieval.errors import BackendError, BadModelReply
from retrieval.http.asking import RETRIEVAL, asked, log_content, retrieval
from retrieval.http.serving import Admitted
from retrieval.model.activity import (
    Activity,
    Begun,
    DropReason,
    Ended,
    Kind,
    PlanningActivity,
    RankerActivity,
    SearchActivity,
    SynthesisActivity,
)
from retrieval.model.retrieval import Outcome, RetrievalRequest
from retrieval.ports import Clock

SHOWN: Final = frozenset({"plan", "search", "judge"})
"""The activities that are told as they happen."""

READING_SECONDS: Final = 5.0
"""After the deadline of a call, for a caller that is still reading its last events."""

KINDS: Final[Mapping[type[Activity], Kind]] = {
    PlanningActivity: "plan",
    RankerActivity: "merge",
    SynthesisActivity: "answer",
}


async def stream(admitted: Admitted, name: str, contract: Contract, events: EventContract) -> Rendered:
    """The events of a retrieval. Raises RetrievalError for what is wrong before anything is searched."""
    agent, request = await asked(admitted, name, contract)
    admitted.check_time(request.max_runtime)
    planned = admitted.service.models.of(agent) is not None and not request.queries and request.effort != "minimal"
    told = Told(events, admitted.service.process.clock, request, planned=planned)
    started = events.started(request, agent, id=admitted.call.request_id)

    async def run() -> list[Part]:
        outcome = await retrieval(admitted, agent, request, observers=(told,))
        log_content(admitted.service, RETRIEVAL.content, outcome)
        return await threads.work(RETRIEVAL.extent(outcome), partial(_last, told, events, outcome))

    until = admitted.start + request.max_runtime + READING_SECONDS
    return Rendered(status=200, headers=EVENT_STREAM, body=_events(started, told, run), until=until)


def _last(told: "Told", events: EventContract, outcome: Outcome) -> list[Part]:
    return [*told.rest(outcome.activity), *events.completed(outcome)]


async def _events(started: bytes, told: "Told", run: Callable[[], Coroutine[Any, Any, list[Part]]]) -> Events:
    """Who stops taking them ends the work behind. What was taken is not kept."""
    yield started
    task = asyncio.create_task(run())
    task.add_done_callback(lambda _: told.parts.put_nowait(None))
    try:
        while (part := await told.parts.get()) is not None:
            yield part
        last = await task
        while last:
            yield last.pop(0)
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError, Exception):
            await task


class Told:
    """An observer that makes events of what it is told. Ids are those of the whole answer: the plan by a model is 0."""

    def __init__(self, events: EventContract, clock: Clock, request: RetrievalRequest, *, planned: bool) -> None:
        self.parts: asyncio.Queue[bytes | None] = asyncio.Queue()
        self._events = events
        self._clock = clock
        self._request = request
        self._planned = planned
        self._next = int(planned)
        self._told: set[int] = set()
        self._under_way: dict[Begun, tuple[int, datetime]] = {}

    def begun(self, activity: Begun) -> None:
        """An activity begins."""
        if activity.kind not in SHOWN or (activity.kind == "plan" and not self._planned):
            return
        if not self._request.include_activity:
            return
        id, now = self._id(activity), self._clock()
        self._told.add(id)
        self._under_way[activity] = (id, now)
        self.parts.put_nowait(self._events.begun(activity, id=id, at=now))

    def ended(self, activity: Ended) -> None:
        """An activity ended."""
        found = self._under_way.pop(activity.begun, None)
        if found is None:
            return
        id, started_at = found
        record = _record(activity, started_at, self._clock())
        if record is not None:
            self.parts.put_nowait(self._events.ended(record, id=id, request=self._request))

    def rest(self, activity: Sequence[Activity]) -> Iterator[bytes]:
        """Both events of each record that nobody told of: ranking is known when all searches have ended."""
        if not self._request.include_activity:
            return
        for id, record in enumerate(activity):
            if id not in self._told and not isinstance(record, SearchActivity):
                begun = Begun(kind=KINDS[type(record)])
                yield self._events.begun(begun, id=id, at=record.started_at or self._clock())
                yield self._events.ended(record, id=id, request=self._request)

    def _id(self, activity: Begun) -> int:
        if activity.kind == "plan":
            return 0
        self._next += 1
        return self._next - 1


def _record(activity: Ended, started_at: datetime, now: datetime) -> Activity | None:
    if activity.begun.kind != "search":
        return PlanningActivity(
            elapsed_ms=round((now - started_at).total_seconds() * 1000),
            started_at=started_at,
            input_tokens=activity.input_tokens,
            output_tokens=activity.output_tokens,
            error=activity.error if isinstance(activity.error, BackendError | BadModelReply) else None,
        )
    searched = activity.searched
    if searched is None:
        return None
    threshold = searched.subquery.target.threshold
    below = sum(hit.score is not None and hit.score < threshold for hit in searched.page.hits)
    dropped: dict[DropReason, int] = {"threshold": below} if below and not searched.page.cut else {}
    return SearchActivity(searched=searched, found=searched.page.found, dropped=dropped)
