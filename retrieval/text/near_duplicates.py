"""Near-duplicate texts: the same words in the same order, except a few. Pure; the first of such texts is kept.

Two texts are compared by their shingles, runs of three words without case and punctuation: the shared shingles over all
of both (Jaccard). Texts with different figures are never near-duplicates, since two true statements often differ only
in a year or an amount. Only the opening of a long text is compared in this way; the rest must be identical.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from math import ceil
from typing import Final, TypeAlias, TypeVar

from retrieval.model.activity import OmitReason
from retrieval.text.content_words import nfkc

SHINGLE: Final = 3
NEAR: Final = 0.8
ROUNDING: Final = 1e-9

LONGEST_OPENING: Final = 8_000
"""Characters at the beginning of a text whose words are compared."""

MOST_LOOKED_AT: Final = 200
"""The most texts that one call compares. As many similar texts of 4,000 characters cost 40 ms; in Chinese 170 ms."""

_WORD: Final = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]|[^\W_\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]+")
"""The pattern of a word. Where words are not spaced, every character is a word."""

_DIGIT: Final = re.compile(r"\d")

Words: TypeAlias = tuple[str, ...]
Run: TypeAlias = tuple[str, ...]
"""A shingle as text."""

Same: TypeAlias = tuple[frozenset[tuple[str, int]], str]
"""The facts that are equal in near texts: the words with a digit, each with its count, and the text after the
opening."""

Shingles: TypeAlias = frozenset[int]
Item = TypeVar("Item")
Kept = TypeVar("Kept")


class Distinct:
    """Takes texts one after the other, and keeps each whose similarity to all kept texts is below `near`.

    `near` is over 0, at most 1. The result is exact. Only texts with the same figures and the same rest are compared,
    so most texts are never cut into shingles.
    """

    def __init__(self, *, near: float = NEAR) -> None:
        self._near = near
        self._looked_at = 0
        self._peers: dict[Same, _Peers] = {}

    @property
    def left(self) -> int:
        """How many more texts it takes: as many as one call may compare."""
        return max(MOST_LOOKED_AT - self._looked_at, 0)

    def look(self, text: str) -> int | None:
        """The number of the kept text that this text repeats; None if it is kept. Numbers count all texts, from 0."""
        number, self._looked_at = self._looked_at, self._looked_at + 1
        words, same = _read(text)
        if same in self._peers:
            return self._peers[same].look(number, words)
        self._peers[same] = _Peers(number, words, near=self._near)
        return None


class _Peers:
    """Kept texts that may be near to each other; the first is cut into shingles when a second text comes.

    Two near texts share one of their rarest shingles, so a text is compared only with texts that share one. A header or
    a disclaimer that all texts have costs nothing.
    """

    def __init__(self, number: int, words: Words, *, near: float) -> None:
        self._near = near
        self._waiting: tuple[int, Words] | None = (number, words)
        self._numbers: dict[Run, int] = {}
        self._kept: dict[int, Shingles] = {}
        self._holders: dict[int, list[int]] = {}

    def look(self, number: int, words: Words) -> int | None:
        """The number of the kept text that this text repeats; None if it is kept. See `Distinct.look`."""
        if self._waiting is not None:
            first, first_words = self._waiting
            self._waiting = None
            self._keep(first, _numbered(first_words, self._numbers))
        shingles = _numbered(words, self._numbers)
        shared = (self._holders.get(shingle, ()) for shingle in _rarest(shingles, near=self._near))
        candidates = sorted({holder for holders in shared for holder in holders})
        near = next((one for one in candidates if _jaccard(self._kept[one], shingles) >= self._near), None)
        if near is None:
            self._keep(number, shingles)
        return near

    def _keep(self, number: int, shingles: Shingles) -> None:
        self._kept[number] = shingles
        for shingle in _rarest(shingles, near=self._near):
            self._holders.setdefault(shingle, []).append(number)


def similarity(one: str, other: str) -> float:
    """The similarity, 0 to 1: the shared shingles over all shingles of both texts; 0 where their figures or their rests
    differ."""
    (first, same), (second, as_well) = _read(one), _read(other)
    numbers: dict[Run, int] = {}
    return _jaccard(_numbered(first, numbers), _numbered(second, numbers)) if same == as_well else 0


def _jaccard(one: Shingles, other: Shingles) -> float:
    shared = len(one & other)
    return shared / (len(one) + len(other) - shared)


def _read(text: str) -> tuple[Words, Same]:
    opening = text[:LONGEST_OPENING]
    words = _WORD.findall(nfkc(opening).casefold())
    figures = Counter(word for word in words if not word.isalpha() and _DIGIT.search(word))
    return tuple(words) or (opening.strip(),), (frozenset(figures.items()), text[LONGEST_OPENING:])


def _numbered(words: Words, numbers: dict[Run, int]) -> Shingles:
    """The numbers of the shingles of a text. `numbers` grows by the new shingles."""
    return frozenset([numbers.setdefault(run, len(numbers)) for run in _runs(words)])


def _runs(words: Words) -> Iterable[Run]:
    """The shingles of the words. If there are fewer words than a shingle has, they are one shingle."""
    if len(words) < SHINGLE:
        return [words]
    return zip(*(words[start:] for start in range(SHINGLE)), strict=False)


def _rarest(shingles: Shingles, *, near: float) -> Sequence[int]:
    """As many of the rarest shingles as are needed: a text with none of them cannot be near. Both texts order them
    alike.

    The latest new shingles count as the rarest: common shingles occur in the first texts.
    """
    ordered = sorted(shingles, reverse=True)
    return ordered[: len(ordered) - ceil(near * len(ordered) - ROUNDING) + 1]


def choose(
    items: Sequence[Item],
    *,
    read: Callable[[Sequence[Item], int], Iterable[tuple[Kept, str, int]]],
    most: int,
    room: int,
    earlier: Sequence[str] = (),
) -> tuple[list[Kept], list[tuple[Kept, OmitReason]]]:
    """The items to give, and the others that were looked at, each with the reason why it is left out.

    `read` makes of items what is kept, with its text and its size in the unit of `room`. It gets as many at once as are
    still wanted, and the room that is left. An item that does not fit is skipped, a smaller one after it may fit. It
    ends with `most` items, or as many as one call may compare; `earlier` texts are not given again.
    """
    omitted: list[tuple[Kept, OmitReason]] = []
    distinct = Distinct()
    for earlier_text in earlier:
        distinct.look(earlier_text)
    chosen: list[Kept] = []
    at = 0
    while batch := items[at : at + min(most - len(chosen), distinct.left)]:
        at += len(batch)
        for item, text, size in read(batch, room):
            if not text:
                omitted.append((item, "empty"))
            elif size > room:
                omitted.append((item, "budget"))
            elif distinct.look(text) is not None:
                omitted.append((item, "near_duplicate"))
            else:
                chosen.append(item)
                room -= size
    return chosen, omitted
