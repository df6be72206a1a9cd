"""The answer as a model writes it, citing chunks by their ids; `citations` checks it."""

from collections.abc import Mapping, Sequence
from typing import Final

from retrieval.answer import AnswerRequest, Chunk
from retrieval.errors import BadModelReply
from retrieval.model import JsonValue, Prompt
from retrieval.steps import prompts, replies

PROMPT: Final[str] = "write-1"
LONGEST_ANSWER: Final = 20_000

PROPERTIES: Final[Mapping[str, JsonValue]] = {"answer": {"type": "string"}}
SCHEMA: Final = replies.object_of(PROPERTIES)


def prompt(request: AnswerRequest, chunks: Sequence[Chunk]) -> Prompt:
    """What a model is asked."""
    return Prompt(
        name=PROMPT,
        instructions=prompts.instructions(PROMPT, nonce=request.nonce),
        data=prompts.data(request, {}, chunks=chunks),
        schema=SCHEMA,
    )


def read(text: str) -> str:
    """The Markdown of a reply, as it cites. Raises BadModelReply."""
    return markdown(replies.read_object(text))


def markdown(reply: Mapping[str, object]) -> str:
    """The answer in a reply, at most 20,000 characters. Raises BadModelReply."""
    answer = reply.get("answer")
    if not isinstance(answer, str) or not answer.strip():
        raise BadModelReply("it has no answer")
    if len(answer) > LONGEST_ANSWER:
        raise BadModelReply(f"its answer is longer than {LONGEST_ANSWER} characters")
    return answer
