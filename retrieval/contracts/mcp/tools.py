"""The table of tools, and the code that runs a tool."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from types import MappingProxyType
from typing import Final, TypeAlias

from retrieval import threads
from retrieval.contracts.mcp import answer, knowledge_base_retrieve, rag_retrieve
from retrieval.contracts.mcp.content import Content, Tool, failure, runtime, within
from retrieval.errors import RetrievalError
from retrieval.filters.schema import Schema
from retrieval.model.answer import Answer
from retrieval.model.definitions import Agent
from retrieval.model.retrieval import Outcome, RetrievalRequest
from retrieval.ports import Tell

LEAST_SECONDS: Final = 0.2
"""The minimum time that must be left before the deadline for a tool to start, in seconds."""

NO_TIME_LEFT: Final = (
    "NoTimeLeft: The calls before this one used the {seconds:g} s of the batch, so nothing was searched for this call; "
    "send it in a separate HTTP call."
)

Run: TypeAlias = Callable[[RetrievalRequest, Tell | None], Awaitable[Outcome | Answer]]
"""The type of the function that runs a tool's request. A request for documents returns an Outcome. A request for an
answer returns an Answer, and reports progress to `Tell`."""

MOST_FIELDS: Final = 20
"""The maximum number of fields that a description names."""

TOOLS: Final[Mapping[str, Tool]] = MappingProxyType(
    {tool.name: tool for tool in (knowledge_base_retrieve.TOOL, rag_retrieve.TOOL, answer.TOOL)}
)
"""The tools of the MCP endpoint of an agent."""


def base_tools(*, threshold: float) -> Mapping[str, Tool]:
    """The tools of the MCP endpoint of a knowledge base: a single one, as in Azure AI Search. `threshold` is the
    default threshold of the api-version."""
    tool = knowledge_base_retrieve.TOOL
    return {tool.name: replace(tool, parse=partial(tool.parse, threshold=threshold))}


async def _unknown() -> None:
    """The default of `fields`: no fields are known."""


def _usable() -> None:
    """The default of `check`: the agent can be asked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Bench:
    """The tools of one call, with the agent whose targets they search and the token of the user.

    `run` runs the requests of the tools. `fields` returns the fields of one index of the agent, or None if no fields
    are known. `check` raises a RetrievalError if the agent cannot be asked. `tell` receives the progress of an answer.
    """

    agent: Agent
    tools: Mapping[str, Tool] = field(default_factory=lambda: TOOLS)
    fields: Callable[[], Awaitable[Schema | None]] = _unknown
    user_token: str | None
    run: Run
    check: Callable[[], None] = _usable
    tell: Tell | None = None

    async def descriptions(self) -> list[tuple[Tool, str]]:
        """Each tool with its description. The description includes the description of the agent, because a client may
        see the tools of several agents. It also includes up to MOST_FIELDS fields that a filter may name."""
        schema = await self.fields() or {}
        filterable = [schema_field.name for schema_field in schema.values() if schema_field.filterable][:MOST_FIELDS]
        fields = f"Fields that a filter may name: {', '.join(filterable)}." if filterable else None
        about = self.agent.description
        return [(tool, " ".join(filter(None, (about, tool.description, fields)))) for tool in self.tools.values()]

    async def use(self, tool: Tool, arguments: Mapping[str, object], *, message: bytes, deadline: float) -> Content:
        """Runs a tool and returns its result. If too little time is left before the deadline, the result is an error.

        `message` is the message that contains the arguments. `deadline` is the deadline of the HTTP call, in the event
        loop's time. The tools of a batch run one after the other, and each gets the time that is left.

        A RetrievalError becomes a failed result, so that the model that called the tool can correct its call.
        """
        seconds_left = deadline - asyncio.get_running_loop().time()
        if seconds_left < LEAST_SECONDS:
            return Content(text=NO_TIME_LEFT.format(seconds=runtime(self.agent)), failed=True)
        try:
            self.check()
            parsing = partial(tool.parse, arguments, self.agent, user_token=self.user_token)
            full_request = await threads.read(message, parsing, filters=self.agent.base_filters)
            request = within(full_request, seconds_left)
            result = await self.run(request, self.tell)
            return await threads.work(tool.extent(result), partial(tool.render, result, request))
        except RetrievalError as error:
            return failure(error)
