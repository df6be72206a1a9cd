"""Finds near-duplicate texts, which have almost the same words in the same order. The first of such texts is kept.
Texts are compared by shingles, which are runs of three words without case and punctuation. The similarity is the number
of shared shingles divided by the number of all shingles of both texts (Jaccard). Texts with different numbers are never
near-duplicates, because two true statements often differ only in a year or an amount. Only the opening of a long text
is compared by shingles; the rest must be identical.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Sequence
from functools import cached_property
from typing import Final, TypeVar

from retrieval.model.activity import OmitReason
from retrieval.text.content_words import nfkc

NEAR: Final = 0.8

LONGEST_OPENING: Final = 8_000
"""The number of characters at the beginning of a text that are compared by shingles."""

MOST_LOOKED_AT: Final = 200
"""The most texts that one call of `choose` compares. 200 similar texts of 4,000 characters take 40 ms, or 170 ms in
Chinese."""

_WORD: Final = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]|[^\W_\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]+")
"""The pattern of a word. Each Chinese, Japanese or Korean character is a word."""

_DIGIT: Final = re.compile(r"\d")

Item = TypeVar("Item")
Kept = TypeVar("Kept")


class Compared:
    """A text as it is compared. `opening` is its opening in the form NFKC. `same` are the facts that must be equal in
    near-duplicates: the words with a digit and their counts, and the text after the opening."""

    def __init__(self, text: str, opening: str) -> None:
        self._words: Final = _WORD.findall(opening.casefold()) or [text[:LONGEST_OPENING].strip()]
        figures = Counter(word for word in self._words if not word.isalpha() and _DIGIT.search(word))
        self.same: Final = (frozenset(figures.items()), text[LONGEST_OPENING:])

    @cached_property
    def _shingles(self) -> frozenset[int]:
        """The shingles of the text by their hashes, which are compared in half the time."""
        words = self._words
        return frozenset(map(hash, zip(words, words[1:], words[2:], strict=False))) or frozenset([hash(tuple(words))])

    def is_near(self, other: "Compared") -> bool:
        """Whether another text with the same facts is a near-duplicate."""
        shared = len(self._shingles & other._shingles)
        return shared / (len(self._shingles) + len(other._shingles) - shared) >= NEAR


class Distinct:
    """Receives texts one after the other. A text is kept if it is no near-duplicate of a kept text. Only texts with the
    same numbers and the same rest are compared. `left` is the number of texts that may still be compared."""

    def __init__(self) -> None:
        self.left = MOST_LOOKED_AT
        self._kept: defaultdict[Hashable, dict[int, Compared]] = defaultdict(dict)

    def look(self, text: str, opening: str) -> int | None:
        """The number of the kept text that this text repeats; None if this text is kept. All texts are numbered from
        0. `opening` is the opening of the text in the form NFKC."""
        number, self.left = MOST_LOOKED_AT - self.left, self.left - 1
        compared = Compared(text, opening)
        kept = self._kept[compared.same]
        near = next((other for other, earlier in kept.items() if earlier.is_near(compared)), None)
        if near is None:
            kept[number] = compared
        return near


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
    for text, opening in zip(earlier, _openings(earlier), strict=True):
        distinct.look(text, opening)
    chosen: list[Kept] = []
    at = 0
    while batch := items[at : at + min(most - len(chosen), distinct.left)]:
        at += len(batch)
        entries = list(read(batch, room))
        for (item, text, size), opening in zip(entries, _openings([text for _, text, _ in entries]), strict=True):
            if not text:
                omitted.append((item, "empty"))
            elif size > room:
                omitted.append((item, "budget"))
            elif distinct.look(text, opening) is not None:
                omitted.append((item, "near_duplicate"))
            else:
                chosen.append(item)
                room -= size
    return chosen, omitted


def _openings(texts: Sequence[str]) -> list[str]:
    """The openings of texts in the form NFKC."""
    return list(map(nfkc, [text[:LONGEST_OPENING] for text in texts]))
