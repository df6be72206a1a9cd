"""Checks that the figures of a claim are in the chunks that it cites, or follow from values there by one
calculation."""

from collections.abc import Sequence, Set
from decimal import Decimal
from itertools import chain, islice
from typing import Final

from retrieval.text import figures
from retrieval.text.reading import ReadChunk, Reading

MOST_DERIVED: Final = 50
"""The most figures of an answer that are compared with sums, differences and totals. Further figures have to stand in
their chunks."""

MOST_ADDED: Final = 1_000
"""The most values of the texts that are added and subtracted."""

MOST_NAMED: Final = 10
"""The most figures of a claim that are reported as unfounded."""

LONGEST_NAMED: Final = 40
"""The most characters of a figure that is reported. The rest is cut off."""


def strange(text: str, cited: Sequence[ReadChunk]) -> tuple[figures.Figure, ...]:
    """The figures of a claim that its chunks lack, each once, at most ten."""
    texts = _texts(cited)
    strangers = {figure.text: figure for figure in figures.of_claim(text) if not explained(figure, texts)}
    return tuple(islice(strangers.values(), MOST_NAMED))


def unfounded(strangers: Sequence[figures.Figure], cited: Sequence[ReadChunk], *, room: int) -> tuple[str, ...]:
    """The unknown figures, except sums and differences of two values of the chunks and totals of columns.

    Only the first `room` figures are compared in that way; the others count as unfounded.
    """
    texts = _texts(cited)
    return tuple(
        figure.text[:LONGEST_NAMED]
        for place, figure in enumerate(strangers)
        if place >= room or not derived(figure, texts)
    )


def explained(figure: figures.Figure, texts: Sequence[Reading]) -> bool:
    """Whether the texts have all values of the figure. A figure can be read in several ways; one way is enough."""
    return any(all(any(value in text.values for text in texts) for value in reading) for reading in figure.readings)


def derived(figure: figures.Figure, texts: Sequence[Reading]) -> bool:
    """Whether the figure's value is the total of a column, or the sum or the difference of two different values of the
    texts. The two have the unit of the figure, or stand in one row or column of a table."""
    if any(value in text.totals for value in figure.single for text in texts):
        return True
    by_unit = ([value for text in texts for value in text.measured.get(unit, ())] for unit in figure.units)
    lines = (line for text in texts for line in text.lines)
    return any(
        _follows(value, set(islice(known, MOST_ADDED))) for known in chain(by_unit, lines) for value in figure.single
    )


def _follows(value: Decimal, known: Set[Decimal]) -> bool:
    """Whether a value is the sum or the difference of two different known values."""
    return any(value + one in known or (value - one in known and value != 2 * one) for one in known)


def _texts(cited: Sequence[ReadChunk]) -> list[Reading]:
    return [text for chunk in cited for text in chunk.texts]
