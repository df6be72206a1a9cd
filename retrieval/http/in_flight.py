"""The requests under way in this process, and their limit."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from retrieval.errors import Overloaded

RETRY_AFTER_SECONDS: Final = 1


class InFlight:
    """Counts the requests under way; one too many is refused at once."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._count = 0

    @contextmanager
    def one(self) -> Iterator[None]:
        """Raises Overloaded when `limit` are under way."""
        if self._count >= self._limit:
            raise Overloaded(self._limit, retry_after=RETRY_AFTER_SECONDS)
        self._count += 1
        try:
            yield
        finally:
            self._count -= 1
