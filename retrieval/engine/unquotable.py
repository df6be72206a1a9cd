"""The chunks that cannot be quoted, though they have much of the question."""

from collections.abc import Sequence

from retrieval.engine import relevance
from retrieval.engine.quotable import place_of
from retrieval.engine.quotes import ENOUGH, MOSTLY, THE_QUESTION, text_of
from retrieval.engine.relevance import Asked, Text
from retrieval.model.chunk import Chunk
from retrieval.model.conversation import Message
from retrieval.text.sentences import sentences


def speaking(conversation: Sequence[Message], chunks: Sequence[Chunk]) -> tuple[Chunk, ...]:
    """The chunks that have much of the question, whatever their texts are made of."""
    texts = tuple(map(text_of, chunks))
    asked = relevance.asked(relevance.question_of(conversation), texts)
    return tuple(
        chunk
        for chunk, text in zip(chunks, texts, strict=True)
        if asked.total
        and asked.share(asked.heard(f"{text.title} {text.text}")) >= THE_QUESTION
        and not relevance.is_conversation(text.text)
    )


def mute(conversation: Sequence[Message], chunks: Sequence[Chunk], *, beside: Sequence[Chunk]) -> tuple[Chunk, ...]:
    """The chunks with a sentence that may answer the question, and no passage that may and can be quoted.

    `beside` are all chunks with which the words of the question are weighed.
    """
    asked = relevance.asked(relevance.question_of(conversation), tuple(map(text_of, beside)))
    if not asked.total:
        return ()
    return tuple(one for one in chunks if _says(asked, one.text) and not _is_quotable(asked, text_of(one)))


def _says(asked: Asked, text: str) -> bool:
    said = (text[one.start : one.end] for one in sentences(text) if not one.heading)
    return any(asked.share(asked.heard(one)) >= MOSTLY for one in said)


def _is_quotable(asked: Asked, text: Text) -> bool:
    title = asked.heard(text.title)
    for one in relevance.read(text.text):
        own, above = relevance.about(asked, one, title)
        share = asked.share(own | above)
        answers = (own or one.passage.whole) and share >= ENOUGH
        if answers and place_of(text, one.passage, 0, says=bool(own), share=share) is not None:
            return True
    return False
