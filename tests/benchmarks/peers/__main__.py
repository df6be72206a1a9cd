"""All peers in one run: prints the table, and writes it with its plot into docs/developing/performance.md.

python -m tests.benchmarks.peers             three processes a measure, one after the other; about twenty minutes
python -m tests.benchmarks.peers --once      one process a measure, and nothing is written
"""

import json
import os
import platform
import re
import subprocess
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from tests.benchmarks.peers.figures import CALLERS, Came, Figures, spread, table
from tests.benchmarks.peers.plot import svg
from tests.benchmarks.peers.upstream import ALL, UPSTREAM, Kind
from tests.benchmarks.upstream import upstream
from tests.environments import ROOT
from tests.third_parties import peer

HERE: Final = Path(__file__).parent
OURS: Final = "this service"
NAMES: Final = {
    "floor": "bare aiohttp and orjson",
    "service": OURS,
    "sdks": "the SDKs by hand",
    "llamaindex": "LlamaIndex",
    "haystack_pipeline": "Haystack",
    "langchain_retriever": "LangChain",
}
"""The programs beside this one, in the order of the table."""

FAULTS: Final[tuple[Kind, ...]] = ("fails", "hangs", "junk")
PROCESSES: Final = 3
LONGEST: Final = 300
"""Seconds that one process may take."""


def asked(program: str, address: str, measure: str) -> dict[str, Any]:
    """What a process of that peer measured."""
    if program == "service":
        command: list[str | Path] = [sys.executable, "-m", "tests.benchmarks.peers.service", address, measure]
    else:
        command = [peer(program), "-W", "ignore", HERE / f"{program}.py", address, measure]
    environ = {name: value for name, value in os.environ.items() if not name.lower().endswith("_proxy")}
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=LONGEST, cwd=ROOT, env=environ)
    if done.returncode != 0:
        raise RuntimeError(f"{program}, {measure}: {done.stderr[-2000:]}")
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def in_turns(measure: str, kind: Kind, processes: int) -> dict[str, list[Any]]:
    """What each program measured: a process of each, then again, so that a change of the machine meets all."""
    found: dict[str, list[Any]] = {program: [] for program in NAMES}
    with upstream(kind, module=UPSTREAM) as address:
        for _ in range(processes):
            for program, values in found.items():
                values.append(asked(program, address, measure)["ms"])
                print(f"{measure}: {NAMES[program]} {values[-1]}", file=sys.stderr, flush=True)
    return found


def under(kind: Kind, program: str) -> Came:
    with upstream(kind, module=UPSTREAM) as address:
        found = asked(program, address, "fault")
    print(f"{kind}: {NAMES[program]} {found}", file=sys.stderr, flush=True)
    return Came(documents=found.get("documents"), seconds=found["seconds"], told=bool(found.get("told")))


def measured(processes: int) -> list[Figures]:
    cpu = in_turns("cpu", "quick", processes)
    wall = in_turns("wall", "usual", processes)
    return [
        Figures(
            name=name,
            cpu=cpu[program],
            wall={callers: [one[callers] for one in wall[program]] for callers in CALLERS},
            faults={kind: under(kind, program) for kind in FAULTS},
        )
        for program, name in NAMES.items()
    ]


def machine() -> str:
    """What it ran on."""
    text = Path("/proc/cpuinfo").read_text(encoding="utf-8") if Path("/proc/cpuinfo").exists() else ""
    model = re.search(r"^model name\s*:\s*(.+)$", text, re.MULTILINE)
    processor = model[1] if model else platform.processor() or platform.machine()
    return f"{os.cpu_count()} processors ({processor}), Python {platform.python_version()}"


def note(found: Sequence[Figures]) -> str:
    day = datetime.now(UTC).date().isoformat()
    noise = f"Each measure ran in three processes; their results differed by at most {spread(found):.0%}."
    if len(found[0].cpu) == 1:
        noise = "One process a measure."
    return f"Measured on {day}: {machine()}. {noise}"


def write(found: Sequence[Figures]) -> None:
    """Into the page, between the marks of the table; and the plot."""
    (ROOT / "docs" / "developing" / "peers.svg").write_text(svg(found, OURS), encoding="utf-8")
    page = ROOT / "docs" / "developing" / "performance.md"
    text = page.read_text(encoding="utf-8")
    before, _, rest = text.partition("<!-- peers -->\n")
    _, _, after = rest.partition("<!-- end -->\n")
    said = f"{table(found, ALL)}\n\n{note(found)}\n"
    page.write_text(f"{before}<!-- peers -->\n{said}<!-- end -->\n{after}", encoding="utf-8")


def main(arguments: Sequence[str]) -> int:
    found = measured(1 if "--once" in arguments else PROCESSES)
    print(table(found, ALL), note(found), sep="\n\n")
    if "--once" not in arguments:
        write(found)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
