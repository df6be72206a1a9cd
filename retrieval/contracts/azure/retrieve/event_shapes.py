"""The data of events that tell of a retrieval, beside records and references, which are those of the whole answer.

Source: the models of azure-search-documents 12.1.0b2.
"""

from typing import Generic, Literal, TypeVar

from retrieval.contracts.azure.retrieve.response_shapes import AnswerMessage, Out, Text
from retrieval.model.definitions import Effort, OutputMode

Whole = TypeVar("Whole")


class AskedEffort(Out):
    kind: Effort | None


class RetrievalStarted(Out):
    request_id: str
    knowledge_base_name: str
    output_mode: OutputMode | None
    reasoning_effort: AskedEffort


class ActivityStarted(Out):
    """`knowledgeSourceName` is that of a search."""

    id: int
    type: str | None
    started_at: str
    knowledge_source_name: Text


class AnswerCompleted(Out):
    message_index: int
    message: AnswerMessage


class ResponseCompleted(Out, Generic[Whole]):
    """The whole answer, and the status that it has as JSON."""

    status_code: Literal[200, 206]
    response: Whole
