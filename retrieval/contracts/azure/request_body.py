"""Reads JSON bodies, in the same way for every version of Azure AI Search's contract. The rules are strict, but the
case of property names does not matter.

The module also has the shapes of messages. All versions with messages use or extend these shapes.
"""

import codecs
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Annotated, Any, Final, TypeAlias, TypeVar

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError
from pydantic.alias_generators import to_camel

from retrieval.errors import BadFilter, BadRequest, OtherVersion
from retrieval.filters import odata
from retrieval.filters.tree import Filter
from retrieval.model.conversation import Message
from retrieval.text import strict_json

MOST_PROBLEMS: Final = 20
MOST_MESSAGES: Final = 1_000
MOST_MEMBERS: Final = 100
"""The maximum number of members of an object. Every shape has fewer than 50 members. The maximum also limits the number
of faults, because every unknown member is a fault."""

LONGEST_FILTER: Final = 262_144
"""The most characters of a filter, enough for seven thousand ids of groups."""

Location: TypeAlias = tuple[int | str, ...]
"""The path from the whole body to a member. It consists of names, and of positions in lists."""

Elsewhere: TypeAlias = Callable[[Location, str | None], Sequence[str]]
"""A function that gives the versions that have a member. If a word is given, the member must also accept the word as
its value."""

_GZIP: Final = b"\x1f\x8b"
_OBJECTS: Final = frozenset({"model_type", "model_attributes_type", "dict_type"})
_CONTROL: Final = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f]")


class Wire(BaseModel):
    """A shape on the wire. Property names are in camelCase. Unknown properties are refused, and values are not
    converted to other types."""

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


RerankerThreshold: TypeAlias = Annotated[float, Field(ge=0, le=4)]
Runtime: TypeAlias = Annotated[int, Field(ge=10, le=600)]
Count: TypeAlias = Annotated[int, Field(gt=0, le=2_147_483_647)]
"""The maximum number of tokens or documents of an output."""


def distinct(attribute: str, message: str) -> AfterValidator:
    """The rule that no two items of a list have the same attribute. `message` is the text of the error."""

    def check(items: list[Any]) -> list[Any]:
        if len({getattr(item, attribute) for item in items}) < len(items):
            raise ValueError(message)
        return items

    return AfterValidator(check)


class Image(Wire):
    url: str


class MessageContent(Wire):
    type: str
    text: str | None = None
    image: Image | None = None


Role: TypeAlias = Annotated[str, Field(min_length=1, max_length=64)]


def user_by_default(role: object) -> object:
    """The role of a message; `user` if it has none."""
    return "user" if role is None else role


class AgentMessage(Wire):
    role: Role
    content: Annotated[list[MessageContent], Field(min_length=1, fail_fast=True)]


Conversation: TypeAlias = Annotated[list[AgentMessage], Field(min_length=1, max_length=MOST_MESSAGES, fail_fast=True)]
"""The messages of a caller. The validation of a list stops at the first invalid item, because a caller may send 300,000
invalid items. The same rule applies to all lists of objects in shapes."""

Shape = TypeVar("Shape", bound=Wire)


def read(
    body: bytes,
    shape: type[Shape],
    *,
    names: Mapping[str, str],
    free: Collection[str] = (),
    elsewhere: Elsewhere | None = None,
) -> Shape:
    """The body, read into the shape. `names` maps property names in lower case to the property names of the contract.

    The names in `free` properties stay in the caller's spelling. `elsewhere` gives the versions that have a property or
    a value that this version lacks. Raises BadRequest. If the body does not fit the shape, the error is the first
    fault, and its details are the other faults.
    """
    if not body.strip():
        raise BadRequest("The request body is empty. Send a JSON object, with a Content-Length and not chunked.")
    if body.startswith(_GZIP):
        raise BadRequest("The request body is compressed. Send it as it is, without Content-Encoding.")
    body = body.removeprefix(codecs.BOM_UTF8)
    try:
        value = strict_json.read_body(body)
    except ValueError as error:
        raise BadRequest(f"The request body {error}.") from None
    if not isinstance(value, dict):
        raise BadRequest(f"The request body must be a JSON object, not {_kind(value)}.")
    try:
        return shape.model_validate(respell(value, names, free=free))
    except ValidationError as error:
        raise bad_request(error, elsewhere=elsewhere) from None


def refuse_repeated(body: bytes) -> None:
    """Raises BadRequest if an object of a valid JSON body gives a name more than once, because the second value would
    silently replace the first. This reads the body again, so it is not done for a call that retrieves."""
    path = strict_json.repeated_path(strict_json.with_repeated(body.removeprefix(codecs.BOM_UTF8)))
    if path is not None:
        raise BadRequest(f"The property {path[-1][:100]!r} is given twice.", target=".".join(path)[:100])


def conversation(messages: Sequence[AgentMessage]) -> tuple[Message, ...]:
    """The messages that are not blank. Raises BadRequest if a message is invalid, or if no message with the role `user`
    has a text."""
    hub_messages = [_message(message, place=f"messages[{i}]") for i, message in enumerate(messages)]
    texts = tuple(message for message in hub_messages if message.text.strip())
    if not any(message.role == "user" for message in texts):
        raise BadRequest("At least one message must have the role 'user' and a text.", target="messages")
    return texts


def refuse_control_characters(text: str, *, target: str) -> None:
    """Raises BadRequest if the text has a C0 control character. Tabs, line feeds and carriage returns are allowed."""
    if match := _CONTROL.search(text):
        code = f"U+{ord(match[0]):04X}"
        raise BadRequest(f"Control character {code} at position {match.start()} is not allowed.", target=target)


def respell(value: object, names: Mapping[str, str], *, free: Collection[str] = ()) -> object:
    """The value, with its property names in the spelling of the contract. The recursion is bounded, because the JSON
    reader limits the depth.

    The values of `free` properties stay as they are. Raises BadRequest for an object that has a property in two
    spellings, or more than 100 properties.
    """
    if isinstance(value, list):
        return [respell(item, names, free=free) if isinstance(item, dict | list) else item for item in value]
    if not isinstance(value, dict):
        return value
    if len(value) > MOST_MEMBERS:
        raise BadRequest(f"An object with {len(value)} properties has {next(iter(value))[:100]!r}; none has so many.")
    members: dict[str, object] = {}
    for name, item in value.items():
        spelling = names.get(name.lower(), name)
        if spelling in members:
            raise BadRequest(f"The property {spelling[:100]!r} is given twice.", target=spelling[:100])
        members[spelling] = item if spelling in free else respell(item, names, free=free)
    return members


def filter_of(text: str | None, *, target: str) -> Filter | None:
    """The filter that an OData text states; None for a blank text. Raises BadFilter if the filter is invalid, and
    BadRequest if the text has a control character."""
    if text is None or not text.strip():
        return None
    if len(text) > LONGEST_FILTER:
        raise BadFilter(f"it is longer than {LONGEST_FILTER} characters", position=LONGEST_FILTER, target=target)
    refuse_control_characters(text, target=target)
    try:
        return odata.read(text)
    except BadFilter as error:
        raise BadFilter(error.reason, position=error.position, target=target) from None


def _message(message: AgentMessage, *, place: str) -> Message:
    texts = [_text(content, place=f"{place}.content[{i}]") for i, content in enumerate(message.content)]
    refuse_control_characters(message.role, target=f"{place}.role")
    return Message(role=message.role.strip().lower(), text="\n".join(texts))


def _text(content: MessageContent, *, place: str) -> str:
    if content.type == "image":
        raise BadRequest("Image content is not supported in this version; send text.", target=place)
    if content.type != "text":
        raise BadRequest("The content type must be 'text'.", target=f"{place}.type")
    if content.text is None or content.image is not None:
        raise BadRequest("A content of type 'text' has the property 'text' and no image.", target=place)
    refuse_control_characters(content.text, target=f"{place}.text")
    return content.text


INSTEAD_OF_A_TEXT: Final = {
    "content": ', as in "content": [{"type": "text", "text": "…"}]',
    "retrievalReasoningEffort": ', as in "retrievalReasoningEffort": {"kind": "low"}',
}
"""Advice for callers who send a string instead of an object or a list. Other APIs or versions accept a string there."""


def bad_request(error: ValidationError, *, elsewhere: Elsewhere | None = None) -> BadRequest:
    """The faults that a shape finds, as one error. The error is the first fault. Its details are the other faults, up
    to 20 faults in total."""
    faults = list(_faults(error, elsewhere))
    first, further = faults[0], faults[1:MOST_PROBLEMS]
    return type(first)(first.message, target=first.target, details=further)


def _faults(error: ValidationError, elsewhere: Elsewhere | None) -> Iterator[BadRequest]:
    for fault in error.errors(include_url=False, include_context=True):
        place = _place(fault["loc"])
        if fault["type"] == "extra_forbidden":
            yield _unknown(fault["loc"], elsewhere)
        elif fault["type"] == "missing":
            yield BadRequest(f"The property {place!r} is required.", target=place)
        elif fault["type"] == "literal_error":
            yield _other_word(fault["loc"], fault["msg"], fault["input"], elsewhere)
        else:
            sentence = (
                "Input should be an object" if fault["type"] in _OBJECTS else fault["msg"].removeprefix("Value error, ")
            )
            last = fault["loc"][-1] if fault["loc"] else ""
            advice = INSTEAD_OF_A_TEXT.get(str(last), "") if isinstance(fault["input"], str) else ""
            yield BadRequest(f"{place}: {sentence}{advice}.", target=place)


def _other_word(location: Location, message: str, value: object, elsewhere: Elsewhere | None) -> BadRequest:
    versions, place = elsewhere(location, value) if elsewhere and isinstance(value, str) else (), _place(location)
    if not versions:
        return BadRequest(f"{place}: {message}.", target=place)
    return OtherVersion(f"{place}: {message}. {value!r} exists in: {', '.join(versions)}.", target=place)


def _unknown(location: Location, elsewhere: Elsewhere | None) -> BadRequest:
    name, place = str(location[-1])[:100], _place(location)
    versions = elsewhere(location, None) if elsewhere else ()
    if not versions:
        return BadRequest(f"The property {name!r} does not exist here.", target=place)
    sentence = f"The property {name!r} does not exist in this api-version. It exists in: {', '.join(versions)}."
    return OtherVersion(sentence, target=place)


def _place(location: Location) -> str:
    parts = (f"[{part}]" if isinstance(part, int) else f".{part[:100]}" for part in location)
    return "".join(parts).lstrip(".")


def _kind(value: object) -> str:
    names = {list: "an array", str: "a string", bool: "a boolean", int: "a number", float: "a number"}
    return names.get(type(value), "null")
