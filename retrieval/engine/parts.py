"""The parts of a question: each of several questions in a message, with the quotes and the chunks that speak of it."""

from collections.abc import Iterator, Mapping, Sequence, Set
from typing import Final

from retrieval.engine import quotes
from retrieval.engine.quotes import Quote
from retrieval.model.chunk import Chunk
from retrieval.model.conversation import Message, question_of
from retrieval.model.evidence import Part
from retrieval.text import content_words, several_questions
from retrieval.text.languages.recognition import language_of

MOST: Final = 5
QUOTES: Final = 2
"""Of each part, where there are several."""

SPEAKS: Final = 0.5
"""A chunk with this share of a part's words speaks of it."""


def asked(conversation: Sequence[Message]) -> tuple[tuple[Message, ...], ...]:
    """Each part as a conversation that ends with it; the whole where it asks a single question.

    A part that points back has what was said before it. Any other is judged by its own words, however few.
    """
    said = several_questions.parts(conversation, most=MOST)
    leaning = (one if language_of(one[-1].text).points_back(one[-1].text) else one[-1:] for one in said)
    return tuple(leaning) or (tuple(conversation),)


def quoted(conversation: Sequence[Message], chunks: Sequence[Chunk]) -> tuple[Quote, ...]:
    """The quotes of a question, or the best of each of its parts, in the order of the parts; none twice."""
    parts = asked(conversation)
    if len(parts) == 1:
        return quotes.of_conversation(conversation, chunks)
    found = {
        (one.chunk.id, one.start): one
        for part in parts
        for one in quotes.of_conversation(part, chunks)[:QUOTES]
        if one.share >= quotes.ENOUGH
    }
    return tuple(found.values()) or quotes.of_conversation(conversation, chunks)


def part(
    conversation: Sequence[Message], chunks: Sequence[Chunk], said: Mapping[str, Set[str]], *, near: Sequence[Quote]
) -> Part:
    """A part with the chunks that speak of it: those of its quotes, then those that have half of its words."""
    text = question_of(conversation)
    ids = dict.fromkeys((*(one.chunk.id for one in near), *_speaking(text, chunks, said)))
    return Part(text=text, chunks=tuple(ids), answered=bool(near))


def _speaking(text: str, chunks: Sequence[Chunk], said: Mapping[str, Set[str]]) -> Iterator[str]:
    weighed = content_words.weights(text, list(said.values()))
    return (one.id for one in chunks if weighed and content_words.share(weighed, said[one.id]) >= SPEAKS)
