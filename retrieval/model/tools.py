"""A server of tools as a knowledge source: its address, the tools that may be called, and the rules to read their
output."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, Literal, TypeAlias

from retrieval.model.json_value import JsonValue

ParsingKind: TypeAlias = Literal["auto", "json", "split", "none"]
SplitMode: TypeAlias = Literal["pages", "sentences"]

USUAL_TOKENS: Final = 10_000
"""The most tokens of a tool's documents, if the source does not state a number. It is Azure's default."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OutputParsing:
    """How documents are read from a tool's output. `path` and `context` are for the kind `json`, and the other members
    are for `split`. With `context` each document also has the scalar members of the objects around it.
    """

    kind: ParsingKind = "auto"
    path: str | None = None
    context: bool | None = None
    mode: SplitMode | None = None
    page_length: int | None = None
    overlap: int | None = None
    most_pages: int | None = None
    language: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedTool:
    """A tool that a source lists; only listed tools may be called. If `rerank` is None, the source decides."""

    name: str
    parsing: OutputParsing | None = None
    rerank: bool | None = None
    max_tokens: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolServer:
    """The server of a source. `headers` are pairs of a header's name and the name under which MCP_HEADERS has its
    value."""

    url: str
    tools: tuple[ListedTool, ...]
    headers: tuple[tuple[str, str], ...] = ()

    def listed(self, name: str) -> ListedTool:
        """The source's entry for the tool of that name, or an entry without settings."""
        return next((tool for tool in self.tools if tool.name == name), ListedTool(name=name))


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """A tool as its server describes it. The description is not trusted. `schema` is the schema of the arguments."""

    name: str
    description: str = ""
    schema: Mapping[str, JsonValue] = field(default_factory=dict)
    read_only: bool = False
    idempotent: bool = False

    @property
    def repeatable(self) -> bool:
        """Whether a second call of the tool does no harm."""
        return self.read_only or self.idempotent


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCall:
    """A call of a tool. `arguments` is the text of a JSON object that the schema of the tool allows."""

    tool: str
    arguments: str = "{}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Passed:
    """The parts of a caller's request that are passed on to MCP servers. `headers` has the headers, by the name of a
    source.

    `hops` is the number of knowledge bases that have passed the request on.
    """

    headers: Mapping[str, tuple[tuple[str, str], ...]] = field(default_factory=dict, repr=False)
    hops: int = 0


NOTHING_PASSED: Final = Passed()
