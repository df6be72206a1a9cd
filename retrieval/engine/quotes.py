"""Quotes: the sentences of chunks with most of the words of a question, word for word, each with its place.

A sentence is never quoted if Markdown would show more than text: brackets (a citation, a link, an image), addresses,
tags, code, character references, halves of surrogate pairs. So no document can fake one of our citations. Reference
marks are cut off at the ends of a sentence, and left out within it. Headings are not quoted.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from typing import Final

from retrieval.engine import answer_kinds
from retrieval.engine.answer_kinds import Kind
from retrieval.engine.follow_up import JOINING
from retrieval.engine.passages import Passage, passages
from retrieval.model.chunk import Chunk
from retrieval.text import addresses, small_talk
from retrieval.text.content_words import SILENT, vocabulary, weights, words
from retrieval.text.sentences import REFERENCES, sentences, stops
from retrieval.text.source_labels import LONGEST_TITLE, title_of

MOST: Final = 4
MOST_OF_A_CHUNK: Final = 2
LEAST_CHARACTERS: Final = 8
LEAST_SHARE: Final = 0.08
"""Of the question's weight: a passage with less has nothing to do with it."""

LEAST_OF_BEST: Final = 0.35
"""Of the best passage's value: a passage with less is left out."""

SAID_AGAIN: Final = 0.25
"""The factor on a word of the question that another quote already has."""

ABOVE: Final = 0.75
"""The factor on a word of the question that only the title or the heading above has."""

OF_THE_KIND: Final = 0.25
NAMED: Final = 0.3
FIRST: Final = 0.1
"""What a passage gains, in shares of the question's weight: it has the kind of thing that the question asks for; its
document's title is a name that another document gives near words of the question; it is the first of its document."""

THE_QUESTION: Final = 0.5
"""The share of the question from which on a title, a heading or a lead counts as the same question."""

LEAST_NAME: Final = 4

NEAR_ZERO: Final = 0.1
"""Scores up to here, of 4, are none."""

OMITTED: Final = "…"

_REFERENCES: Final = re.compile(rf"{REFERENCES}+")
_FIRST: Final = re.compile(rf"(?:{REFERENCES}\s*)+")
_REFERENCE: Final = re.compile(REFERENCES)
_LONGEST_REFERENCE: Final = 64
_STOPS: Final = frozenset(".!?…。！？｡")
_BRACKETS: Final = re.compile(r"\s*+\([^()]*\)\s*\Z")
_POINTS: Final = re.compile(
    r"(?:it|its|he|his|she|her|they|their|this|these|that|those|yes|no|er|sie|es|dies\w*|ja|nein)\b|[它他她这這其]",
    re.IGNORECASE,
)
"""The beginning of a sentence that does not say of what it speaks."""

_MARKS: Final = frozenset("“”")
"""Our quotation marks, which no title and no header may bring."""

_NOT_TEXT: Final = re.compile(
    rf"{addresses.BARE}|"
    r"[\[\]【】`|\\]|<[a-zA-Z/!?]|://|www\.|&[#\w]{1,32};|[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff]",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Quote:
    """A passage of a chunk. `start` and `end` are its place in the chunk's text, `cells` the row with its headers.

    `line` is the text to show: one line, with an ellipsis for marks within it and where the sentence continues.
    `title` is the document's, if the passage does not say what it speaks of. `value` is 0 to about 1.6: the share of
    the question's weight that it has, its title and heading included, and what it gains for its kind and place.
    """

    chunk: Chunk
    start: int
    end: int
    line: str
    cells: tuple[tuple[str, str], ...] = ()
    title: str = ""
    value: float = 0.0

    @property
    def text(self) -> str:
        """The passage as it is in the chunk."""
        return self.chunk.text[self.start : self.end]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Asked:
    """A question: the weights of its words, all its words, the kinds of answer that it asks for,
    and whether it asks what, and not whether."""

    text: str
    weighed: Mapping[str, float]
    total: float
    words: Set[str]
    kinds: Set[Kind]
    what: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class _Candidate:
    """A passage with the question's words that it has (`own`) and that are only `above` it, and what it gains."""

    place: int
    chunk: Chunk
    passage: Passage
    quote: Quote
    own: Set[str]
    above: Set[str]
    gains: float

    def value(self, left: Mapping[str, float], total: float) -> float:
        return self.gains + (_sum(left, self.own) + ABOVE * _sum(left, self.above)) / total


def of_question(question: str, chunks: Sequence[Chunk], *, said: Sequence[Set[str]]) -> tuple[Quote, ...]:
    """At most four quotes, at most two per chunk, the best first; `said` are the words of each chunk.

    Each quote adds the most of the question to those before it. Empty if no quotable passage has a word of the
    question.
    """
    weighed = weights(question, said)
    total = sum(weighed.values())
    if not total:
        return ()
    asked = _Asked(
        text=question,
        weighed=weighed,
        total=total,
        words=frozenset(words(question)),
        kinds=answer_kinds.asked_for(question),
        what=answer_kinds.asks_what(question),
    )
    named = _named(asked, chunks)
    candidates = [
        one for place, chunk in enumerate(chunks) for one in _candidates(asked, chunk, place, named=named[place])
    ]
    return _picked(asked, candidates)


def _picked(asked: _Asked, candidates: list[_Candidate]) -> tuple[Quote, ...]:
    left, least = dict(asked.weighed), 0.0
    picked: list[Quote] = []
    taken: Counter[int] = Counter()
    while candidates and len(picked) < MOST:
        values = [one.value(left, asked.total) for one in candidates]
        top = max(values)
        best = candidates[values.index(top)]
        if top < least:
            break
        least = least or LEAST_OF_BEST * top
        picked.append(replace(best.quote, value=round(top, 3)))
        taken[best.place] += 1
        left.update((word, SAID_AGAIN * asked.weighed[word]) for word in best.own | best.above)
        candidates = [one for one in candidates if taken[one.place] < MOST_OF_A_CHUNK and _differs(one, best)]
    return tuple(picked)


def _differs(one: _Candidate, best: _Candidate) -> bool:
    """Whether it says something else: it is not the same line, and does not overlap."""
    if one.place == best.place:
        return one.passage.start >= best.passage.end or one.passage.end <= best.passage.start
    return one.quote.line != best.quote.line


def _candidates(asked: _Asked, chunk: Chunk, place: int, *, named: float) -> Iterator[_Candidate]:
    """The passages of a chunk that are about the question, plain text, and long enough to stand alone."""
    score = chunk.reference.hit.score
    if chunk.round == 0 and score is not None and score <= NEAR_ZERO:
        return
    title = vocabulary(title_of(chunk.reference.hit))
    first = True
    for passage in passages(chunk.text):
        own, above = _about(asked, chunk, passage, title)
        share = _sum(asked.weighed, above) / asked.total
        answers = first and share >= THE_QUESTION
        if passage.whole and not answers:
            continue
        if named or ((own or answers) and _sum(asked.weighed, own | above) > LEAST_SHARE * asked.total):
            quote = _quote(chunk, passage, own=own)
            if quote is not None and (answers or _adds(asked, passage, quote)):
                gains = named * NAMED + first * FIRST + OF_THE_KIND * _of_the_kind(asked, passage, quote)
                yield _Candidate(
                    place=place, chunk=chunk, passage=passage, quote=quote, own=own, above=above, gains=gains
                )
        first = first and passage.whole


def _about(asked: _Asked, chunk: Chunk, passage: Passage, title: Set[str]) -> tuple[Set[str], Set[str]]:
    """The question's words in a passage, and those only in its title, its heading and the headers of its row."""
    end = passage.told if passage.listed and not passage.ordered else passage.end
    own = asked.weighed.keys() & vocabulary(chunk.text[passage.start : end])
    told = " ".join([passage.under, *(name for name, _ in passage.cells)])
    above = asked.weighed.keys() & (title | vocabulary(told) if told.strip() else title)
    return own, above - own


def _adds(asked: _Asked, passage: Passage, quote: Quote) -> bool:
    """Whether it is more than a courtesy and, where the question asks what, has a word that the question lacks."""
    answer = quote.chunk.text[passage.told : passage.end]
    new = not asked.what or vocabulary(answer) - asked.words - SILENT
    return bool(new and small_talk.around(quote.line))


def _of_the_kind(asked: _Asked, passage: Passage, quote: Quote) -> bool:
    answer = quote.line if passage.cells else quote.chunk.text[passage.told : passage.end]
    return any(answer_kinds.gives(kind, answer, question=asked.text) for kind in asked.kinds)


def _named(asked: _Asked, chunks: Sequence[Chunk]) -> Sequence[float]:
    """For each chunk, 0 to 1: how much of the question is near its title where another chunk names it, twice over."""
    return [
        max((_near(asked, name, other) for other in chunks if other is not chunk), default=0.0) if name else 0.0
        for chunk, name in ((chunk, _name(chunk)) for chunk in chunks)
    ]


def _name(chunk: Chunk) -> str:
    """The title without what is in brackets at its end, if it is written as names are; else ""."""
    title = _BRACKETS.sub("", title_of(chunk.reference.hit)).strip()
    parts = title.split()
    capital = all(part[0].isupper() or part[0].isdigit() or part in JOINING for part in parts)
    return title if len(title) >= LEAST_NAME and capital else ""


def _near(asked: _Asked, name: str, other: Chunk) -> float:
    if name not in other.text:
        return 0.0
    title = vocabulary(title_of(other.reference.hit))
    texts = (other.text[one.start : one.end] for one in sentences(other.text))
    shares = (_sum(asked.weighed, asked.weighed.keys() & (vocabulary(one) | title)) for one in texts if name in one)
    return min(2 * max(shares, default=0.0) / asked.total, 1.0)


def _sum(weighed: Mapping[str, float], some: Set[str]) -> float:
    return sum(weighed[word] for word in some)


def _quote(chunk: Chunk, passage: Passage, *, own: Set[str]) -> Quote | None:
    """The quote of a passage; None if it is not plain text, or too short."""
    if passage.cells:
        line = ", ".join(f"{name}: {cell}" if name else cell for name, cell in passage.cells)
        if not _MARKS.isdisjoint(line):
            return None
        start, end = passage.start, passage.end
    else:
        start, end = _unmarked(chunk.text, passage)
        clipped = len(chunk.text) < len(chunk.reference.hit.content or "") and not stops(chunk.text)
        ends = clipped and chunk.text[passage.end :].strip() == ""
        line = _line(chunk.text[start:end], before=passage.before, after=passage.after or ends)
    if (end - start < LEAST_CHARACTERS and not passage.whole) or start >= end or _NOT_TEXT.search(line):
        return None
    title = "" if own and not _POINTS.match(line) else _line(title_of(chunk.reference.hit)[:LONGEST_TITLE])
    title = "" if _NOT_TEXT.search(title) or not _MARKS.isdisjoint(title) else title
    return Quote(chunk=chunk, start=start, end=end, line=line, cells=passage.cells, title=title)


def _unmarked(text: str, span: Passage) -> tuple[int, int]:
    """Where the sentence begins and ends without the reference marks at its ends."""
    if text.find("[", span.start, span.end) < 0:
        return span.start, span.end
    first = _FIRST.match(text, span.start, span.end)
    start = span.start if first is None else first.end()
    return start, _before_marks(text, start, span.end)


def _before_marks(text: str, start: int, end: int) -> int:
    """Where the reference marks at the end of a sentence begin, with or without a stop after them; else its end."""
    at, found = end, False
    while at > start and text[at - 1] in _STOPS:
        at -= 1
    while at > start and text[at - 1] == "]":
        opens = text.rfind("[", max(start, at - _LONGEST_REFERENCE), at)
        if opens < 0 or _REFERENCE.fullmatch(text, opens, at) is None:
            break
        at, found = opens, True
        while at > start and text[at - 1].isspace():
            at -= 1
    return at if found else end


def _line(text: str, *, before: bool = False, after: bool = False) -> str:
    shown = " ".join(_REFERENCES.sub(OMITTED, text).split())
    return f"{OMITTED if before else ''}{shown}{OMITTED if after else ''}"
