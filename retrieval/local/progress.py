"""The progress of a long step, for a terminal."""

import sys
from collections.abc import Callable, Iterable, Iterator
from time import monotonic
from typing import Final, TypeVar

from retrieval.text.how_many import how_many

STEP: Final = 500
BLOCK: Final = 256
"""As many documents as an index takes at once."""


T = TypeVar("T")


def opening(models: Iterable[str]) -> None:
    """A line for each model that may have to be fetched first, which takes most of a minute to fail offline."""
    for model in models:
        _told(f"opening {model}: what is not here yet is fetched", end="\n")


def shown(name: str, documents: Iterable[T], total: int) -> Iterator[T]:
    """The same documents; on a terminal, one line on standard error that counts them."""
    tell = counted(f"loading {name}", total, of="document", step=STEP)
    for number, document in enumerate(documents, 1):
        yield document
        tell(number)


def embedded(name: str, passages: Iterable[T], total: int) -> Iterator[T]:
    """The same where a model makes vectors of a block before it takes the next: with how many it makes in a second."""
    start, rate = monotonic(), ""
    for number, passage in enumerate(passages):
        if number and number % BLOCK == 0:
            rate = f", {number / max(monotonic() - start, 0.001):,.0f} a second"
            _told(f"embedding {name}: {number:,} of {total:,} passages{rate}")
        yield passage
    _told(f"embedding {name}: {total:,} passages{rate}", end="\n")


def _told(line: str, *, end: str = "") -> None:
    if sys.stderr.isatty():
        print(f"\r{line}", end=end, file=sys.stderr, flush=True)


def counted(doing: str, total: int, *, of: str, step: int = 1) -> Callable[[int], None]:
    """What writes how many of a noun are done, on one line of standard error of a terminal, and nothing elsewhere."""
    is_terminal = sys.stderr.isatty()

    def tell(number: int) -> None:
        if is_terminal and (number % step == 0 or number == total):
            end = "\n" if number == total else ""
            print(f"\r{doing}: {number:,} of {how_many(total, of)}", end=end, file=sys.stderr, flush=True)

    return tell
