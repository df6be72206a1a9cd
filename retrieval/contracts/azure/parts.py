"""Reading JSON bodies as every version of Azure AI Search's contract does: strict, but property names without case."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, TypeVar

import pydantic_core
from pydantic import BaseModel, ConfigDict, ValidationError
from pydantic.alias_generators import to_camel

from retrieval.errors import BadRequest

MOST_PROBLEMS: Final = 20
_ALLOWED_CONTROLS: Final = frozenset("\t\n\r")


class Wire(BaseModel):
    """A shape on the wire: camelCase, unknown properties refused, no guessing of types."""

    model_config = ConfigDict(
        alias_generator=to_camel,
        extra="forbid",
        frozen=True,
        strict=True,
        validate_by_alias=True,
        validate_by_name=False,
        allow_inf_nan=False,
        defer_build=True,
    )


Shape = TypeVar("Shape", bound=Wire)


def read(body: bytes, shape: type[Shape], *, names: Mapping[str, str]) -> Shape:
    """A body as a shape. `names` maps lower-case property names to the ones of the contract.

    Raises BadRequest with the place of the first fault, and the others as details.
    """
    if not body.strip():
        raise BadRequest("The request body is empty. Send a JSON object, with a Content-Length and not chunked.")
    try:
        value = pydantic_core.from_json(body, allow_inf_nan=False)
    except ValueError as error:
        raise BadRequest(f"The request body is not valid JSON: {error}.") from None
    if not isinstance(value, dict):
        raise BadRequest(f"The request body must be a JSON object, not {_kind(value)}.")
    try:
        return shape.model_validate(_fold(value, names))
    except ValidationError as error:
        raise bad_request(error) from None


def property_names(shapes: Sequence[type[BaseModel]]) -> dict[str, str]:
    """Lower-case property names to the ones on the wire, over all fields of the shapes."""
    aliases = (field.alias or name for shape in shapes for name, field in shape.model_fields.items())
    return {alias.lower(): alias for alias in aliases}


def refuse_control_characters(text: str, *, target: str) -> None:
    """Raise BadRequest for a character that no text holds on purpose: C0 controls but tab and line ends."""
    for position, character in enumerate(text):
        if character < " " and character not in _ALLOWED_CONTROLS:
            code = f"U+{ord(character):04X}"
            raise BadRequest(f"Control character {code} at position {position} is not allowed.", target=target)


def _fold(value: object, names: Mapping[str, str]) -> object:
    """The value with its property names spelled as the contract does. Bounded: the JSON reader limits the depth."""
    if isinstance(value, list):
        return [_fold(item, names) for item in value]
    if not isinstance(value, dict):
        return value
    folded: dict[str, object] = {}
    for name, item in value.items():
        known = names.get(name.lower(), name)
        if known in folded:
            raise BadRequest(f"The property {known!r} is given twice.", target=known)
        folded[known] = _fold(item, names)
    return folded


def bad_request(error: ValidationError) -> BadRequest:
    """The faults of a shape as one error: the first, and the others as its details."""
    faults = list(_faults(error))
    first, others = faults[0], faults[1:MOST_PROBLEMS]
    return BadRequest(first.message, target=first.target, details=others)


def _faults(error: ValidationError) -> Iterator[BadRequest]:
    for fault in error.errors(include_url=False, include_context=True, include_input=False):
        place = _place(fault["loc"])
        if fault["type"] == "extra_forbidden":
            yield BadRequest(f"The property {str(fault['loc'][-1])[:100]!r} does not exist here.", target=place)
        elif fault["type"] == "missing":
            yield BadRequest(f"The property {place!r} is required.", target=place)
        else:
            yield BadRequest(f"{place}: {fault['msg'].removeprefix('Value error, ')}.", target=place)


def _place(location: tuple[int | str, ...]) -> str:
    parts = (f"[{part}]" if isinstance(part, int) else f".{part[:100]}" for part in location)
    return "".join(parts).lstrip(".")


def _kind(value: object) -> str:
    names = {list: "an array", str: "a string", bool: "a boolean", int: "a number", float: "a number"}
    return names.get(type(value), "null")
