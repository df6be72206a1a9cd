"""The part of docs/operating/sizing.md that is made: the inputs as JSON, and the tables that follow from them. Pure."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, fields
from typing import Final

from tests.benchmarks.sizing.figures import LIMITS, PRICE_SOURCES, Figures
from tests.benchmarks.sizing.leak import A_DAY, Leak, leaks
from tests.benchmarks.sizing.load import Load
from tests.benchmarks.sizing.size import Ceiling
from tests.benchmarks.sizing.sized import Sized, limits, rows

BEGIN: Final = "<!-- made by `python -m tests.benchmarks.sizing --write`, from here -->"
END: Final = "<!-- to here -->"


def recorded(page: str) -> Load:
    """The inputs that a page records."""
    found = page.split("```json\n")[1].split("\n```")[0]
    given: dict[str, float] = json.loads(found)
    return Load(**given)


def filled(page: str, load: Load, figures: Figures) -> str:
    """The page with its made part made anew."""
    before, rest = page.split(BEGIN)
    _, after = rest.split(END)
    return f"{before}{BEGIN}\n\n{made(load, figures)}\n{END}{after}"


def made(load: Load, figures: Figures) -> str:
    """Everything between the two marks."""
    return "\n".join(
        [
            *results(rows(load, figures)),
            "",
            "![Dollars a month by component](sizing.svg)",
            "",
            "### When each limit is reached",
            "",
            "If no further instance can start, callers wait. If a day's logs reach `LOG_DAILY_CAP_GB`, nothing more is",
            "logged on that day. *As created* means with the default parameters.",
            "",
            *ends(limits(load, figures)),
            "",
            "### What a leaked key can cost",
            "",
            "The table has the cost of one day. In the columns with `LIMITS`, each instance accepts at most",
            f"{A_DAY:,} calls a day with the leaked key.",
            "",
            *leaked(leaks(load, figures), load),
            "",
            "### What it was made from",
            "",
            "These inputs describe a retrieve and a deployment:",
            "",
            "```json",
            json.dumps(asdict(load), indent=1),
            "```",
            "",
            *(f"- `{one.name}`: {one.metadata['says']} ({one.metadata['how']})" for one in fields(load)),
            "",
            "Prices and limits, by source. Replace the assumptions by your own prices:",
            "",
            *published(figures),
            "",
            f"From the {LIMITS}:",
            "",
            *tiers(figures),
            "",
        ]
    )


def results(found: Sequence[Sized]) -> list[str]:
    """A row a rate."""
    names = (
        "requests/s",
        "instances",
        "search units",
        "p50, p95",
        "throttled",
        "planned by the model, tier 1",
        "planned by the model, tier 6",
        "$ a month",
        "$ for 1,000",
    )
    return table(names, (_row(one) for one in found))


def _row(one: Sized) -> tuple[str, ...]:
    search = one.searching
    services = "" if search.services == 1 else f" × {search.services} services"
    regions = "" if search.regions == 1 else f", {search.regions} regions"
    return (
        f"{one.rate:,.0f}",
        f"{one.instances:,}",
        f"{search.units} {search.tier.name}{services}{regions}",
        f"{one.middle:.2f} s, {one.slow:.2f} s",
        share(one.turned_away),
        share(one.planned_low),
        share(one.planned_high),
        f"{one.cost.total:,.0f}",
        f"{one.per_thousand:.2f}",
    )


def ends(found: Iterable[Ceiling]) -> list[str]:
    """A row a limit, the first to end first."""
    names = ("limit", "reached at requests/s", "raised by")
    return table(names, ((one.name, number(one.rate), one.raised_by) for one in found))


def leaked(found: Iterable[Leak], load: Load) -> list[str]:
    """A row a deployment."""
    names = (
        "deployment",
        "$ without `LIMITS`",
        "$ with `LIMITS`, 1 instance",
        f"$ with `LIMITS`, {load.instances:.0f} instances",
    )
    return table(
        names,
        ((one.name, f"{one.without:,.0f}", f"{one.within:,.0f}", f"{one.at_most:,.0f}") for one in found),
    )


def tiers(figures: Figures) -> list[str]:
    """A row for each pricing tier of the search service, with its limits."""
    names = ("tier", "queries that a unit ranks at once", "services in a region")
    return table(names, ((one.name, str(one.at_once), str(one.services)) for one in figures.tiers))


def published(figures: Figures) -> list[str]:
    """A line a source, with its figures."""
    units = ((PRICE_SOURCES[one.name], f"${one.per_hour:g} an hour for each {one.name} unit") for one in figures.tiers)
    rest = (
        (one.metadata["source"], one.metadata["says"].format(_number(figures, one.name)))
        for one in fields(figures)
        if one.metadata
    )
    return grouped([*units, *rest])


def grouped(found: Iterable[tuple[str, str]]) -> list[str]:
    """A line for each first of a pair, with the second ones."""
    lines: dict[str, list[str]] = {}
    for first, second in found:
        lines.setdefault(first, []).append(second)
    return [f"- {first}: {'; '.join(seconds)}" for first, seconds in lines.items()]


def _number(figures: Figures, name: str) -> str:
    return f"{_value(figures, name):,.6f}".rstrip("0").rstrip(".")


def _value(figures: Figures, name: str) -> float:
    found: dict[str, float] = asdict(figures)
    return found[name]


def share(of_one: float) -> str:
    """In percent; what is not nothing does not read as nothing."""
    return f"{of_one:.0%}" if of_one >= 0.1 or of_one == 0 else f"{of_one:.1%}"


def number(value: float) -> str:
    return f"{value:,.0f}" if value >= 10 else f"{value:.1f}"


def table(names: Sequence[str], found: Iterable[Sequence[str]]) -> list[str]:
    """Markdown."""
    return [" | ".join(names), "|".join(["---"] * len(names)), *(" | ".join(line) for line in found)]
