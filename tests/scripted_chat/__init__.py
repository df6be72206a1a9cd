"""A chat server on a developer's machine for tests: it speaks OpenAI's protocol as Ollama, LM Studio, llama.cpp's
server and vLLM do, on loopback, remembering every request.

    chat = ScriptedChat('{"queries": ["roads"]}', lm_studio)
    async with chat.listening():
        ...                                  # chat.url is CHAT_URL
    assert chat.asked[0]["stream"]

A trait is what a kind of server does differently; `traits` has those that are published.
"""

from tests.scripted_chat.server import ScriptedChat, Trait, refusing
from tests.scripted_chat.traits import (
    cutting_in_silence,
    empty_over,
    failing_in_the_stream_over,
    loading,
    not_streaming,
    refusing_bounds,
    refusing_over,
    refusing_the_form,
    refusing_the_member,
    thinking,
    without_usage,
)

__all__ = [
    "ScriptedChat",
    "Trait",
    "cutting_in_silence",
    "empty_over",
    "failing_in_the_stream_over",
    "loading",
    "not_streaming",
    "refusing",
    "refusing_bounds",
    "refusing_over",
    "refusing_the_form",
    "refusing_the_member",
    "thinking",
    "without_usage",
]
