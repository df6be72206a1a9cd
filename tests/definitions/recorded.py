"""Stores that record what is written, and let one call of two instances through at a time, in a drawn order."""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Generic, TypeVar

from retrieval.errors import BackendUnavailable
from retrieval.model.definitions import Agent, Defined, Kept, Source, Stored, Target, WriteResult
from retrieval.model.precondition import Precondition
from retrieval.ports import DefinitionStore
from tests.definitions.test_cache import Clock, settle

Result = TypeVar("Result")

WHOLE: Final = frozenset({"the whole index"})


class Turns:
    """While two operations race, the calls of their instances take turns as drawn. Those of a late one wait."""

    def __init__(self) -> None:
        self._changed = asyncio.Condition()
        self._order: deque[int] = deque()
        self._racing: set[int] = set()
        self._calls = 0
        self._busy = False
        self.late: set[int] = set()
        self.away: set[int] = set()
        self.waiting = asyncio.Event()

    async def take(self, instance: int, call: Callable[[], Awaitable[Result]]) -> Result:
        """Raises BackendUnavailable where the store is away."""
        if instance in self.away:
            raise BackendUnavailable("The agent store", "failed (503).")
        self._calls += 1
        try:
            async with self._changed:
                if instance in self.late:
                    self.waiting.set()
                await self._changed.wait_for(lambda: self._is_turn_of(instance))
                self._busy = True
            return await call()
        finally:
            self._calls -= 1
            self._busy = False
            await self._tell()

    def _is_turn_of(self, instance: int) -> bool:
        if self._busy or instance in self.late:
            return False
        while self._order and self._order[0] not in self._racing:
            self._order.popleft()
        if self._order and self._order[0] != instance:
            return False
        if self._order:
            self._order.popleft()
        return True

    async def race(self, order: Sequence[int], *operations: Awaitable[object]) -> None:
        """The first operation is the first instance's."""
        self._order, self._racing = deque(order), set(range(len(operations)))

        async def ended(instance: int, operation: Awaitable[object]) -> None:
            await operation
            self._racing.discard(instance)
            await self._tell()

        await asyncio.gather(*(ended(instance, operation) for instance, operation in enumerate(operations)))

    async def back(self, instance: int) -> None:
        """Neither late nor away any more; what waited goes on."""
        self.late.discard(instance)
        self.away.discard(instance)
        self.waiting.clear()
        await self._tell()

    async def quiet(self) -> None:
        """Return when nobody asks any more."""
        while self._calls:
            async with self._changed:
                await self._changed.wait_for(lambda: not self._calls)
            await settle()

    async def _tell(self) -> None:
        async with self._changed:
            self._changed.notify_all()


class History:
    """What the stores held when, and so which pages each agent might show. A page is that of a filter."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._shown: list[tuple[float, Mapping[str, frozenset[str]]]] = [(clock.now, {})]
        self._filtered: set[tuple[str, str]] = set()
        self.agents: dict[str, Agent] = {}
        self.sources: dict[str, Source] = {}

    def wrote(self, value: Agent | Source) -> None:
        if isinstance(value, Agent):
            self.agents[value.name] = value
        else:
            self.sources[value.name] = value
        self._look()

    def removed(self, kind: str, name: str) -> None:
        (self.agents if kind == "agent" else self.sources).pop(name, None)
        self._look()

    def allowed(self, agent: str, *, since: float) -> frozenset[str]:
        """All that it might show at a moment since that time."""
        before = max((place for place, (at, _) in enumerate(self._shown) if at < since), default=0)
        return frozenset[str]().union(*(shown.get(agent, frozenset()) for _, shown in self._shown[before:]))

    def _look(self) -> None:
        self._filtered &= {(one.name, target.source_name) for one in self.agents.values() for target in one.targets}
        shown = {
            one.name: frozenset[str]().union(*(self._pages(one.name, target) for target in one.targets))
            for one in self.agents.values()
        }
        self._shown.append((self._clock.now, shown))

    def _pages(self, agent: str, target: Target) -> frozenset[str]:
        """What nobody has put is what the service made of an index; that takes no place of a filter that held."""
        source, pair = self.sources.get(target.source_name), (agent, target.source_name)
        if source is not None and source.base_filter is not None:
            self._filtered.add(pair)
            return frozenset({source.base_filter.split("'")[1]})
        is_put = source is not None and source.description is not None
        is_implied = pair not in self._filtered and (source is not None or target.source is None)
        return WHOLE if is_put or is_implied else frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedStore(Generic[Defined]):
    """A store as one instance has it."""

    store: DefinitionStore[Defined]
    instance: int
    turns: Turns
    history: History
    kind: str

    async def get(self, name: str, *, copy: Stored[Defined] | None = None) -> Stored[Defined] | None:
        return await self.turns.take(self.instance, lambda: self.store.get(name, copy=copy))

    async def list(self) -> tuple[Kept[Defined], ...]:
        return await self.turns.take(self.instance, self.store.list)

    async def put(self, value: Defined, *, when: Precondition, seed: str | None = None) -> WriteResult[Defined]:
        async def put() -> WriteResult[Defined]:
            written = await self.store.put(value, when=when, seed=seed)
            self.history.wrote(value)
            return written

        return await self.turns.take(self.instance, put)

    async def delete(self, name: str, *, when: Precondition) -> bool:
        async def delete() -> bool:
            deleted = await self.store.delete(name, when=when)
            self.history.removed(self.kind, name)
            return deleted

        return await self.turns.take(self.instance, delete)
