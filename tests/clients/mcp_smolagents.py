"""Drives smolagents, unmodified, and prints what it saw as one JSON object: `mcp_smolagents.py JOB`.

JOB has `url`, `headers` and `calls`, each a tool and its arguments, as the model of an agent would send them. Runs in
an environment of its own.
"""

# mypy: ignore-errors

import json
import sys
from typing import Any

from smolagents import MCPClient, Model, ToolCallingAgent
from smolagents.models import (
    ChatMessage,
    ChatMessageToolCall,
    ChatMessageToolCallFunction,
    MessageRole,
)


class Scripted(Model):
    """A model that calls the tools of a script, one a step."""

    def __init__(self, calls: list[tuple[str, dict[str, Any]]]) -> None:
        super().__init__()
        self._calls = iter([*calls, ("final_answer", {"answer": "done"})])

    def generate(self, messages: list[ChatMessage], **options: Any) -> ChatMessage:
        name, arguments = next(self._calls)
        function = ChatMessageToolCallFunction(name=name, arguments=arguments)
        call = ChatMessageToolCall(id="call", type="function", function=function)
        return ChatMessage(role=MessageRole.ASSISTANT, content="", tool_calls=[call])


def main() -> None:
    job = json.loads(sys.argv[1])
    server = {"url": job["url"], "headers": job["headers"], "transport": "streamable-http"}
    with MCPClient(server, structured_output=True) as tools:
        agent = ToolCallingAgent(tools=tools, model=Scripted(list(job["calls"].values())), verbosity_level=0)
        agent.run("Search.", max_steps=len(job["calls"]) + 1)
        steps = [step for step in agent.memory.steps if getattr(step, "tool_calls", None)]
        seen = {
            name: {"raised": None if step.error is None else str(step.error), "observed": step.observations}
            for name, step in zip(job["calls"], steps, strict=False)
        }
        inputs = {tool.name: tool.inputs for tool in tools}
    print(json.dumps({"inputs": inputs, "calls": seen}))


if __name__ == "__main__":
    main()
