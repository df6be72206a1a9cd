"""Quotes: the sentences of chunks that say most of a question, word for word, each with its place.

A sentence that would be more than text where Markdown is shown is never quoted: brackets (a citation, a link, an
image), addresses, tags, code, character references, halves of surrogate pairs. So what a document says cannot pass for
a citation of ours. Marks of its own references are cut off at its ends, and left out within it. Headings say nothing.
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
"""What a word of the question counts once another quote says it."""

RANK: Final = 0.05
"""How much less a sentence counts for every chunk before its own."""

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
    """A sentence of a chunk. `start` and `end` are its place in the chunk's text, `tells` the words that tell in it.

    `line` is how it is shown: on one line, with points of omission for marks within it and where it goes on.
    """

    chunk: Chunk
    place: int
    start: int
    end: int
    line: str
    tells: frozenset[str]

    @property
    def text(self) -> str:
        """The sentence as it stands in the chunk."""
        return self.chunk.text[self.start : self.end]


def of_question(question: str, chunks: Sequence[Chunk], *, said: Sequence[Set[str]]) -> tuple[Quote, ...]:
    """What an answer without a model quotes of chunks, at most six; `said` are the words of each."""
    return best(weights(question, said), chunks, most=MOST)


def best(weighed: Mapping[str, float], chunks: Sequence[Chunk], *, most: int) -> tuple[Quote, ...]:
    """At most `most` quotes, at most two of a chunk, in the order of the chunks and of their texts.

    Each is the one that adds most of the question to those before it. None where no sentence that can be quoted says
    any of it.
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
    """Those that differ from the last one picked, of chunks with fewer than two picked."""
    last, taken = picked[-1].line, Counter(one.place for one in picked)
    return [one for one in candidates if taken[one.place] < MOST_OF_A_CHUNK and one.line != last]


def _quotable(chunk: Chunk, place: int, weighed: Mapping[str, float]) -> Iterator[Quote]:
    """The sentences of a chunk that say any of it, can be shown as text, and are long enough to be understood alone."""
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
    """Where the sentence begins and ends without the marks of references at its ends."""
    if text.find("[", span.start, span.end) < 0:
        return span.start, span.end
    first = _FIRST.match(text, span.start, span.end)
    start = span.start if first is None else first.end()
    return start, _before_marks(text, start, span.end)


def _before_marks(text: str, start: int, end: int) -> int:
    """Where the marks of references begin that a sentence ends with, stops after them or not; else its end."""
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
