"""A text as char filters leave it, with the way back to the places of the original."""

from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TypeAlias

from retrieval.local.search_service.text.lexical.limits import check_length

Replacement: TypeAlias = tuple[int, int, str]
"""Start and end of what is replaced, and what by."""


@dataclass(frozen=True, slots=True)
class _Layer:
    """What one char filter did: from each of `places` on, up to the next, what was there stood so much further."""

    places: tuple[int, ...]
    shifts: tuple[int, ...]

    def before(self, place: int) -> int:
        found = bisect_right(self.places, place)
        return place + (self.shifts[found - 1] if found else 0)


@dataclass(frozen=True, slots=True)
class ReadText:
    """`length` is that of the original; `layers` are in the order in which the char filters ran."""

    text: str
    length: int
    layers: tuple[_Layer, ...] = ()

    def original(self, place: int) -> int:
        """The same place, in characters, before any char filter ran."""
        for layer in reversed(self.layers):
            place = layer.before(place)
        return place

    def replaced(self, replacements: Iterable[Replacement]) -> "ReadText":
        """`replacements` are in order, none within another. Raises InvalidArgument where the text gets too long."""
        pieces: list[str] = []
        marks: dict[int, int] = {}
        at = length = 0
        for start, end, new in replacements:
            pieces += [self.text[at:start], new]
            length += start - at
            marks.update(_marks(length, end - start, len(new), start - length))
            length += len(new)
            check_length(length, self.length)
            at = end
        if not pieces:
            return self
        text = "".join([*pieces, self.text[at:]])
        return ReadText(
            text, self.length, (*self.layers, _Layer(tuple(marks), tuple(marks.values()))) if marks else self.layers
        )


def _marks(place: int, old: int, new: int, shift: int) -> Iterator[tuple[int, int]]:
    """What is longer than what it replaces belongs to the last sign of it; `shift` is what went before."""
    if new < old:
        yield place + new, shift + old - new
    for extra in range(old, new):
        yield place + extra, shift + old - extra - 1
