"""The judgement without a model: a prior of how much of the question the chunks say, not a reading of what they say.

Two signals: the search service's own relevance score of the best chunk (0 to 4), and how much of what tells in the last
message the first chunks say between them, each word counting by how rare it is. The score counts twice. What it is
worth was measured: tests/benchmarks/evidence.py.

What a score means is published: 4 answers the question completely, 3 is relevant but lacks details, 2 answers it in
part, 1 a small part of it (https://learn.microsoft.com/azure/search/semantic-search-overview).
"""

import math
from collections.abc import Mapping, Sequence, Set
from dataclasses import replace
from itertools import chain, zip_longest
from typing import Final, TypeAlias

from retrieval import plan
from retrieval.answer import AnswerRequest, Chunk, Evidence, Judgement, KeyPoint, PlannedQuery, Selected
from retrieval.carry_over import standalone
from retrieval.model import Searched
from retrieval.steps import bridge, courtesies, missing, quotes, telling

HIGHEST_SCORE: Final = 4.0
COMPLETE: Final = 3.5
"""From here a score is nearer to "answers the question completely" than to the level below it."""

SUFFICIENT: Final = 0.6
"""With a score of 2 that takes four fifths of what tells, with one of 3 three tenths of it, with 3.6 nothing more."""

READ: Final = 3
"""The first chunks of a round, which are read for what they say."""

MOST_KEY_POINTS: Final = 8

Words: TypeAlias = Mapping[str, Set[str]]
"""The words that each chunk says, by its id."""


def judgement(request: AnswerRequest, chunks: Sequence[Chunk], *, searched: Sequence[Searched], most: int) -> Judgement:
    """At most `most` chunks, and a prior of whether they are enough. `searched` are all searches of the call so far.

    While the first chunks name something that was not looked for yet, they are not enough: the follow-ups say what.
    Courtesies around the question do not count.
    """
    request = replace(request, messages=courtesies.without(request.messages))
    question = standalone(plan.split(request.messages)[1])
    first = [chunk for chunk in chunks if chunk.round == 0]
    said: Words = {chunk.id: telling.said_in(chunk) for chunk in chunks}
    leads = bridge.follow_ups(question, first, said=[said[chunk.id] for chunk in first])
    follow_up = _searches(leads, searched)
    found = _found(follow_up, chunks)
    selected = _select(first, found, most=most)
    confidence = _confidence(request.question, (*first[:READ], *found[:READ]), score=_score(first), said=said)
    if follow_up or found or not request.limits.follow_ups:
        leads = ()
    sufficient = confidence >= SUFFICIENT and not (leads and _joins(question, first))
    evidence = Evidence(
        sufficient=sufficient,
        confidence=confidence,
        key_points=_key_points(question, selected, said),
        missing=() if sufficient else missing.questions(request.question, list(said.values())),
        follow_ups=() if sufficient else leads,
        by="rules",
    )
    return Judgement(selected=selected, evidence=evidence, notes=_notes(searched))


def _searches(leads: Sequence[PlannedQuery], searched: Sequence[Searched]) -> list[Searched]:
    """The searches that were made for the leads."""
    asked = {lead.query for lead in leads}
    return [one for one in searched if one.subquery.search in asked]


def _found(follow_up: Sequence[Searched], chunks: Sequence[Chunk]) -> list[Chunk]:
    """What the follow-up found, in turns of its searches: also what was known and stood too low to be selected.

    Where its searches are somebody else's, the chunks of its round, which come in turns.
    """
    known = {(chunk.reference.target.index, chunk.reference.hit.key): chunk for chunk in chunks}
    lists = [[known.get((one.subquery.target.index, hit.key)) for hit in one.page.hits] for one in follow_up]
    turns = [chunk for chunk in chain.from_iterable(zip_longest(*lists)) if chunk is not None]
    return turns or [chunk for chunk in chunks if chunk.round > 0]


def _select(first: Sequence[Chunk], found: Sequence[Chunk], *, most: int) -> tuple[Selected, ...]:
    """The first chunks in their order, and in the last quarter of the places what the follow-up found."""
    kept = first[: most - min(math.ceil(most / 4), most - 1)] if found else first[:most]
    order = {chunk.id: chunk for chunk in (*kept, *found, *first)}
    return tuple(Selected(chunk=chunk, rationale=_rationale(chunk)) for chunk in list(order.values())[:most])


def _rationale(chunk: Chunk) -> str:
    if chunk.round:
        return "The follow-up found it."
    score = chunk.reference.hit.score
    return "It was not scored." if score is None else f"The search scored it {score:.2f} of 4."


def _confidence(question: str, read: Sequence[Chunk], *, score: float | None, said: Words) -> float:
    """0 to 1. The score counts twice, what the chunks that are read say between them once; one alone without the other.

    Scores of a follow-up are for its own queries and say nothing of the question.
    """
    weighed = telling.weights(question, list(said.values()))
    parts = [] if score is None else [score / HIGHEST_SCORE] * 2
    if weighed:
        parts.append(telling.share(weighed, frozenset[str]().union(*(said[chunk.id] for chunk in read))))
    return round(min(math.fsum(parts) / len(parts), 1.0), 3) if parts and read else 0.0


def _score(first: Sequence[Chunk]) -> float | None:
    """The best of the first round, None where the ranker was away."""
    return max((one for chunk in first if (one := chunk.reference.hit.score) is not None), default=None)


def _joins(question: str, first: Sequence[Chunk]) -> bool:
    """Whether the question may need a second document: it names something, and no document answers it completely."""
    score = _score(first)
    return (score is None or score < COMPLETE) and bridge.named(question, first)


def _key_points(question: str, selected: Sequence[Selected], said: Words) -> tuple[KeyPoint, ...]:
    weighed = telling.weights(question, list(said.values()))
    best = quotes.best(weighed, [one.chunk for one in selected], most=MOST_KEY_POINTS)
    return tuple(KeyPoint(text=quote.line, chunks=(quote.chunk.id,)) for quote in best)


def _notes(searched: Sequence[Searched]) -> tuple[str, ...]:
    failed = sum(one.error is not None for one in searched)
    return (
        (f"{failed} of {len(searched)} searches failed; what they would have found is not judged.",) if failed else ()
    )
