"""What a benchmark prints: a title, and a line a measurement with its target."""

import math
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """`value` and `target` are in the same unit; smaller is better. `note` says what the value was made of."""

    name: str
    value: float
    target: float
    unit: str = "×"
    note: str = ""

    def __str__(self) -> str:
        verdict = "met" if self.value <= self.target else "MISSED"
        measured, target = f"{self.value:.2f} {self.unit}", f"target ≤ {self.target:g} {self.unit}"
        return f"  {self.name:<12}{measured:>10}   {target:<16}{verdict:<8}{self.note}"


def show(title: str, rows: Sequence[Row]) -> None:
    print(title, *rows, "", sep="\n", flush=True)


def quantile(values: Sequence[float], share: float) -> float:
    """The smallest value that at least that share of the values does not exceed."""
    ordered = sorted(values)
    return ordered[max(math.ceil(share * len(ordered)) - 1, 0)]
