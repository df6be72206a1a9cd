"""What was measured of each peer, and the table of it."""

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

CALLERS: Final = ("1", "16", "64")
HEAD: Final = (
    "program",
    "CPU, ms a request",
    "wall p50, ms at 1 / 16 / 64 callers (ideal 500)",
    "one search fails",
    "one search hangs 10 s",
    "the plan is junk",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Came:
    """What a call under a fault came to. `documents` is None for an error; `told`: the answer says what failed."""

    documents: int | None
    seconds: float
    told: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """`cpu` has milliseconds, a process each; so has `wall` by the number of callers; `faults` are by kind."""

    name: str
    cpu: Sequence[float]
    wall: Mapping[str, Sequence[float]]
    faults: Mapping[str, Came]

    @property
    def cpu_ms(self) -> float:
        return statistics.median(self.cpu)

    def wall_ms(self, callers: str) -> float:
        return statistics.median(self.wall[callers])


def cell(came: Came, every: int) -> str:
    """For example `all documents, 1.1 s, failure named`."""
    if came.documents is None:
        what = "error"
    elif came.documents >= every:
        what = "all documents"
    else:
        what = f"{came.documents} of {every}" if came.documents else "nothing"
    return ", ".join([what, f"{came.seconds:.1f} s", *(["failure named"] if came.told else [])])


def spread(found: Sequence[Figures]) -> float:
    """The widest difference between the processes of one measure, as a share of its median."""
    measured = [values for one in found for values in (one.cpu, *one.wall.values())]
    return max((max(values) - min(values)) / statistics.median(values) for values in measured)


def table(found: Sequence[Figures], every: int) -> str:
    """In Markdown. `every` is how many documents there are to find."""
    rows = [
        (
            one.name,
            f"{one.cpu_ms:.1f}",
            " / ".join(f"{one.wall_ms(callers):,.0f}" for callers in CALLERS),
            *(cell(came, every) for came in one.faults.values()),
        )
        for one in found
    ]
    return "\n".join([" | ".join(HEAD), "|".join(["---"] * len(HEAD)), *map(" | ".join, rows)])
