"""What every prompt of the workflow is made of: instructions from a file, the conversation, the fenced chunks."""

import json
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Final

from retrieval import plan
from retrieval.answer import AnswerRequest, Chunk
from retrieval.model import JsonValue
from retrieval.steps.chunks import fenced

LONGEST_CONVERSATION: Final = 12_000


def instructions(name: str, *, nonce: str) -> str:
    """The text of a prompt, `queries-1` for example, its fences named."""
    return text(name).replace("{nonce}", nonce)


@cache
def text(name: str) -> str:
    """The prompt's file as it stands."""
    return Path(__file__).with_name(f"{name}.txt").read_text(encoding="utf-8")


def rules(name: str) -> str:
    """A prompt without its first paragraph (what is given) and its last two (what is data, what is answered)."""
    return "\n\n".join(text(name).split("\n\n")[1:-2])


def data(request: AnswerRequest, about: Mapping[str, JsonValue], *, chunks: Sequence[Chunk] = ()) -> str:
    """One line of JSON: what the step is told, the guidance and the conversation; after it the chunks, each fenced.

    What people wrote are JSON strings, which end only where their quotes do; what documents say ends at its fence.
    """
    guidance, conversation = plan.split(request.messages)
    told: dict[str, JsonValue] = {
        **about,
        "guidance": plan.latest(guidance, room=LONGEST_CONVERSATION),
        "conversation": plan.latest(conversation, room=LONGEST_CONVERSATION),
    }
    line = json.dumps(told, ensure_ascii=False)
    return f"{line}\n\n{fenced(chunks, nonce=request.nonce)}" if chunks else line
