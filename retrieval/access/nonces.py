"""The nonces of signed calls: each is accepted once. They are in the memory of one instance, and bounded.

When there are too many, the oldest is forgotten, and from then on calls signed as early as that one are refused.
"""

import heapq
from datetime import datetime, timedelta
from typing import Final

MOST: Final = 100_000


class Nonces:
    """Remembers the nonces of the last `window`; calls that were signed before it must not come here."""

    def __init__(self, window: timedelta, *, most: int = MOST) -> None:
        self._window = window
        self._most = most
        self._entries: set[tuple[str, str]] = set()
        self._by_date: list[tuple[datetime, tuple[str, str]]] = []
        self._floor: datetime | None = None

    def is_new(self, key: str, nonce: str, *, signed_at: datetime, now: datetime) -> bool:
        """Whether that key sends that nonce for the first time. Remembers the nonce."""
        self._forget_before(now - self._window)
        entry = (key, nonce)
        if entry in self._entries or (self._floor is not None and signed_at <= self._floor):
            return False
        self._entries.add(entry)
        heapq.heappush(self._by_date, (signed_at, entry))
        if len(self._entries) > self._most:
            self._floor = self._by_date[0][0]
            self._forget()
        return True

    def _forget_before(self, start: datetime) -> None:
        while self._by_date and self._by_date[0][0] < start:
            self._forget()

    def _forget(self) -> None:
        self._entries.discard(heapq.heappop(self._by_date)[1])
