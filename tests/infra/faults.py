"""The faults of `faults.txt` and `seeds.txt`, which tests seed one at a time, and the changes of `harmless.txt`."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """Replace `old` in the file by `new`, once. `survives` is the reason why no check finds it; `says` is what the rule
    says that names it, in the scenario of `given`, or in all of them."""

    name: str
    file: str
    old: str
    new: str
    survives: str
    says: str
    given: Mapping[str, Any] | None

    def seeded(self, sources: dict[str, str]) -> dict[str, str]:
        assert self.old in sources[self.file], f"The fault {self.name!r} cannot be made any more."
        return {**sources, self.file: sources[self.file].replace(self.old, self.new, 1)}


def faults(file: str = "faults.txt") -> tuple[Fault, ...]:
    """All of a file, in its order."""
    text = Path(__file__).with_name(file).read_text(encoding="utf-8")
    return tuple(_fault(block) for block in text.split("\n\n") if block.startswith("# "))


def _fault(block: str) -> Fault:
    lines = [(line[:1], line[2:]) for line in block.splitlines()]
    found = {mark: "\n".join(text for one, text in lines if one == mark) for mark in "#@-+!>?"}
    return Fault(
        name=found["#"],
        file=found["@"],
        old=found["-"],
        new=found["+"],
        survives=found["!"],
        says=found[">"],
        given=None if found["?"] == "whole" else json.loads(found["?"] or "{}"),
    )
