"""The plot of the README: CPU a request and wall time at 64 callers, a bar a peer. Both axes start at zero.

The picture brings its own ground and ink, for light and dark.
"""

from collections.abc import Callable, Sequence
from html import escape
from typing import Final

from tests.benchmarks.peers.figures import Figures

WIDTH: Final = 760
ROW: Final = 30
TOP: Final = 64
NAMES: Final = 190
PANEL: Final = 220
GAP: Final = 60
"""Between the panels; the figure at the end of the longest bar is written there."""

STYLE: Final = (
    "text{fill:#1f2328}.ground{fill:#ffffff}.peer{fill:#8c959f}.ours{fill:#0969da}"
    "@media(prefers-color-scheme:dark){text{fill:#e6edf3}.ground{fill:#0d1117}.peer{fill:#6e7681}.ours{fill:#4493f8}}"
)


def svg(found: Sequence[Figures], ours: str) -> str:
    """`ours` is the name of the row that is drawn in colour."""
    height = TOP + ROW * len(found) + 16
    title = "One planning call, five searches of 50 documents: this service beside its peers"
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" '
            f'height="{height}" role="img" aria-label="{escape(title)}" font-family="sans-serif" font-size="13">',
            f"<style>{STYLE}</style>",
            f'<rect class="ground" width="{WIDTH}" height="{height}" rx="6"/>',
            f'<text x="16" y="24" font-size="14">{escape(title)}</text>',
            *(
                f'<text x="{NAMES - 10}" y="{_middle(row)}" text-anchor="end"{_weight(one.name, ours)}>'
                f"{escape(one.name)}</text>"
                for row, one in enumerate(found)
            ),
            *_bars(found, ours, NAMES, "CPU, ms a request", lambda one: one.cpu_ms),
            *_bars(
                found,
                ours,
                NAMES + PANEL + GAP,
                "wall p50, ms at 64 callers (ideal 500)",
                lambda one: one.wall_ms("64"),
            ),
            "</svg>",
            "",
        ]
    )


def _middle(row: int) -> int:
    return TOP + ROW * row + 14


def _weight(name: str, ours: str) -> str:
    return ' font-weight="bold"' if name == ours else ""


def _bars(found: Sequence[Figures], ours: str, left: int, title: str, value: Callable[[Figures], float]) -> list[str]:
    most = max(map(value, found))
    parts = [f'<text x="{left}" y="50">{escape(title)}</text>']
    for row, one in enumerate(found):
        length = value(one) / most * PANEL
        kind = "ours" if one.name == ours else "peer"
        said = f"{value(one):,.0f}" if value(one) >= 100 else f"{value(one):.1f}"
        parts.append(f'<rect class="{kind}" x="{left}" y="{TOP + ROW * row}" width="{length:.1f}" height="19" rx="2"/>')
        parts.append(f'<text x="{left + length + 6:.1f}" y="{_middle(row)}"{_weight(one.name, ours)}>{said}</text>')
    return parts
