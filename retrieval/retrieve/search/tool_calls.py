"""Calls tools of servers, at the same time as the searches of a round. For each server it reads the tools, finds
arguments, and makes the calls.

A server that hangs or fails does not delay the other servers. A model writes the arguments. Without a model's calls, or
at minimal effort, queries go to tools that need one text. Every call is a search with its own record. A server without
a call has a record with the reason.

The descriptions of tools are in the prompt as JSON strings. A reply can only call tools that the prompt lists, with
arguments that fit the tool's input schema in types, members, values, lengths and ranges. The schema comes from a server
that is not trusted, so only cheap checks are made. No pattern is run, and no reference is followed. The server checks
the rest itself.
"""

import asyncio
import json
from collections.abc import Callable, Coroutine, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import partial
from typing import Any, Final, TypeAlias

from retrieval.call import prompt_parts, prompts, replies
from retrieval.call.budget import ARGUMENTS_SHARE, Run
from retrieval.call.model_calls import Question, ask
from retrieval.call.ports import now
from retrieval.errors import BackendError, BackendTimeout, BackendUnavailable, BadModelReply
from retrieval.model.conversation import Prompt
from retrieval.model.definitions import MOST_SUBQUERIES
from retrieval.model.json_value import JsonValue
from retrieval.model.retrieval import QueryPlan, RetrievalRequest
from retrieval.model.search import LONGEST_SEARCH, Searched, SearchTarget, Subquery
from retrieval.model.tools import Tool, ToolCall
from retrieval.text import strict_json
from retrieval.text.length import clip

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
class Calls:
    """The calls of a source. `notes` say why calls cannot be made."""

    calls: tuple[ToolCall, ...]
    notes: tuple[str, ...] = ()


def offered(tools: Sequence[Tool]) -> tuple[Tool, ...]:
    """The tools that a prompt can have, at most 40. Tools with too long a schema are left out."""
    return tuple(tool for tool in tools if len(_written(tool)) <= LONGEST_SCHEMA)[:MOST_TOOLS]


def prompt(
    request: RetrievalRequest, queries: Sequence[str], source: str, tools: Sequence[Tool], *, today: date
) -> Prompt:
    """The prompt for a model. The tools are those of a source."""
    described: list[JsonValue] = [
        {
            "source": source,
            "tool": tool.name,
            "description": clip(tool.description, LONGEST_DESCRIPTION),
            "input_schema": _written(tool),
        }
        for tool in tools
    ]
    about: dict[str, JsonValue] = {
        "today": today.isoformat(),
        "queries": list(queries),
        "tools": described,
        "most_calls": MOST_SUBQUERIES,
    }
    data = prompt_parts.conversation(prompt_parts.guided(request.messages, request.instructions), about)
    return Prompt(name=PROMPT, instructions=prompts.text(PROMPT), data=data, schema=SCHEMA)


def read(text: str, source: str, tools: Sequence[Tool]) -> Calls:
    """The calls of a reply, at most five. Calls of other tools, or with arguments that the schema does not allow, are
    left out. Raises BadModelReply."""
    items = replies.items(replies.read_object(text), "calls")[: replies.MOST_ITEMS]
    by_name = {tool.name: tool for tool in tools}
    read_items = list(dict.fromkeys(_call(item, source, by_name) for item in items))
    calls = tuple(call for call in read_items if isinstance(call, ToolCall))
    if items and not calls:
        raise BadModelReply("it names no call that can be made")
    return Calls(calls=calls[:MOST_SUBQUERIES], notes=tuple(entry for entry in read_items if isinstance(entry, str)))


def _call(item: object, source: str, tools: Mapping[str, Tool]) -> ToolCall | str:
    """The call of an item, or the reason why it is left out."""
    members = item if isinstance(item, dict) else {}
    name = members.get("tool")
    if members.get("source") != source or not isinstance(name, str) or name not in tools:
        return "A call of no tool that was offered was left out."
    arguments = _object(members.get("arguments"))
    fault = "they are no JSON object" if arguments is None else fault_of(arguments, tools[name].schema)
    if fault is not None:
        return f"A call of {name!r} was left out: {fault}."
    return ToolCall(tool=name, arguments=json.dumps(arguments, ensure_ascii=False))


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

_TYPES: Final[Mapping[str, type | tuple[type, ...]]] = {
    "string": str,
    "integer": int,
    "number": (int, float),
    "boolean": bool,
    "null": type(None),
    "array": (list, tuple),
    "object": Mapping,
}

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
    """Whether a value has the type of a schema. A type that no schema has allows every value."""
    if isinstance(value, bool):
        return name == "boolean" or name not in _TYPES
    if isinstance(value, float) and name == "integer":
        return value.is_integer()
    return isinstance(value, _TYPES.get(name, object))


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


Send: TypeAlias = Callable[..., Coroutine[Any, Any, Searched]]
"""Runs one search of a round, as `search_one` does."""


async def call_tools(
    run: Run, planned: QueryPlan, targets: Sequence[SearchTarget], send: Send, *, until: float, round: int
) -> list[Searched]:
    """Call tools of all targets at once. `until` is the deadline, a time of the event loop."""
    async with asyncio.TaskGroup() as group:
        tasks = [
            group.create_task(_call_target(run, planned, target, send, until=until, round=round)) for target in targets
        ]
    return [searched for task in tasks for searched in await task]


async def _call_target(
    run: Run, planned: QueryPlan, target: SearchTarget, send: Send, *, until: float, round: int
) -> list[Searched]:
    since = (run.ports.clock(), now())
    bare = Subquery(search=planned.queries[0].query, target=target, passed=run.request.passed)
    try:
        tools = await _tools(run, target, until=until)
        subqueries = await _subqueries(run, planned, bare, tools, until=until)
    except BackendError as error:
        return [await send(bare, failure=error, since=since)]
    run.waits.expect(len(subqueries), round=round)
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(send(subquery)) for subquery in subqueries]
    return [await task for task in tasks]


async def _tools(run: Run, target: SearchTarget, *, until: float) -> tuple[Tool, ...]:
    """The tools of a target, awaited until a time of the event loop. Raises BackendError."""
    service, start = _service(run, target), now()
    if run.ports.servers is None:
        raise BackendUnavailable(service, "may not be called: no kind of source here has tools.")
    try:
        async with asyncio.timeout_at(until):
            return await run.ports.servers.tools(target, run.request.passed)
    except TimeoutError:
        raise BackendTimeout(service, seconds=max(now() - start, 0)) from None


async def _subqueries(
    run: Run, planned: QueryPlan, bare: Subquery, tools: tuple[Tool, ...], *, until: float
) -> list[Subquery]:
    """The calls of a target's tools: those that a model chooses, or those that need no model. Raises BackendUnavailable
    where there is no call."""
    name, queries = bare.target.source_name, [query.query for query in planned.queries]
    asked = await _by_model(run, name, tools, queries, until=until)
    calls = [(_search_text(call) or bare.search, call) for call in asked]
    if not (calls := calls or list(calls_by_rules(queries, tools))):
        raise BackendUnavailable(_service(run, bare.target), f"was not called: {needed(tools)}")
    return [replace(bare, search=text, call=call, target=_ranked_as_listed(bare.target, call)) for text, call in calls]


async def _by_model(
    run: Run, source: str, tools: Sequence[Tool], queries: Sequence[str], *, until: float
) -> tuple[ToolCall, ...]:
    """The calls that a model chooses; none without a model, at minimal effort, or where the model fails."""
    if run.ports.model is None or run.request.effort == "minimal" or not (tools := offered(tools)):
        return ()
    question = Question(
        step="plan",
        prompt=prompt(run.request, queries, source, tools, today=run.today),
        read=partial(read, source=source, tools=tools),
        notes=lambda value: value.notes,
        count=lambda value: len(value.calls),
    )
    result = await ask(run, question, until=now() + ARGUMENTS_SHARE * max(until - now(), 0))
    return () if result.value is None else result.value.calls


def _service(run: Run, target: SearchTarget) -> str:
    """How errors call the server of a target."""
    servers, name = run.ports.servers, target.source_name
    return f"The server of {name!r}" if servers is None else servers.service(name)


def _search_text(call: ToolCall) -> str:
    """The text of the search: the texts among the arguments, clipped."""
    texts = (value for value in json.loads(call.arguments).values() if isinstance(value, str))
    return clip(" ".join(" ".join(texts).split()), LONGEST_SEARCH)


def _ranked_as_listed(target: SearchTarget, call: ToolCall) -> SearchTarget:
    """The target, without ranking where its source turns the ranking of this tool off."""
    if target.server is None or target.server.listed(call.tool).rerank is not False:
        return target
    return replace(target, recall=replace(target.recall, rerank=False))
