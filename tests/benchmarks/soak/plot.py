"""The soak as SVG: memory above, latency below, over the answers. Axes are linear and start at zero."""

from collections.abc import Mapping, Sequence
from typing import Final

from tests.benchmarks.growth_plot import COLOURS, apart, opening
from tests.benchmarks.soak.load import DEADLINE, Sample
from tests.benchmarks.table import quantile

WIDTH: Final = 760
HEIGHT: Final = 520
LEFT, RIGHT = 70, 130
PANELS: Final = ((50, 220), (290, 470))
"""Top and bottom of each."""

POINTS: Final = 50
STEPS: Final = 4

Line = Sequence[tuple[int, float]]
"""Answers, and a value after so many."""


def svg(samples: Sequence[Sample]) -> str:
    """Points are of several samples where there are many."""
    each = max(len(samples) // POINTS, 1)
    grouped = [samples[at : at + each] for at in range(0, len(samples), each)]
    ends = [group[-1].answers for group in grouped]
    took = [[second for sample in group for second in sample.seconds] for group in grouped]
    memory = {"memory": list(zip(ends, (group[-1].memory for group in grouped), strict=True))}
    latency: dict[str, Line] = {
        "slowest": list(zip(ends, map(max, took), strict=True)),
        "p95": list(zip(ends, (quantile(one, 0.95) for one in took), strict=True)),
        "median": list(zip(ends, (quantile(one, 0.5) for one in took), strict=True)),
        "deadline": [(0, float(DEADLINE)), (ends[-1], float(DEADLINE))],
    }
    return "\n".join(
        [
            *opening(f"{ends[-1]:,} requests by 64 callers, a fifth of everything behind failing", WIDTH, HEIGHT, LEFT),
            *_panel(memory, PANELS[0], unit="MB", of="memory of the server"),
            *_panel(latency, PANELS[1], unit="s", of="time of an answer"),
            f'<text x="{LEFT}" y="{HEIGHT - 8}">answers</text>',
            "</svg>",
            "",
        ]
    )


def _panel(lines: Mapping[str, Line], place: tuple[int, int], *, unit: str, of: str) -> list[str]:
    top, bottom = place
    most = max(value for line in lines.values() for _, value in line) * 1.1
    last = max(answers for line in lines.values() for answers, _ in line)
    across, up = (WIDTH - LEFT - RIGHT) / last, (bottom - top) / most
    parts = [f'<text x="{LEFT}" y="{top - 10}" fill="#333333">{of}</text>']
    for step in range(STEPS + 1):
        y, value = bottom - most * step / STEPS * up, most * step / STEPS
        parts.append(f'<path d="M{LEFT} {y:.1f}H{WIDTH - RIGHT}" stroke="#dddddd"/>')
        parts.append(f'<text x="{LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">{_number(value)} {unit}</text>')
        x = LEFT + last * step / STEPS * across
        parts.append(f'<text x="{x:.1f}" y="{bottom + 18}" text-anchor="middle">{last * step // STEPS:,}</text>')
    places = apart({name: bottom - line[-1][1] * up for name, line in lines.items()})
    for (name, line), colour in zip(lines.items(), COLOURS, strict=False):
        points = " ".join(f"{LEFT + answers * across:.1f},{bottom - value * up:.1f}" for answers, value in line)
        parts.append(f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="1.5"/>')
        parts.append(f'<text x="{WIDTH - RIGHT + 8}" y="{places[name] + 4:.1f}" fill="{colour}">{name}</text>')
    return parts


def _number(value: float) -> str:
    return f"{value:.0f}" if value >= 20 or value == 0 else f"{value:.1f}"
