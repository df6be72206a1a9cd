"""What follows a model's answer, in the language of the conversation: the line that says that it breaks off, and the
section with the missing points and a judge's questions."""

from collections.abc import Sequence
from typing import Final

from retrieval.model.answer import Evidence, Written
from retrieval.model.conversation import Message
from retrieval.text.languages.recognition import language_of_conversation
from retrieval.text.plain_text import plain

MOST_ASKED: Final = 3
LONGEST_ASKED: Final = 300


def complete(written: Written, messages: Sequence[Message], evidence: Evidence) -> Written:
    """The answer. A section with its missing points follows, and with questions where the evidence is judged
    insufficient."""
    if written.is_cut:
        return cut(written, messages)
    if evidence.sufficient is not False:
        return end(written, messages) if written.missing else written
    questions = [f"- {line}" for text in evidence.missing[:MOST_ASKED] if (line := plain(text, longest=LONGEST_ASKED))]
    opening = [language_of_conversation(messages).frames.to_go_on] if questions else []
    return end(written, messages, *opening, "\n".join(questions))


def cut(written: Written, messages: Sequence[Message]) -> Written:
    """The answer, with the line that says that it breaks off, and its missing points."""
    marked = written.below("paragraph", language_of_conversation(messages).frames.cut)
    return end(marked, messages) if written.missing else marked


def end(written: Written, messages: Sequence[Message], *more: str) -> Written:
    """The answer with its missing points below their heading, or with a sentence of doubt where it names no missing
    points."""
    frames = language_of_conversation(messages).frames
    missing = [gap.markdown for gap in written.missing] or [frames.unsure]
    return written.below("missing", frames.missing, *missing, *more)
