"""The sources of an answer: the texts by which it cites them, and the list of sources below it."""

from collections.abc import Iterable
from typing import Final

from retrieval.model.answer import Chunk, Written
from retrieval.model.retrieval import CitedBy, RetrievalRequest
from retrieval.text.languages.recognition import language_of_conversation
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
