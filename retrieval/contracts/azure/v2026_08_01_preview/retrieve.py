"""Retrieve, api-version 2026-08-01-preview: reads `POST knowledgebases('{name}')/retrieve`, and renders its answer.

Source: the models of azure-search-documents 12.1.0b2. Their references have the `citationUrl` of 2026-10-01. The
specification has an example with it, where the address lacks `allowUnsafeKeys`.
"""

from functools import partial
from typing import Final, get_args

from retrieval.contracts.azure.errors import OptionalMember
from retrieval.contracts.azure.preview_kinds import Kind
from retrieval.contracts.azure.retrieve.answers import render_as
from retrieval.contracts.azure.retrieve.records import Types
from retrieval.contracts.azure.retrieve.request_shapes import PreviewRequest as RetrieveRequest
from retrieval.contracts.azure.retrieve.requests import Defaults, parse_as
from retrieval.contracts.azure.retrieve.response_shapes import Answered
from retrieval.contracts.azure.retrieve.timed_shapes import PreviewActivity, PreviewReferences
from retrieval.model.definitions import SUBQUERIES_BY_EFFORT

DEFAULT_THRESHOLD: Final = 0.0
"""None. No real answer of this version shows its default, so it is as in the preview before it."""

DEFAULTS: Final = Defaults(kinds=get_args(Kind), threshold=DEFAULT_THRESHOLD, most_queries=SUBQUERIES_BY_EFFORT)
TYPES: Final = Types(
    planning="modelQueryPlanning", ranking="agenticReasoning", synthesis="modelAnswerSynthesis", cites=True
)


class RetrieveResponse(Answered):
    activity: OptionalMember[list[PreviewActivity]]
    references: list[PreviewReferences]


parse: Final = partial(parse_as, RetrieveRequest, DEFAULTS)
render: Final = partial(render_as, RetrieveResponse, TYPES)
