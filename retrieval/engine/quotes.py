"""Quotes: the passages of chunks with most of the words of a question, word for word, each with its place."""

from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final

from retrieval.engine import relevance
from retrieval.engine.chunks import LONGEST_CHUNK
from retrieval.engine.passages import Passage
from retrieval.engine.quotable import Place, Rows, place_of
from retrieval.engine.relevance import REMEMBERED, Asked, Question, Text
from retrieval.model.chunk import Chunk
from retrieval.model.conversation import Message
from retrieval.text.sentences import stops
from retrieval.text.source_labels import terms_of, title_of
from retrieval.text.visible import visible

MOST: Final = 4
MOST_OF_A_CHUNK: Final = 2
LEAST_SHARE: Final = 0.2
"""Of the question's weight: a passage with less has nothing to do with it."""

LEAST_OF_BEST: Final = 0.35
"""Of the best passage's value: a passage with less is left out."""

MOSTLY: Final = 0.7
LEAST_BESIDE: Final = 0.45
SAID_AGAIN: Final = 0.25
"""The factor on a word of the question that another quote already has."""

ABOVE: Final = 0.75
"""The factor on a word of the question that only the title or the heading above has."""

OF_THE_KIND: Final = 0.25
NAMED: Final = 0.3
AS_TITLE: Final = 0.3
FIRST: Final = 0.1
"""What a passage gains, in shares of the question's weight: it has the kind of thing that the question asks for; its
document's title is a name that another document gives near words of the question; it is the first of its document."""

SCORED: Final = 0.3
"""What the first quote gains for the highest score of its chunk, in shares of the question's weight. The others gain
nothing: they are there for what the best chunk lacks."""

HIGHEST_SCORE: Final = 4.0
ON_TOPIC: Final = 0.25
"""The share of the question from which on the kind of thing counts fully."""

THE_QUESTION: Final = 0.4
"""The share of the question from which on a title, a heading or a lead counts as the same question."""

ENOUGH: Final = 0.4
"""The share of the question from which on a quote may answer it."""

IN_PART: Final = 2.0
"""The published meaning of this score is that the question is answered in part."""

IS_THE_QUESTION: Final = 0.8
OF_TOP: Final = 0.15
"""A text with a smaller share of the best score is quoted only if another one names its title."""

NEAR_ZERO: Final = 0.1
"""Scores up to here, of 4, are none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Quote:
    """A passage of a chunk. `start` and `end` are its place in the chunk's text.

    `rows` are those of a table, each cell with its header.
    `line` is the text to show: one line, with an ellipsis for marks within it and where the sentence continues.
    `title` is the document's, if the passage does not say what it speaks of. `share` is how much of the question it
    has, its title and heading included, 0 to 1. `named` is how much of it is near its title in another document.
    `code` is a line of code, to be shown as such.
    """

    chunk: Chunk
    start: int
    end: int
    line: str
    rows: Rows = ()
    title: str = ""
    share: float = 0.0
    named: float = 0.0
    code: bool = False

    @property
    def text(self) -> str:
        """The passage as it is in the chunk."""
        return self.chunk.text[self.start : self.end]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Candidate:
    """A passage with the question's words that it has (`own`) and that are only `above` it, and what it gains.

    `answers` says that its title or heading is the question; `answer` is what it says itself.
    """

    place: Place
    passage: Passage
    own: Set[str]
    above: Set[str]
    gains: float
    answers: bool
    answer: str
    order: int

    def value(self, left: Mapping[str, float], total: float) -> float:
        return self.gains + (_sum(left, self.own) + ABOVE * _sum(left, self.above)) / total


def of_conversation(conversation: Sequence[Message], chunks: Sequence[Chunk]) -> tuple[Quote, ...]:
    """At most four quotes for the user's last message, at most two per chunk, the best first.

    Each quote adds the most of the question to those before it. Empty if no quotable passage has a word of the
    question.
    """
    question = relevance.question_of(conversation)
    return tuple(_quote(chunks[one.number], one) for one in _chosen(question, tuple(map(text_of, chunks))))


def opening(chunks: Sequence[Chunk]) -> tuple[Quote, ...]:
    """The beginning of the first chunk, if its score says that it answers in part, though in other words."""
    for chunk in chunks[:1]:
        text = text_of(chunk)
        parts = (one.passage for one in relevance.read(text.text) if not one.passage.whole and not one.passage.code)
        places = (place_of(text, one, 0, says=False, share=0.0) for one in parts)
        first = next(filter(None, places), None)
        if first is not None and (text.score or 0.0) >= IN_PART and not relevance.is_conversation(text.text):
            return (_quote(chunk, first),)
    return ()


def _quote(chunk: Chunk, place: Place) -> Quote:
    _, start, end, line, rows, title, share, named, code = place
    return Quote(
        chunk=chunk,
        start=start,
        end=end,
        line=line,
        rows=rows,
        title=title,
        share=share,
        named=named,
        code=code,
    )


def text_of(chunk: Chunk) -> Text:
    """A chunk as it is read."""
    hit = chunk.reference.hit
    goes_on = len(chunk.text) < len(visible((hit.content or "")[: 2 * LONGEST_CHUNK])) and not stops(chunk.text)
    return Text(title_of(hit), chunk.text, goes_on, None if chunk.round else hit.score, terms_of(hit))


@lru_cache(maxsize=REMEMBERED)
def _chosen(question: Question, texts: tuple[Text, ...]) -> tuple[Place, ...]:
    asked = relevance.asked(question, texts)
    if not asked.total:
        return ()
    named = relevance.named(asked, texts)
    near_zero = max(NEAR_ZERO, OF_TOP * max((text.score or 0.0 for text in texts), default=0.0))
    candidates = [
        one
        for number, text in enumerate(texts)
        for one in _candidates(asked, text, number, named=named[number], near_zero=near_zero)
    ]
    picked = _picked(asked, candidates, texts)
    places = [one.place for one in picked]
    explains = asked.what and "number" not in asked.kinds
    if picked and len(picked) < MOST and explains and not asked.of_the_kind(picked[0].answer):
        places[0] = _with_next(picked[0], texts[places[0].number], places[1:])
    return tuple(places)


def _with_next(one: _Candidate, text: Text, others: Sequence[Place]) -> Place:
    """A sentence with the next of its paragraph, where an explanation may go on, if no other quote has that."""
    if not one.passage.following:
        return one.place
    longer = replace(one.passage, end=one.passage.following)
    place = place_of(text, longer, one.place.number, says=bool(one.own), share=one.place.share)
    return one.place if place is None or not all(_differs(place, other) for other in others) else place


def _picked(asked: Asked, candidates: list[_Candidate], texts: Sequence[Text]) -> list[_Candidate]:
    left, least, prior = dict(asked.weighed), 0.0, SCORED / HIGHEST_SCORE
    picked: list[_Candidate] = []
    while len(picked) < MOST:
        scores = {number: prior * (text.score or 0.0) for number, text in enumerate(texts)}
        ranked = _ranked(candidates, left, asked.total, scores)
        place = next((at for at, one in enumerate(ranked) if _is_said(asked, one, texts[one.place.number].text)), None)
        if place is None or ranked[place].value(left, asked.total) < least:
            break
        best = ranked[place]
        least, prior = least or _least(asked, best) * best.value(left, asked.total), 0.0
        picked.append(best)
        left.update((word, SAID_AGAIN * asked.weighed[word]) for word in best.own | best.above)
        full = sum(one.place.number == best.place.number for one in picked) == MOST_OF_A_CHUNK
        candidates = [
            one
            for one in ranked[place + 1 :]
            if not (full and one.place.number == best.place.number) and _differs(one.place, best.place)
        ]
    return picked


def _ranked(
    candidates: Sequence[_Candidate], left: Mapping[str, float], total: float, scores: Mapping[int, float]
) -> list[_Candidate]:
    """The best first; of equals the first in the texts."""
    return sorted(
        candidates, key=lambda one: (-one.value(left, total) - scores[one.place.number], one.place.number, one.order)
    )


def _least(asked: Asked, best: _Candidate) -> float:
    """The share of the best value that others need: more if the best passage looks like the whole answer."""
    whole = best.place.share >= MOSTLY and asked.of_the_kind(best.answer)
    return LEAST_BESIDE if whole else LEAST_OF_BEST


def _differs(one: Place, best: Place) -> bool:
    """Whether it says something else: it is not the same line, and does not overlap."""
    if one.number == best.number:
        return one.start >= best.end or one.end <= best.start
    return one.line != best.line


def _is_said(asked: Asked, one: _Candidate, text: str) -> bool:
    """Whether it says something that the question does not, outside of small talk."""
    return not relevance.is_conversation(text) and (one.answers or asked.adds(one.answer))


def _candidates(asked: Asked, text: Text, number: int, *, named: float, near_zero: float = 0.0) -> Iterator[_Candidate]:
    """The passages of a text that are about the question, plain text, and long enough to stand alone."""
    if text.score is not None and text.score <= near_zero and not named:
        return
    headed = asked.share(asked.heard(text.terms)) >= THE_QUESTION
    heading = f"{text.title} {text.terms}" if headed else text.title
    title = asked.heard(heading)
    enough = THE_QUESTION if heading.rstrip().endswith(("?", "？")) else IS_THE_QUESTION
    first, short = True, False
    for order, one in enumerate(relevance.read(text.text)):
        passage = one.passage
        own, above = relevance.about(asked, one, title)
        answers = (first or passage.listed) and asked.share(above) >= THE_QUESTION
        share = asked.share(own | above)
        if answers or (not passage.whole and (named or (own and share > LEAST_SHARE))):
            place = place_of(text, passage, number, says=bool(own), share=share)
            if place is not None:
                answer = place.line if passage.rows else text.text[passage.told : passage.end]
                titled = answers and (passage.whole or not short) and asked.share(above) >= enough
                gains = titled * AS_TITLE + named * NAMED + first * FIRST
                gains += _of_the_kind(asked, answer, on_topic=named + share)
                yield _Candidate(
                    place=place._replace(named=named),
                    passage=passage,
                    own=own,
                    above=above - own,
                    gains=gains,
                    answers=answers,
                    answer=answer,
                    order=order,
                )
        first, short = first and passage.whole, short or passage.whole


def _of_the_kind(asked: Asked, answer: str, *, on_topic: float) -> float:
    """What a passage gains if it has the kind of thing that the question asks for; less if it has little else."""
    return OF_THE_KIND * min(1.0, on_topic / ON_TOPIC) if asked.of_the_kind(answer) else 0.0


def _sum(weighed: Mapping[str, float], some: Set[str]) -> float:
    return sum(weighed[word] for word in some)
