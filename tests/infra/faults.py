"""The faults of `faults.txt`, which a test seeds one at a time: each is found, or says why only Azure can find it."""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """Replace `old` in the file by `new`, once. `survives` is the reason why no check finds it."""

    name: str
    file: str
    old: str
    new: str
    survives: str

    def seeded(self, sources: dict[str, str]) -> dict[str, str]:
        assert self.old in sources[self.file], f"The fault {self.name!r} cannot be made any more."
        return {**sources, self.file: sources[self.file].replace(self.old, self.new, 1)}


def faults() -> tuple[Fault, ...]:
    """All of them, in the order of the file."""
    text = Path(__file__).with_name("faults.txt").read_text(encoding="utf-8")
    return tuple(_fault(block) for block in text.split("\n\n") if block.startswith("# "))


def _fault(block: str) -> Fault:
    lines = [(line[:1], line[2:]) for line in block.splitlines()]
    found = {mark: "\n".join(text for one, text in lines if one == mark) for mark in "#@-+!"}
    return Fault(name=found["#"], file=found["@"], old=found["-"], new=found["+"], survives=found["!"])
