"""Of many calls a few begin in each turn of the loop, in the order in which they came."""

import asyncio
from collections import Counter
from typing import Final

from retrieval.outgoing.guarded import Turns

AT_ONCE: Final = 5
CALLS: Final = 64


async def test_a_few_calls_begin_in_each_turn_of_the_loop_and_the_oldest_first() -> None:
    turns, turn, begun = Turns(AT_ONCE), 0, list[tuple[int, int]]()

    async def call(number: int) -> None:
        await turns.take()
        begun.append((turn, number))

    calls = [asyncio.create_task(call(number)) for number in range(CALLS)]
    while not all(one.done() for one in calls):
        turn += 1
        await asyncio.sleep(0)
    assert [number for _, number in begun] == list(range(CALLS))
    assert max(Counter(turn for turn, _ in begun).values()) == AT_ONCE


async def test_a_call_alone_begins_at_once() -> None:
    turns = Turns(1)
    taking = turns.take()
    try:
        taking.send(None)
    except StopIteration:
        return
    raise AssertionError("it waited")


async def test_a_call_that_is_given_up_while_it_waits_takes_no_place() -> None:
    turns = Turns(1)
    await turns.take()
    gone = asyncio.create_task(turns.take())
    await asyncio.sleep(0)
    gone.cancel()
    await asyncio.wait([gone])
    await asyncio.wait_for(turns.take(), 5)
