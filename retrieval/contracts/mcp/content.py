"""The result of a tool: a text for models, and the same facts as structured content for programs."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from pydantic import BaseModel, ConfigDict
from pydantic.alias_generators import to_camel

from retrieval.contracts.azure.errors import detail
from retrieval.errors import BadRequest, RetrievalError
from retrieval.model.json_value import JsonValue


class Out(BaseModel):
    """A shape of structured content. Members are in camelCase, as in the retrieve contract."""

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True, extra="forbid")


@dataclass(frozen=True, slots=True, kw_only=True)
class Content:
    """A tool's answer. `meta` is beside it, for programs that ask what was left out."""

    text: str
    structured: BaseModel | None = None
    meta: Mapping[str, JsonValue] = field(default_factory=dict)
    failed: bool = False


def failure(error: RetrievalError) -> Content:
    """An error as a tool reports it to a model: its code and its sentence, and those of further faults.

    The sentence of another error than a bad request tells all that it holds.
    """
    further = error.details if isinstance(error, BadRequest) else ()
    lines = (f"{line.code}: {line.message}" for line in map(detail, (error, *further)))
    return Content(text="\n".join(dict.fromkeys(lines)), failed=True)
