"""The table of tools. A tool that is not in it does not exist."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
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
"""The least seconds that must be left for a tool to start."""

NO_TIME_LEFT: Final = (
    "NoTimeLeft: The calls before this one used the {seconds:g} s of the batch, so nothing was searched for this call; "
    "send it in a separate HTTP call."
)

Run: TypeAlias = Callable[[RetrievalRequest, Tell | None], Awaitable[Outcome | Answer]]
"""Runs a tool's request. A request for documents gives an Outcome; a request for an answer gives an Answer, and reports
its progress."""


TOOLS: Final[Mapping[str, Mapping[str, Tool]]] = MappingProxyType(
    {
        "agents": {tool.name: tool for tool in (knowledge_base_retrieve.TOOL, rag_retrieve.TOOL, answer.TOOL)},
        "knowledgebases": {knowledge_base_retrieve.TOOL.name: knowledge_base_retrieve.TOOL},
    }
)
"""The tools at the address of an agent, and the single tool at the address of a knowledge base, as Azure has it."""

MOST_FIELDS: Final = 20
"""The most fields that a description names."""


async def _unknown() -> None:
    """The fields of an agent where none are known, which is None."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Bench:
    """The tools of one call, the agent that they work over, the user, and `run`, the function of `http/mcp.py` that
    runs them.

    `fields` gives the fields of the agent's index, None where they are not known. `tell` gets the progress of an
    answer.
    """

    agent: Agent
    tools: Mapping[str, Tool] = field(default_factory=lambda: TOOLS["agents"])
    fields: Callable[[], Awaitable[Schema | None]] = _unknown
    user_token: str | None
    run: Run
    tell: Tell | None = None

    async def descriptions(self) -> list[tuple[Tool, str]]:
        """The description of each tool, with the description of this agent and the fields that a filter may name.
        Clients see the tools of several agents."""
        schema = await self.fields() or {}
        filterable = [schema_field.name for schema_field in schema.values() if schema_field.filterable][:MOST_FIELDS]
        fields = f"Fields that a filter may name: {', '.join(filterable)}." if filterable else None
        about = self.agent.description
        return [(tool, " ".join(filter(None, (about, tool.description, fields)))) for tool in self.tools.values()]

    async def use(self, tool: Tool, arguments: Mapping[str, object], *, message: bytes, deadline: float) -> Content:
        """The result of a tool before the deadline (loop time), or the error that no time is left for it.

        `message` is the message that holds the arguments. The deadline is that of the HTTP call, from its start; a tool
        of a batch starts when the one before has ended, and `within` leaves it the rest of the time.

        Errors are reported as the tool's answer, so that the model that called it can correct itself.
        """
        seconds_left = deadline - asyncio.get_running_loop().time()
        if seconds_left < LEAST_SECONDS:
            return Content(text=NO_TIME_LEFT.format(seconds=runtime(self.agent)), failed=True)
        try:
            parsing = partial(tool.parse, arguments, self.agent, user_token=self.user_token)
            full_request = await threads.read(message, parsing, filters=self.agent.base_filters)
            request = within(full_request, seconds_left)
            result = await self.run(request, self.tell)
            return await threads.work(tool.extent(result), partial(tool.render, result, request))
        except RetrievalError as error:
            return failure(error)
