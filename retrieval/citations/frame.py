"""The frame of a model's answer, in the language of the question: what is missing, and what a judge would ask."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from retrieval.model.answer import Written
from retrieval.model.conversation import Message
from retrieval.model.evidence import Evidence
from retrieval.text.languages.recognition import language_of_conversation
from retrieval.text.plain_text import plain

MOST_ASKED: Final = 3
LONGEST_ASKED: Final = 300


def completed(written: Written, messages: Sequence[Message], evidence: Evidence) -> Written:
    """The answer; where it is known not to be enough, with a section that says what is missing, and asks."""
    if evidence.sufficient is not False:
        return written
    asked = [f"- {line}" for text in evidence.missing[:MOST_ASKED] if (line := plain(text, longest=LONGEST_ASKED))]
    opening = [language_of_conversation(messages).frames.to_go_on] if asked else []
    return ended(written, messages, *opening, "\n".join(asked))


def ended(written: Written, messages: Sequence[Message], *more: str) -> Written:
    """The answer with what is missing below its heading, or with a doubt where it does not say what."""
    frames = language_of_conversation(messages).frames
    missing = [one.markdown for one in written.missing] or [frames.unsure]
    parts = (written.markdown, frames.missing, *missing, *more)
    return replace(written, markdown="\n\n".join(part for part in parts if part))
