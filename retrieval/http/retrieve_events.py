"""A retrieval as events. If the caller wants the activity, events are sent when an activity begins and when it ends.
The references and the whole answer follow."""

import asyncio
from collections.abc import Iterator, Sequence
from typing import Final

from retrieval import threads
from retrieval.contracts.azure.retrieve.events import Events as AzureEvents
from retrieval.contracts.rendered import Part, Rendered
from retrieval.contracts.versions import Contract
from retrieval.http.asking import RETRIEVAL, agent_and_request, log_result, retrieval
from retrieval.http.delivery import Parts, streamed
from retrieval.http.serving import Admitted
from retrieval.model.activity import Activity, Begun, Ended, Kind, RankerActivity, SearchActivity, StepActivity
from retrieval.model.retrieval import Outcome, RetrievalRequest
from retrieval.ports import Clock

TOLD_KINDS: Final[frozenset[Kind]] = frozenset({"plan", "search"})
"""The kinds of activities whose events are sent while the activities run."""


async def stream(admitted: Admitted, name: str, contract: Contract[Outcome], events: AzureEvents) -> Rendered:
    """The events of a retrieval. Raises RetrievalError for an error that is found before the retrieval starts."""
    agent, request = await agent_and_request(admitted, name, contract)
    admitted.check_time(request.limits.runtime)
    observer = EventObserver(events, admitted.service.process.clock, request)
    observer.parts.put_nowait(events.start_event(request, agent, id=admitted.call.request_id))

    async def run() -> list[Part]:
        outcome = await retrieval(admitted, agent, request, observers=(observer,))
        log_result(outcome, admitted, RETRIEVAL)
        return await threads.work(
            RETRIEVAL.extent(outcome), lambda: [*observer.rest(outcome.activity), *events.last_events(outcome)]
        )

    return streamed(observer.parts, run, until=admitted.start + request.limits.runtime)


class EventObserver:
    """An observer that makes the events of activities. While the retrieval runs, it reports only activities of
    TOLD_KINDS that have an id. This id is also the id of the activity's record.

    The events of a judgement wait until a further search begins, because a judgement without further searches has no
    record."""

    def __init__(self, events: AzureEvents, clock: Clock, request: RetrievalRequest) -> None:
        self.parts: Parts = asyncio.Queue()
        self._events = events
        self._clock = clock
        self._request = request
        self._told_ids: set[int] = set()
        self._judgement: StepActivity | None = None

    def begun(self, activity: Begun) -> None:
        """Queues the event of an activity that begins."""
        if activity.kind == "search" and self._judgement is not None:
            self._tell_judgement(self._judgement)
        if activity.id is not None and activity.kind in TOLD_KINDS and self._request.include_activity:
            self._told_ids.add(activity.id)
            self.parts.put_nowait(self._events.begin_event(activity, id=activity.id, at=self._clock()))

    def ended(self, activity: Ended) -> None:
        """Queues the event of an activity that has ended."""
        id = activity.begun.id
        if activity.begun.kind == "judge" and isinstance(activity.record, StepActivity):
            self._judgement = activity.record
        if id in self._told_ids and id is not None and activity.record is not None:
            self.parts.put_nowait(self._events.end_event(activity.record, id=id, request=self._request))

    def rest(self, activity: Sequence[Activity]) -> Iterator[bytes]:
        """The begin and end events of activity records that had no events, such as the merge. Searches are left out."""
        if not self._request.include_activity:
            return
        for id, record in enumerate(activity):
            if id not in self._told_ids and not isinstance(record, SearchActivity):
                yield from self._whole(record, id)

    def _tell_judgement(self, record: StepActivity) -> None:
        self._judgement = None
        if record.id is not None and self._request.include_activity:
            self._told_ids.add(record.id)
            for event in self._whole(record, record.id):
                self.parts.put_nowait(event)

    def _whole(self, record: StepActivity | RankerActivity, id: int) -> Iterator[bytes]:
        """The events of the beginning and the end of an activity that is over."""
        begun = Begun(kind=record.step if isinstance(record, StepActivity) else "merge")
        yield self._events.begin_event(begun, id=id, at=record.started_at or self._clock())
        yield self._events.end_event(record, id=id, request=self._request)
