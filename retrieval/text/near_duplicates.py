"""Finds near-duplicate texts, which have almost the same words in the same order. The first of such texts is kept.
Texts are compared by shingles, which are runs of three words without case and punctuation. The similarity is the number
of shared shingles divided by the number of all shingles of both texts (Jaccard). Texts with different numbers are never
near-duplicates, because two true statements often differ only in a year or an amount. Only the opening of a long text
is compared by shingles; the rest must be identical.
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
"""The number of characters at the beginning of a text that are compared by shingles."""

MOST_LOOKED_AT: Final = 200
"""The most texts that one call of `choose` compares. 200 similar texts of 4,000 characters take 40 ms, or 170 ms in
Chinese."""

_WORD: Final = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]|[^\W_\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]+")
"""The pattern of a word. Each Chinese, Japanese or Korean character is a word."""

_DIGIT: Final = re.compile(r"\d")

Words: TypeAlias = tuple[str, ...]
Run: TypeAlias = tuple[str, ...]
"""The words of a shingle."""

Same: TypeAlias = tuple[frozenset[tuple[str, int]], str]
"""The facts that must be equal in near-duplicates: the words with a digit and their counts, and the text after the
opening."""

Shingles: TypeAlias = frozenset[int]
Item = TypeVar("Item")
Kept = TypeVar("Kept")


class Distinct:
    """Receives texts one after the other. A text is kept if its similarity to every kept text is below `near`. `near`
    is greater than 0 and at most 1.

    Only texts with the same numbers and the same rest are compared.
    """

    def __init__(self, *, near: float = NEAR) -> None:
        self._near = near
        self._looked_at = 0
        self._peers: dict[Same, _Peers] = {}

    @property
    def left(self) -> int:
        """The number of texts that may still be compared."""
        return max(MOST_LOOKED_AT - self._looked_at, 0)

    def look(self, text: str) -> int | None:
        """The number of the kept text that this text repeats; None if this text is kept. All texts are numbered from
        0."""
        number, self._looked_at = self._looked_at, self._looked_at + 1
        words, same = _read(text)
        if same in self._peers:
            return self._peers[same].look(number, words)
        self._peers[same] = _Peers(number, words, near=self._near)
        return None


class _Peers:
    """Kept texts for which `Same` is equal. The first text is divided into shingles only when a second text arrives.
    Two near-duplicates share at least one of their rarest shingles. Therefore a text is compared only with texts that
    share such a shingle.
    """

    def __init__(self, number: int, words: Words, *, near: float) -> None:
        self._near = near
        self._waiting: tuple[int, Words] | None = (number, words)
        self._numbers: dict[Run, int] = {}
        self._kept: dict[int, Shingles] = {}
        self._holders: dict[int, list[int]] = {}

    def look(self, number: int, words: Words) -> int | None:
        """The number of the kept text that this text repeats; None if this text is kept."""
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
    """The similarity of two texts, from 0 to 1. It is 0 if their numbers differ, or their texts after the opening."""
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
    """The shingles of a text as numbers. `numbers` has the number of each known shingle. New shingles are added to
    `numbers`."""
    return frozenset([numbers.setdefault(run, len(numbers)) for run in _runs(words)])


def _runs(words: Words) -> Iterable[Run]:
    """The shingles of the words. Fewer than three words are one shingle."""
    if len(words) < SHINGLE:
        return [words]
    return zip(*(words[start:] for start in range(SHINGLE)), strict=False)


def _rarest(shingles: Shingles, *, near: float) -> Sequence[int]:
    """The rarest shingles of a text. The result has so many shingles that a near-duplicate must share at least one of
    them. All texts order their shingles in the same way. A shingle with a higher number counts as rarer, because common
    shingles already occur in the first texts.
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
    """The chosen items, and the omitted items with the reason for each. `read` receives a batch of items and the room
    that is left. For each item it returns the value for the result, the text, and the size in the unit of `room`. A
    batch has at most as many items as are still needed. An item that does not fit is omitted, and a smaller later item
    may be chosen. The choice ends after `most` chosen items, or MOST_LOOKED_AT compared texts. Items that repeat an
    `earlier` text are omitted.
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
