"""Retrieve, api-version 2026-11-01-preview: reads `POST knowledgebases('{name}')/retrieve`, and renders its answer.

Until the specification is public, this version has the members of 2026-08-01-preview. The names of the members for
graphs are not known. A member of the body with `graph` in its name is ignored if its value is null, and refused
otherwise.
"""

from collections.abc import Mapping
from functools import partial
from typing import Final, get_args

from pydantic import model_validator

from retrieval.contracts.azure.errors import OptionalMember
from retrieval.contracts.azure.preview_kinds import Kind
from retrieval.contracts.azure.retrieve.answers import render_as
from retrieval.contracts.azure.retrieve.records import Types
from retrieval.contracts.azure.retrieve.request_shapes import PreviewRequest
from retrieval.contracts.azure.retrieve.requests import Defaults, parse_as
from retrieval.contracts.azure.retrieve.response_shapes import Answered
from retrieval.contracts.azure.retrieve.timed_shapes import PreviewActivity, PreviewReferences
from retrieval.model.definitions import SUBQUERIES_BY_EFFORT

DEFAULT_THRESHOLD: Final = 0.0
"""None, as in the versions before it."""

DEFAULTS: Final = Defaults(kinds=get_args(Kind), threshold=DEFAULT_THRESHOLD, most_queries=SUBQUERIES_BY_EFFORT)
TYPES: Final = Types(
    planning="modelQueryPlanning", ranking="agenticReasoning", synthesis="modelAnswerSynthesis", cites=True
)


class RetrieveRequest(PreviewRequest):
    @model_validator(mode="before")
    @classmethod
    def _without_unsaid_graphs(cls, body: object) -> object:
        if not isinstance(body, Mapping):
            return body
        return {name: value for name, value in body.items() if value is not None or "graph" not in name.lower()}


class RetrieveResponse(Answered):
    activity: OptionalMember[list[PreviewActivity]]
    references: list[PreviewReferences]


parse: Final = partial(parse_as, RetrieveRequest, DEFAULTS)
render: Final = partial(render_as, RetrieveResponse, TYPES)
