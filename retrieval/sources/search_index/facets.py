"""Reads the facet values of an index by one search that returns no documents. The search is repeated in the background.

Reference: Documents - Search Post. The search needs only the role Search Index Data Reader. It is not a semantic query,
and is not billed as one. It has no filter and no user token, so the values may come from documents that a caller may
not see. Such values may change the order of documents. `preferences.shown_to_model` decides whether a model may
read them.
"""

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Final

from retrieval import threads
from retrieval.errors import BackendError, BackendUnanswered
from retrieval.model.definitions import IndexFields
from retrieval.model.search import Facets
from retrieval.sources.search_index.body import SERVICE

MOST_FIELDS: Final = 20
MOST_VALUES: Final = 300
LONGEST_VALUE: Final = 200
READ_SECONDS: Final = 5
FRESH_SECONDS: Final = 600
AGAIN_SECONDS: Final = 60
"""The pause after a failed read before the next read."""


def body(fields: IndexFields) -> dict[str, object]:
    return {"search": "*", "top": 0, "facets": [f"{name},count:{MOST_VALUES}" for name in fields.facets[:MOST_FIELDS]]}


def read(content: bytes, fields: IndexFields) -> Facets:
    """The values of each field. Raises BackendUnanswered."""
    try:
        facets = json.loads(content)["@search.facets"]
        values = {name: _values(facets.get(name)) for name in fields.facets[:MOST_FIELDS]}
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        raise BackendUnanswered(SERVICE, "gave facets that cannot be read.", why="unreadable") from None
    texts_by_field = {name: texts for name, texts in values.items() if texts}
    return Facets(
        values=texts_by_field, dates=fields.dates, languages=fields.languages, has_vectors=bool(fields.vectors)
    )


class FacetCache:
    """Keeps the facets of each index for ten minutes. While facets are read again, calls get the older facets. No call
    fails because facets are missing."""

    def __init__(self, reading: Callable[[str], Awaitable[Facets]], *, seconds: float = FRESH_SECONDS) -> None:
        self._reading = reading
        self._seconds = seconds
        self._entries: dict[str, tuple[float, Facets | None]] = {}
        self._tasks: dict[str, asyncio.Task[None]] = {}

    async def of(self, index: str) -> Facets | None:
        """The facets of the index; None if they are not available. The first call for an index waits until the read
        ends. Other calls do not wait."""
        until, facets = self._entries.get(index, (0.0, None))
        if asyncio.get_running_loop().time() < until or index in self._tasks:
            return facets
        reading = self._tasks[index] = asyncio.create_task(self._read(index))
        if index not in self._entries:
            await asyncio.shield(reading)
            facets = self._entries.get(index, (0.0, None))[1]
        return facets

    def forget(self, index: str) -> None:
        """Forget the facets of an index, whose fields have changed."""
        self._entries.pop(index, None)

    async def close(self) -> None:
        """Cancel the running reads."""
        await threads.cancel(self._tasks.values())

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
    """The values of one field as texts. Empty values and values with more than LONGEST_VALUE characters are left out,
    because nobody would write them in a question."""
    values = [bucket.get("value") for bucket in buckets or () if isinstance(bucket, Mapping)]
    texts = (str(value) for value in values if isinstance(value, str | int) and not isinstance(value, bool))
    return tuple(text for text in texts if 0 < len(text) <= LONGEST_VALUE)[:MOST_VALUES]
