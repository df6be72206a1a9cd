"""The arguments of a tool: strict shapes, the rules for every text in them, and the time of a call."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Annotated, Final, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from pydantic.alias_generators import to_camel

from retrieval.contracts.azure.parts import bad_request, refuse_control_characters, respell
from retrieval.errors import BadRequest
from retrieval.model.definitions import Agent
from retrieval.model.retrieval import Outcome, RetrievalRequest
from retrieval.model.search import LONGEST_SEARCH
from retrieval.text import source_labels

LONGEST_FILTER: Final = 16_384
DEFAULT_RUNTIME_SECONDS: Final = 60.0

Query = Annotated[str, Field(min_length=1, max_length=LONGEST_SEARCH)]
FilterText = Annotated[str, Field(max_length=LONGEST_FILTER)]


class Arguments(BaseModel):
    """A tool takes exactly the arguments of the schema that `tools/list` shows."""

    model_config = ConfigDict(
        alias_generator=to_camel,
        extra="forbid",
        frozen=True,
        strict=True,
        validate_by_alias=True,
        validate_by_name=False,
        allow_inf_nan=False,
    )


Shape = TypeVar("Shape", bound=Arguments)


def read(arguments: Mapping[str, object], shape: type[Shape]) -> Shape:
    """The arguments in a shape. Raises BadRequest with the place of the first fault, and the others as details."""
    try:
        return shape.model_validate(respell(arguments, {}))
    except ValidationError as error:
        raise bad_request(error) from None


def text_of(text: str, *, place: str) -> str:
    """The text without blanks around it. Raises BadRequest for a blank text."""
    refuse_control_characters(text, target=place)
    if not text.strip():
        raise BadRequest(f"{place} is blank.", target=place)
    return text.strip()


def within(request: RetrievalRequest, seconds: float) -> RetrievalRequest:
    """The request, to be answered in the time that is left."""
    return replace(request, limits=replace(request.limits, runtime=min(request.limits.runtime, seconds)))


def extent(outcome: Outcome) -> int:
    """The size of a retrieval's rendering, in characters of documents."""
    return sum(source_labels.extent(reference.hit) for reference in outcome.references)


def runtime(agent: Agent) -> float:
    """The seconds that an HTTP call has for all of its tools."""
    return agent.max_runtime or DEFAULT_RUNTIME_SECONDS
