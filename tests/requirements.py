"""What a part of the project installs, out of requirements.lock: `python -m tests.requirements local --output …`.

The lock has every package of every extra, with its hashes and, after `# via`, with who needs it; that is followed from
what pyproject.toml names. Nothing but the standard library is needed: `make` asks before anything is installed.
"""

import argparse
import re
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[1]
LOCK: Final = ROOT / "requirements.lock"
DEPLOYED: Final = "azure"
"""The extra that the deployed app has."""

_NAME: Final = re.compile(r"[A-Za-z0-9][\w.-]*")


@dataclass(frozen=True, slots=True, kw_only=True)
class Package:
    """One entry: `lines` as they stand, `pin` its version with a marker, `parents` the packages that need it."""

    name: str
    pin: str
    lines: str
    parents: frozenset[str]


def packages(lock: Path = LOCK) -> list[Package]:
    """All of them; a name comes twice where two markers lead to two versions."""
    entries = re.split(r"^(?=\w)", lock.read_text(encoding="utf-8"), flags=re.MULTILINE)
    return [_package(entry) for entry in entries if entry[:1].strip()]


def named(extras: Iterable[str], *, alone: bool = False) -> list[str]:
    """What pyproject.toml requires with these extras, or for them `alone`; one that names others has theirs."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    optional = project["optional-dependencies"]
    found = [*(() if alone else project["dependencies"]), *(one for extra in extras for one in optional[extra])]
    inner = [one.partition("[")[2].rstrip("]") for one in found if canonical(one) == project["name"]]
    own = [one for one in found if canonical(one) != project["name"]]
    return own + [one for extras in inner for one in named(extras.split(","), alone=True)]


def needed(extras: Iterable[str], *, alone: bool = False) -> list[Package]:
    """Those that the project needs with these extras, or these `alone`, in the order of the lock."""
    known = packages()
    new = set(map(canonical, named(extras, alone=alone)))
    names = set(new)
    while new:
        new = {one.name for one in known if not new.isdisjoint(one.parents)} - names
        names |= new
    return [one for one in known if one.name in names]


def text(*extras: str) -> str:
    """A requirements file with hashes."""
    header = f"# Written from requirements.lock by `python -m tests.requirements {' '.join(extras)}`; do not edit.\n"
    return header + "".join(one.lines for one in needed(extras))


def pins(*extras: str, alone: bool = False) -> list[str]:
    """The versions without hashes."""
    return [one.pin for one in needed(extras, alone=alone)]


def canonical(requirement: str) -> str:
    """The name as the lock has it."""
    found = _NAME.match(requirement)
    return re.sub(r"[-_.]+", "-", found[0]).lower() if found else ""


def _package(entry: str) -> Package:
    first, _, rest = entry.partition("\n")
    pin = first.removesuffix("\\").strip()
    via = re.search(r"# via (.+)", rest)
    parents = frozenset(via[1].split(", ")) if via else frozenset[str]()
    return Package(name=canonical(pin), pin=pin, lines=entry, parents=parents)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Write what a part of the project installs.")
    parser.add_argument("extras", nargs="*")
    parser.add_argument("--output", type=Path, required=True)
    arguments = parser.parse_args()
    arguments.output.write_text(text(*arguments.extras), encoding="utf-8", newline="\n")
