"""A retrieval as server-sent events, api-version 2026-08-01-preview.

Source: the models of azure-search-documents 12.1.0b2, and "Stream a retrieval" (how-to, September 2026). Each activity
has two events, of which the second is its record. The last event is the whole answer and the status it has as JSON.
"""

from datetime import datetime
from functools import cache
from typing import Any, Final

from pydantic import TypeAdapter
from pydantic_core import to_json

from retrieval.contracts.azure.retrieve.records import record
from retrieval.contracts.azure.v2026_08_01_preview.response import TYPES, Activity, render
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


def started(request: RetrievalRequest, agent: Agent, *, id: str) -> bytes:
    """What is asked: the first event."""
    said = {
        "requestId": id,
        "knowledgeBaseName": agent.name,
        "outputMode": request.output_mode,
        "reasoningEffort": {"kind": request.effort},
    }
    return event("retrieval.started", to_json(said))


def begun(activity: hub.Begun, *, id: int, at: datetime) -> bytes:
    """An activity that begins."""
    said: dict[str, object] = {"id": id, "type": KINDS.get(activity.kind), "startedAt": timestamp(at)}
    if activity.subquery is not None:
        target = activity.subquery.target
        said |= {"type": target.kind, "knowledgeSourceName": target.source_name}
    return event("activity.started", to_json(said))


def ended(activity: hub.Activity, *, id: int, request: RetrievalRequest) -> bytes:
    """Its record."""
    said = _adapter().validate_python(record(activity, id, TYPES, asked=request.effort or "low"))
    return event("activity.completed", _adapter().dump_json(said))


def completed(outcome: Outcome) -> tuple[bytes, ...]:
    """The references, the answer if one was asked for, and the whole answer: the last events."""
    rendered = render(outcome)
    whole = rendered.content
    answer = TypeAdapter(dict[str, Any]).validate_json(whole)
    message = {"messageIndex": 0, "message": answer["response"][0]}
    return (
        event("references.completed", to_json(answer["references"])),
        *((event("answer.completed", to_json(message)),) if outcome.answer is not None else ()),
        event("response.completed", b'{"statusCode":%d,"response":%s}' % (rendered.status, whole)),
    )


@cache
def _adapter() -> TypeAdapter[Any]:
    return TypeAdapter(Activity)
