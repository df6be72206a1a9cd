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
            "### Where each limit ends",
            "",
            "If no further instance can start, callers wait. Beyond `LOG_DAILY_CAP_GB` nothing is logged until",
            "the next day.",
            "",
            *ends(limits(load, figures)),
            "",
            "### What a leaked key can cost",
            "",
            *leaked(leaks(load, figures), load),
            "",
            "### What it was made from",
            "",
            "What a retrieve takes, and how the app is deployed:",
            "",
            "```json",
            json.dumps(asdict(load), indent=1),
            "```",
            "",
            *grouped((one.metadata["how"], f"`{one.name}` {one.metadata['says']}") for one in fields(load)),
            "",
            "Replace the prices that are marked as assumptions by your own:",
            "",
            *published(figures),
            tiers(figures),
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
        "planned by the model: tier 1, tier 6",
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
        f"{share(one.planned_low)}, {share(one.planned_high)}",
        f"{one.cost.total:,.0f}",
        f"{one.per_thousand:.2f}",
    )


def ends(found: Iterable[Ceiling]) -> list[str]:
    """A row a limit, the first to end first."""
    names = ("limit", "ends at, requests/s", "raised by")
    return table(names, ((one.name, number(one.rate), one.raised_by) for one in found))


def leaked(found: Iterable[Leak], load: Load) -> list[str]:
    """A row a deployment."""
    names = (
        "deployment",
        "$ a day without `LIMITS`",
        f"$ with `LIMITS` of {A_DAY:,} calls a day, one instance",
        f"$ with these `LIMITS`, all {load.instances:.0f} instances",
    )
    return table(
        names,
        ((one.name, f"{one.without:,.0f}", f"{one.within:,.0f}", f"{one.at_most:,.0f}") for one in found),
    )


def tiers(figures: Figures) -> str:
    """A line with the limits of each pricing tier of the search service."""
    ranked = ", ".join(f"{one.at_once} ({one.name})" for one in figures.tiers)
    services = ", ".join(f"{one.services} ({one.name})" for one in figures.tiers)
    return (
        f"- {LIMITS}: queries that a unit ranks at once: {ranked}; services of a subscription in a region: {services}"
    )


def published(figures: Figures) -> list[str]:
    """A line a source, with its figures."""
    units = ((PRICE_SOURCES[one.name], f"{one.per_hour:g} dollars a unit-hour of {one.name}") for one in figures.tiers)
    rest = (
        (one.metadata["source"], f"{_number(figures, one.name)} {one.metadata['says']}")
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
