"""What kinds of servers do differently, in the words that are published for each.

- LM Studio: "'response_format.type' must be 'json_schema' or 'text'" as a text in `error`
  (lmstudio-ai/lmstudio-bug-tracker, issues 169, 189 and 307); "Trying to keep the first N tokens when context the
  overflows" (issue 546); a reply without content (issue 2339)
- Ollama: a prompt that is cut at the context in silence, at half of it and two tokens, or refused with its number
  (ollama/ollama, issues 17427 and 17889)
- llama.cpp's server: `exceed_context_size_error` with `n_ctx` (ggml-org/llama.cpp, pull request 15780), and 503
  "Loading model" (tools/server/README.md)
- vLLM: "This model's maximum context length is N tokens. However, you requested M tokens" (vllm-project/vllm, issue
  20409)
"""

import json
from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Any

from tests.scripted_azure.streams import event, streaming
from tests.scripted_chat.server import Spoken, Trait, refused, refusing, size


def refusing_the_form(*taken: str, body: object, status: int = 400) -> Trait:
    """Takes only these types of `response_format`."""

    def trait(asked: Mapping[str, Any], spoken: Spoken) -> Spoken:
        kind = asked.get("response_format", {"type": "none"})["type"]
        return spoken if kind in (*taken, "none") else refused(spoken, body, status=status)

    return trait


def refusing_bounds(*, body: object) -> Trait:
    """Refuses a schema that bounds texts or lists, as strict services do."""

    def trait(asked: Mapping[str, Any], spoken: Spoken) -> Spoken:
        is_bounded = '"maxLength"' in json.dumps(asked.get("response_format"))
        return refused(spoken, body) if is_bounded else spoken

    return trait


def refusing_the_member(name: str, body: object, *, status: int = 400, beside: Collection[str] = ()) -> Trait:
    """Refuses a member; with `beside`, only beside one of these."""

    def trait(asked: Mapping[str, Any], spoken: Spoken) -> Spoken:
        is_sent = name in asked and (not beside or not asked.keys().isdisjoint(beside))
        return refused(spoken, body, status=status) if is_sent else spoken

    return trait


def refusing_over(context: int, body: object, *, status: int = 400, with_reply: bool = False) -> Trait:
    """Refuses a prompt, or with `with_reply` a prompt and its longest reply, that is larger than the context."""

    def trait(asked: Mapping[str, Any], spoken: Spoken) -> Spoken:
        reply = asked.get("max_tokens") or asked.get("max_completion_tokens") or 0
        return refused(spoken, body, status=status) if size(asked) + with_reply * reply > context else spoken

    return trait


def cutting_in_silence(context: int, *, kept: int | None = None) -> Trait:
    """Reads at most the context, or `kept` tokens of a longer prompt, and counts what it read."""

    def trait(asked: Mapping[str, Any], spoken: Spoken) -> Spoken:
        written = 0 if spoken.usage is None else spoken.usage[1]
        return replace(spoken, usage=(kept or context, written)) if size(asked) > context else spoken

    return trait


def empty_over(context: int) -> Trait:
    """Answers a prompt that is larger than the context with 200 and no content."""

    def trait(asked: Mapping[str, Any], spoken: Spoken) -> Spoken:
        return replace(spoken, text="", usage=(size(asked), 0)) if size(asked) > context else spoken

    return trait


def failing_in_the_stream_over(context: int, error: object) -> Trait:
    """Answers a prompt that is larger than the context with 200 and an event that has an error."""

    def trait(asked: Mapping[str, Any], spoken: Spoken) -> Spoken:
        return replace(spoken, answer=streaming(event(error=error))) if size(asked) > context else spoken

    return trait


def loading(times: int, body: object, **headers: str) -> Trait:
    """Answers so many requests with 503."""
    left = [refusing(body, status=503)] * times

    def trait(asked: Mapping[str, Any], spoken: Spoken) -> Spoken:
        return replace(spoken, answer=left.pop()) if left else spoken

    return trait


def without_usage(asked: Mapping[str, Any], spoken: Spoken) -> Spoken:
    """Counts no tokens."""
    return replace(spoken, usage=None)


def not_streaming(asked: Mapping[str, Any], spoken: Spoken) -> Spoken:
    """Answers as a whole, although it is asked for events."""
    return replace(spoken, streams=False)


def thinking(thought: str, *, within: bool) -> Trait:
    """Thinks before its reply: in a member of its own, or `within` the content."""

    def trait(asked: Mapping[str, Any], spoken: Spoken) -> Spoken:
        return replace(spoken, text=thought + spoken.text) if within else replace(spoken, thought=thought)

    return trait
