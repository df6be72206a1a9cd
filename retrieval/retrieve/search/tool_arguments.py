"""The arguments of tools if no model writes them: a query, for a tool that needs one text and nothing else."""

import json
from collections.abc import Sequence

from retrieval.model.definitions import MOST_SUBQUERIES
from retrieval.model.tools import Tool, ToolCall
from retrieval.retrieve.search import input_schema


def calls(queries: Sequence[str], tools: Sequence[Tool]) -> tuple[tuple[str, ToolCall], ...]:
    """Each query with its call, for each tool that takes a query. There are at most five calls."""
    planned = [
        (query, ToolCall(tool=tool.name, arguments=json.dumps({name: query}, ensure_ascii=False)))
        for query in queries
        for tool in tools
        if (name := input_schema.only_text(tool.schema)) is not None
        and input_schema.fault_of({name: query}, tool.schema) is None
    ]
    return tuple(planned[:MOST_SUBQUERIES])


def needed(tools: Sequence[Tool]) -> str:
    """A sentence for people about the arguments that these tools need."""
    parts = (f"{tool.name!r} needs {input_schema.needs(tool.schema)}" for tool in tools[:5])
    return f"{'; '.join(parts)}. Without a model only a tool that needs one text can be called."
