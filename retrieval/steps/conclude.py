"""The conclusion: the judgement and the answer in one reply. It follows the last round, and nothing is searched after
it."""

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Final

from retrieval.citations.blocks import Block
from retrieval.errors import BadModelReply
from retrieval.model.answer import Chunk, Judgement
from retrieval.model.json_value import JsonValue
from retrieval.model.prompt import Prompt
from retrieval.model.retrieval import RetrievalRequest
from retrieval.steps import judge, prompts, replies, write

PROMPT: Final[str] = "conclude-6"
SCHEMA: Final = replies.object_of({"judgement": judge.SCHEMA, **write.PROPERTIES})


def prompt(
    request: RetrievalRequest, chunks: Sequence[Chunk], *, most: int, today: date, queries: Sequence[str]
) -> Prompt:
    """The prompt for a model: the rules of the judge and the rules of the writer, each for its part of the reply."""
    about: dict[str, JsonValue] = {"most_selected": min(most, judge.MOST_SELECTED)}
    instructions = prompts.text(PROMPT).replace("{judge}", prompts.rules(judge.PROMPT))
    instructions = instructions.replace("{write}", prompts.rules(write.PROMPT))
    return Prompt(
        name=PROMPT,
        instructions=instructions.replace("{nonce}", request.nonce),
        data=prompts.evidence(request, chunks, about, today=today, queries=queries),
        schema=SCHEMA,
    )


def read(text: str, *, chunks: Sequence[Chunk], most: int) -> tuple[Judgement, tuple[Block, ...]]:
    """The judgement, and the blocks of the answer. Raises BadModelReply when either cannot be used."""
    reply = replies.read_object(text)
    raw_judgement: object = reply.get("judgement")
    if not isinstance(raw_judgement, dict):
        raise BadModelReply("it has no judgement")
    judgement: Mapping[str, object] = raw_judgement
    return judge.judgement(judgement, chunks=chunks, most=most), write.blocks(reply)
