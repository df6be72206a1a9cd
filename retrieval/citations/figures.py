"""Checks that the figures of a claim are in the chunks that it cites, or follow from values there by one
calculation."""

from collections.abc import Sequence
from itertools import islice
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
    """Whether the figure's value is the total of a column, or the sum or the difference of two values of the texts."""
    single = [reading[0] for reading in figure.readings if len(reading) == 1]
    if any(value in text.totals for value in single for text in texts):
        return True
    known = set(islice((value for text in texts for value in text.values), MOST_ADDED))
    return any(
        value - known_value in known or value + known_value in known for value in single for known_value in known
    )


def _texts(cited: Sequence[ReadChunk]) -> list[Reading]:
    return [text for chunk in cited for text in chunk.texts]
