"""The arguments of a tool: strict shapes, what is asked of every text in them, and the time that a call has."""

from collections.abc import Mapping
from typing import Annotated, Final, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from pydantic.alias_generators import to_camel

from retrieval.carry_over import LONGEST_SEARCH
from retrieval.contracts.azure.parts import bad_request, refuse_control_characters
from retrieval.errors import BadFilter, BadRequest
from retrieval.filters import odata
from retrieval.filters.tree import Filter
from retrieval.model import Agent

LONGEST_FILTER: Final = 16_384
DEFAULT_RUNTIME_SECONDS: Final = 60.0

Query = Annotated[str, Field(min_length=1, max_length=LONGEST_SEARCH)]
FilterText = Annotated[str, Field(max_length=LONGEST_FILTER)]


class Arguments(BaseModel):
    """Arguments are those of the schema that `tools/list` shows, and no others."""

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
    """Raises BadRequest with the place of the first fault, and the others as details."""
    try:
        return shape.model_validate(arguments)
    except ValidationError as error:
        raise bad_request(error) from None


def text_of(text: str, *, place: str) -> str:
    """A text that says something, without the blanks around it. Raises BadRequest."""
    refuse_control_characters(text, target=place)
    if not text.strip():
        raise BadRequest(f"{place} is blank.", target=place)
    return text.strip()


def filter_of(text: str | None) -> Filter | None:
    """An OData filter; blank is none, as planners send it. Raises BadFilter."""
    if text is None or not text.strip():
        return None
    refuse_control_characters(text, target="filter")
    try:
        return odata.read(text)
    except BadFilter as error:
        raise BadFilter(error.reason, position=error.position, target="filter") from None


def runtime(agent: Agent) -> float:
    """Seconds that an HTTP call has for all of its tools."""
    return agent.max_runtime or DEFAULT_RUNTIME_SECONDS
