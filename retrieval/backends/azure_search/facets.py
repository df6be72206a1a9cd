"""The values of an index's facets: one search for no documents, repeated beside the calls.

Reference: Documents - Search Post. It needs no more than Search Index Data Reader, and is neither ranked nor billed as
semantic. It sees all documents, whoever calls, which is safe: the values only order documents that a caller may see.
"""

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from typing import Any, Final

from retrieval.backends.azure_search.body import SERVICE
from retrieval.errors import BackendError, BackendUnavailable
from retrieval.model.definitions import IndexFields
from retrieval.model.search import Facets

MOST_FIELDS: Final = 20
MOST_VALUES: Final = 300
LONGEST_VALUE: Final = 200
READ_SECONDS: Final = 5
FRESH_SECONDS: Final = 600
AGAIN_SECONDS: Final = 60
"""The pause before another reading, after a failure."""


def body(fields: IndexFields) -> dict[str, object]:
    return {"search": "*", "top": 0, "facets": [f"{name},count:{MOST_VALUES}" for name in fields.facets[:MOST_FIELDS]]}


def read(content: bytes, fields: IndexFields) -> Facets:
    """The values of each field. Raises BackendUnavailable."""
    try:
        facets = json.loads(content)["@search.facets"]
        values = {name: _values(facets.get(name)) for name in fields.facets[:MOST_FIELDS]}
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        raise BackendUnavailable(SERVICE, "gave facets that cannot be read.") from None
    texts_by_field = {name: texts for name, texts in values.items() if texts}
    return Facets(values=texts_by_field, dates=fields.dates, languages=fields.languages)


class FacetCache:
    """Keeps the facets of each index for ten minutes. Older facets serve while they are read again. No call fails for
    lack of them."""

    def __init__(self, reading: Callable[[str], Awaitable[Facets]], *, seconds: float = FRESH_SECONDS) -> None:
        self._reading = reading
        self._seconds = seconds
        self._entries: dict[str, tuple[float, Facets | None]] = {}
        self._tasks: dict[str, asyncio.Task[None]] = {}

    async def of(self, index: str) -> Facets | None:
        """The facets, None where they cannot be read. The first call of an index waits for them, others do without."""
        until, facets = self._entries.get(index, (0.0, None))
        if asyncio.get_running_loop().time() < until or index in self._tasks:
            return facets
        reading = self._tasks[index] = asyncio.create_task(self._read(index))
        if index not in self._entries:
            await asyncio.shield(reading)
            facets = self._entries[index][1]
        return facets

    async def close(self) -> None:
        """Give up the readings that are under way."""
        for task in tuple(self._tasks.values()):
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task

    async def _read(self, index: str) -> None:
        loop, facets, seconds = (
            asyncio.get_running_loop(),
            self._entries.get(index, (0.0, None))[1],
            float(AGAIN_SECONDS),
        )
        try:
            async with asyncio.timeout(READ_SECONDS):
                facets, seconds = await self._reading(index), self._seconds
        except (BackendError, TimeoutError):
            pass
        finally:
            self._entries[index] = (loop.time() + seconds, facets)
            del self._tasks[index]


def _values(buckets: Any) -> tuple[str, ...]:
    """The values of one field, without values that nobody would write in a question."""
    values = [bucket.get("value") for bucket in buckets or () if isinstance(bucket, Mapping)]
    texts = (str(value) for value in values if isinstance(value, str | int) and not isinstance(value, bool))
    return tuple(text for text in texts if 0 < len(text) <= LONGEST_VALUE)[:MOST_VALUES]
