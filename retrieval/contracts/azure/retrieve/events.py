"""A retrieval as server-sent events.

Source: the models of azure-search-documents 12.1.0b2, "Stream a retrieval" (how-to, September 2026), and the example of
the specification of 2026-10-01. If the caller wants the activity, each activity has two events: one for its beginning,
and one with its record for its end. The last event has the whole answer, and the status that the answer would have as
plain JSON. After a failure the last event is `error`.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property
from typing import Any, Final, Generic, Literal, TypeVar, get_args

from pydantic import TypeAdapter
from pydantic_core import from_json, to_json

from retrieval.contracts.azure.errors import ErrorResponse
from retrieval.contracts.azure.retrieve.record_shapes import Out, Text
from retrieval.contracts.azure.retrieve.response_shapes import AnswerMessage
from retrieval.contracts.azure.retrieve.responses import Types, record, render_as, timestamp
from retrieval.contracts.rendered import Part, event, event_over
from retrieval.model import activity as hub
from retrieval.model.definitions import Agent, Effort, OutputMode
from retrieval.model.retrieval import Outcome, RetrievalRequest

Whole = TypeVar("Whole")


class AskedEffort(Out):
    kind: Effort | None


class RetrievalStarted(Out):
    request_id: str
    knowledge_base_name: str
    output_mode: OutputMode | None
    reasoning_effort: AskedEffort


class ActivityStarted(Out):
    """The beginning of an activity. Only a search has a `knowledgeSourceName`."""

    id: int
    type: str | None
    started_at: str
    knowledge_source_name: Text


class AnswerCompleted(Out):
    message_index: int
    message: AnswerMessage


class ResponseCompleted(Out, Generic[Whole]):
    """The whole answer, and the status that the answer would have as plain JSON."""

    status_code: Literal[200, 206]
    response: Whole


KINDS: Final = {
    "plan": "modelQueryPlanning",
    "judge": "modelQueryPlanning",
    "answer": "modelAnswerSynthesis",
    "merge": "agenticReasoning",
}


@dataclass(frozen=True, kw_only=True)
class Events:
    """Makes the events of a version. `response` is the shape of the whole answer. With `answer_first` the written
    answer comes before the references."""

    types: Types
    response: type[Out]
    answer_first: bool

    @property
    def shapes(self) -> Mapping[str, Any]:
        """The type of the data of each event, by the name of the event."""
        return {
            "retrieval.started": RetrievalStarted,
            "activity.started": ActivityStarted,
            "activity.completed": self._activity,
            "references.completed": self.response.model_fields["references"].annotation,
            "answer.completed": AnswerCompleted,
            "response.completed": ResponseCompleted[self.response],  # type: ignore[name-defined]
            "error": ErrorResponse,
        }

    def start_event(self, request: RetrievalRequest, agent: Agent, *, id: str) -> bytes:
        """The first event, with the name of the knowledge base, the output mode and the effort."""
        data = RetrievalStarted(
            request_id=id,
            knowledge_base_name=agent.name,
            output_mode="answerSynthesis" if request.output == "synthesis" else "extractiveData",
            reasoning_effort=AskedEffort(kind=request.effort),
        )
        return event("retrieval.started", data.model_dump_json().encode())

    def begin_event(self, activity: hub.Begun, *, id: int, at: datetime) -> bytes:
        """The event of an activity that begins."""
        target = None if activity.subquery is None else activity.subquery.target
        data = ActivityStarted(
            id=id,
            type=KINDS.get(activity.kind) if target is None else target.kind,
            started_at=timestamp(at, digits=self.types.digits),
            knowledge_source_name=None if target is None else target.source_name,
        )
        return event("activity.started", data.model_dump_json().encode())

    def end_event(self, activity: hub.Activity, *, id: int, request: RetrievalRequest) -> bytes:
        """The event of an activity that has ended, with its record."""
        members = record(activity, id, self.types, effort=request.asked_effort)
        return event("activity.completed", self._adapter.dump_json(self._adapter.validate_python(members)))

    def last_events(self, outcome: Outcome) -> tuple[Part, ...]:
        """The last events: the references, the written answer if there is one, and the whole response.

        A slow caller keeps these events in memory for a long time. To save memory, the events share bytes: the
        references are a slice of the whole response, which ends with them.
        """
        response = render_as(self.response, self.types, outcome)
        whole = memoryview(response.content)
        others = render_as(self.response, self.types, replace(outcome, references=())).content
        references = event_over("references.completed", whole[len(others) - len(b"[]}") : -1])
        last = event_over("response.completed", b'{"statusCode":%d,"response":' % response.status, whole, b"}")
        message = from_json(others)["response"][0]
        answer_event = event("answer.completed", to_json({"messageIndex": 0, "message": message}))
        if outcome.answer is None:
            return references, last
        return (answer_event, references, last) if self.answer_first else (references, answer_event, last)

    @property
    def _activity(self) -> Any:
        """The type of a record."""
        [records, _] = get_args(self.response.model_fields["activity"].annotation)
        return get_args(records)[0]

    @cached_property
    def _adapter(self) -> TypeAdapter[Any]:
        return TypeAdapter(self._activity)
