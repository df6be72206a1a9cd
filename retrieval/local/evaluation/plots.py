"""Plots as inline SVG, without scripts: a line with its interval for each value, and curves."""

import math
from collections.abc import Mapping, Sequence
from html import escape
from typing import Final

from retrieval.local.evaluation.results import Estimate

WIDTH: Final = 720
LEFT, RIGHT, TOP, BOTTOM = 170, 90, 34, 30
ROW: Final = 24
HEIGHT: Final = 260
COLOURS: Final = ("#1b6ca8", "#c2571a", "#3a7d44", "#7b4fa3", "#8a6d00", "#555555")

MOST_TICKS: Final = 7
_STEPS: Final = [digit * 10.0**power for power in range(-6, 9) for digit in (1, 2, 5)]

Curve = Sequence[tuple[float, float]]


def intervals(title: str, estimates: Mapping[str, Estimate], *, zero: bool = False) -> str:
    """A dot with its 95 % interval for each name; with `zero` around a line at 0, which no difference is."""
    ends = [end for one in estimates.values() for end in (one.value, one.low, one.high) if end is not None]
    low, high = _range([*ends, 0.0] if zero else ends)
    height = TOP + ROW * len(estimates) + BOTTOM
    parts = [*_opening(title, height), *_scale(low, high, height)]
    if zero:
        parts.append(f'<path d="M{_x(0, low, high):.1f} {TOP}V{height - BOTTOM}" stroke="#999999"/>')
    for place, (name, one) in enumerate(estimates.items()):
        y, colour = TOP + ROW * (place + 0.5), COLOURS[place % len(COLOURS)]
        parts.append(f'<text x="{LEFT - 10}" y="{y + 4:.1f}" text-anchor="end">{_short(name)}</text>')
        if one.low is not None and one.high is not None:
            ends_at = f"M{_x(one.low, low, high):.1f} {y:.1f}H{_x(one.high, low, high):.1f}"
            parts.append(f'<path d="{ends_at}" stroke="{colour}" stroke-width="2"/>')
        parts.append(f'<circle cx="{_x(one.value, low, high):.1f}" cy="{y:.1f}" r="4" fill="{colour}"/>')
        shown = f"{one.value:+.3f}" if zero else f"{one.value:.3f}"
        parts.append(f'<text x="{WIDTH - RIGHT + 12}" y="{y + 4:.1f}">{shown}</text>')
    return "\n".join([*parts, "</svg>"])


def curves(title: str, named: Mapping[str, Curve], *, across: str) -> str:
    """A line for each name; up is a share from 0 to 1, `across` says what goes to the right."""
    low, high = _range([x for curve in named.values() for x, _ in curve])
    parts = [*_opening(title, HEIGHT), *_scale(low, high, HEIGHT)]
    span = HEIGHT - TOP - BOTTOM
    for step in range(5):
        y = HEIGHT - BOTTOM - span * step / 4
        parts.append(f'<path d="M{LEFT} {y:.1f}H{WIDTH - RIGHT}" stroke="#e4e4e4"/>')
        parts.append(f'<text x="{LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">{25 * step} %</text>')
    for place, (name, curve) in enumerate(named.items()):
        points = " ".join(f"{_x(x, low, high):.1f},{HEIGHT - BOTTOM - span * y:.1f}" for x, y in curve)
        colour = COLOURS[place % len(COLOURS)]
        parts.append(f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2"/>')
        parts.append(f'<text x="10" y="{TOP + 16 * (place + 1)}" fill="{colour}">{_short(name)}</text>')
    parts.append(f'<text x="{WIDTH - RIGHT}" y="22" text-anchor="end">{escape(across)}</text>')
    return "\n".join([*parts, "</svg>"])


def cumulative(values: Sequence[float]) -> Curve:
    """The share of the values that are at most so large, at a hundred places."""
    order = sorted(values)
    places = sorted({round(step * (len(order) - 1) / 99) for step in range(100)}) if order else []
    return [(order[place], (place + 1) / len(order)) for place in places]


def _opening(title: str, height: float) -> list[str]:
    return [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height:g}" width="{WIDTH}" role="img" '
        f'aria-label="{escape(title)}" font-family="sans-serif" font-size="12">',
        f'<rect width="{WIDTH}" height="{height:g}" fill="white"/>',
        f'<text x="10" y="22" font-size="14">{escape(title)}</text>',
    ]


def _scale(low: float, high: float, height: float) -> list[str]:
    step = next(one for one in _STEPS if (high - low) / one <= MOST_TICKS)
    values = [number * step for number in range(math.ceil(low / step), math.floor(high / step) + 1)]
    place = f'y="{height - 8:g}" text-anchor="middle" fill="#555555"'
    return [f'<text x="{_x(value, low, high):.1f}" {place}>{round(value, 6):g}</text>' for value in values]


def _range(values: Sequence[float]) -> tuple[float, float]:
    low, high = min(values, default=0.0), max(values, default=1.0)
    margin = (high - low) * 0.05 or 0.05
    return low - margin, high + margin


def _x(value: float, low: float, high: float) -> float:
    return LEFT + (WIDTH - LEFT - RIGHT) * (value - low) / (high - low)


def _short(name: str) -> str:
    return escape(name if len(name) <= 24 else f"{name[:23]}…")
