"""What stands around a model's answer: the texts by which it cites its sources, the list of sources below it, and, in
the language of the conversation, the line that says that it breaks off, the missing points and a judge's questions.
"""

from collections.abc import Iterable, Sequence
from typing import Final

from retrieval.model.answer import Chunk, Evidence, Written
from retrieval.model.conversation import Message
from retrieval.model.retrieval import CitedBy, RetrievalRequest
from retrieval.text.languages.recognition import language_of_conversation
from retrieval.text.links import plain
from retrieval.text.source_labels import in_list
from retrieval.writing.markdown import entry

_LINE: Final = "- [{number}] {label}"
"""A line in the list of sources. `text/source_labels.py` removes these lines from an earlier answer."""


def names(cited: Iterable[Chunk], by: CitedBy) -> dict[str, str]:
    """The text in brackets for each chunk, by the chunk's id: its label, or its number from 1 in this order.

    Chunks with the same label share a number.
    """
    if by == "label":
        return {chunk.id: chunk.source for chunk in cited}
    numbers: dict[str, int] = {}
    return {chunk.id: str(numbers.setdefault(chunk.source, len(numbers) + 1)) for chunk in cited}


def lines(labels: Iterable[tuple[str, str]]) -> list[str]:
    """One line for each source with its number, for the list of sources or above a passage."""
    return [_LINE.format(number=number, label=entry(label)) for number, label in labels]


def with_list(written: Written, request: RetrievalRequest, chunks: Iterable[Chunk]) -> Written:
    """The answer with the list of its sources, if it cites by numbers. `chunks` are the chunks that it may cite. A line
    has the file or title and the last heading of its source."""
    by_id = {chunk.id: chunk for chunk in chunks}
    cited_chunks = [by_id[id] for id in written.cited]
    if request.cited_by != "number" or not cited_chunks:
        return written
    numbers = names(cited_chunks, "number")
    labels = {numbers[chunk.id]: in_list(chunk.source) for chunk in cited_chunks}
    heading = language_of_conversation(request.messages).frames.sources
    return written.below("sources", heading, "\n".join(lines(labels.items())))


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
