"""The response of retrieve, api-version 2026-08-01-preview, out of the hub.

Source: the models of azure-search-documents 12.1.0b2.
"""

from typing import Final

from retrieval.contracts.azure.retrieve.answers import render_as
from retrieval.contracts.azure.retrieve.records import Types
from retrieval.contracts.azure.retrieve.response_shapes import AnswerMessage, Out, Unsaid
from retrieval.contracts.azure.retrieve.timed_shapes import PreviewActivity, PreviewReference
from retrieval.contracts.rendered import Rendered
from retrieval.model.outcome import Outcome

TYPES: Final = Types(planning="modelQueryPlanning", ranking="agenticReasoning", synthesis="modelAnswerSynthesis")


class RetrieveResponse(Out):
    response: list[AnswerMessage]
    activity: Unsaid[list[PreviewActivity]]
    references: list[PreviewReference]


def render(outcome: Outcome) -> Rendered:
    """The answer to a retrieval; status 206 when some sub-queries failed and others did not."""
    return render_as(outcome, RetrieveResponse, TYPES, partial=206)
