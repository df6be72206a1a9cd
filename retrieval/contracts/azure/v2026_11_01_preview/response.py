"""The response of retrieve, api-version 2026-11-01-preview, out of the hub.

Ours, until its specification is public: 2026-08-01-preview with the `citationUrl` of 2026-10-01.
"""

from typing import Final

from retrieval.contracts.azure.retrieve.answers import render_as
from retrieval.contracts.azure.retrieve.records import Types
from retrieval.contracts.azure.retrieve.response_shapes import AnswerMessage, Out, Unsaid
from retrieval.contracts.azure.retrieve.timed_shapes import CitedReferences, PreviewActivity
from retrieval.contracts.rendered import Rendered
from retrieval.model.outcome import Outcome

TYPES: Final = Types(
    planning="modelQueryPlanning", ranking="agenticReasoning", synthesis="modelAnswerSynthesis", cites=True
)


class RetrieveResponse(Out):
    response: list[AnswerMessage]
    activity: Unsaid[list[PreviewActivity]]
    references: list[CitedReferences]


def render(outcome: Outcome) -> Rendered:
    """The answer to a retrieval; status 206 when some sub-queries failed and others did not."""
    return render_as(outcome, RetrieveResponse, TYPES, partial=206)
