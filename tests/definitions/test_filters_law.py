"""A law of two instances over one store: no document comes out that no filter lets out.

Whatever is put, deleted, lost or late, in any order and at the same time, an agent shows what it and its sources let
out together at one moment of the last seconds (or ever, on an instance whose store was late or away): never what a
source became after the agent had left it, and never the whole index where a filter had held.
"""

import asyncio
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AsyncExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any, Final, TypeAlias
from uuid import uuid4

import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st

from retrieval.compose import compose_service
from retrieval.compose.definitions import compose_definitions
from retrieval.compose.definitions_file import Defined
from retrieval.definitions.cache import SECONDS
from retrieval.http.rooms import Stores
from retrieval.http.service import Service
from retrieval.settings.settings import Settings
from tests.definitions.instances import (
    ADMIN,
    INDEX,
    PAGES,
    Place,
    agent,
    asked,
    base,
    pages,
    send,
    source,
)
from tests.definitions.recorded import WHOLE, History, RecordedStore, Turns
from tests.definitions.test_cache import Clock
from tests.laws import law
from tests.sampling import sample

SETTINGS: Final = Settings(local=True, agents_store="memory", admin_api_keys=(ADMIN,))
AGENT_NAMES: Final = st.sampled_from(["x", "y"])
SOURCE_NAMES: Final = st.sampled_from(["s", "t", INDEX])
INSTANCES: Final = st.sampled_from([0, 1])

Operation: TypeAlias = tuple[str, str, object]
"""A method, a path and a body."""

OPERATIONS: Final[st.SearchStrategy[Operation]] = st.one_of(
    st.builds(
        lambda name, page: ("PUT", f"knowledgesources/{name}", source(name, page)),
        SOURCE_NAMES,
        st.sampled_from([*PAGES, *PAGES, None]),
    ),
    st.builds(
        lambda name, sources: ("PUT", f"knowledgebases/{name}", base(name, *sources)),
        AGENT_NAMES,
        st.lists(SOURCE_NAMES, min_size=1, max_size=2, unique=True),
    ),
    st.builds(lambda name: ("PUT", f"agents/{name}", agent(name)), AGENT_NAMES),
    st.builds(lambda name: ("DELETE", f"agents/{name}", None), AGENT_NAMES),
    st.builds(lambda name: ("DELETE", f"knowledgesources/{name}", None), SOURCE_NAMES),
)


class World:
    """Two instances, each with its memory; over one store, which is asked by one at a time."""

    def __init__(self, service: Service, place: Place, held: AsyncExitStack) -> None:
        self.clock, self.turns = Clock(), Turns()
        self.history = History(self.clock)
        self._service = service
        self._place = place
        self._held = held
        self._instances = [self._started(0), self._started(1)]
        self._forgetful = {0, 1}
        """The instances whose store was never late nor away."""
        self._pending: list[tuple[asyncio.Task[object], int]] = []

    async def do(self, instance: int, operation: Operation) -> None:
        await self.back(instance)
        await send(self._instances[instance], *operation)

    async def race(self, first: Operation, second: Operation, order: Sequence[int]) -> None:
        for instance in (0, 1):
            await self.back(instance)
        one, other = self._instances
        await self.turns.race(order, send(one, *first), send(other, *second))

    async def ask_meanwhile(self, name: str, operations: Sequence[Operation], order: Sequence[int]) -> None:
        """The second instance remembers nothing, and reads while the first writes."""
        await self.back(0)
        await self.restart(1)

        async def write() -> None:
            for operation in operations:
                await send(self._instances[0], *operation)

        await self.turns.race(order, write(), self._ask(1, name))

    async def lose(self, kind: str, name: str) -> None:
        if name in (self.history.agents if kind == "agent" else self.history.sources):
            await self._place.lose(kind, name)
            self.history.removed(kind, name)

    async def wait(self, seconds: float) -> None:
        self.clock.now += seconds

    async def restart(self, instance: int) -> None:
        await self.back(instance)
        self._instances[instance] = self._started(instance)
        self._forgetful.add(instance)

    async def late(self, instance: int) -> None:
        self.turns.late.add(instance)
        self._forgetful.discard(instance)

    async def away(self, instance: int) -> None:
        self.turns.away.add(instance)
        self._forgetful.discard(instance)

    async def back(self, instance: int) -> None:
        await self.turns.back(instance)
        for task, _ in [one for one in self._pending if one[1] == instance]:
            await task
        self._pending = [one for one in self._pending if one[1] != instance]

    async def ask(self, instance: int, name: str) -> None:
        """Where the store is late, what is not remembered is answered when it is back."""
        task = asyncio.create_task(self._ask(instance, name))
        if instance not in self.turns.late:
            return await task
        self.turns.waiting.clear()
        waiting = asyncio.create_task(self.turns.waiting.wait())
        await asyncio.wait({task, waiting}, return_when=asyncio.FIRST_COMPLETED)
        waiting.cancel()
        self._pending.append((task, instance))

    async def end(self) -> None:
        """Everything is asked: as it is remembered, as it is stored, and by instances that remember nothing."""
        for afterwards in (lambda one: self.wait(0), lambda one: self.wait(SECONDS), self.restart):
            for instance in (0, 1):
                await self.back(instance)
                await afterwards(instance)
                for name in ("x", "y"):
                    await self.ask(instance, name)
        await self.turns.quiet()

    async def _ask(self, instance: int, name: str) -> None:
        since = self.clock.now - SECONDS if instance in self._forgetful else 0
        shown = pages(await asked(self._instances[instance], name))
        allowed = self.history.allowed(name, since=since)
        assert allowed >= WHOLE or shown <= allowed, (name, shown, allowed)

    def _started(self, instance: int) -> Service:
        agents, sources = self._place.stores(self._held)
        recorded: dict[str, Any] = {"instance": instance, "turns": self.turns, "history": self.history}
        store = Stores(
            agents=RecordedStore(store=agents, kind="agent", **recorded),
            sources=RecordedStore(store=sources, kind="source", **recorded),
        )
        return replace(self._service, agents=compose_definitions(SETTINGS, store, Defined(), ticks=self.clock).agents)


Step: TypeAlias = tuple[Callable[..., Awaitable[None]], tuple[Any, ...]]

ASKED: Final = st.tuples(st.just(World.ask), st.tuples(INSTANCES, AGENT_NAMES))
DONE: Final = st.tuples(st.just(World.do), st.tuples(INSTANCES, OPERATIONS))
LOST: Final = st.tuples(st.just("source"), SOURCE_NAMES) | st.tuples(st.just("agent"), AGENT_NAMES)
LEFT: Final = st.tuples(
    st.builds(lambda name: ("PUT", f"knowledgebases/{name}", base(name, "t")), AGENT_NAMES),
    st.builds(lambda name: ("PUT", f"knowledgesources/{name}", source(name)), SOURCE_NAMES),
)
"""A base leaves its source, and the source is widened."""
STEPS: Final[st.SearchStrategy[Step]] = st.one_of(
    ASKED,
    ASKED,
    DONE,
    DONE,
    st.tuples(st.just(World.race), st.tuples(OPERATIONS, OPERATIONS, st.lists(INSTANCES, max_size=16))),
    st.tuples(st.just(World.ask_meanwhile), st.tuples(AGENT_NAMES, LEFT, st.lists(INSTANCES, max_size=24))),
    st.tuples(st.just(World.lose), LOST),
    st.tuples(st.just(World.wait), st.tuples(st.sampled_from([2.0, 3.0, SECONDS]))),
    st.tuples(st.sampled_from([World.restart, World.late, World.away, World.back]), st.tuples(INSTANCES)),
)


FIRST: Final[Sequence[Operation]] = [
    *(("PUT", f"knowledgesources/{name}", source(name, page)) for name, page in zip(("s", "t"), PAGES, strict=False)),
    ("PUT", "knowledgebases/x", base("x", "s")),
    ("PUT", "agents/y", agent("y")),
    ("PUT", f"knowledgesources/{INDEX}", source(INDEX, PAGES[-1])),
]
"""What there is at first: a base over a source, an agent over an index, each with a filter."""


@pytest.fixture
async def service() -> AsyncIterator[Service]:
    service = compose_service(SETTINGS)
    yield service
    await service.process.close()


@pytest.mark.parametrize("kind", sample(["file", "table"], every=2))
@given(steps=st.lists(STEPS, min_size=6, max_size=16))
@law(100, suppress=(HealthCheck.function_scoped_fixture,))
async def test_nothing_comes_out_that_no_filter_lets_out(
    kind: str, steps: list[Step], service: Service, request: pytest.FixtureRequest
) -> None:
    async with AsyncExitStack() as held:
        if kind == "file":
            place = Place(address=str(Path(held.enter_context(tempfile.TemporaryDirectory()), "agents.json")))
        else:
            place = Place(address=request.getfixturevalue("table_endpoint"), table=f"t{uuid4().hex}")
        world = World(service, place, held)
        for operation in FIRST:
            await world.do(0, operation)
        for step, told in steps:
            await step(world, *told)
        await world.end()
