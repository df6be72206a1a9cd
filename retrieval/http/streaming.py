"""A retrieval as events: each activity as it begins and as it ends, then the references and the whole answer."""

import asyncio
from collections.abc import Callable, Coroutine, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from functools import partial
from typing import Any, Final

from retrieval import threads
from retrieval.contracts import Contract, EventContract
from retrieval.contracts.rendered import Events, Rendered
from retrieval.contracts.server_sent_events import EVENT_STREAM
from retrieval.errors import BackendError, BadModelReply
from retrieval.http.asking import RETRIEVAL, agent_and_request, log_content, retrieval
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

TOLD_KINDS: Final = frozenset({"plan", "search", "judge"})
"""The kinds of activities that have events as they happen."""

READING_SECONDS: Final = 5.0
"""The time after a call's deadline for a caller that is still reading its last events."""

RENDERINGS: Final = 3
"""The times that the last events have an answer's texts: as it is rendered, read again, and written in parts."""

KINDS: Final[Mapping[type[Activity], Kind]] = {
    PlanningActivity: "plan",
    RankerActivity: "merge",
    SynthesisActivity: "answer",
}


async def stream(admitted: Admitted, name: str, contract: Contract, events: EventContract) -> Rendered:
    """The events of a retrieval. Raises RetrievalError for what is wrong before anything is searched."""
    agent, request = await agent_and_request(admitted, name, contract)
    admitted.check_time(request.max_runtime)
    has_plan = admitted.service.models.of(agent) is not None and not request.queries and request.effort != "minimal"
    observer = EventObserver(events, admitted.service.process.clock, request, has_plan=has_plan)
    first_event = events.start_event(request, agent, id=admitted.call.request_id)

    async def run() -> list[bytes]:
        outcome = await retrieval(admitted, agent, request, observers=(observer,))
        log_content(admitted.service, RETRIEVAL.content, outcome)
        return await threads.work(RENDERINGS * RETRIEVAL.extent(outcome), partial(_last, observer, events, outcome))

    until = admitted.start + request.max_runtime + READING_SECONDS
    return Rendered(status=200, headers=EVENT_STREAM, body=_events(first_event, observer, run), until=until)


def _last(observer: "EventObserver", events: EventContract, outcome: Outcome) -> list[bytes]:
    return [*observer.rest(outcome.activity), *events.last_events(outcome)]


async def _events(
    first_event: bytes, observer: "EventObserver", run: Callable[[], Coroutine[Any, Any, list[bytes]]]
) -> Events:
    """The events as they come. A consumer that stops ends the work behind; events that it took are not kept."""
    yield first_event
    task = asyncio.create_task(run())
    task.add_done_callback(lambda _: observer.parts.put_nowait(None))
    try:
        while (part := await observer.parts.get()) is not None:
            yield part
        last = await task
        while last:
            yield last.pop(0)
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError, Exception):
            await task


class EventObserver:
    """An observer that makes events of activities. Ids are those of the whole answer: the plan by a model is 0."""

    def __init__(self, events: EventContract, clock: Clock, request: RetrievalRequest, *, has_plan: bool) -> None:
        self.parts: asyncio.Queue[bytes | None] = asyncio.Queue()
        self._events = events
        self._clock = clock
        self._request = request
        self._has_plan = has_plan
        self._next = int(has_plan)
        self._told_ids: set[int] = set()
        self._under_way: dict[Begun, tuple[int, datetime]] = {}

    def begun(self, activity: Begun) -> None:
        """Queues the event of an activity that begins."""
        if activity.kind not in TOLD_KINDS or (activity.kind == "plan" and not self._has_plan):
            return
        if not self._request.include_activity:
            return
        id, now = self._id(activity), self._clock()
        self._told_ids.add(id)
        self._under_way[activity] = (id, now)
        self.parts.put_nowait(self._events.begin_event(activity, id=id, at=now))

    def ended(self, activity: Ended) -> None:
        """Queues the event of an activity that has ended."""
        entry = self._under_way.pop(activity.begun, None)
        if entry is None:
            return
        id, started_at = entry
        record = _record(activity, started_at, self._clock())
        if record is not None:
            self.parts.put_nowait(self._events.end_event(record, id=id, request=self._request))

    def rest(self, activity: Sequence[Activity]) -> Iterator[bytes]:
        """Both events of each record that had none: ranking is known when all searches have ended."""
        if not self._request.include_activity:
            return
        for id, record in enumerate(activity):
            if id not in self._told_ids and not isinstance(record, SearchActivity):
                begun = Begun(kind=KINDS[type(record)])
                yield self._events.begin_event(begun, id=id, at=record.started_at or self._clock())
                yield self._events.end_event(record, id=id, request=self._request)

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
    result = activity.searched
    if result is None:
        return None
    threshold = result.subquery.target.threshold
    below_count = sum(hit.score is not None and hit.score < threshold for hit in result.page.hits)
    dropped: dict[DropReason, int] = {"threshold": below_count} if below_count and not result.page.cut else {}
    return SearchActivity(searched=result, found=result.page.found, dropped=dropped)
