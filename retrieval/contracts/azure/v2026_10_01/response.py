"""The response of retrieve, api-version 2026-10-01, out of the hub: the members of the specification and no others.

Source: the REST specification, `stable/2026-10-01/search.json` and its examples. Our own kind of source alone has a
type that is not in it.
"""

from typing import Annotated, Final, Literal, TypeAlias

from pydantic import Field

from retrieval.contracts.azure.retrieve.answers import render_as
from retrieval.contracts.azure.retrieve.records import Types
from retrieval.contracts.azure.retrieve.response_shapes import (
    AnswerMessage,
    Arguments,
    ByModel,
    IndexArguments,
    IngestedArguments,
    Out,
    Ranked,
    Searched,
    Unsaid,
)
from retrieval.contracts.azure.retrieve.timed_shapes import CitedReferences, Model, ModelQueryPlanning, Timed
from retrieval.contracts.rendered import Rendered
from retrieval.model.outcome import Outcome

TYPES: Final = Types(
    planning="modelQueryPlanning", ranking="agenticReasoning", synthesis="modelAnswerSynthesis", cites=True
)


class SearchIndex(Searched, Timed):
    type: Literal["searchIndex"]
    search_index_arguments: IndexArguments


class ModelStudioBase(Searched, Timed):
    type: Literal["modelStudioBase"]
    model_studio_base_arguments: Arguments


class Ingested(IngestedArguments, Searched, Timed):
    type: Literal["azureBlob", "indexedSharePoint", "indexedOneLake", "indexedSql", "file"]


class AgenticReasoning(Ranked, Timed):
    type: Literal["agenticReasoning"]


class ModelAnswerSynthesis(ByModel, Timed):
    type: Literal["modelAnswerSynthesis"]
    model: Unsaid[Model]


Activity: TypeAlias = Annotated[
    ModelQueryPlanning | SearchIndex | ModelStudioBase | Ingested | AgenticReasoning | ModelAnswerSynthesis,
    Field(discriminator="type"),
]


class RetrieveResponse(Out):
    response: list[AnswerMessage]
    activity: Unsaid[list[Activity]]
    references: list[CitedReferences]


def render(outcome: Outcome) -> Rendered:
    """The answer to a retrieval; status 206 when some sub-queries failed and others did not."""
    return render_as(outcome, RetrieveResponse, TYPES, partial=206)
