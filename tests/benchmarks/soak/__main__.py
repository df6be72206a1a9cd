"""Soak, and say what came of it; `--write` puts it into docs/developing/performance.md, with its plot.

    python -m tests.benchmarks.soak [--requests N] [--write]

Exit code 1 where an answer was wrong, late or missing, or the memory grew.
"""

import argparse
import asyncio
import sys
from pathlib import Path
from typing import Final

from tests.benchmarks.soak.load import CALLERS, DEADLINE, Seen, soak
from tests.benchmarks.soak.plot import svg
from tests.benchmarks.table import Row, quantile, show

DOCS: Final = Path(__file__).resolve().parents[3] / "docs" / "developing"
PAGE: Final = DOCS / "performance.md"
BEGIN: Final = "<!-- made by `python -m tests.benchmarks.soak --write`, from here -->"
END: Final = "<!-- to here -->"
REQUESTS: Final = 10_000
LATE: Final = 0.1
GROWTH: Final = 1.1
SETTLED: Final = 0.3
"""The first of the answers, after which memory is held against what comes."""


def rows(seen: Seen, requests: int) -> list[Row]:
    memory = [sample.memory for sample in seen.samples]
    settled = memory[: max(round(len(memory) * SETTLED), 1)]
    wrong = sum(seen.wrong.values())
    return [
        Row(name="wrong", value=wrong, target=0, unit="", note=f"of {len(seen.seconds):,} answers"),
        Row(name="missing", value=requests - len(seen.seconds), target=0, unit=""),
        Row(name="slowest", value=max(seen.seconds), target=DEADLINE + LATE, unit="s", note=_beside(seen)),
        Row(
            name="memory",
            value=memory[-1] / max(settled),
            target=GROWTH,
            note=f"{max(settled):.0f} MB at most in the first {SETTLED:.0%}, {memory[-1]:.0f} MB at the end",
        ),
    ]


def _beside(seen: Seen) -> str:
    """How late the server is with what takes no time, as busy as the machine is."""
    return f"deadline {DEADLINE} s; /health beside: p99 {quantile(seen.health, 0.99):.2f} s, {max(seen.health):.2f} s"


def page(seen: Seen) -> list[str]:
    """Markdown."""
    statuses = ", ".join(f"{count:,} with {status}" for status, count in sorted(seen.statuses.items()))
    memory, took = [sample.memory for sample in seen.samples], seen.seconds
    of_memory = (memory[len(memory) // 10], memory[-1], max(memory))
    of_answers = (quantile(took, 0.5), quantile(took, 0.95), max(took))
    of_health = (quantile(seen.health, 0.5), quantile(seen.health, 0.99), max(seen.health))
    ran, waited = seen.processor
    late = sum(one > DEADLINE + LATE for one in took)
    cells = {
        "Requests": f"{len(took):,}",
        "Callers at once": f"{CALLERS}",
        "Answered": statuses,
        "Wrong answers": f"{sum(seen.wrong.values())}",
        "Time of an answer: median, p95, slowest": ", ".join(f"{one:.2f} s" for one in of_answers),
        "Deadline of a request": f"{DEADLINE} s",
        "Answers that came more than 0.1 s after the deadline": f"{late}",
        "`/health` during the soak: median, p99, slowest": ", ".join(f"{one:.2f} s" for one in of_health),
        "CPU time of the server": f"{ran:.0f} s",
        "Time that the server waited for a processor": f"{waited:.0f} s",
        "Memory after 10 % of the requests, at the end, at the peak": ", ".join(f"{one:.0f} MB" for one in of_memory),
        "Duration, requests a second": f"{seen.elapsed:.0f} s, {len(took) / seen.elapsed:.0f}",
    }
    return ["Measure | Figure", "---|---", *(f"{name} | {value}" for name, value in cells.items())]


def filled(text: str, lines: list[str]) -> str:
    before, _, rest = text.partition(BEGIN)
    after = rest.partition(END)[2]
    return f"{before}{BEGIN}\n\n" + "\n".join(lines) + f"\n\n{END}{after}"


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.soak")
    parser.add_argument("--requests", type=int, default=REQUESTS, metavar="N", help=f"{REQUESTS:,} unless given")
    parser.add_argument(
        "--write", action="store_true", help="put the figures and the plot into docs/developing/performance.md"
    )
    given = parser.parse_args()
    print(f"Soak: {given.requests:,} requests by {CALLERS} callers; about five minutes for 10,000", flush=True)
    seen = asyncio.run(soak(given.requests))
    found = rows(seen, given.requests)
    show("soak", found)
    print(*page(seen), *(f"  {count} × {fault}" for fault, count in seen.wrong.most_common(10)), sep="\n", flush=True)
    if given.write:
        PAGE.write_text(filled(PAGE.read_text(encoding="utf-8"), page(seen)), encoding="utf-8")
        (DOCS / "soak.svg").write_text(svg(seen.samples), encoding="utf-8")
    return 0 if all(row.value <= row.target for row in found) else 1


if __name__ == "__main__":
    sys.exit(main())
