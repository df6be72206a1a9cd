"""Whether the figures of a claim stand in the chunks that it cites, or follow from them by one step."""

from collections.abc import Sequence
from itertools import islice
from typing import Final

from retrieval.model.chunk import Chunk
from retrieval.text import figures

MOST_DERIVED: Final = 50
"""Figures of an answer that are compared with sums, differences and totals; others have to stand in their chunks."""


MOST_NAMED: Final = 10
"""Figures of a claim that are named."""

LONGEST_NAMED: Final = 40
"""Characters of a figure that is named."""


def strange(text: str, cited: Sequence[Chunk]) -> tuple[figures.Figure, ...]:
    """The figures of a claim that none of its chunks has, each once, the first ten."""
    texts = _texts(cited)
    found = {figure.text: figure for figure in figures.of_claim(text) if not figures.explained(figure, texts)}
    return tuple(islice(found.values(), MOST_NAMED))


def unfounded(strangers: Sequence[figures.Figure], cited: Sequence[Chunk], *, room: int) -> tuple[str, ...]:
    """Those that are neither the sum nor the difference of two of theirs, nor the total of a column of a table.

    The first `room` are looked at.
    """
    texts = _texts(cited)
    return tuple(
        one.text[:LONGEST_NAMED]
        for place, one in enumerate(strangers)
        if place >= room or not figures.derived(one, texts)
    )


def _texts(cited: Sequence[Chunk]) -> list[str]:
    return [text for one in cited for text in (one.text, *one.beside) if text]
