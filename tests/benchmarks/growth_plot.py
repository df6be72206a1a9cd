"""A line chart as SVG: how long something takes as an index grows. Both axes are linear and start at zero."""

import math
from collections.abc import Mapping, Sequence
from html import escape
from typing import Final

WIDTH: Final = 720
HEIGHT: Final = 400
LEFT, RIGHT, TOP, BOTTOM = 60, 190, 40, 50
COLOURS: Final = ("#1b6ca8", "#c2571a", "#3a7d44", "#7b4fa3", "#8a6d00", "#555555")

Line = Mapping[int, float]
"""Milliseconds by number of documents."""


def svg(title: str, lines: Mapping[str, Line]) -> str:
    """One line a name, with its name at its end. Names that would overlap are moved apart."""
    most_documents = max(size for line in lines.values() for size in line)
    slowest = max(value for line in lines.values() for value in line.values())
    every = step(slowest / 4)
    most_time = every * math.ceil(slowest / every)
    across = (WIDTH - LEFT - RIGHT) / most_documents
    up = (HEIGHT - TOP - BOTTOM) / most_time
    sizes = sorted({size for line in lines.values() for size in line})
    parts = opening(title, WIDTH, HEIGHT, LEFT)
    for tick in range(round(most_time / every) + 1):
        value = every * tick
        y = HEIGHT - BOTTOM - value * up
        parts.append(f'<path d="M{LEFT} {y:.1f}H{WIDTH - RIGHT}" stroke="#dddddd"/>')
        parts.append(f'<text x="{LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">{value:g} ms</text>')
    for size in sizes:
        x = LEFT + size * across
        parts.append(f'<text x="{x:.1f}" y="{HEIGHT - BOTTOM + 18}" text-anchor="middle">{size // 1000}k</text>')
    parts.append(f'<text x="{LEFT}" y="{HEIGHT - 10}">documents of about 150 words</text>')
    ends = {name: HEIGHT - BOTTOM - line[max(line)] * up for name, line in lines.items()}
    places = apart(ends)
    for (name, line), colour in zip(lines.items(), COLOURS, strict=False):
        points = " ".join(f"{LEFT + n * across:.1f},{HEIGHT - BOTTOM - line[n] * up:.1f}" for n in sorted(line))
        parts.append(f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2"/>')
        text = f'<text x="{WIDTH - RIGHT + 8}" y="{places[name] + 4:.1f}" fill="{colour}">{escape(name)}</text>'
        parts.append(text)
    return "\n".join([*parts, "</svg>", ""])


def step(least: float) -> float:
    """The distance of ticks: 1, 2 or 5 times a power of ten, and not below the least."""
    power = 10.0 ** math.floor(math.log10(least))
    return next(power * times for times in (1, 2, 5, 10) if power * times >= least)


def opening(title: str, width: int, height: int, left: int) -> list[str]:
    """How every plot begins: white, with its title above."""
    return [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" font-family="sans-serif" '
        'font-size="12">',
        f'<rect width="{width}" height="{height}" fill="white"/>',
        f'<text x="{left}" y="22" font-size="14">{escape(title)}</text>',
    ]


def apart(ends: Mapping[str, float]) -> dict[str, float]:
    """The places of labels, from the lowest line up, at least a line of text from one another."""
    found: dict[str, float] = {}
    names: Sequence[str] = sorted(ends, key=lambda name: -ends[name])
    for place, name in enumerate(names):
        found[name] = ends[name] if place == 0 else min(ends[name], found[names[place - 1]] - 15)
    return found
