"""Keeps the definitions of indexes and the values of their facets for ten minutes. A definition is read again earlier
if the service refuses a name that it gave.

The time is that of the event loop. Concurrent calls share one reading of a definition.

Facet values are read by one search that returns no documents, and read again in the background. Reference: Documents -
Search Post. The search needs only the role Search Index Data Reader. It is not a semantic query, and is not billed as
one. It has no filter and no user token, so the values may come from documents that a caller may not see. Such values
may change the order of documents. `facet_preferences.shown_to_model` decides whether a model may read them.
"""

import asyncio
import json
import logging
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from retrieval import threads
from retrieval.errors import BackendError, BackendForbidden, BackendUnanswered
from retrieval.filters.schema import Schema
from retrieval.model.definitions import IndexFields
from retrieval.model.search import Facets
from retrieval.sources.search_index.query import SERVICE
from retrieval.text.counted_noun import listed_names

if TYPE_CHECKING:
    from retrieval.sources.search_index.definition import IndexDefinition

FRESH_SECONDS: Final = 600
AGAIN_SECONDS: Final = 60
"""The pause after a failed reading."""
WAIT_SECONDS: Final = 5
"""The longest time that a call waits for a definition while it has an older one."""
READING: Final = 2
"""Reading one byte of an index definition takes as long as reading so many bytes of a document."""
MOST_NAMED: Final = 10
"""The most fields that a line of the log names."""

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class KnownDefinition:
    """The definition of an index. `index` is the name of the index, even if the definition was read for an alias.
    `schema` has the fields for the filter language."""

    index: str
    size: int
    definition: "IndexDefinition"
    schema: Schema
    _roles: dict[str | None, IndexFields] = field(default_factory=dict)

    async def roles(self, configuration: str | None) -> IndexFields:
        """The roles of the fields; None is the default semantic configuration. Raises BackendMisconfigured."""
        from retrieval.sources.search_index.definition import roles

        if configuration not in self._roles:
            work = partial(roles, self.index, self.definition, configuration=configuration)
            self._roles[configuration] = await threads.work(READING * self.size, work)
        return self._roles[configuration]


async def read(index: str, content: bytes) -> KnownDefinition:
    """A definition that the service gave for an index. Raises BackendUnavailable."""
    await threads.imported("retrieval.sources.search_index.definition")
    return await threads.work(READING * len(content), partial(_read, index, content))


def _read(index: str, content: bytes) -> KnownDefinition:
    from retrieval.sources.search_index.definition import read_definition, schema

    definition = read_definition(index, content)
    name = (definition.name or index)[:128]
    return KnownDefinition(index=name, size=len(content), definition=definition, schema=schema(definition))


async def read_alias(name: str, content: bytes) -> str:
    """The index for which an alias stands. Raises BackendUnavailable."""
    await threads.imported("retrieval.sources.search_index.definition")
    from retrieval.sources.search_index import definition

    return definition.read_alias(name, content)


class DefinitionCache:
    """The definitions by the names that are searched: indexes and aliases. `reading` reads a definition. `changed` is
    called with a name if its definition has changed."""

    def __init__(
        self, reading: Callable[[str], Awaitable[KnownDefinition]], *, changed: Callable[[str], object]
    ) -> None:
        self._reading = reading
        self._changed = changed
        self._entries: dict[str, tuple[float, KnownDefinition]] = {}
        self._refused: dict[str, float] = {}
        self._tasks: dict[str, asyncio.Task[KnownDefinition]] = {}

    async def of(self, name: str) -> KnownDefinition:
        """The definition, at most ten minutes old; an older one if it cannot be read again. Raises BackendError if
        there is no older one."""
        entry = self._entries.get(name)
        if entry is None:
            return await self._shared(name)
        until, known = entry
        return known if _now() < until else await self._renewed(name, known)

    async def permitted(self, name: str) -> KnownDefinition | None:
        """The same as `of`; None if this service may not read it. A refusal is kept for ten minutes."""
        if _now() < self._refused.get(name, 0.0):
            return None
        try:
            return await self.of(name)
        except BackendForbidden:
            self._refused[name] = _now() + FRESH_SECONDS
            return None

    def known(self, name: str) -> KnownDefinition | None:
        """The definition that was read last."""
        entry = self._entries.get(name)
        return None if entry is None else entry[1]

    async def newer(self, name: str, than: KnownDefinition) -> KnownDefinition:
        """A definition that was read after another one. If there is none, it is read now. Raises BackendError."""
        known = self.known(name)
        return await self._shared(name) if known is None or known is than else known

    async def close(self) -> None:
        """Cancel the running readings."""
        await threads.cancel(self._tasks.values())

    async def _renewed(self, name: str, older: KnownDefinition) -> KnownDefinition:
        """The definition, read anew if that succeeds in time."""
        seconds = AGAIN_SECONDS
        try:
            async with asyncio.timeout(WAIT_SECONDS):
                return await self._shared(name)
        except BackendForbidden:
            seconds = FRESH_SECONDS
        except (BackendError, TimeoutError):
            pass
        if self.known(name) is older:
            self._keep(name, older, seconds)
        return older

    async def _shared(self, name: str) -> KnownDefinition:
        if name not in self._tasks:
            self._tasks[name] = asyncio.create_task(self._read(name))
            self._tasks[name].add_done_callback(threads.mark_seen)
        return await asyncio.shield(self._tasks[name])

    async def _read(self, name: str) -> KnownDefinition:
        before = self.known(name)
        try:
            known = await self._reading(name)
        finally:
            del self._tasks[name]
        self._keep(name, known, FRESH_SECONDS)
        if before is not None and (before.index != known.index or before.definition != known.definition):
            logger.warning(_change(name, before, known))
            self._changed(name)
        return known

    def _keep(self, name: str, known: KnownDefinition, seconds: float) -> None:
        self._entries[name] = (_now() + seconds, known)


def _change(name: str, before: KnownDefinition, after: KnownDefinition) -> str:
    """The line of the log about a definition that has changed."""
    old, new = before.definition.by_path(), after.definition.by_path()
    shared = [path for path in new if path in old]
    differences = (
        ("new", [path for path in new if path not in old]),
        ("gone", [path for path in old if path not in new]),
        ("changed", [path for path in shared if old[path] != new[path]]),
    )
    parts = [f"{word}: {listed_names(paths, most=MOST_NAMED)}" for word, paths in differences if paths]
    fields = f"Its fields: {'; '.join(parts)}." if parts else "Its fields are as before."
    moved = "" if before.index == after.index else f" It is that of index {after.index!r}, and was of {before.index!r}."
    return f"The definition of index {name!r} has changed.{moved} {fields}"


def _now() -> float:
    return asyncio.get_running_loop().time()


MOST_FIELDS: Final = 20
MOST_VALUES: Final = 300
LONGEST_VALUE: Final = 200
FACETS_SECONDS: Final = 5


def facets_body(fields: IndexFields) -> dict[str, object]:
    return {"search": "*", "top": 0, "facets": [f"{name},count:{MOST_VALUES}" for name in fields.facets[:MOST_FIELDS]]}


def read_facets(content: bytes, fields: IndexFields) -> Facets:
    """The values of each field. Raises BackendUnanswered."""
    try:
        facets = json.loads(content)["@search.facets"]
        values = {name: _facet_values(facets.get(name)) for name in fields.facets[:MOST_FIELDS]}
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
        if _now() < until or index in self._tasks:
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
        facets, seconds = self._entries.get(index, (0.0, None))[1], float(AGAIN_SECONDS)
        try:
            async with asyncio.timeout(FACETS_SECONDS):
                facets, seconds = await self._reading(index), self._seconds
        except (BackendError, TimeoutError):
            pass
        finally:
            self._entries[index] = (_now() + seconds, facets)
            del self._tasks[index]


def _facet_values(buckets: Any) -> tuple[str, ...]:
    """The values of one field as texts. Empty values and values with more than LONGEST_VALUE characters are left out,
    because nobody would write them in a question."""
    values = [bucket.get("value") for bucket in buckets or () if isinstance(bucket, Mapping)]
    texts = (str(value) for value in values if isinstance(value, str | int) and not isinstance(value, bool))
    return tuple(text for text in texts if 0 < len(text) <= LONGEST_VALUE)[:MOST_VALUES]
