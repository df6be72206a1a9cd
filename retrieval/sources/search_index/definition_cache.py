"""Keeps the definitions of indexes for ten minutes. A definition is read again earlier if the service refuses a name
that it gave.

The time is that of the event loop. Concurrent calls share one reading of a definition.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Final, TypeVar

from retrieval import threads
from retrieval.errors import BackendError, BackendForbidden
from retrieval.filters.schema import Schema
from retrieval.model.definitions import IndexFields
from retrieval.text.counted_noun import listed_names

if TYPE_CHECKING:
    from retrieval.sources.search_index.definition import IndexDefinition

FRESH_SECONDS: Final = 600
AGAIN_SECONDS: Final = 60
"""The pause after a failed reading, while an older definition is used."""
WAIT_SECONDS: Final = 5
"""The longest time that a call waits for a definition while it has an older one."""
READING: Final = 2
"""Reading one byte of an index definition takes as long as reading so many bytes of a document."""
MOST_NAMED: Final = 10
"""The most fields that a line of the log names."""

logger = logging.getLogger(__name__)

Value = TypeVar("Value")


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
    await threads.once(_load)
    return await threads.work(READING * len(content), partial(_read, index, content))


def _read(index: str, content: bytes) -> KnownDefinition:
    from retrieval.sources.search_index.definition import read_definition, schema

    definition = read_definition(index, content)
    name = (definition.name or index)[:128]
    return KnownDefinition(index=name, size=len(content), definition=definition, schema=schema(definition))


async def read_alias(name: str, content: bytes) -> str:
    """The index for which an alias stands. Raises BackendUnavailable."""
    await threads.once(_load)
    from retrieval.sources.search_index import definition

    return definition.read_alias(name, content)


@dataclass(frozen=True, slots=True, kw_only=True)
class TimedDefinition:
    """A definition that is used until a time of the event loop."""

    known: KnownDefinition
    until: float


class DefinitionCache:
    """The definitions by the names that are searched: indexes and aliases. `reading` reads a definition. `changed` is
    called with a name if its definition has changed."""

    def __init__(
        self, reading: Callable[[str], Awaitable[KnownDefinition]], *, changed: Callable[[str], object]
    ) -> None:
        self._reading = reading
        self._changed = changed
        self._entries: dict[str, TimedDefinition] = {}
        self._refused: dict[str, float] = {}
        self._tasks: dict[str, asyncio.Task[KnownDefinition]] = {}

    async def of(self, name: str) -> KnownDefinition:
        """The definition, at most ten minutes old; an older one if it cannot be read again. Raises BackendError if
        there is no older one."""
        entry = self._entries.get(name)
        if entry is None:
            return await self._shared(name)
        if _now() >= entry.until:
            return await self._renewed(name, entry.known)
        return entry.known

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
        return None if entry is None else entry.known

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
        self._entries[name] = TimedDefinition(known=known, until=_now() + seconds)


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


def _load() -> None:
    from retrieval.sources.search_index import definition  # noqa: F401
