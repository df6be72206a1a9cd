"""All benchmarks, one after the other, each in a fresh process.

What it will take is said first, what is under way and what is left before each, and at the end what it took.
"""

import subprocess
import sys
from collections.abc import Mapping
from time import monotonic
from typing import Final

from tests.rooms import MODEL_STUDIO, has_room

OF_MODEL_STUDIO: Final = "contracts.model_studio.benchmark"
SECONDS: Final[Mapping[str, int]] = {
    "wall": 11,
    "streamed_plan": 50,
    "overload": 60,
    "cpu": 5,
    "versions": 4,
    "imports": 17,
    "first": 25,
    "local": 4,
    "agents": 4,
    "access": 4,
    **({OF_MODEL_STUDIO: 9} if has_room(MODEL_STUDIO) else {}),
    "mcp": 4,
    "workflow": 13,
    "passages": 50,
    "shown": 37,
    "citations": 2,
    "follow_up": 5,
    "retrieve": 3,
    "with_a_model": 9,
    "answers": 17,
    "facets": 4,
    "ranking": 3,
    "scores": 25,
    "models": 120,
    "local_search": 240,
    "telemetry": 12,
    "sizing": 10,
    "streaming": 155,
}
"""The benchmarks, and what each took on two cores."""


def module(name: str) -> str:
    """The module of a benchmark; one of a room lies beside the tests of the room."""
    return f"tests.{name}" if "." in name else f"tests.benchmarks.{name}"


def said(seconds: float) -> str:
    """A time for people: `40 s`, `8 min`."""
    return f"{seconds:.0f} s" if seconds < 90 else f"{seconds / 60:.0f} min"


def progress(done: int, elapsed: float) -> str:
    """What is next and what is left, once `done` benchmarks took `elapsed` seconds; this machine may be slower."""
    names = list(SECONDS)
    expected = sum(SECONDS[name] for name in names[:done])
    left = sum(SECONDS[name] for name in names[done:]) * (elapsed / expected if expected else 1)
    return f"[{done + 1}/{len(names)}] {names[done]}; about {said(left)} left"


def main() -> int:
    """Exit code 0 unless a benchmark broke."""
    begun, codes = monotonic(), []
    _tell(f"{len(SECONDS)} benchmarks, about {said(sum(SECONDS.values()))} on two cores")
    for done, name in enumerate(SECONDS):
        _tell(progress(done, monotonic() - begun))
        codes.append(subprocess.run([sys.executable, "-m", module(name)], check=False).returncode)
    _tell(f"{len(SECONDS)} benchmarks in {said(monotonic() - begun)}")
    return max(map(abs, codes))


def _tell(line: str) -> None:
    """Beside the results, which are standard output."""
    print(line, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
