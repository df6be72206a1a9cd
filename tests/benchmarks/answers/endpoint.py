"""A chat model at an address, which answers each prompt with the reply that was written for it.

The number that fences a prompt's chunks is new in each call, and the day is that of the clock: both are made constant
before a prompt is looked up or shown, so that a prompt stays the same for as long as its words do.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from retrieval.local.wire import WireRequest, WireResponse
from retrieval.model.conversation import Prompt
from retrieval.text.length import tokens
from tests.benchmarks.with_a_model.replayed import key_of
from tests.scripted_azure import failing, replying

DAY: Final = "2026-11-24"
LATER: Final = 3_600
"""Seconds that a prompt without a reply is told to wait: longer than any step has, so that it fails at once."""

DEPTHS: Final = {"route": 0, "plan": 0, "replan": 1, "answer": 1}
"""By step, how many calls are before it in a row; a second reading, which is asked for no search, is one later."""

_FENCE: Final = re.compile(r"<chunk-([0-9a-f]{32})\b")
_TODAY: Final = re.compile(r'("today": ?)"\d{4}-\d\d-\d\d"')


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelCall:
    """A call of the model. `has_reply` is false where none was written for its prompt."""

    key: str
    prompt: Prompt
    has_reply: bool
    input_tokens: int = 0
    output_tokens: int = 0

    @property
    def depth(self) -> int:
        step = self.prompt.name.rpartition("-")[0]
        return DEPTHS[step] + (step == "answer" and "follow_ups" not in self.prompt.schema["properties"])  # type: ignore[operator]


@dataclass(kw_only=True)
class Endpoint:
    """A `WireService`. `calls` are those since whoever asks last cleared them."""

    replies: Mapping[str, object]
    calls: list[ModelCall] = field(default_factory=list)

    async def __call__(self, request: WireRequest) -> WireResponse:
        prompt = read(json.loads(request.body))
        key = key_of(prompt)
        if key not in self.replies:
            self.calls.append(ModelCall(key=key, prompt=prompt, has_reply=False))
            return await failing(429, f"No reply was written for {key}.", retry_after=LATER)(request)
        text = json.dumps(self.replies[key], ensure_ascii=False)
        usage = (tokens(prompt.instructions) + tokens(prompt.data), tokens(text))
        self.calls.append(
            ModelCall(key=key, prompt=prompt, has_reply=True, input_tokens=usage[0], output_tokens=usage[1])
        )
        return await replying(text, usage=usage)(request)


def read(body: Any) -> Prompt:
    """The prompt of a chat completion, with a constant fence and day."""
    instructions, data = (message["content"] for message in body["messages"])
    for fence in set(_FENCE.findall(instructions)):
        instructions, data = (text.replace(fence, "0" * 32) for text in (instructions, data))
    schema = body["response_format"]["json_schema"]
    data = _TODAY.sub(rf'\1"{DAY}"', data, count=1)
    return Prompt(name=schema["name"], instructions=instructions, data=data, schema=schema["schema"])
