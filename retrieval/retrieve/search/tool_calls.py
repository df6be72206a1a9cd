"""The calls of tools that a model chooses. A call names a source, a tool of this source, and the arguments.

The descriptions of tools are in the prompt as JSON strings. A reply can only call tools that the prompt lists, with
arguments that `input_schema` accepts.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Final

from retrieval.call import prompts, replies, shown_conversation
from retrieval.errors import BadModelReply
from retrieval.model.definitions import MOST_SUBQUERIES
from retrieval.model.json_value import JsonValue
from retrieval.model.prompt import Prompt
from retrieval.model.retrieval import RetrievalRequest
from retrieval.model.tools import Tool, ToolCall
from retrieval.retrieve.search import input_schema
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
    data = shown_conversation.conversation(shown_conversation.guided(request.messages, request.instructions), about)
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
    fault = (
        "they are no JSON object" if arguments is None else input_schema.fault_of(arguments, tools[source, name].schema)
    )
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
