"""The calls of tools that a model chooses, or without a model a query for a tool that needs one text. A call names a
source, a tool of this source, and the arguments.

The descriptions of tools are in the prompt as JSON strings. A reply can only call tools that the prompt lists, with
arguments that fit the tool's input schema in types, members, values, lengths and ranges. The schema comes from a server
that is not trusted, so only cheap checks are made. No pattern is run, and no reference is followed. The server checks
the rest itself.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Final

from retrieval.call import prompts, replies, shown_parts
from retrieval.errors import BadModelReply
from retrieval.model.conversation import Prompt
from retrieval.model.definitions import MOST_SUBQUERIES
from retrieval.model.json_value import JsonValue
from retrieval.model.retrieval import RetrievalRequest
from retrieval.model.tools import Tool, ToolCall
from retrieval.text import strict_json
from retrieval.text.clipped import clip

PROMPT: Final[str] = "arguments-1"
LONGEST_DESCRIPTION: Final = 1_000
LONGEST_SCHEMA: Final = 6_000
LONGEST_ARGUMENTS: Final = 8_000
MOST_TOOLS: Final = 40

SCHEMA: Final = replies.object_of(
    {
        "calls": replies.array_of(
            replies.object_of(
                {"source": {"type": "string"}, "tool": {"type": "string"}, "arguments": {"type": "string"}}
            )
        )
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Toolset:
    """The tools of a source that a model may call."""

    source: str
    tools: tuple[Tool, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Calls:
    """The calls by their source. `notes` say why calls cannot be made."""

    of: Mapping[str, tuple[ToolCall, ...]]
    notes: tuple[str, ...] = ()

    @property
    def count(self) -> int:
        """The number of calls."""
        return sum(map(len, self.of.values()))


def offered(toolsets: Sequence[Toolset]) -> tuple[Toolset, ...]:
    """The tools that a prompt can have. Tools with too long a schema are left out. A source keeps at most 40 tools."""
    return tuple(
        Toolset(source=toolset.source, tools=tools)
        for toolset in toolsets
        if (tools := tuple(tool for tool in toolset.tools if len(_written(tool)) <= LONGEST_SCHEMA)[:MOST_TOOLS])
    )


def prompt(request: RetrievalRequest, queries: Sequence[str], toolsets: Sequence[Toolset], *, today: date) -> Prompt:
    """The prompt for a model."""
    tools: list[JsonValue] = [
        {
            "source": toolset.source,
            "tool": tool.name,
            "description": clip(tool.description, LONGEST_DESCRIPTION),
            "input_schema": _written(tool),
        }
        for toolset in toolsets
        for tool in toolset.tools
    ]
    about: dict[str, JsonValue] = {
        "today": today.isoformat(),
        "queries": list(queries),
        "tools": tools,
        "most_calls": MOST_SUBQUERIES,
    }
    data = shown_parts.conversation(shown_parts.guided(request.messages, request.instructions), about)
    return Prompt(name=PROMPT, instructions=prompts.text(PROMPT), data=data, schema=SCHEMA)


def read(text: str, toolsets: Sequence[Toolset]) -> Calls:
    """The calls of a reply, at most five for a source. Calls of other tools, or with arguments that the schema does not
    allow, are left out. Raises BadModelReply."""
    items = replies.items(replies.read_object(text), "calls")[: replies.MOST_ITEMS]
    tools = {(toolset.source, tool.name): tool for toolset in toolsets for tool in toolset.tools}
    calls: dict[str, list[ToolCall]] = {}
    notes: list[str] = []
    for item in items:
        source, call = _call(item, tools)
        if isinstance(call, str):
            notes.append(call)
        elif call not in calls.setdefault(source, []):
            calls[source].append(call)
    if not calls and items:
        raise BadModelReply("it names no call that can be made")
    kept = {source: tuple(of_source[:MOST_SUBQUERIES]) for source, of_source in calls.items()}
    return Calls(of=kept, notes=tuple(dict.fromkeys(notes)))


def _call(item: object, tools: Mapping[tuple[str, str], Tool]) -> tuple[str, ToolCall | str]:
    """The source of an item, and its call, or the reason why the call is left out."""
    members = item if isinstance(item, dict) else {}
    source, name, text = (members.get(each) for each in ("source", "tool", "arguments"))
    if not (isinstance(source, str) and isinstance(name, str)) or (source, name) not in tools:
        return "", "A call of no tool that was offered was left out."
    arguments = _object(text)
    fault = "they are no JSON object" if arguments is None else fault_of(arguments, tools[source, name].schema)
    if fault is not None:
        return source, f"A call of {name!r} was left out: {fault}."
    return source, ToolCall(tool=name, arguments=json.dumps(arguments, ensure_ascii=False))


def _object(text: object) -> Mapping[str, JsonValue] | None:
    if not isinstance(text, str) or len(text) > LONGEST_ARGUMENTS:
        return None
    try:
        value = strict_json.read_body(text.encode())
    except ValueError:
        return None
    return value if isinstance(value, dict) else None


def _written(tool: Tool) -> str:
    return json.dumps(tool.schema, ensure_ascii=False)


def calls_by_rules(queries: Sequence[str], tools: Sequence[Tool]) -> tuple[tuple[str, ToolCall], ...]:
    """Each query with its call, for each tool that takes a query. There are at most five calls."""
    planned = [
        (query, ToolCall(tool=tool.name, arguments=json.dumps({name: query}, ensure_ascii=False)))
        for query in queries
        for tool in tools
        if (name := only_text(tool.schema)) is not None and fault_of({name: query}, tool.schema) is None
    ]
    return tuple(planned[:MOST_SUBQUERIES])


def needed(tools: Sequence[Tool]) -> str:
    """A sentence for people about the arguments that these tools need."""
    parts = (f"{tool.name!r} needs {needs(tool.schema)}" for tool in tools[:5])
    return f"{'; '.join(parts)}. Without a model only a tool that needs one text can be called."


DEEPEST: Final = 8
MOST_CHECKED: Final = 1_000
"""The most enum values, items or required names that are checked."""

TEXT: Final = "string"
_NARROW: Final = frozenset({"enum", "const", "format", "pattern", "$ref", "anyOf", "oneOf", "allOf", "not"})

Schema = Mapping[str, JsonValue]


def fault_of(arguments: Mapping[str, JsonValue], schema: Schema) -> str | None:
    """The first fault of arguments; None where the schema allows them."""
    return next(_faults(arguments, schema, "the arguments", DEEPEST), None)


def only_text(schema: Schema) -> str | None:
    """The argument that takes a query. It is the only required argument of a tool, or else its only argument, and must
    be a free text. None where there is no such argument."""
    properties, required = _properties(schema), _required(schema)
    names = required or (list(properties) if len(properties) == 1 else [])
    if len(names) != 1 or not isinstance(shape := properties.get(names[0]), Mapping):
        return None
    return names[0] if TEXT in _types(shape) and not _NARROW.intersection(shape) else None


def needs(schema: Schema) -> str:
    """The required arguments of a tool and their types, as a text for people."""
    properties = _properties(schema)
    parts = [f"{name[:100]!r} ({_kind(properties.get(name))})" for name in _required(schema)[:20]]
    return ", ".join(parts) or "arguments that its schema does not require"


def _faults(value: JsonValue, schema: JsonValue, place: str, depth: int) -> Iterator[str]:
    if not isinstance(schema, Mapping) or depth == 0:
        return
    types = _types(schema)
    if types and not any(_is(value, each) for each in types):
        yield f"{place} must be {' or '.join(types)}"
    choices = schema.get("enum")
    if isinstance(choices, list) and len(choices) <= MOST_CHECKED and value not in choices:
        yield f"{place} must be one of those that the schema names"
    if "const" in schema and value != schema["const"]:
        yield f"{place} must be what the schema says"
    if isinstance(value, str):
        yield from _lengths(len(value), schema, place, ("minLength", "maxLength"))
    elif isinstance(value, Mapping):
        yield from _members(value, schema, place, depth)
    elif isinstance(value, Sequence):
        yield from _lengths(len(value), schema, place, ("minItems", "maxItems"))
        for number, item in enumerate(value[:MOST_CHECKED]):
            yield from _faults(item, schema.get("items"), f"{place}[{number}]", depth - 1)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield from _lengths(value, schema, place, ("minimum", "maximum"))


def _members(value: Mapping[str, JsonValue], schema: Schema, place: str, depth: int) -> Iterator[str]:
    properties = _properties(schema)
    for name in _required(schema):
        if name not in value:
            yield f"{place} lack {name[:100]!r}"
    for name, item in value.items():
        if name in properties:
            yield from _faults(item, properties[name], f"{name[:100]!r}", depth - 1)
        elif schema.get("additionalProperties") is False:
            yield f"{place} have {name[:100]!r}, which is none of the schema's"


def _lengths(size: float, schema: Schema, place: str, names: tuple[str, str]) -> Iterator[str]:
    least, most = (schema.get(name) for name in names)
    if isinstance(least, int | float) and size < least:
        yield f"{place} must have at least {least}"
    if isinstance(most, int | float) and size > most:
        yield f"{place} must have at most {most}"


def _is(value: JsonValue, name: str) -> bool:
    match name:
        case "string":
            return isinstance(value, str)
        case "integer":
            is_whole = isinstance(value, float) and value.is_integer()
            return (isinstance(value, int) and not isinstance(value, bool)) or is_whole
        case "number":
            return isinstance(value, int | float) and not isinstance(value, bool)
        case "boolean":
            return isinstance(value, bool)
        case "null":
            return value is None
        case "array":
            return isinstance(value, list | tuple)
        case "object":
            return isinstance(value, Mapping)
        case _:
            return True


def _types(schema: Schema) -> tuple[str, ...]:
    types = schema.get("type")
    names = [types] if isinstance(types, str) else types if isinstance(types, list) else []
    return tuple(name for name in names if isinstance(name, str))


def _properties(schema: Schema) -> Mapping[str, JsonValue]:
    properties = schema.get("properties")
    return properties if isinstance(properties, Mapping) else {}


def _required(schema: Schema) -> list[str]:
    names = schema.get("required")
    return [name for name in names[:MOST_CHECKED] if isinstance(name, str)] if isinstance(names, list) else []


def _kind(shape: JsonValue) -> str:
    return " or ".join(_types(shape)) if isinstance(shape, Mapping) and _types(shape) else "any value"
