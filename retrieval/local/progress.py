"""The progress of a long step, for a terminal and for a log."""

import sys
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager
from threading import Event, Thread
from time import monotonic
from typing import Final, Protocol, TypeVar

from retrieval.text.counted_noun import how_many

STEP: Final = 500
BLOCK: Final = 256
"""As many documents as an index takes at once."""

EVERY: Final = 10.0
"""Seconds between the lines of a log."""

T = TypeVar("T")


class Ended(Protocol):
    """An event of threading."""

    def wait(self, timeout: float) -> bool: ...

    def set(self) -> None: ...


def opening(models: Iterable[str]) -> None:
    """A line for each model that may have to be fetched first, which takes most of a minute to fail offline."""
    for model in models:
        _told(f"opening {model}: what is not here yet is fetched", end="\n")


def shown(name: str, documents: Iterable[T], total: int) -> Iterator[T]:
    """The same documents, counted on standard error."""
    tell = counted(f"loading {name}", total, of="document", step=STEP)
    for number, document in enumerate(documents, 1):
        yield document
        tell(number)


def embedded(name: str, passages: Iterable[T], total: int, *, ended: Ended | None = None) -> Generator[T, None, None]:
    """The same where a model makes vectors of a block before it takes the next: with how many it makes in a second.

    Elsewhere than on a terminal it is a line every ten seconds. `ended` is awaited between them.
    """
    start, done, rate = monotonic(), 0, ""

    def line() -> str:
        return f"embedding {name}: {done:,} of {total:,} passages{rate}"

    with _lines(line, ended or Event()) as is_told:
        for number, passage in enumerate(passages):
            if number and number % BLOCK == 0:
                done, rate = number, f", {number / max(monotonic() - start, 0.001):,.0f} a second"
                _told(line())
            yield passage
        done = total
    _told(f"embedding {name}: {total:,} passages{rate}", end="\n")
    if is_told():
        print(line(), file=sys.stderr, flush=True)


@contextmanager
def _lines(line: Callable[[], str], ended: Ended) -> Iterator[Callable[[], bool]]:
    """Writes a line every ten seconds until the block ends, where standard error is no terminal; whether it wrote."""
    count = 0

    def write() -> None:
        nonlocal count
        while not ended.wait(EVERY):
            count += 1
            print(line(), file=sys.stderr, flush=True)

    if sys.stderr.isatty():
        yield lambda: False
        return
    thread = Thread(target=write, daemon=True)
    thread.start()
    try:
        yield lambda: count > 0
    finally:
        ended.set()
        thread.join()


def _told(line: str, *, end: str = "") -> None:
    if sys.stderr.isatty():
        print(f"\r{line}", end=end, file=sys.stderr, flush=True)


def counted(
    doing: str, total: int, *, of: str, step: int = 1, clock: Callable[[], float] = monotonic
) -> Callable[[int], None]:
    """What writes how many of a noun are done: on one line of a terminal, elsewhere a line after every ten seconds."""
    is_terminal, told_at = sys.stderr.isatty(), clock()

    def tell(number: int) -> None:
        nonlocal told_at
        line = f"{doing}: {number:,} of {how_many(total, of)}"
        if not is_terminal and clock() - told_at >= EVERY:
            told_at = clock()
            print(line, file=sys.stderr, flush=True)
        elif is_terminal and (number % step == 0 or number == total):
            _told(line, end="\n" if number == total else "")

    return tell
