"""The evidence without a model: it measures how much of the question the chunks mention, and understands nothing.

There are two signals: the search service's relevance score of the best chunk (0 to 4), and the share of the last
message's content words in the first chunks, weighted by rarity. The score counts twice. tests/benchmarks/evidence.py
measures how good the result is. Rules do not understand texts, so they are never certain.

The possible quotes count too: if there are none, if none has the kind of answer that the question asks for, or if the
question is too vague, the evidence is not enough, and the confidence is lower.

The meaning of scores is published: 4 answers the question completely, 3 is relevant but lacks details, 2 answers it in
part, 1 a small part of it (https://learn.microsoft.com/azure/search/semantic-search-overview).
"""

import math
from collections.abc import Mapping, Sequence, Set
from dataclasses import replace
from itertools import chain, zip_longest
from typing import Final, TypeAlias

from retrieval.engine import answer_kinds, missing_information, quotes, relevance
from retrieval.engine import follow_up as bridge
from retrieval.engine.answer_kinds import Kind
from retrieval.engine.quotes import Quote
from retrieval.model.answer import AnswerRequest
from retrieval.model.chunk import Chunk
from retrieval.model.conversation import split
from retrieval.model.evidence import Evidence, Judgement, KeyPoint, Selected
from retrieval.model.plan import PlannedQuery
from retrieval.model.search import LONGEST_SEARCH, Searched
from retrieval.text import content_words, small_talk
from retrieval.text.standalone_question import ends, standalone

HIGHEST_SCORE: Final = 4.0
COMPLETE: Final = 3.5
"""From here on a score is nearer to "answers the question completely" than to the level below it."""

CERTAIN: Final = 0.95
"""The confidence if both signals are at their maximum."""

UNANSWERED: Final = 0.8
"""The factor on the confidence if no quote has what was asked for."""

SUFFICIENT: Final = 0.57
"""A score of 2 needs four fifths of the content words to reach it, a score of 3 three tenths, a score of 3.6 none."""

READ: Final = 3
"""The number of first chunks of a round whose words count."""

Words: TypeAlias = Mapping[str, Set[str]]
"""The words of each chunk, by its id."""


def judgement(request: AnswerRequest, chunks: Sequence[Chunk], *, searched: Sequence[Searched], most: int) -> Judgement:
    """At most `most` chunks, and a prior of whether they are enough. `searched` are all searches of the call so far.

    While the first chunks name something that was not searched yet, they are not enough: the follow-ups search it.
    Courtesies around the question are ignored.
    """
    request = replace(request, messages=small_talk.without(request.messages))
    conversation = split(request.messages)[1]
    question = standalone(conversation)
    first = [chunk for chunk in chunks if chunk.round == 0]
    said: Words = {chunk.id: content_words.said_in(chunk) for chunk in chunks}
    leads = bridge.follow_ups(question, first, said=[said[chunk.id] for chunk in first])
    follow_up = _searches(leads, searched)
    found = _found(follow_up, chunks)
    selected = _select(first, found, most=most)
    confidence = _confidence(request.question, (*first[:READ], *found[:READ]), score=_score(first), said=said)
    if follow_up or found or not request.limits.follow_ups:
        leads = ()
    quoted = quotes.of_conversation(conversation, [one.chunk for one in selected])
    lacking = _lacking(request.question, quoted, said)
    answered = bool(quoted) and not lacking and not answer_kinds.is_vague(question)
    confidence = confidence if answered else round(UNANSWERED * confidence, 3)
    near = [quote for quote in quoted if quote.share >= quotes.ENOUGH]
    answered = answered and bool(near) and not _lacking(request.question, near, said)
    sufficient = answered and confidence >= SUFFICIENT and not (leads and _joins(question, first))
    evidence = Evidence(
        sufficient=sufficient,
        confidence=confidence,
        key_points=tuple(KeyPoint(text=quote.line, chunks=(quote.chunk.id,)) for quote in quoted),
        missing=() if sufficient else _missing(request.question, said, lacking if quoted else frozenset()),
        follow_ups=() if sufficient else leads,
        by="rules",
    )
    return Judgement(selected=selected, evidence=evidence, notes=_notes(searched))


def _searches(leads: Sequence[PlannedQuery], searched: Sequence[Searched]) -> list[Searched]:
    """The searches for the leads."""
    asked = {lead.query for lead in leads}
    return [one for one in searched if one.subquery.search in asked]


def _found(follow_up: Sequence[Searched], chunks: Sequence[Chunk]) -> list[Chunk]:
    """The chunks that the follow-up found, in turns of its searches, with known chunks that ranked too low before.

    If its searches were not for the leads, these are the chunks of its round, which come in turns.
    """
    known = {(chunk.reference.target.index, chunk.reference.hit.key): chunk for chunk in chunks}
    lists = [[known.get((one.subquery.target.index, hit.key)) for hit in one.page.hits] for one in follow_up]
    turns = [chunk for chunk in chain.from_iterable(zip_longest(*lists)) if chunk is not None]
    return turns or [chunk for chunk in chunks if chunk.round > 0]


def _select(first: Sequence[Chunk], found: Sequence[Chunk], *, most: int) -> tuple[Selected, ...]:
    """The first chunks in their order, and in the last quarter of the places those of the follow-up."""
    kept = first[: most - min(math.ceil(most / 4), most - 1)] if found else first[:most]
    order = {chunk.id: chunk for chunk in (*kept, *found, *first)}
    return tuple(Selected(chunk=chunk, rationale=_rationale(chunk)) for chunk in list(order.values())[:most])


def _rationale(chunk: Chunk) -> str:
    if chunk.round:
        return "The follow-up found it."
    score = chunk.reference.hit.score
    return "It was not scored." if score is None else f"The search scored it {score:.2f} of 4."


def _confidence(question: str, read: Sequence[Chunk], *, score: float | None, said: Words) -> float:
    """0 to 0.95. The score counts twice, the share of words once; if one signal is missing, the other counts alone.

    Scores of a follow-up are for its own queries and say nothing about the question.
    """
    weighed = content_words.weights(question, list(said.values()))
    parts = [] if score is None else [score / HIGHEST_SCORE] * 2
    if weighed:
        parts.append(content_words.share(weighed, frozenset[str]().union(*(said[chunk.id] for chunk in read))))
    return round(CERTAIN * min(math.fsum(parts) / len(parts), 1.0), 3) if parts and read else 0.0


def _score(first: Sequence[Chunk]) -> float | None:
    """The best score of the first round, without small talk; None if the ranker was unavailable."""
    scored = [(one, chunk.text) for chunk in first if (one := chunk.reference.hit.score) is not None]
    scored.sort(key=lambda one: -one[0])
    return next((one for one, text in scored if not relevance.is_conversation(text)), None)


def _joins(question: str, first: Sequence[Chunk]) -> bool:
    """Whether the question may need a second document: it names something, and no document answers it completely."""
    score = _score(first)
    return (score is None or score < COMPLETE) and bridge.named(question, first)


def _lacking(question: str, quoted: Sequence[Quote], said: Words) -> frozenset[Kind]:
    """The kinds of answers that the question asks for and no quote on its topic gives."""
    asked = ends(" ".join(question.split()), LONGEST_SEARCH)
    wanted = answer_kinds.asked_for(asked)
    lines = [quote.line for quote in _of_the_matter(asked, quoted, said)] if wanted else []
    return frozenset(
        kind for kind in wanted if not any(answer_kinds.gives(kind, line, question=asked) for line in lines)
    )


def _of_the_matter(question: str, quoted: Sequence[Quote], said: Words) -> Sequence[Quote]:
    """The quotes of chunks with the rarest word of the question that any quoted chunk has; of two words, the name."""
    weighed, written = content_words.weights(question, list(said.values())), content_words.as_written(question)
    known = weighed.keys() & frozenset[str]().union(*(said[quote.chunk.id] for quote in quoted))
    order = [(weighed[word], written[word][0].isupper(), word) for word in known]
    rarest = max(order)[2] if order else None
    return [quote for quote in quoted if rarest is None or rarest in said[quote.chunk.id]]


def _missing(question: str, said: Words, lacking: Set[Kind]) -> tuple[str, ...]:
    return missing_information.with_kinds(missing_information.questions(question, list(said.values())), lacking)


def _notes(searched: Sequence[Searched]) -> tuple[str, ...]:
    failed = sum(one.error is not None for one in searched)
    return (f"{failed} of {len(searched)} searches failed; their documents were not judged.",) if failed else ()
