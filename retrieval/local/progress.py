"""The progress of a long step at the start, for a terminal."""

import sys
from collections.abc import Iterable, Iterator
from typing import Final, TypeVar

STEP: Final = 500

T = TypeVar("T")


def shown(name: str, documents: Iterable[T], total: int) -> Iterator[T]:
    """The same documents; on a terminal, one line on standard error that counts them."""
    is_terminal = sys.stderr.isatty()
    for number, document in enumerate(documents, 1):
        yield document
        if is_terminal and (number % STEP == 0 or number == total):
            end = "\n" if number == total else ""
            print(f"\rloading {name}: {number:,} of {total:,} documents", end=end, file=sys.stderr, flush=True)
