"""A context that is too small for a prompt: told with its remedy, remembered, and kept within by later calls."""

import json
import re
from typing import Any, Final

import pytest

from tests.conftest import Response
from tests.scenarios.local_model.conftest import Retrieve, replies
from tests.scripted_azure import ScriptedAzure, document, found
from tests.scripted_chat import (
    ScriptedChat,
    Trait,
    cutting_in_silence,
    empty_over,
    failing_in_the_stream_over,
    refusing_over,
)
from tests.scripted_chat.server import size

CONTEXT: Final = 4_096
SMALL: Final = 2_200
ANSWER: Final = "/agents/planner/answer"
LLAMA: Final = {
    "error": {
        "code": 400,
        "message": "the request exceeds the available context size. try increasing the context size",
        "type": "exceed_context_size_error",
        "n_prompt_tokens": 9_000,
        "n_ctx": CONTEXT,
    }
}
LM_STUDIO: Final = (
    "Trying to keep the first 9000 tokens when context the overflows. However, the model is loaded with context length "
    f"of only {CONTEXT} tokens, which is not enough. Try to load the model with a larger context length."
)
VLLM: Final = {
    "object": "error",
    "message": f"This model's maximum context length is {SMALL} tokens. However, you requested 9000 tokens (1000 in "
    "the messages, 8000 in the completion). Please reduce the length of the messages or completion.",
    "type": "BadRequestError",
    "param": None,
    "code": 400,
}
TOO_SMALL: Final[dict[str, Trait]] = {
    "llama.cpp's 400": refusing_over(CONTEXT, LLAMA),
    "LM Studio's 400": refusing_over(CONTEXT, {"error": LM_STUDIO}),
    "LM Studio's 200 with an error": refusing_over(CONTEXT, {"error": LM_STUDIO}, status=200),
    "LM Studio's error in the stream": failing_in_the_stream_over(CONTEXT, {"message": LM_STUDIO}),
    "LM Studio's 200 without content": empty_over(CONTEXT),
    "Ollama's cut in silence": cutting_in_silence(CONTEXT),
    "Ollama's cut to a half and two": cutting_in_silence(CONTEXT, kept=CONTEXT // 2 + 2),
}


UNSTATED: Final = {"LM Studio's 200 without content"}
"""What does not say how large the context is: later calls grow smaller until one is answered."""


@pytest.fixture(autouse=True)
def long_documents(azure: ScriptedAzure, chat: ScriptedChat) -> None:
    """Sixteen documents of about a thousand tokens each."""
    texts = [" ".join(f"Road {number} has the milestone {mile}." for mile in range(120)) for number in range(16)]
    pages = [
        document(f"d{number}", 3.0 - number / 100, title=f"Road {number}", content=text)
        for number, text in enumerate(texts)
    ]
    azure.search = found(*pages)
    chat.text = replies


def of_step(chat: ScriptedChat, name: str) -> list[dict[str, Any]]:
    return [asked for asked in chat.asked if asked["response_format"]["json_schema"]["name"].startswith(name)]


def notes(answer: Response) -> str:
    return " ".join(note for record in answer.json["activity"] for note in record["notes"])


def errors(answer: Response) -> str:
    return " ".join(record["error"]["message"] for record in answer.json["activity"] if "error" in record)


@pytest.mark.parametrize("server", TOO_SMALL)
async def test_it_is_told_with_its_remedy_and_later_calls_keep_within_it(
    server: str, chat: ScriptedChat, retrieve: Retrieve
) -> None:
    chat.traits = (TOO_SMALL[server],)
    first = await retrieve("Which roads have milestones?", target=ANSWER)
    assert first.status == 200
    assert "OLLAMA_CONTEXT_LENGTH" in errors(first) and "-c for llama-server" in errors(first)
    assert first.json["answer_markdown"]
    for _ in range(3):
        later = await retrieve("Which roads have milestones?", target=ANSWER)
        if not errors(later):
            break
    assert errors(later) == ""
    assert "The server's context has room for" in notes(later)
    read = of_step(chat, "answer")[-1]
    assert size(read) + read["max_tokens"] * (server not in UNSTATED) <= CONTEXT
    assert size(read) > CONTEXT // 3
    assert later.json["evidence"]["by"] == "model"


async def test_a_context_that_is_set_is_never_exceeded(
    chat: ScriptedChat, settings: dict[str, str], retrieve: Retrieve
) -> None:
    settings["CHAT_CONTEXT"] = "3000"
    chat.traits = (refusing_over(3_000, LLAMA, with_reply=True),)
    answer = await retrieve("Which roads have milestones?", target=ANSWER)
    assert errors(answer) == ""
    assert answer.json["evidence"]["by"] == "model"
    assert all(size(asked) + asked["max_tokens"] <= 3_000 for asked in chat.asked)


async def test_a_reply_that_would_not_fit_is_asked_for_at_once_with_fewer_tokens(
    chat: ScriptedChat, retrieve: Retrieve
) -> None:
    chat.traits = (refusing_over(SMALL, VLLM, with_reply=True),)
    answer = await retrieve()
    assert "error" not in answer.json["activity"][0]
    first, second = chat.asked
    assert first["messages"] == second["messages"]
    assert (first["max_tokens"], 500 < second["max_tokens"] < SMALL - size(second)) == (2_000, True)


async def test_earlier_turns_give_way_where_the_conversation_is_long(
    chat: ScriptedChat, settings: dict[str, str], post: Any, retrieve: Retrieve
) -> None:
    settings["CHAT_CONTEXT"] = "3000"
    await retrieve()
    turns = [
        {"role": role, "content": [{"type": "text", "text": f"Turn {number}. " + "Roads and rivers. " * 60}]}
        for number in range(8)
        for role in ("user", "assistant")
    ]
    body = {"messages": [*turns, {"role": "user", "content": [{"type": "text", "text": "And the last road?"}]}]}
    before = len(chat.asked)
    answer = await post(body, ANSWER, key="local-dev-key")
    assert errors(answer) == ""
    assert "latest" in notes(answer) and "characters of the conversation" in notes(answer)
    sent = chat.asked[before:]
    assert all(size(asked) + asked["max_tokens"] <= 3_000 for asked in sent)
    assert all("And the last road?" in asked["messages"][1]["content"] for asked in sent)


async def test_the_smallest_prompt_that_is_too_large_is_told_and_rules_answer(
    chat: ScriptedChat, settings: dict[str, str], retrieve: Retrieve
) -> None:
    settings["CHAT_CONTEXT"] = "600"
    chat.traits = (refusing_over(600, LLAMA),)
    answer = await retrieve("Which roads have milestones?", target=ANSWER)
    assert answer.status == 200 and answer.json["answer_markdown"]
    assert "OLLAMA_CONTEXT_LENGTH" in errors(answer)


async def test_an_empty_reply_to_a_short_prompt_is_no_matter_of_the_context(
    chat: ScriptedChat, retrieve: Retrieve
) -> None:
    chat.text = ""
    answer = await retrieve()
    assert answer.json["activity"][0]["error"]["code"] == "UnusableModelReply"


async def test_a_context_that_is_learnt_is_logged_once(
    chat: ScriptedChat, retrieve: Retrieve, caplog: pytest.LogCaptureFixture
) -> None:
    chat.traits = (refusing_over(CONTEXT, json.loads(json.dumps(LLAMA))),)
    for _ in range(2):
        await retrieve("Which roads have milestones?", target=ANSWER)
    told = [line for record in caplog.records if f"reads {CONTEXT} tokens in all" in (line := record.getMessage())]
    assert len(told) == 1 and "OLLAMA_CONTEXT_LENGTH" in told[0]


async def test_eight_chunks_are_read_whatever_the_context(chat: ScriptedChat, retrieve: Retrieve) -> None:
    await retrieve("Which roads have milestones?", target=ANSWER)
    (read,) = of_step(chat, "answer")
    assert re.findall(r'id="(c\d+)"', read["messages"][1]["content"]) == [f"c{number}" for number in range(1, 9)]
