"""Quotes: the sentences of chunks that say most of a question, word for word, each with its place.

A sentence that would be more than text where Markdown is shown is never quoted: brackets (a citation, a link, an
image), addresses, tags, code, character references, halves of surrogate pairs. So what a document says cannot pass for
a citation of ours.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from retrieval.answer import Chunk
from retrieval.steps.sentences import sentences
from retrieval.steps.telling import vocabulary

MOST_OF_A_CHUNK: Final = 2
LEAST_CHARACTERS: Final = 8
LEAST_SHARE: Final = 0.08
SAID_AGAIN: Final = 0.25
"""What a word of the question counts once another quote says it."""

RANK: Final = 0.05
"""How much less a sentence counts for every chunk before its own."""

_NOT_TEXT: Final = re.compile(
    r"[\[\]【】`|\\]|<[a-zA-Z/!?]|://|www\.|&[#\w]{1,32};|[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff]",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Quote:
    """A sentence of a chunk. `start` and `end` are its place in the chunk's text, `tells` the words that tell in it."""

    chunk: Chunk
    place: int
    start: int
    end: int
    tells: frozenset[str]

    @property
    def text(self) -> str:
        """The sentence as it stands in the chunk."""
        return self.chunk.text[self.start : self.end]

    @property
    def line(self) -> str:
        """The sentence on one line."""
        return " ".join(self.text.split())


def best(weighed: Mapping[str, float], chunks: Sequence[Chunk], *, most: int) -> tuple[Quote, ...]:
    """At most `most` quotes, at most two of a chunk, in the order of the chunks and of their texts.

    Each is the one that adds most of the question to those before it. Where no sentence says any of it, the first one
    that can be quoted is all.
    """
    every = [quote for place, chunk in enumerate(chunks) for quote in _quotable(chunk, place, weighed)]
    candidates = [quote for quote in every if quote.tells]
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
    return tuple(sorted(picked or every[:1], key=lambda one: (one.place, one.start)))


def _open(candidates: Sequence[Quote], picked: Sequence[Quote]) -> list[Quote]:
    """Those that differ from the last one picked, of chunks with fewer than two picked."""
    last, taken = picked[-1].line, Counter(one.place for one in picked)
    return [one for one in candidates if taken[one.place] < MOST_OF_A_CHUNK and one.line != last]


def _quotable(chunk: Chunk, place: int, weighed: Mapping[str, float]) -> Iterator[Quote]:
    """The sentences of a chunk that can be shown as text, and are long enough to be understood alone."""
    for start, end in sentences(chunk.text):
        text = chunk.text[start:end]
        if _NOT_TEXT.search(text) is None and len(text) >= LEAST_CHARACTERS:
            tells = frozenset(weighed.keys() & vocabulary(text))
            yield Quote(chunk=chunk, place=place, start=start, end=end, tells=tells)
