"""A retrieval as events: each activity as it begins and as it ends, then the references and the whole answer."""

import asyncio
from collections.abc import Callable, Coroutine, Iterator, Sequence
from contextlib import suppress
from functools import partial
from typing import Any, Final

from retrieval import threads
from retrieval.contracts import Contract, EventContract
from retrieval.contracts.rendered import Events, Rendered
from retrieval.contracts.server_sent_events import EVENT_STREAM
from retrieval.http.asking import RETRIEVAL, asked, log_content, retrieval
from retrieval.http.serving import Admitted
from retrieval.model.activity import Activity, Begun, Ended, Kind, SearchActivity, StepActivity
from retrieval.model.outcome import Outcome
from retrieval.model.retrieval import RetrievalRequest
from retrieval.ports import Clock

SHOWN: Final[frozenset[Kind]] = frozenset({"plan", "search", "judge"})
"""The activities that are told as they happen."""

READING_SECONDS: Final = 5.0
"""After the deadline of a call, for a caller that is still reading its last events."""

RENDERINGS: Final = 3
"""The last events have the texts of an answer so often: as it is rendered, read again, and written in parts."""


async def stream(admitted: Admitted, name: str, contract: Contract, events: EventContract) -> Rendered:
    """The events of a retrieval. Raises RetrievalError for what is wrong before anything is searched."""
    agent, request = await asked(admitted, name, contract)
    admitted.check_time(request.limits.runtime)
    told = Told(events, admitted.service.process.clock, request)
    started = events.started(request, agent, id=admitted.call.request_id)

    async def run() -> list[bytes]:
        outcome = await retrieval(admitted, agent, request, observers=(told,))
        log_content(admitted.service, RETRIEVAL.content, outcome)
        return await threads.work(RENDERINGS * RETRIEVAL.extent(outcome), partial(_last, told, events, outcome))

    until = admitted.start + request.limits.runtime + READING_SECONDS
    return Rendered(status=200, headers=EVENT_STREAM, body=_events(started, told, run), until=until)


def _last(told: "Told", events: EventContract, outcome: Outcome) -> list[bytes]:
    return [*told.rest(outcome.activity), *events.completed(outcome)]


async def _events(started: bytes, told: "Told", run: Callable[[], Coroutine[Any, Any, list[bytes]]]) -> Events:
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
    """An observer that makes events of what it is told: of activities with an id, which is that of their record."""

    def __init__(self, events: EventContract, clock: Clock, request: RetrievalRequest) -> None:
        self.parts: asyncio.Queue[bytes | None] = asyncio.Queue()
        self._events = events
        self._clock = clock
        self._request = request
        self._told: set[int] = set()

    def begun(self, activity: Begun) -> None:
        """An activity begins."""
        if activity.id is not None and activity.kind in SHOWN and self._request.include_activity:
            self._told.add(activity.id)
            self.parts.put_nowait(self._events.begun(activity, id=activity.id, at=self._clock()))

    def ended(self, activity: Ended) -> None:
        """An activity ended."""
        id = activity.begun.id
        if id in self._told and id is not None and activity.record is not None:
            self.parts.put_nowait(self._events.ended(activity.record, id=id, request=self._request))

    def rest(self, activity: Sequence[Activity]) -> Iterator[bytes]:
        """Both events of each record that nobody told of: ranking is known when all searches have ended."""
        if not self._request.include_activity:
            return
        for id, record in enumerate(activity):
            if id not in self._told and not isinstance(record, SearchActivity):
                begun = Begun(kind=record.step if isinstance(record, StepActivity) else "merge")
                yield self._events.begun(begun, id=id, at=record.started_at or self._clock())
                yield self._events.ended(record, id=id, request=self._request)
