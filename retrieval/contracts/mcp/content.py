"""The arguments and results of tools.

A result has a text for models. It may have structured content for programs too.

The JSON schemas have a form that all clients can use. A schema has no references, because some clients do not follow
references. An optional argument has one plain type, because some clients read a choice of types (`anyOf`) as a string.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Final, Literal, TypeVar

from mcp.types import CallToolResult, TextContent
from pydantic import BaseModel, ConfigDict, Field, ValidationError
from pydantic.alias_generators import to_camel

from retrieval.contracts.azure.errors import detail
from retrieval.contracts.azure.request_body import Wire, bad_request, refuse_control_characters, respell
from retrieval.errors import BadRequest, RetrievalError
from retrieval.model.definitions import Agent
from retrieval.model.json_value import JsonValue
from retrieval.model.retrieval import Outcome, RetrievalRequest
from retrieval.model.search import LONGEST_SEARCH
from retrieval.text import source_labels

LONGEST_FILTER: Final = 16_384
DEFAULT_RUNTIME_SECONDS: Final = 60.0

Query = Annotated[str, Field(min_length=1, max_length=LONGEST_SEARCH)]
FilterText = Annotated[str, Field(max_length=LONGEST_FILTER)]


Shape = TypeVar("Shape", bound=Wire)


def read(arguments: Mapping[str, object], shape: type[Shape]) -> Shape:
    """Reads the arguments into a shape. A tool takes exactly the arguments of the schema that `tools/list` shows.
    Raises BadRequest with the place of the first fault. Its details have up to 19 further faults."""
    try:
        return shape.model_validate(respell(arguments, {}))
    except ValidationError as error:
        raise bad_request(error) from None


def text_of(text: str, *, place: str) -> str:
    """The text without white space at its ends. Raises BadRequest for a blank text, or for control characters."""
    refuse_control_characters(text, target=place)
    if not text.strip():
        raise BadRequest(f"{place} is blank.", target=place)
    return text.strip()


def extent(outcome: Outcome) -> int:
    """The work of rendering a retrieval, in characters of documents."""
    return sum(source_labels.extent(reference.hit) for reference in outcome.references)


def runtime(agent: Agent) -> float:
    """The seconds that one HTTP call has for all tools that it calls."""
    return agent.own_runtime or DEFAULT_RUNTIME_SECONDS


class Out(BaseModel):
    """The base class of structured content. The names of members are in camelCase, as in the retrieve contract."""

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True, extra="forbid")


class StepError(Out):
    code: str
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """A tool: its entry in `tools/list`, and the functions that read its arguments and render its result.

    `parse` takes the arguments, the agent and the user's token, and returns the request. It raises BadRequest. `extent`
    returns the work of rendering a result, in characters of documents.
    """

    name: str
    title: str
    description: str
    input: Mapping[str, JsonValue]
    output: Mapping[str, JsonValue]
    parse: Callable[..., RetrievalRequest]
    extent: Callable[[Any], int]
    render: Callable[[Any, RetrievalRequest], CallToolResult]


def content(
    text: str,
    structured: BaseModel | None = None,
    *,
    meta: dict[str, JsonValue] | None = None,
    failed: bool = False,
) -> CallToolResult:
    """A tool's result. `meta` is for programs, for example for the number of documents that were left out."""
    return CallToolResult(
        content=[TextContent(type="text", text=text)],
        structured_content=None if structured is None else structured.model_dump(mode="json", by_alias=True),
        is_error=failed,
        _meta=meta or None,
    )


def failure(error: RetrievalError) -> CallToolResult:
    """The result of a tool that failed. Its text has the code and the message of the error, for the model.

    A bad request may have further faults. The text has a line with a code and a message for each of them.
    """
    further = error.details if isinstance(error, BadRequest) else ()
    lines = (f"{line.code}: {line.message}" for line in map(detail, (error, *further)))
    return content("\n".join(dict.fromkeys(lines)), failed=True)


def step_error(error: RetrievalError | None) -> StepError | None:
    """The code and the message of an error, in the form that a record has. None if there is no error."""
    if error is None:
        return None
    error_detail = detail(error)
    return StepError(code=error_detail.code, message=error_detail.message)


def schema_of(shape: type[BaseModel], *, mode: Literal["validation", "serialization"]) -> dict[str, JsonValue]:
    """The schema of a shape. Every reference is replaced by the schema that it refers to. The shape must not contain
    itself."""
    schema: dict[str, JsonValue] = shape.model_json_schema(mode=mode)
    definitions, properties = schema.pop("$defs", {}), schema["properties"]
    assert isinstance(definitions, dict) and isinstance(properties, dict)
    if mode == "validation":
        schema["properties"] = {name: _plain(value) for name, value in properties.items()}
    return {name: _whole(value, definitions, of=name) for name, value in schema.items()}


def _plain(argument: JsonValue) -> JsonValue:
    """The schema of an argument. If the argument may be null, the schema has its plain type with `nullable`. Some
    clients treat every argument without `nullable` as required."""
    match argument:
        case {"anyOf": [dict(kind), {"type": "null"}], "default": None, **members}:
            return {**kind, "nullable": True, **members}
        case _:
            return argument


def _whole(value: JsonValue, definitions: Mapping[str, JsonValue], *, of: str) -> JsonValue:
    """The schema with every reference replaced, and without titles and discriminators. Properties named `title` or
    `discriminator` stay."""
    if isinstance(value, list):
        return [_whole(item, definitions, of="") for item in value]
    if not isinstance(value, dict):
        return value
    reference = value.get("$ref")
    if isinstance(reference, str):
        return _whole(definitions[reference.rpartition("/")[2]], definitions, of=of)
    members = (
        (name, inner) for name, inner in value.items() if of == "properties" or name not in {"title", "discriminator"}
    )
    return {name: _whole(inner, definitions, of=name if of != "properties" else "") for name, inner in members}
