"""Processor time in units that every machine shares: the seconds of the processor on which the limits were chosen.

The same call took 3.6 ms of one machine and 10.6 ms of another of the same kind, so seconds alone say how much
somebody else's work slows a shared processor, and not how much work there is.
"""

import re
from functools import cache
from time import process_time as seconds
from typing import Final

WORK_SECONDS: Final = 0.015
"""What the fixed work takes where limits of 50 ms were chosen: half of what it takes on the slower machine, whose
calls took three times as long."""

RUNS: Final = 5
MOST: Final = 3.0
"""A processor that seems slower than this is not excused further."""

_TEXT: Final = "abcdefghijklmnopqrstuvwxyz" * 770


def process_time() -> float:
    """The processor time of this process, in seconds of the processor on which the limits were chosen."""
    slowness = _slowness()
    return seconds() / slowness


def measure_again() -> None:
    """Measure the processor anew. Another tenant may have come since: work of 27 ms was once seen to take 52."""
    _slowness.cache_clear()


@cache
def _slowness() -> float:
    """How many times as long the fixed work takes here, at least 1."""
    return min(MOST, max(1.0, min(_worked() for _ in range(RUNS)) / WORK_SECONDS))


def _worked() -> float:
    began = seconds()
    counts: dict[int, int] = {}
    for turn in range(10):
        for word in re.findall("[a-m]+", _TEXT):
            counts[turn] = counts.get(turn, 0) + len(word)
        for number in range(20_000):
            counts[number % 997] = counts.get(number % 997, 0) + number
    return seconds() - began
