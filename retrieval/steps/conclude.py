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
from retrieval.text.growing_object import GrowingObject

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


def part(text: str, *, chunks: Sequence[Chunk], most: int) -> tuple[Judgement, tuple[Block, ...], bool] | None:
    """The judgement and the complete blocks of a reply that cannot be read as a whole, and whether it breaks off (see
    `write.part`); None where either is missing or the judgement cannot be used."""
    inner = GrowingObject(longest=replies.LONGEST).feed(text)
    judged = next((each.text for each in inner if each.member == "judgement" and not each.is_item), None)
    blocks, is_cut = write.part(text)
    if judged is None or not blocks:
        return None
    try:
        return judge.judgement(replies.read_object(judged), chunks=chunks, most=most), blocks, is_cut
    except BadModelReply:
        return None


def read(text: str, *, chunks: Sequence[Chunk], most: int) -> tuple[Judgement, tuple[Block, ...]]:
    """The judgement, and the blocks of the answer. Raises BadModelReply when either cannot be used."""
    reply = replies.read_object(text)
    raw_judgement: object = reply.get("judgement")
    if not isinstance(raw_judgement, dict):
        raise BadModelReply("it has no judgement")
    judgement: Mapping[str, object] = raw_judgement
    return judge.judgement(judgement, chunks=chunks, most=most), write.blocks(reply)
