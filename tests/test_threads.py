"""What takes long is read beside the event loop."""

import asyncio
import gc
from functools import cache, partial
from threading import current_thread, main_thread

import pytest

from retrieval import threads
from retrieval.model.definitions import Agent, Source, Target


@pytest.mark.parametrize(
    ("text", "filters", "beside"),
    [(b"{}", (), False), (b"{}", ("a eq 1",), True), (b'{"filterAddOn": ""}', (), True), (b" " * 5_000, (), True)],
)
async def test_a_filter_is_read_in_a_thread_wherever_it_comes_from(
    text: bytes, filters: tuple[str, ...], beside: bool
) -> None:
    assert (await threads.read(text, current_thread, filters=filters) is not main_thread()) is beside


def test_the_base_filters_of_an_agent_are_those_of_its_bound_sources() -> None:
    sources = (Source(name="a", index="a", base_filter="year ge 2000"), Source(name="b", index="b"), None)
    targets = tuple(Target(index=name, bound=source) for name, source in zip("abc", sources, strict=True))
    assert Agent(name="x", targets=targets).base_filters == ("year ge 2000",)


async def test_what_many_first_calls_need_is_made_once_beside_the_loop() -> None:
    made: list[bool] = []

    @cache
    def work() -> int:
        made.append(current_thread() is main_thread())
        return len(made)

    assert await asyncio.gather(*(threads.at_first("a key", work) for _ in range(9))) == [1] * 9
    assert made == [False]
    assert await threads.at_first("a key", current_thread) is main_thread()


async def test_a_first_call_that_fails_was_none_and_keeps_nothing_from_the_collector() -> None:
    frozen = gc.get_freeze_count()
    for _ in range(2):
        with pytest.raises(ZeroDivisionError):
            await threads.at_first("another key", partial(divmod, 1, 0))
    assert gc.get_freeze_count() <= frozen, "what is freed by others is gone from the count too"
    assert await threads.at_first("another key", current_thread) is not main_thread()


def test_no_garbage_is_looked_for_while_modules_are_loaded_and_it_is_afterwards() -> None:
    with threads.loading():
        assert not gc.isenabled()
    assert gc.isenabled()
    assert gc.get_freeze_count() > 0
