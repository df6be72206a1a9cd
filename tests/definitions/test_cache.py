"""Lookups: how seldom the store is asked, and when a change is seen. The clock is the test's."""

import asyncio
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Final

import pytest

from retrieval.definitions.cache import SECONDS, AgentCache
from retrieval.definitions.file_store import FileStore
from retrieval.definitions.seeded_store import MemoryStore, SeededStore
from retrieval.definitions.stored_json import AGENTS, SOURCES
from retrieval.errors import BackendUnavailable, PreconditionFailed, UnreadableDefinitions
from retrieval.model.definitions import Agent, Source, Stored, Target
from retrieval.model.precondition import ABSENT, ANY, UNCONDITIONAL, Precondition
from retrieval.ports import DefinitionStore

AGENT: Final = Agent(name="atlas", targets=(Target(index="atlas"),))
CHANGED: Final = replace(AGENT, description="changed")
FIRST: Final = 2
"""How often a store is asked by a reading of what is not known, or has changed: before its sources and after them."""


class Clock:
    """Stands until it is told to go on."""

    def __init__(self) -> None:
        self.now = 1_000.0

    def __call__(self) -> float:
        return self.now


class WatchedStore(MemoryStore[Agent]):
    """Counts what it is asked, holds back answers that it has found, and fails, as it is told."""

    def __init__(self, *agents: Agent) -> None:
        super().__init__(agents)
        self.asked: list[tuple[str, Stored[Agent] | None]] = []
        self.failing = False
        self.failing_lists = False
        self.unreadable = False
        self.free = asyncio.Event()
        self.free.set()

    async def get(self, name: str, *, copy: Stored[Agent] | None = None) -> Stored[Agent] | None:
        self.asked.append((name, copy))
        found = await super().get(name, copy=copy)
        await self.free.wait()
        self._fail()
        if self.unreadable:
            raise UnreadableDefinitions("The agent store", (name,))
        return found

    async def list(self) -> tuple[Stored[Agent], ...]:
        self._fail()
        if self.failing_lists:
            raise BackendUnavailable("The agent store", "failed (503).")
        return await super().list()

    def _fail(self) -> None:
        if self.failing:
            raise BackendUnavailable("The agent store", "failed (503).")


async def settle() -> None:
    """Let whatever can run, run."""
    for _ in range(10):
        await asyncio.sleep(0)


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def store() -> WatchedStore:
    return WatchedStore(AGENT)


class Looked:
    """The lookups over a store, and the store as the instance has it; agents as they are stored, without sources."""

    def __init__(self, store: DefinitionStore[Agent], clock: Clock, seeds: Iterable[Agent] = ()) -> None:
        self.agents = SeededStore(store, AGENTS, seeds=seeds)
        self.sources = SeededStore(MemoryStore[Source](), SOURCES)
        self.lookups = AgentCache(self.agents, self.sources, {}, ticks=clock)

    async def find(self, name: str) -> Agent | None:
        found = await self.lookups.find(name)
        if found is None:
            return None
        assert all(target.bound is not None for target in found.targets)
        return replace(found, targets=tuple(replace(target, bound=None) for target in found.targets))


@pytest.fixture
def cache(store: WatchedStore, clock: Clock) -> Looked:
    return Looked(store, clock)


async def test_a_thousand_lookups_in_a_moment_ask_once(cache: Looked, store: WatchedStore) -> None:
    assert [await cache.find("atlas") for _ in range(1_000)] == [AGENT] * 1_000
    assert len(store.asked) == FIRST


async def test_lookups_at_the_same_time_share_one_reading(cache: Looked, store: WatchedStore) -> None:
    store.free.clear()
    lookups = [asyncio.create_task(cache.find("atlas")) for _ in range(50)]
    await settle()
    lookups[0].cancel()
    store.free.set()
    assert await asyncio.gather(*lookups[1:]) == [AGENT] * 49
    assert len(store.asked) == FIRST


async def test_an_agent_in_use_is_read_again_without_anybody_waiting(
    cache: Looked, store: WatchedStore, clock: Clock
) -> None:
    await cache.find("atlas")
    await store.put(CHANGED, when=UNCONDITIONAL)
    clock.now += SECONDS * 0.6
    store.free.clear()
    assert await cache.find("atlas") == AGENT
    assert await cache.find("atlas") == AGENT
    await settle()
    store.free.set()
    await settle()
    assert await cache.find("atlas") == CHANGED
    assert len(store.asked) == FIRST + FIRST


async def test_a_change_elsewhere_is_seen_when_the_time_is_up_and_a_reading_carries_the_known_agent(
    cache: Looked, store: WatchedStore, clock: Clock
) -> None:
    await cache.find("atlas")
    known = await store.get("atlas")
    await store.put(CHANGED, when=UNCONDITIONAL)
    clock.now += SECONDS
    assert await cache.find("atlas") == CHANGED
    assert store.asked[-FIRST] == ("atlas", known)
    await store.delete("atlas", when=UNCONDITIONAL)
    clock.now += SECONDS
    assert await cache.find("atlas") is None


async def test_what_this_instance_writes_it_sees_at_once(cache: Looked) -> None:
    await cache.find("atlas")
    await cache.agents.put(CHANGED, when=UNCONDITIONAL)
    assert await cache.find("atlas") == CHANGED
    await cache.agents.delete("atlas", when=UNCONDITIONAL)
    assert await cache.find("atlas") is None


async def test_a_reading_that_began_before_a_write_does_not_bring_the_old_agent_back(
    cache: Looked, store: WatchedStore
) -> None:
    store.free.clear()
    early = asyncio.create_task(cache.find("atlas"))
    await settle()
    await cache.agents.put(CHANGED, when=UNCONDITIONAL)
    store.free.set()
    assert await early == CHANGED
    assert await cache.find("atlas") == CHANGED


async def test_an_agent_is_not_read_with_what_its_source_became_after_the_agent_had_left_it(
    cache: Looked, store: WatchedStore
) -> None:
    def over(name: str) -> Agent:
        return replace(AGENT, targets=(Target(index="atlas", source=name),))

    for name in ("narrow", "other"):
        await cache.sources.put(Source(name=name, index="atlas", base_filter="page eq '1'"), when=ABSENT)
    await store.put(over("narrow"), when=UNCONDITIONAL)
    store.free.clear()
    reading = asyncio.create_task(cache.lookups.find("atlas"))
    await settle()
    await store.put(over("other"), when=UNCONDITIONAL)
    await cache.sources.put(Source(name="narrow", index="atlas"), when=UNCONDITIONAL)
    store.free.set()
    found = await reading
    assert found is not None
    assert [target.bound and target.bound.name for target in found.targets] == ["other"]


async def test_a_write_whose_answer_is_lost_is_looked_up_again(cache: Looked, store: WatchedStore) -> None:
    await cache.find("atlas")
    with pytest.raises(PreconditionFailed):
        await cache.agents.put(CHANGED, when=ABSENT)
    assert await cache.find("atlas") == AGENT
    assert len(store.asked) == FIRST + FIRST


async def test_names_that_nothing_has_are_not_kept(cache: Looked, store: WatchedStore) -> None:
    assert await cache.find("other") is None
    await store.put(replace(AGENT, name="other"), when=ABSENT)
    assert await cache.find("other") is not None


@pytest.mark.parametrize("name", ["", "a/b", "a'b", "ä", "a" * 129, "A", "a b", "a\x00", "#", "a\n"])
async def test_a_name_that_no_agent_can_have_does_not_reach_the_store(
    cache: Looked, store: WatchedStore, name: str
) -> None:
    assert await cache.find(name) is None
    assert not await cache.agents.delete(name, when=UNCONDITIONAL)
    with pytest.raises(PreconditionFailed):
        await cache.agents.delete(name, when=Precondition(match=frozenset({ANY})))
    assert store.asked == []


async def test_a_store_that_fails_takes_no_known_agent_away_and_is_asked_once_in_a_while(
    cache: Looked, store: WatchedStore, clock: Clock
) -> None:
    await cache.find("atlas")
    store.failing = True
    for _ in range(3):
        clock.now += SECONDS
        assert await asyncio.gather(*(cache.find("atlas") for _ in range(100))) == [AGENT] * 100
    assert len(store.asked) == FIRST + 3
    with pytest.raises(BackendUnavailable):
        await cache.find("other")
    store.failing = False
    await store.put(CHANGED, when=UNCONDITIONAL)
    clock.now += SECONDS
    assert await cache.find("atlas") == CHANGED


async def test_an_agent_that_cannot_be_read_any_more_is_not_served_as_it_was(
    cache: Looked, store: WatchedStore, clock: Clock
) -> None:
    await cache.find("atlas")
    store.unreadable = True
    clock.now += SECONDS
    for _ in range(2):
        with pytest.raises(UnreadableDefinitions, match="'atlas'"):
            await cache.find("atlas")


async def test_what_is_stored_is_found_although_seeds_cannot_be_put_in(store: WatchedStore, clock: Clock) -> None:
    cache = Looked(store, clock, [replace(AGENT, name="seed")])
    store.failing_lists = True
    assert await cache.find("atlas") == AGENT
    with pytest.raises(BackendUnavailable):
        await cache.find("seed")
    store.failing_lists = False
    assert await cache.find("seed") is not None


async def test_seeds_are_put_in_where_nothing_is_and_never_over_something(clock: Clock) -> None:
    store = WatchedStore(CHANGED)
    cache = Looked(store, clock, [AGENT, replace(AGENT, name="other")])
    assert [kept.name for kept in await cache.agents.list()] == ["atlas", "other"]
    assert await cache.find("atlas") == CHANGED


@pytest.mark.parametrize("seconds", [30, 30.0])
async def test_what_nobody_changed_is_not_taken_for_changed(tmp_path: Path, clock: Clock, seconds: float) -> None:
    """The file is JSON, where 30 and 30.0 are one number."""
    seed, path = replace(AGENT, max_runtime=seconds), tmp_path / "agents.json"
    for _ in range(2):
        cache = Looked(FileStore(path, AGENTS), clock, [seed])
        assert await cache.find("atlas") == seed
        assert cache.agents.differing == ()
    follows = Looked(FileStore(path, AGENTS), clock, [CHANGED])
    assert await follows.find("atlas") == CHANGED
    await follows.agents.put(replace(AGENT, description="by a caller"), when=UNCONDITIONAL)
    assert follows.agents.differing == ("atlas",)
    again = Looked(FileStore(path, AGENTS), clock, [CHANGED])
    assert (await again.find("atlas"), again.agents.differing) == (
        replace(AGENT, description="by a caller"),
        ("atlas",),
    )
    await again.agents.put(CHANGED, when=UNCONDITIONAL)
    assert again.agents.differing == ()


async def test_the_first_look_for_anything_puts_the_seeds_in(store: WatchedStore, clock: Clock) -> None:
    cache = Looked(store, clock, [replace(AGENT, name="seed")])
    assert await cache.find("atlas") == AGENT
    await settle()
    assert await store.get("seed") is not None


async def test_a_seed_that_is_deleted_stays_away_until_the_next_start(store: WatchedStore, clock: Clock) -> None:
    cache = Looked(store, clock, [AGENT])
    assert await cache.agents.delete("atlas", when=UNCONDITIONAL)
    assert await cache.find("atlas") is None
    assert await Looked(store, clock, [AGENT]).find("atlas") == AGENT


async def test_seeding_that_fails_is_tried_again_by_the_next_call(clock: Clock) -> None:
    store = WatchedStore()
    cache = Looked(store, clock, [AGENT])
    store.failing = True
    with pytest.raises(BackendUnavailable):
        await cache.find("atlas")
    store.failing = False
    assert await asyncio.gather(*(cache.find("atlas") for _ in range(3))) == [AGENT] * 3
