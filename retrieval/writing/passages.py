"""The passage of a chunk that is shown if no model writes the answer: the whole text, or the blocks around the part
that is nearest to the question. If blocks that belong together are too long, or were shown in part, only some of their
sentences, items or rows may be shown.

A line that introduces a block, or asks what it answers, is never shown without that block. A row is never shown without
its header, and code is never shown in fragments. A passage has no block or part that repeats a sentence of 20
characters or more from an earlier passage. Only the introducing blocks in `lead` and the headers of tables may be
repeated.
"""

from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from math import fsum
from typing import Final, NamedTuple

from retrieval.text import layout
from retrieval.text.content_words import vocabulary
from retrieval.text.layout import LayoutBlock
from retrieval.text.sentences import sentences

LONGEST: Final = 1_000
"""The most characters of a passage, without its `lead`, the headers of tables and the blanks between blocks. A block
that cannot be divided is shown whole, even if it is longer."""

MOST_UNITS: Final = 400
"""The most units of a text that are compared with the question. Usual texts have fewer than a hundred."""

LEAST_REPEATED: Final = 20
"""The fewest characters of a sentence that a later passage may not repeat; "See below." may be repeated."""


@dataclass(frozen=True, kw_only=True)
class Unit:
    """Blocks of a text that are shown together or not at all.

    `lead` has the blocks that introduce the unit. They are shown too where the passage begins with this unit.
    """

    text: str
    blocks: tuple[LayoutBlock, ...]
    lead: tuple[LayoutBlock, ...] = ()

    @property
    def size(self) -> int:
        return sum(block.end - block.start for block in self.blocks)

    @cached_property
    def sentences(self) -> Sequence[str]:
        """The sentences of the unit."""
        texts = [self.text[block.start : block.end] for block in self.blocks]
        return [text[span.start : span.end] for text in texts for span in sentences(text)]

    @cached_property
    def said(self) -> frozenset[str]:
        """The sentences of the unit, except short sentences. They are in lower case, with single blanks."""
        keys = (" ".join(sentence.split()).casefold() for sentence in self.sentences)
        return frozenset(key for key in keys if len(key) >= LEAST_REPEATED)

    def nearness(self, asked: Mapping[str, float]) -> float:
        """The largest weight of a sentence of the unit: the sum of the weights of the question's words in it."""
        words = (asked.keys() & vocabulary(sentence) for sentence in self.sentences)
        return max([fsum(asked[word] for word in found) for found in words], default=0)


class Passage(NamedTuple):
    """The shown part of a text: its `blocks`. `lead` has the blocks from elsewhere in the text that introduce them, and
    is shown first."""

    blocks: tuple[LayoutBlock, ...]
    lead: tuple[LayoutBlock, ...]

    @property
    def spans(self) -> list[tuple[int, int]]:
        """The spans of the introducing blocks, and last the span of the passage itself."""
        first = self.blocks[0]
        start = first.header[0] if first.of == first.start and first.header[1] else first.start
        return [*((block.start, block.end) for block in self.lead), (start, self.blocks[-1].end)]


def passage(text: str, asked: Mapping[str, float], *, shown: set[str]) -> Passage | None:
    """The passage of a text for the words of a question with their weights. None where every unit of the text repeats a
    shown sentence. The passage is at first only the unit that is nearest to the question, and then grows by the units
    before and after it. Its sentences are added to `shown`.
    """
    units = list(islice(_units(text, shown), MOST_UNITS))
    new = dict.fromkeys(place for place, unit in enumerate(units) if not unit.said & shown)
    if not new:
        return None
    start = end = max(new, key=lambda place: units[place].nearness(asked))
    left = LONGEST - units[start].size
    grown = True
    while grown:
        grown = False
        for place in (end + 1, start - 1):
            if place in new and units[place].size <= left:
                start, end, left, grown = min(start, place), max(end, place), left - units[place].size, True
    kept = units[start : end + 1]
    shown.update(*(unit.said for unit in kept))
    first, lead = kept[0].blocks, kept[0].lead
    blocks = layout.joined([block for unit in kept for block in unit.blocks])
    return Passage(tuple(blocks), () if first[: len(lead)] == lead else lead)


def _units(text: str, shown: Set[str]) -> Iterator[Unit]:
    """The units of a text. A unit includes the blocks that introduce it. A unit that is too long, or was shown in part,
    is divided."""
    blocks: list[LayoutBlock] = []
    for block in layout.blocks(text):
        blocks.append(block)
        if layout.introduces(text, block):
            continue
        whole = Unit(text=text, blocks=tuple(blocks))
        if whole.size <= LONGEST and not whole.said & shown:
            yield whole
        else:
            yield from _divided(text, blocks)
        blocks = []
    yield from _divided(text, blocks)


def _divided(text: str, blocks: Sequence[LayoutBlock]) -> Iterator[Unit]:
    """The parts of blocks. An introduction is with the first part after it; one at the end is left out, unless it is a
    question. Questions that are too long together are divided."""
    introducing: list[LayoutBlock] = []
    for block in blocks:
        lead = tuple(introducing)
        for part in layout.parts(text, block):
            introducing.append(part)
            is_full = layout.asks(text, part) and part.end - introducing[0].start > LONGEST
            if is_full or not layout.introduces(text, part):
                yield Unit(text=text, blocks=tuple(introducing), lead=lead)
                introducing = []
    if introducing and layout.asks(text, introducing[-1]):
        yield Unit(text=text, blocks=tuple(introducing))
