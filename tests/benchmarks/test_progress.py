"""`make bench` says how long it takes: what it will take, what is left, and which benchmarks there are."""

from importlib.util import find_spec

from tests.benchmarks.__main__ import SECONDS, module, progress, said


def test_every_benchmark_is_there() -> None:
    assert [name for name in SECONDS if find_spec(module(name)) is None] == []


def test_what_is_left_follows_from_what_the_first_ones_took() -> None:
    total = sum(SECONDS.values())
    first, second = list(SECONDS)[:2]
    assert progress(0, 0) == f"[1/{len(SECONDS)}] {first}; about {said(total)} left"
    slower = said(2 * (total - SECONDS[first]))
    assert progress(1, 2 * SECONDS[first]) == f"[2/{len(SECONDS)}] {second}; about {slower} left"


def test_a_time_is_said_in_seconds_or_minutes() -> None:
    assert [said(3.4), said(89), said(150), said(600)] == ["3 s", "89 s", "2 min", "10 min"]
