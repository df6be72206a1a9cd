"""The answer without a model: passages of the selected chunks, word for word, each with its source.

The frame around them is in the language of the question; the sentences are in that of their documents.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from retrieval.answering.citations import sources
from retrieval.answering.citations.markdown import label
from retrieval.engine import missing_information, parts, quotes, unquotable
from retrieval.engine.quotes import Quote
from retrieval.model.answer import AnswerRequest, Citation, Written
from retrieval.model.chunk import Chunk
from retrieval.model.conversation import Message, split
from retrieval.model.evidence import Evidence, Judgement
from retrieval.text import content_words, small_talk
from retrieval.text.languages.recognition import language_of_conversation, other_language
from retrieval.text.plain_text import plain
from retrieval.text.sentences import stops

MOST_ASKED: Final = 3
LONGEST_ASKED: Final = 300

BESIDE: Final = 0.05
"""Below this confidence the documents miss the question, and quoting them would only mislead."""

FAR: Final = 0.25
"""A quote with a smaller share of the question is not shown where the evidence is not enough and there is a better."""

DOUBTFUL: Final = 0.3
"""From this confidence on the best quote is shown, whatever its share is."""


def answer(
    request: AnswerRequest, judgement: Judgement, *, found: Sequence[Chunk] = (), any_found: bool = False
) -> Written:
    """At most four quotes of the selected chunks and, if they are not enough, questions for the user.

    `found` are all chunks, selected or not; `any_found` says that there were documents, though all of them may have
    been dropped, for the threshold for example.
    """
    evidence, language = judgement.evidence, language_of_conversation(request.messages)
    frames = language.frames
    chunks = [one.chunk for one in judgement.selected]
    documents = chunks or found
    other = other_language(language, [one.text for one in documents])
    asked = _asked(request, evidence, found or chunks)
    conversation = split(small_talk.without(request.messages))[1]
    best = parts.quoted(conversation, chunks)
    unquoted = _unquoted(conversation, chunks, best, evidence)
    if not chunks or (not evidence.sufficient and evidence.confidence < BESIDE and not (best and unquoted)):
        return _nothing(frames.not_this if documents or any_found else frames.nothing, other, asked)
    opening = _joined("" if evidence.sufficient else frames.unsure, other)
    if unquoted:
        return _documents(unquoted, request, opening=_joined(opening, frames.not_text), asked=asked)
    if not best:
        best, opening = quotes.opening(chunks), _joined(frames.unsure, other)
    elif not evidence.sufficient:
        best = (
            tuple(quote for quote in best if max(quote.share, quote.named) >= FAR)
            or best[: evidence.confidence >= DOUBTFUL]
        )
    if not best:
        return _nothing(frames.not_this, other, asked)
    names = sources.names((quote.chunk for quote in best), request.cited_by)
    lines = "\n".join(f"- {_shown(quote)} [{label(names[quote.chunk.id])}]" for quote in best)
    citations = (Citation(chunk=quote.chunk.id, quote=quote.text, start=quote.start, end=quote.end) for quote in best)
    return Written(markdown=_joined(opening, lines, asked), citations=tuple(citations), by="rules")


def _unquoted(
    conversation: Sequence[Message], chunks: Sequence[Chunk], best: Sequence[Quote], evidence: Evidence
) -> tuple[Chunk, ...]:
    """The chunks to name, where nothing can be quoted, or nothing that may answer while they may."""
    if not best:
        return unquotable.speaking(conversation, chunks) if chunks else ()
    if evidence.sufficient or any(quote.share >= quotes.ENOUGH for quote in best):
        return ()
    return unquotable.mute(conversation, chunks, beside=chunks)


def _nothing(*why: str) -> Written:
    return Written(markdown=_joined(*why), by="rules")


def _shown(quote: Quote) -> str:
    """The quote in its marks, code in backticks; of rows each cell, after its header. The title before it where
    it says too little.
    """
    rows = (", ".join(f"{name}: “{cell}”" if name else f"“{cell}”" for name, cell in row) for row in quote.rows)
    before = quote.title if not quote.title or stops(quote.title) else f"{quote.title}:"
    said = f"`{quote.line}`" if quote.code else f"“{quote.line}”"
    return f"{before} {'; '.join(rows) or said}".lstrip()


def completed(request: AnswerRequest, written: Written, evidence: Evidence, *, found: Sequence[Chunk]) -> Written:
    """A model's answer; if the evidence is not enough, with a section that says what is missing, and asks."""
    if evidence.sufficient:
        return written
    return ended(written, request.messages, _asked(request, evidence, found))


def ended(written: Written, messages: Sequence[Message], *more: str) -> Written:
    """The answer with what is missing below its heading, or with a doubt where it does not say what."""
    frames = language_of_conversation(messages).frames
    missing = [one.markdown for one in written.missing] or [frames.unsure]
    return replace(written, markdown=_joined(written.markdown, frames.missing, *missing, *more))


def _documents(chunks: Sequence[Chunk], request: AnswerRequest, *, opening: str, asked: str) -> Written:
    named = chunks[: quotes.MOST]
    names = dict.fromkeys(sources.names(named, request.cited_by).values())
    lines = "\n".join(f"- [{label(name)}]" for name in names)
    citations = tuple(Citation(chunk=chunk.id) for chunk in named)
    return Written(markdown=_joined(opening, lines, asked), citations=citations, by="rules")


def _asked(request: AnswerRequest, evidence: Evidence, found: Sequence[Chunk]) -> str:
    """The questions for the user if the evidence is not enough; from rules if the judge had none."""
    if evidence.sufficient:
        return ""
    lines = [f"- {text}" for text in _plain(evidence.missing) or _plain(_by_rules(request, found))]
    return _joined(language_of_conversation(request.messages).frames.to_go_on, "\n".join(lines)) if lines else ""


def _by_rules(request: AnswerRequest, found: Sequence[Chunk]) -> tuple[str, ...]:
    question = replace(request, messages=small_talk.without(request.messages)).question
    said = [content_words.said_in(one) for one in found]
    return missing_information.questions(question, said, language=language_of_conversation(request.messages))


def _plain(texts: Sequence[str]) -> list[str]:
    """A model wrote these after it read documents, so they become plain text: no links, no Markdown."""
    return [line for text in texts[:MOST_ASKED] if (line := plain(text, longest=LONGEST_ASKED))]


def _joined(*parts: str) -> str:
    """Paragraphs."""
    return "\n\n".join(part for part in parts if part)
