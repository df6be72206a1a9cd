"""Reads the keys that sign tokens from the authority, keeps them, and refreshes them.

All concurrent callers share one read. While there are keys, calls with unknown key ids start at most one read a minute.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import Final, Generic, TypeVar

from retrieval.errors import BackendError

FRESH_SECONDS: Final = 3_600.0
"""After this time the next call starts a new read. Meanwhile calls use the known keys."""

USABLE_SECONDS: Final = 86_400.0
"""The known keys are used for at most this time after the last successful read. So a revoked key is not accepted for a
longer time."""

PAUSE_SECONDS: Final = 60.0
"""The shortest pause between two reads while there are keys. Without keys, the pause is RETRY_SECONDS."""

RETRY_SECONDS: Final = 5.0

Key = TypeVar("Key")


class SigningKeys(Generic[Key]):
    """`read` returns all keys by their ids. If `read` raises BackendError, the known keys are kept."""

    def __init__(self, read: Callable[[], Awaitable[Mapping[str, Key]]]) -> None:
        self._read = read
        self._keys: Mapping[str, Key] = {}
        self._read_at = float("-inf")
        self._tried_at = float("-inf")
        self._failure: BackendError | None = None
        self._reading: asyncio.Task[None] | None = None

    async def get(self, id: str) -> Key | None:
        """The key with this id; None if the keys of the last successful read do not include it. Raises BackendError if
        the keys could not be read and there are no usable keys."""
        key = self._usable().get(id)
        if key is None:
            reading = self._start(PAUSE_SECONDS if self._usable() else RETRY_SECONDS)
            if reading is not None:
                await asyncio.shield(reading)
            key = self._usable().get(id)
        elif _now() - self._read_at >= FRESH_SECONDS:
            self._start(PAUSE_SECONDS)
        if not self._usable() and self._failure is not None:
            raise self._failure
        return key

    async def close(self) -> None:
        """Cancel a running read of the keys."""
        if self._reading is not None:
            self._reading.cancel()

    def _usable(self) -> Mapping[str, Key]:
        return self._keys if _now() - self._read_at < USABLE_SECONDS else {}

    def _start(self, pause: float) -> asyncio.Task[None] | None:
        """The running read, or a new read. None if the last read was less than `pause` seconds ago."""
        if self._reading is None and _now() - self._tried_at >= pause:
            self._tried_at = _now()
            self._reading = asyncio.create_task(self._once())
        return self._reading

    async def _once(self) -> None:
        try:
            self._keys, self._failure = await self._read(), None
            self._read_at = _now()
        except BackendError as error:
            self._failure = error
        finally:
            self._reading = None
            self._tried_at = _now()


def _now() -> float:
    return asyncio.get_running_loop().time()
