"""What every store of agents holds to: in memory, in a file, in a table of Azurite."""

import asyncio
from dataclasses import replace

import pytest

from retrieval.errors import PreconditionFailed
from retrieval.model.definitions import Agent, ModelDeployment, Stored, Target, WriteResult
from retrieval.model.precondition import ABSENT, ANY, UNCONDITIONAL, Precondition
from retrieval.ports import DefinitionStore
from tests.definitions.conftest import Open

AGENT = Agent(
    name="atlas",
    targets=(Target(index="atlas", reranker_threshold=1.5, include_source_data=True, max_documents=100),),
    model=ModelDeployment(endpoint="https://m.openai.azure.com", deployment="planner", model_name="gpt-4o"),
    max_runtime=30,
    max_output_tokens=2_000,
    description="Straßen „bei Nacht“ \U0001f303\n" * 100,
)
PLAIN = Agent(name="plain", targets=(Target(index="atlas"),))
STALE = Precondition(match=frozenset({"0x0"}))
PRESENT = Precondition(match=frozenset({ANY}))


def only(*etags: str) -> Precondition:
    return Precondition(match=frozenset(etags))


def not_any_of(*etags: str) -> Precondition:
    return Precondition(none_match=frozenset(etags))


async def put(store: DefinitionStore[Agent], agent: Agent = AGENT, when: Precondition = UNCONDITIONAL) -> Stored[Agent]:
    return (await store.put(agent, when=when)).stored


async def test_what_is_put_is_got_whole_by_every_instance(opened: Open) -> None:
    stored = await put(opened())
    assert stored.value == AGENT
    assert await opened().get(AGENT.name) == stored


async def test_where_nothing_was_ever_put_nothing_is_found(store: DefinitionStore[Agent]) -> None:
    assert await store.get(AGENT.name) is None
    assert await store.list() == ()
    assert not await store.delete(AGENT.name, when=UNCONDITIONAL)


async def test_all_agents_are_listed_by_name(store: DefinitionStore[Agent]) -> None:
    for name in ("b", "a-1", "c", "a"):
        await put(store, replace(PLAIN, name=name))
    assert [kept.name for kept in await store.list()] == ["a", "a-1", "b", "c"]
    assert await store.list() == tuple([await store.get(name) for name in ("a", "a-1", "b", "c")])


async def test_every_write_has_an_etag_of_its_own_even_of_the_same_agent(store: DefinitionStore[Agent]) -> None:
    etags = [(await put(store)).etag for _ in range(5)]
    await store.delete(AGENT.name, when=UNCONDITIONAL)
    etags.append((await put(store)).etag)
    assert len(set(etags)) == 6


async def test_the_first_write_creates_and_the_next_replaces(store: DefinitionStore[Agent]) -> None:
    first = await store.put(AGENT, when=UNCONDITIONAL)
    second = await store.put(replace(AGENT, description="new"), when=UNCONDITIONAL)
    assert (first.created, second.created) == (True, False)
    assert await store.get(AGENT.name) == second.stored


async def test_a_known_agent_comes_back_itself_while_it_is_what_is_stored(opened: Open) -> None:
    mine, other = opened(), opened()
    known = await put(mine)
    assert await mine.get(AGENT.name, copy=known) is known
    changed = await put(other, replace(AGENT, description="changed"))
    assert await mine.get(AGENT.name, copy=known) == changed
    await other.delete(AGENT.name, when=UNCONDITIONAL)
    assert await mine.get(AGENT.name, copy=changed) is None


@pytest.mark.parametrize("there", [True, False])
@pytest.mark.parametrize(
    "kind", ["any", "present", "absent", "its etag", "its etag or another", "stale", "another", "not its etag"]
)
async def test_a_write_happens_when_its_precondition_holds_and_otherwise_changes_nothing(
    store: DefinitionStore[Agent], kind: str, there: bool
) -> None:
    before = await put(store) if there else None
    etag = before.etag if before else "0x1"
    when = {
        "any": UNCONDITIONAL,
        "present": PRESENT,
        "absent": ABSENT,
        "its etag": only(etag),
        "its etag or another": only("0x0", etag),
        "stale": STALE,
        "another": not_any_of("0x0"),
        "not its etag": not_any_of(etag),
    }[kind]
    holds = kind in ({"any", "present", "its etag", "its etag or another", "another"} if there else _WITHOUT)
    assert when.holds(before.etag if before else None) is holds
    changed = replace(AGENT, description="changed")
    if holds:
        assert (await store.put(changed, when=when)).created is not there
        assert await store.get(AGENT.name) != before
    else:
        with pytest.raises(PreconditionFailed):
            await store.put(changed, when=when)
        with pytest.raises(PreconditionFailed):
            await store.delete(AGENT.name, when=when)
        assert await store.get(AGENT.name) == before


_WITHOUT = {"any", "absent", "another", "not its etag"}


async def test_a_delete_happens_when_its_precondition_holds(store: DefinitionStore[Agent]) -> None:
    stored = await put(store)
    with pytest.raises(PreconditionFailed):
        await store.delete(AGENT.name, when=STALE)
    assert await store.delete(AGENT.name, when=only(stored.etag))
    assert await store.get(AGENT.name) is None
    assert not await store.delete(AGENT.name, when=UNCONDITIONAL)


async def outcomes(opened: Open, agents: list[Agent], when: Precondition) -> list[WriteResult[Agent] | None]:
    """All at once, by four instances in turn; None for one whose precondition did not hold."""
    stores = [opened() for _ in range(4)]

    async def one(number: int, agent: Agent) -> WriteResult[Agent] | None:
        try:
            return await stores[number % len(stores)].put(agent, when=when)
        except PreconditionFailed:
            return None

    return await asyncio.gather(*(one(number, agent) for number, agent in enumerate(agents)))


def updates(count: int) -> list[Agent]:
    """Versions of one agent. Every member holds the version's number, so that mixtures of versions are seen."""
    return [
        replace(AGENT, description=f"version {n} " * 200, max_output_tokens=n + 1, targets=(Target(index=f"i{n}"),))
        for n in range(count)
    ]


async def test_of_two_hundred_writers_with_one_etag_one_wins(opened: Open) -> None:
    stored = await put(opened())
    won = [one for one in await outcomes(opened, updates(200), only(stored.etag)) if one is not None]
    assert len(won) == 1
    assert await opened().get(AGENT.name) == won[0].stored


async def test_of_many_who_create_one_agent_one_does(opened: Open) -> None:
    won = [one for one in await outcomes(opened, updates(50), ABSENT) if one is not None]
    assert [one.created for one in won] == [True]
    assert await opened().get(AGENT.name) == won[0].stored


async def test_two_hundred_writers_without_a_condition_all_write_and_the_last_is_whole(opened: Open) -> None:
    versions = updates(200)
    written = [one for one in await outcomes(opened, versions, UNCONDITIONAL) if one is not None]
    assert len(written) == 200
    assert sum(one.created for one in written) == 1
    last = await opened().get(AGENT.name)
    assert last in [one.stored for one in written]
    assert last is not None and last.value in versions


async def test_of_many_who_delete_one_agent_one_does(opened: Open) -> None:
    await put(opened())
    stores = [opened() for _ in range(20)]
    assert sum(await asyncio.gather(*(store.delete(AGENT.name, when=UNCONDITIONAL) for store in stores))) == 1


async def test_readers_see_whole_agents_while_writers_write(opened: Open) -> None:
    versions, store = updates(40), opened()
    await put(store, versions[0])
    reading = [opened().get(AGENT.name) for _ in range(80)]
    found = await asyncio.gather(*reading, *(put(store, version) for version in versions))
    assert all(one is not None and one.value in versions for one in found)


async def test_counting_up_with_etags_loses_no_count(opened: Open) -> None:
    await put(opened(), replace(AGENT, max_output_tokens=1))

    async def count(store: DefinitionStore[Agent]) -> None:
        while True:
            stored = await store.get(AGENT.name)
            assert stored is not None
            more = replace(stored.value, max_output_tokens=(stored.value.max_output_tokens or 0) + 1)
            try:
                await store.put(more, when=only(stored.etag))
            except PreconditionFailed:
                continue
            return

    await asyncio.gather(*(count(opened()) for _ in range(12)))
    last = await opened().get(AGENT.name)
    assert last is not None and last.value.max_output_tokens == 13


async def test_no_key_gets_into_a_store(opened: Open) -> None:
    assert AGENT.model is not None
    with_key = replace(AGENT, model=replace(AGENT.model, api_key="SECRET"))
    stored = await put(opened(), with_key)
    assert stored.value == AGENT
    assert await opened().get(AGENT.name) == stored
