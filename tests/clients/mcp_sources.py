"""Drives one of Microsoft's unmodified clients over a source that is an MCP server, and prints what it saw, as one JSON
object: defines, lists, updates, asks, deletes.

It goes the way of `knowledge_base.py`, whose SPEAKING it has too: `mcp_sources.py ADDRESS CERTIFICATE SERVER`.
"""

import json
import sys
from functools import partial
from typing import Any

from knowledge_base import (  # type: ignore[import-not-found]
    ADMIN,
    QUESTION,
    base,
    listed,
    over_tls,
    ready,
    retrieval_client,
    wire,
    words,
)

NAME = "tools"


def source(server: str) -> Any:
    parsing = wire.McpServerJsonOutputParsing(
        json_parameters=wire.McpServerOutputParsingJsonParameters(documents_path="$.results[*]", include_context=True)
    )
    tools = [wire.McpServerTool(name="search", output_parsing=parsing, max_output_tokens=500)]
    parameters = wire.McpServerKnowledgeSourceParameters(server_url=server, tools=tools)
    return wire.McpServerKnowledgeSource(name=NAME, description="first", mcp_server_parameters=parameters)


def request() -> Any:
    params = words.McpServerKnowledgeSourceParams(
        knowledge_source_name=NAME, include_references=True, include_reference_source_data=True
    )
    return words.KnowledgeBaseRetrievalRequest(
        intents=[words.KnowledgeRetrievalSemanticIntent(search=QUESTION)],
        knowledge_source_params=[params],
        include_activity=True,
    )


async def drive(client: Any, module: Any, address: str, options: dict[str, Any], server: str) -> dict[str, Any]:
    created = await ready(client.create_knowledge_source(source(server)))
    created.description = "second"
    await ready(client.create_or_update_knowledge_source(created))
    got = await ready(client.get_knowledge_source(NAME))
    tool = got.mcp_server_parameters.tools[0]
    names = [one.name for one in await listed(client.list_knowledge_sources())]
    await ready(client.create_or_update_knowledge_base(base("over-tools", NAME, "d")))
    asked = retrieval_client(module, address, "over-tools", options)
    passed = {"tools-header-name": "X-Team", "tools-header-value": "maps"}
    answer = await ready(asked.retrieve(request(), headers=passed))
    await ready(asked.close())
    await ready(client.delete_knowledge_base("over-tools"))
    await ready(client.delete_knowledge_source(NAME))
    record = next(one for one in answer.activity if one.type == "mcpServer")
    reference = answer.references[0]
    return {
        "got": [type(got).__name__, got.description, got.mcp_server_parameters.server_url],
        "tool": [tool.name, tool.max_output_tokens, type(tool.output_parsing).__name__],
        "path": tool.output_parsing.json_parameters.documents_path,
        "listed": NAME in names,
        "record": [type(record).__name__, record.knowledge_source_name, record.count],
        "called": [record.mcp_server_arguments.tool_name, record.mcp_server_arguments.tool_arguments],
        "reference": [type(reference).__name__, reference.tool_name, reference.title, reference.reranker_score],
        "data": reference.source_data,
        "left": NAME in [one.name for one in await listed(client.list_knowledge_sources())],
    }


async def run(managing: Any, module: Any, address: str, options: dict[str, Any], server: str) -> dict[str, Any]:
    client = managing(address, ADMIN, **options)
    seen = await drive(client, module, address, options, server)
    await ready(client.close())
    return seen


if __name__ == "__main__":
    address, certificate, server = sys.argv[1:]
    print(json.dumps(over_tls(partial(run, server=server), address, certificate), default=dict))
