"""The model of the recipes, scripted, in a process of its own: `python -m tests.recipes.model TOOL` prints its address.

It speaks OpenAI's chat completions and responses. Offered a tool and no result yet, it calls the tool with the
question; otherwise it gives one fixed sentence with the label of the passage, if the passage has reached it. So an
answer with a citation proves that passages and labels are where a model reads them.
"""

import asyncio
import json
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Final

from retrieval.local.server import serving
from retrieval.local.wire import WireRequest, WireResponse

QUESTION: Final = "Why is the street grid of Phoenix so sharply visible from space?"
USUAL: Final = "gpt-5-mini"
PASSAGE: Final = "In Phoenix the arterials run dead straight"
LABELS: Final = (r"- (earth_at_night_\w+)", r"Source (\d+):", r'\\*"ref_id\\*": ?(\d+)', r"\[(\d+)\] ")
"""How a recipe may name the passage to its model, before the passage or after it."""

TOOL: Final = "rag_retrieve"
USAGE: Final = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}


def answer(asked: str, model: str) -> str:
    """The scripted sentence; `asked` is all that a caller sent, as text. A `model` that is not the usual is named."""
    if PASSAGE not in asked:
        return "The passages do not say."
    label = next((found[1] for found in (re.search(label, asked) for label in LABELS) if found), "no label")
    named = "" if model == USUAL else f" So says {model}."
    return f"Its arterials run dead straight, evenly lit, under dry desert air [{label}].{named}"


def arguments(tool: Mapping[str, Any]) -> str:
    """The question for every required string of the tool, and what else it must have."""
    return json.dumps(dict.fromkeys(tool["parameters"].get("required", ["query"]), QUESTION))


def wanted(tools: Sequence[Mapping[str, Any]]) -> Mapping[str, Any] | None:
    return next((tool for tool in tools if tool["name"].endswith(sys.argv[1])), None)


def completion(body: Mapping[str, Any]) -> dict[str, object]:
    """The answer of chat completions."""
    tool = wanted([one["function"] for one in body.get("tools", ())])
    message: dict[str, object] = {"role": "assistant", "content": None}
    if tool and all(one["role"] != "tool" for one in body["messages"]):
        call = {"id": "call_1", "type": "function", "function": {"name": tool["name"], "arguments": arguments(tool)}}
        message["tool_calls"] = [call]
    else:
        message["content"] = answer(json.dumps(body["messages"], ensure_ascii=False), body["model"])
    choice = {"index": 0, "finish_reason": "tool_calls" if "tool_calls" in message else "stop", "message": message}
    return {"id": "1", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice], "usage": USAGE}


def response(body: Mapping[str, Any]) -> dict[str, object]:
    """The answer of responses."""
    tool = wanted(body.get("tools", ()))
    output: dict[str, object]
    if tool and all(one.get("type") != "function_call_output" for one in body["input"]):
        output = {"type": "function_call", "id": "fc_1", "call_id": "call_1", "status": "completed"}
        output |= {"name": tool["name"], "arguments": arguments(tool)}
    else:
        text = answer(json.dumps(body["input"], ensure_ascii=False), body["model"])
        content = [{"type": "output_text", "text": text, "annotations": []}]
        output = {"type": "message", "id": "msg_1", "role": "assistant", "status": "completed", "content": content}
    usage: dict[str, object] = {"input_tokens": 1, "output_tokens": 1, "total_tokens": 2}
    usage |= {"input_tokens_details": {"cached_tokens": 0}, "output_tokens_details": {"reasoning_tokens": 0}}
    said = {"id": "resp_1", "object": "response", "created_at": 1, "status": "completed", "model": "m", "error": None}
    fixed = {"parallel_tool_calls": True, "tool_choice": "auto", "tools": body.get("tools", ())}
    return {**said, **fixed, "output": [output], "usage": usage}


async def model(request: WireRequest) -> WireResponse:
    body = json.loads(request.body)
    said = response(body) if request.target.endswith("/responses") else completion(body)
    return WireResponse(status=200, headers=(("content-type", "application/json"),), body=json.dumps(said).encode())


@contextmanager
def scripted_model(tool: str = TOOL) -> Iterator[str]:
    """The address, as `OPENAI_BASE_URL` has it, of a model that calls this tool where it is offered."""
    with subprocess.Popen(
        [sys.executable, "-m", "tests.recipes.model", tool], stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        try:
            yield process.stdout.readline().strip()
        finally:
            process.terminate()


async def main() -> None:
    async with serving(model) as address:
        print(f"{address}/v1", flush=True)
        await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(main())
