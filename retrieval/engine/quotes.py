"""Quotes: the sentences of chunks with most of the words of a question, word for word, each with its place.

A sentence is never quoted if Markdown would show more than text: brackets (a citation, a link, an image), addresses,
tags, code, character references, halves of surrogate pairs. So no document can fake one of our citations. Reference
marks are cut off at the ends of a sentence, and left out within it. Headings are not quoted.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Final

from retrieval.model.chunk import Chunk
from retrieval.text import addresses
from retrieval.text.content_words import vocabulary, weights
from retrieval.text.sentences import REFERENCES, Span, sentences, stops

MOST: Final = 6
MOST_OF_A_CHUNK: Final = 2
LEAST_CHARACTERS: Final = 8
LEAST_SHARE: Final = 0.08
SAID_AGAIN: Final = 0.25
"""The factor on a word of the question that another quote already has."""

RANK: Final = 0.05
"""How much less a sentence counts for every chunk before the one that has it."""

OMITTED: Final = "…"

_REFERENCES: Final = re.compile(rf"{REFERENCES}+")
_FIRST: Final = re.compile(rf"(?:{REFERENCES}\s*)+")
_REFERENCE: Final = re.compile(REFERENCES)
_LONGEST_REFERENCE: Final = 64
_STOPS: Final = frozenset(".!?…。！？｡")
_NOT_TEXT: Final = re.compile(
    rf"{addresses.BARE}|"
    r"[\[\]【】`|\\]|<[a-zA-Z/!?]|://|www\.|&[#\w]{1,32};|[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff]",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Quote:
    """A sentence of a chunk. `start` and `end` are its place in the chunk's text, `tells` its content words.

    `line` is the text to show: one line, with an ellipsis for marks within it and where the sentence continues.
    """

    chunk: Chunk
    place: int
    start: int
    end: int
    line: str
    tells: frozenset[str]

    @property
    def text(self) -> str:
        """The sentence as it is in the chunk."""
        return self.chunk.text[self.start : self.end]


def of_question(question: str, chunks: Sequence[Chunk], *, said: Sequence[Set[str]]) -> tuple[Quote, ...]:
    """The quotes of an answer without a model, at most six; `said` are the words of each chunk."""
    return best(weights(question, said), chunks, most=MOST)


def best(weighed: Mapping[str, float], chunks: Sequence[Chunk], *, most: int) -> tuple[Quote, ...]:
    """At most `most` quotes, at most two per chunk, in the order of the chunks and of their texts.

    Each quote adds the most of the question to those before it. Empty if no quotable sentence has a word of the
    question.
    """
    candidates = [quote for place, chunk in enumerate(chunks) for quote in _quotable(chunk, place, weighed)]
    left, least = dict(weighed), LEAST_SHARE * sum(weighed.values())
    picked: list[Quote] = []
    while candidates and len(picked) < most:
        gains = [sum(left[word] for word in one.tells) / (1 + RANK * one.place) for one in candidates]
        top = max(gains)
        if top <= least:
            break
        quote = candidates[gains.index(top)]
        picked.append(quote)
        left.update({word: weighed[word] * SAID_AGAIN for word in quote.tells})
        candidates = _open(candidates, picked)
    return tuple(sorted(picked, key=lambda one: (one.place, one.start)))


def _open(candidates: Sequence[Quote], picked: Sequence[Quote]) -> list[Quote]:
    """The candidates that differ from the last pick, in chunks with fewer than two picks."""
    last, taken = picked[-1].line, Counter(one.place for one in picked)
    return [one for one in candidates if taken[one.place] < MOST_OF_A_CHUNK and one.line != last]


def _quotable(chunk: Chunk, place: int, weighed: Mapping[str, float]) -> Iterator[Quote]:
    """The sentences of a chunk with a word of the question that are plain text and long enough to stand alone."""
    clipped = len(chunk.text) < len(chunk.reference.hit.content or "") and not stops(chunk.text)
    for span in sentences(chunk.text):
        start, end = _unmarked(chunk.text, span)
        if span.heading or end - start < LEAST_CHARACTERS:
            continue
        tells = frozenset(weighed.keys() & vocabulary(chunk.text[start:end]))
        if tells:
            ends = clipped and chunk.text[span.end :].strip() == ""
            line = _line(chunk.text[start:end], before=span.before, after=span.after or ends)
            if _NOT_TEXT.search(line) is None:
                yield Quote(chunk=chunk, place=place, start=start, end=end, line=line, tells=tells)


def _unmarked(text: str, span: Span) -> tuple[int, int]:
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


def _line(text: str, *, before: bool, after: bool) -> str:
    shown = " ".join(_REFERENCES.sub(OMITTED, text).split())
    return f"{OMITTED if before else ''}{shown}{OMITTED if after else ''}"
