"""Near-duplicate texts: the same words in the same order, but for a few. Pure; the first of such texts is kept.

Two texts are compared by their shingles, runs of three words without regard to case and punctuation: what they share
over what they have (Jaccard). Texts with different figures are never near-duplicates, since a year or an amount is
often all that two true statements differ in.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import ceil
from typing import Final
from unicodedata import normalize

SHINGLE: Final = 3
NEAR: Final = 0.8
ROUNDING: Final = 1e-9

_WORD: Final = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]|[^\W_\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]+")
"""Where words are not spaced, every character is one."""

_DIGIT: Final = re.compile(r"\d")

Numbers = dict[tuple[str, ...], int]
"""Shingles, each with a number of its own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Distinct:
    """Positions of the texts that are kept, in order; for each other one that was looked at, the one it repeats."""

    kept: tuple[int, ...]
    repeats: Mapping[int, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Print:
    """What of a text is compared. `figures` are its words with a digit, and how often each comes."""

    shingles: frozenset[int]
    figures: Mapping[str, int]


def distinct(texts: Iterable[str], *, near: float = NEAR, most: int | None = None) -> Distinct:
    """Keep each text whose similarity to every text kept before it is below `near` (over 0, at most 1).

    Exact. Two such texts share one of their rarest shingles, so a text is compared only with those that do; what is
    common to all texts (a header, a disclaimer) costs nothing. When `most` are kept the rest is not looked at.
    """
    numbers: Numbers = {}
    prints: dict[int, Print] = {}
    repeats: dict[int, int] = {}
    holders: dict[int, list[int]] = {}
    for position, text in enumerate(texts):
        if len(prints) == most:
            break
        one = _print(text, numbers)
        rare = _rarest(one, near=near)
        candidates = sorted({holder for shingle in rare for holder in holders.get(shingle, ())})
        first = next((other for other in candidates if _similarity(prints[other], one) >= near), None)
        if first is not None:
            repeats[position] = first
            continue
        prints[position] = one
        for shingle in rare:
            holders.setdefault(shingle, []).append(position)
    return Distinct(kept=tuple(prints), repeats=repeats)


def similarity(one: str, other: str) -> float:
    """0 to 1: shared shingles over all of both texts, 0 where their figures differ."""
    numbers: Numbers = {}
    return _similarity(_print(one, numbers), _print(other, numbers))


def _similarity(one: Print, other: Print) -> float:
    if one.figures != other.figures:
        return 0
    shared = len(one.shingles & other.shingles)
    return shared / (len(one.shingles) + len(other.shingles) - shared)


def _print(text: str, numbers: Numbers) -> Print:
    """`numbers` grows by the shingles that are new to it."""
    words = _WORD.findall((text if text.isascii() else normalize("NFKC", text)).casefold())
    runs = _runs(words) if words else [(text.strip(),)]
    return Print(
        shingles=frozenset(numbers.setdefault(run, len(numbers)) for run in runs),
        figures=Counter(word for word in words if _DIGIT.search(word)),
    )


def _runs(words: Sequence[str]) -> Iterable[tuple[str, ...]]:
    """A text of fewer words than a shingle is one shingle of them all."""
    if len(words) < SHINGLE:
        return [tuple(words)]
    return zip(*(words[start:] for start in range(SHINGLE)), strict=False)


def _rarest(one: Print, *, near: float) -> Sequence[int]:
    """So many of the rarest shingles that a text with none of them cannot be near; both sides order them alike.

    Those that came up last count as the rarest: what is common came up in the first texts.
    """
    ordered = sorted(one.shingles, reverse=True)
    return ordered[: len(ordered) - ceil(near * len(ordered) - ROUNDING) + 1]
