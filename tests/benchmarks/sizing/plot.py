"""Dollars a month by component and rate, as SVG. Both axes are logarithmic; limits are numbered where they end."""

import math
from collections.abc import Mapping, Sequence
from html import escape
from typing import Final

from tests.benchmarks.growth_plot import COLOURS, apart, opening
from tests.benchmarks.sizing.size import Ceiling
from tests.benchmarks.sizing.sized import Sized

WIDTH: Final = 760
HEIGHT: Final = 540
LEFT, RIGHT, TOP, BOTTOM = 70, 130, 70, 170
LOWEST: Final = 10.0
SHOWN: Final = 10_000.0


def svg(found: Sequence[Sized], limits: Sequence[Ceiling]) -> str:
    """A line a component, an upright a limit."""
    lines = {
        "total": [one.cost.total for one in found],
        "ranker": [one.cost.ranker for one in found],
        "model": [one.cost.model for one in found],
        "app": [one.cost.app for one in found],
        "search units": [one.cost.search for one in found],
        "logs": [one.cost.logs for one in found],
    }
    scale = _Scale(rates=[one.rate for one in found], most=max(lines["total"]))
    head = opening("Dollars a month, by requests a second; where limits end", WIDTH, HEIGHT, LEFT)
    return "\n".join([*head, *_axes(scale), *_limits(scale, limits), *_lines(scale, lines), "</svg>", ""])


class _Scale:
    """Where a rate and a sum of dollars stand."""

    def __init__(self, *, rates: Sequence[float], most: float) -> None:
        self.rates = rates
        self.decades = math.ceil(math.log10(most))
        self._across = (WIDTH - LEFT - RIGHT) / math.log10(rates[-1] / rates[0])
        self._up = (HEIGHT - TOP - BOTTOM) / (self.decades - math.log10(LOWEST))

    def x(self, rate: float) -> float:
        return LEFT + math.log10(rate / self.rates[0]) * self._across

    def y(self, dollars: float) -> float:
        return HEIGHT - BOTTOM - math.log10(max(dollars, LOWEST) / LOWEST) * self._up


def _axes(scale: _Scale) -> list[str]:
    parts = []
    for power in range(round(math.log10(LOWEST)), scale.decades + 1):
        y = scale.y(10.0**power)
        parts.append(f'<path d="M{LEFT} {y:.1f}H{WIDTH - RIGHT}" stroke="#dddddd"/>')
        parts.append(f'<text x="{LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">{_short(10.0**power)}</text>')
    for rate in scale.rates:
        label = f'<text x="{scale.x(rate):.1f}" y="{HEIGHT - BOTTOM + 18}" text-anchor="middle">{_short(rate)}</text>'
        parts.append(label)
    return [
        *parts,
        f'<text x="{WIDTH - RIGHT}" y="{HEIGHT - BOTTOM + 38}" text-anchor="end">requests a second</text>',
        f'<text x="{LEFT - 6}" y="{TOP - 14}" text-anchor="end">$</text>',
    ]


def _limits(scale: _Scale, limits: Sequence[Ceiling]) -> list[str]:
    """An upright with a number for each, and below the plot what the numbers mean, in two columns."""
    parts = []
    at = -math.inf
    shown = [one for one in limits if scale.rates[0] <= one.rate <= SHOWN]
    rows = math.ceil(len(shown) / 2)
    for place, one in enumerate(shown):
        x = scale.x(one.rate)
        at = max(x, at + 16)
        column, row = divmod(place, rows)
        parts.append(f'<path d="M{x:.1f} {TOP}V{HEIGHT - BOTTOM}" stroke="#999999" stroke-dasharray="3 3"/>')
        parts.append(f'<text x="{at:.1f}" y="{TOP - 6}" text-anchor="middle" font-weight="bold">{place + 1}</text>')
        said = f"{place + 1}  {one.name}: {one.rate:,.{0 if one.rate >= 10 else 1}f}"
        y = HEIGHT - BOTTOM + 66 + 18 * row
        parts.append(f'<text x="{LEFT + 330 * column}" y="{y}" fill="#444444">{escape(said)}</text>')
    return parts


def _lines(scale: _Scale, lines: Mapping[str, Sequence[float]]) -> list[str]:
    places = apart({name: scale.y(line[-1]) for name, line in lines.items()})
    parts = []
    for (name, line), colour in zip(lines.items(), COLOURS, strict=True):
        points = " ".join(
            f"{scale.x(rate):.1f},{scale.y(dollars):.1f}" for rate, dollars in zip(scale.rates, line, strict=True)
        )
        parts.append(f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2"/>')
        parts.append(f'<text x="{WIDTH - RIGHT + 8}" y="{places[name] + 4:.1f}" fill="{colour}">{name}</text>')
    return parts


def _short(value: float) -> str:
    for size, ending in ((1e6, "M"), (1e3, "k")):
        if value >= size:
            return f"{value / size:g}{ending}"
    return f"{value:g}"
