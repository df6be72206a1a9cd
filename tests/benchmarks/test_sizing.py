"""The sizing: its page is what its model yields, and the model obeys the laws that any such model must."""

import json
import math
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.settings.settings import Settings
from tests.benchmarks.sizing import measured, page
from tests.benchmarks.sizing.figures import S1, S2, TIERS, Figures
from tests.benchmarks.sizing.load import Load
from tests.benchmarks.sizing.plot import svg
from tests.benchmarks.sizing.queues import Ranker, simulate
from tests.benchmarks.sizing.size import (
    Searching,
    ceilings,
    cost,
    instances,
    on_core,
    planned,
    quota,
    ranked,
    searching,
)
from tests.benchmarks.sizing.sized import limits, rows, sized
from tests.infra import check, names, outside
from tests.laws import law
from tests.sampling import sample

DOCS: Final = Path(__file__).resolve().parents[2] / "docs" / "operating"
PAGE: Final = (DOCS / "sizing.md").read_text(encoding="utf-8")
LOAD: Final = Load(cpu_ms=4.0, tokens_in=300)
FIGURES: Final = Figures()

rates = st.floats(0.01, 20_000)
durations = st.floats(0.05, 10)
loads = st.builds(
    Load,
    cpu_ms=st.floats(0.1, 50),
    tokens_in=st.floats(50, 5_000),
    subqueries=st.sampled_from([1, 2, 3, 4, 5]),
    rank_seconds=st.floats(0.05, 1),
    concurrency=st.integers(1, 200),
)


def test_the_page_is_what_its_inputs_yield() -> None:
    assert page.filled(PAGE, page.recorded(PAGE), FIGURES) == PAGE


def test_the_plot_is_what_the_inputs_of_the_page_yield() -> None:
    load = page.recorded(PAGE)
    assert (DOCS / "sizing.svg").read_text(encoding="utf-8") == svg(rows(load, FIGURES), limits(load, FIGURES))


@pytest.mark.parametrize("name", sample(["cpu_ms", "rank_seconds", "subqueries", "concurrency", "tokens_in"], every=5))
def test_another_input_makes_another_page(name: str) -> None:
    given: dict[str, Any] = json.loads(PAGE.split("```json\n")[1].split("\n```")[0])
    other = Load(**{**given, name: given[name] * 3})
    assert page.results(rows(other, FIGURES)) != page.results(rows(page.recorded(PAGE), FIGURES)) or name == "cpu_ms"
    assert page.filled(PAGE, other, FIGURES) != PAGE


def test_what_is_chosen_is_what_the_template_deploys() -> None:
    sources = outside.sources()
    defaults = names.passed(check.parsed(sources)["main.bicep"], sources["main.parameters.json"])
    chosen = {
        "perInstanceConcurrency": LOAD.concurrency,
        "instanceMemoryMB": LOAD.memory_mb,
        "maximumInstanceCount": LOAD.instances,
        "modelCapacity": LOAD.capacity,
        "logDailyCapGB": LOAD.log_cap_gb,
    }
    assert {name: float(defaults[name]) for name in chosen} == chosen
    assert Settings().max_concurrent_requests >= LOAD.concurrency


def test_the_prompt_is_counted_from_the_code_that_writes_it() -> None:
    assert page.recorded(PAGE).tokens_in == measured.tokens()


def test_an_earlier_finding_holds() -> None:
    assert ranked(S1, 36, LOAD) == pytest.approx(144)
    assert 3 < sized(100, LOAD, FIGURES).per_thousand < 4


def test_what_the_page_says_of_its_table_is_so() -> None:
    load = page.recorded(PAGE)
    found = limits(load, FIGURES)
    assert [one.rate for one in found] == sorted(one.rate for one in found)
    assert found[-1].name.startswith("CPU")
    assert quota(load.capacity, load.capacity * 1000, load) * 60 == 100
    wide = replace(load, concurrency=64)
    assert instances(10_000, 1.0, wide) <= math.ceil(instances(10_000, 1.0, load) / 4)
    for one in rows(load, FIGURES):
        assert one.cost.ranker > one.cost.total / 2
        assert one.turned_away < (0.05 if one.rate < 30 else 0.001)


@given(rate=rates, more=rates, seconds=durations, load=loads)
def test_more_load_takes_no_less(rate: float, more: float, seconds: float, load: Load) -> None:
    low, high = sorted((rate, more))
    assert instances(low, seconds, load) <= instances(high, seconds, load)
    assert searching(low, load, FIGURES).dollars <= searching(high, load, FIGURES).dollars
    cheap, dear = (cost(one, seconds, load=load, figures=FIGURES) for one in (low, high))
    assert cheap.total <= dear.total * (1 + 1e-9)
    assert planned(low, 10) >= planned(high, 10)


@given(rate=rates, seconds=durations, load=loads)
def test_the_total_is_its_parts_and_none_is_negative(rate: float, seconds: float, load: Load) -> None:
    found = cost(rate, seconds, load=load, figures=FIGURES)
    parts = (found.search, found.ranker, found.model, found.app, found.logs)
    assert all(part > 0 for part in parts)
    assert found.total == pytest.approx(math.fsum(parts))


@given(rate=rates, load=loads)
def test_the_ranker_has_room_and_no_tier_with_room_is_cheaper(rate: float, load: Load) -> None:
    found = searching(rate, load, FIGURES)
    assert found.units in found.tier.units
    assert found.services * ranked(found.tier, found.units, load) * load.most_used >= rate * (1 - 1e-9)
    for tier in TIERS:
        for units in tier.units:
            if ranked(tier, units, load) * load.most_used >= rate:
                assert found.dollars <= Searching(tier=tier, services=1, units=units).dollars


@given(rate=rates, seconds=durations, load=loads)
def test_an_instance_has_neither_more_in_flight_nor_more_work_than_it_can(
    rate: float, seconds: float, load: Load
) -> None:
    count = instances(rate, seconds, load)
    assert rate * seconds / count <= load.concurrency * load.most_used * (1 + 1e-9)
    assert load.core_seconds <= on_core(rate, count, load) <= load.core_seconds / (1 - load.most_used) * (1 + 1e-9)


@given(seconds=durations, load=loads)
def test_a_ceiling_moves_with_what_raises_it(seconds: float, load: Load) -> None:
    def at(load: Load, name: str) -> float:
        return next(one.rate for one in ceilings(seconds, load, FIGURES) if one.name == name)

    wide = replace(load, concurrency=load.concurrency * 2, capacity=load.capacity * 2)
    regional = "memory of all instances in a region"
    for name in ("instances that an app can have", regional, "model deployment as created"):
        assert at(wide, name) == pytest.approx(2 * at(load, name))


@law(25)
@given(load=loads, rate=st.floats(0.1, 500), seed=st.integers(0, 9))
def test_nothing_is_faster_than_its_parts_and_room_helps(load: Load, rate: float, seed: int) -> None:
    enough = searching(rate, load, FIGURES)
    times = simulate(rate, enough, load, planned=1, seed=seed)
    assert times == simulate(rate, enough, load, planned=1, seed=seed)
    assert 0 < times.middle <= times.slow
    unplanned = simulate(rate, enough, load, planned=0, seed=seed)
    assert unplanned.mean < times.mean
    tight = replace(enough, units=1)
    assert simulate(rate, tight, load, planned=1, seed=seed).turned_away >= times.turned_away


@given(
    arrivals=st.lists(st.tuples(st.floats(0, 100), st.floats(0.01, 5)), max_size=60).map(sorted),
    at_once=st.integers(1, 5),
    queue=st.integers(0, 5),
)
def test_the_ranker_never_does_more_at_once_than_it_can(
    arrivals: list[tuple[float, float]], at_once: int, queue: int
) -> None:
    ends = list(Ranker(at_once=at_once, queue=queue).ends(arrivals))
    taken = [(end - needs, end) for (_, needs), end in zip(arrivals, ends, strict=True) if end is not None]
    for begin, _ in taken:
        assert sum(start - 1e-9 <= begin < end - 1e-9 for start, end in taken) <= at_once
    for (arrived, needs), end in zip(arrivals, ends, strict=True):
        assert end is None or end >= arrived + needs - 1e-9


def test_a_ranker_that_is_full_turns_queries_away() -> None:
    assert list(Ranker(at_once=1, queue=1).ends([(0, 10), (1, 10), (2, 10)])) == [10, 20, None]
    crowded = simulate(50, Searching(tier=S2, services=1, units=1), LOAD, planned=1)
    assert crowded.turned_away > 0.5
