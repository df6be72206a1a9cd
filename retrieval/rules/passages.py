"""What is shown of a chunk where nobody writes: all of it, or the whole blocks around what is nearest to the question.

A line that introduces a block is never without it, a row never without its header, code never in fragments. What was
shown before is not shown again.
"""

from collections.abc import Iterator, Sequence, Set
from typing import Final, NamedTuple

from retrieval.text import content_words, layout
from retrieval.text.layout import Block
from retrieval.text.sentences import sentences

LONGEST: Final = 1_000
"""Characters of a passage. What cannot be divided is shown whole all the same."""

LEAST_REPEATED: Final = 20
"""Characters of a sentence that is not shown twice; "See below." may be."""


class Unit(NamedTuple):
    """Blocks that are shown together or not at all. `lead` introduces them where nothing is shown before them."""

    blocks: tuple[Block, ...]
    lead: tuple[Block, ...] = ()

    @property
    def size(self) -> int:
        return sum(block.end - block.start for block in self.blocks)


class Passage(NamedTuple):
    """What is shown of a text: the blocks from `start` up to `end`, after those that introduce them from elsewhere."""

    blocks: tuple[Block, ...]
    lead: tuple[Block, ...]

    @property
    def start(self) -> int:
        first = self.blocks[0]
        return first.header[0] if first.of == first.start and first.header[1] else first.start

    @property
    def end(self) -> int:
        return self.blocks[-1].end


def passage(text: str, question: str, *, shown: set[str]) -> Passage | None:
    """The passage of a text for a question; None where all of it was shown. Its sentences become `shown`."""
    units = list(_units(text, shown))
    said = [_said(text, unit) for unit in units]
    new = [not one & shown for one in said]
    if not any(new):
        return None
    start = end = _nearest(text, units, new, content_words.as_written(question).keys())
    left = LONGEST - units[start].size
    grown = True
    while grown:
        grown = False
        if end + 1 < len(units) and new[end + 1] and units[end + 1].size <= left:
            end += 1
            left -= units[end].size
            grown = True
        if start and new[start - 1] and units[start - 1].size <= left:
            start -= 1
            left -= units[start].size
            grown = True
    kept = units[start : end + 1]
    shown.update(*said[start : end + 1])
    first, lead = kept[0].blocks, kept[0].lead
    blocks = layout.joined([block for unit in kept for block in unit.blocks])
    return Passage(tuple(blocks), () if first[: len(lead)] == lead else lead)


def _units(text: str, shown: Set[str]) -> Iterator[Unit]:
    """What introduces a block is with it. What is too long, or was shown in part, is divided."""
    blocks: list[Block] = []
    for block in layout.blocks(text):
        blocks.append(block)
        if layout.introduces(text, block):
            continue
        whole = Unit(tuple(blocks))
        if whole.size <= LONGEST and not _said(text, whole) & shown:
            yield whole
        else:
            yield from _divided(text, blocks)
        blocks = []
    yield from _divided(text, blocks)


def _divided(text: str, blocks: Sequence[Block]) -> Iterator[Unit]:
    """The parts of blocks, each that introduces the next with it; an introduction to nothing is left out."""
    introducing: list[Block] = []
    for block in blocks:
        lead = tuple(introducing)
        for part in layout.parts(text, block):
            introducing.append(part)
            if not layout.introduces(text, part):
                yield Unit(tuple(introducing), lead)
                introducing = []


def _nearest(text: str, units: Sequence[Unit], new: Sequence[bool], asked: Set[str]) -> int:
    """The unit, of those that are new, whose sentence has most of the words asked for; of equals the first."""
    best, place = -1, 0
    for number, unit in enumerate(units):
        if not new[number]:
            continue
        most = max((len(asked & content_words.vocabulary(one)) for one in _sentences(text, unit)), default=0)
        if most > best:
            best, place = most, number
    return place


def _sentences(text: str, unit: Unit) -> Iterator[str]:
    for block in unit.blocks:
        said = text[block.start : block.end]
        yield from (said[span.start : span.end] for span in sentences(said))


def _said(text: str, unit: Unit) -> set[str]:
    """The sentences of a unit without case and blanks, but for short ones."""
    said = (" ".join(one.split()).casefold() for one in _sentences(text, unit))
    return {one for one in said if len(one) >= LEAST_REPEATED}
