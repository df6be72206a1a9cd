"""A retrieval as server-sent events.

Source: the models of azure-search-documents 12.1.0b2, "Stream a retrieval" (how-to, September 2026), and the example of
the specification of 2026-10-01. Each activity has two events, of which the second is its record. The last event is the
whole answer and the status it has as JSON.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Any, Final

from pydantic import TypeAdapter
from pydantic_core import to_json

from retrieval.contracts.azure.retrieve.records import Types, record
from retrieval.contracts.rendered import Rendered
from retrieval.contracts.server_sent_events import event
from retrieval.model import activity as hub
from retrieval.model.definitions import Agent
from retrieval.model.retrieval import Outcome, RetrievalRequest
from retrieval.text.timestamps import timestamp

KINDS: Final = {
    "plan": "modelQueryPlanning",
    "judge": "modelQueryPlanning",
    "answer": "modelAnswerSynthesis",
    "merge": "agenticReasoning",
}


@dataclass(frozen=True, kw_only=True)
class Events:
    """The events of a version: the types of its activity, its whole answer, and whether an answer that was written
    comes before the references."""

    types: Types
    activity: Any
    render: Callable[[Outcome], Rendered]
    answer_first: bool

    def started(self, request: RetrievalRequest, agent: Agent, *, id: str) -> bytes:
        """What is asked: the first event."""
        said = {
            "requestId": id,
            "knowledgeBaseName": agent.name,
            "outputMode": request.output_mode,
            "reasoningEffort": {"kind": request.effort},
        }
        return event("retrieval.started", to_json(said))

    def begun(self, activity: hub.Begun, *, id: int, at: datetime) -> bytes:
        """An activity that begins."""
        said: dict[str, object] = {"id": id, "type": KINDS.get(activity.kind), "startedAt": timestamp(at)}
        if activity.subquery is not None:
            target = activity.subquery.target
            said |= {"type": target.kind, "knowledgeSourceName": target.source_name}
        return event("activity.started", to_json(said))

    def ended(self, activity: hub.Activity, *, id: int, request: RetrievalRequest) -> bytes:
        """Its record."""
        members = record(activity, id, self.types, asked=request.effort or "low")
        return event("activity.completed", self._adapter.dump_json(self._adapter.validate_python(members)))

    def completed(self, outcome: Outcome) -> tuple[bytes, ...]:
        """The references, the answer if one was asked for, and the whole answer: the last events."""
        rendered = self.render(outcome)
        whole = rendered.content
        answer = TypeAdapter(dict[str, Any]).validate_json(whole)
        references = event("references.completed", to_json(answer["references"]))
        written = event("answer.completed", to_json({"messageIndex": 0, "message": answer["response"][0]}))
        last = event("response.completed", b'{"statusCode":%d,"response":%s}' % (rendered.status, whole))
        if outcome.answer is None:
            return references, last
        return (written, references, last) if self.answer_first else (references, written, last)

    @cached_property
    def _adapter(self) -> TypeAdapter[Any]:
        return TypeAdapter(self.activity)
