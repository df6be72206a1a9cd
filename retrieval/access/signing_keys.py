"""The keys that tokens are signed with: read from the authority, kept, and refreshed.

Any number of callers share one reading. Unknown keys start a reading at most once a minute, however many there are.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import Final, Generic, TypeVar

from retrieval.errors import BackendError

FRESH_SECONDS: Final = 3_600.0
"""After this time the keys are read again. Calls meanwhile use the known keys."""

USABLE_SECONDS: Final = 86_400.0
"""Without a reading for this time no token is accepted, so that a revoked key is not used for longer."""

PAUSE_SECONDS: Final = 60.0
"""The pause between readings while there are keys. Without keys the pause is RETRY_SECONDS."""

RETRY_SECONDS: Final = 5.0

Key = TypeVar("Key")


class SigningKeys(Generic[Key]):
    """`read` gives all keys by their ids. If it raises BackendError, the known keys stay."""

    def __init__(self, read: Callable[[], Awaitable[Mapping[str, Key]]]) -> None:
        self._read = read
        self._keys: Mapping[str, Key] = {}
        self._read_at = float("-inf")
        self._tried_at = float("-inf")
        self._failure: BackendError | None = None
        self._reading: asyncio.Task[None] | None = None

    async def get(self, id: str) -> Key | None:
        """The key of that id, None when the authority knows none. Raises BackendError when there are no keys at all."""
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
        """End a reading that is under way."""
        if self._reading is not None:
            self._reading.cancel()

    def _usable(self) -> Mapping[str, Key]:
        return self._keys if _now() - self._read_at < USABLE_SECONDS else {}

    def _start(self, pause: float) -> asyncio.Task[None] | None:
        """The reading that is under way, or a new one; None within the pause after the last."""
        if self._reading is None and _now() - self._tried_at >= pause:
            self._tried_at = _now()
            self._reading = asyncio.create_task(self._once())
        return self._reading

    async def _once(self) -> None:
        try:
            self._keys = await self._read()
            self._read_at = _now()
        except BackendError as error:
            self._failure = error
        finally:
            self._reading = None
            self._tried_at = _now()


def _now() -> float:
    return asyncio.get_running_loop().time()
