"""Sizes from 1 to 10,000 requests a second, with the CPU of a retrieve as it is measured here and now.

    python -m tests.benchmarks.sizing [--cpu-ms MS] [--write]

`--cpu-ms` takes the CPU of a retrieve from elsewhere instead; `--write` makes docs/operating/sizing.md anew.
"""

import argparse
import asyncio
from pathlib import Path
from typing import Final

from tests.benchmarks.sizing import measured, page
from tests.benchmarks.sizing.figures import Figures
from tests.benchmarks.sizing.plot import svg
from tests.benchmarks.sizing.sized import limits, rows

DOCS: Final = Path(__file__).resolve().parents[3] / "docs" / "operating"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.sizing")
    parser.add_argument("--cpu-ms", type=float, metavar="MS", help="CPU of a retrieve; measured unless given")
    parser.add_argument("--write", action="store_true", help="make docs/operating/sizing.md and its plot anew")
    given = parser.parse_args()
    load, figures = asyncio.run(measured.load(given.cpu_ms)), Figures()
    origin = "measured in this run" if given.cpu_ms is None else "as given"
    print(f"Sizing: {load.cpu_ms} ms of CPU a retrieve, {origin}; {load.tokens_in:.0f} tokens a plan's prompt")
    print(*page.results(rows(load, figures)), "", *page.ends(limits(load, figures)), "", sep="\n", flush=True)
    if given.write:
        file = DOCS / "sizing.md"
        file.write_text(page.filled(file.read_text(encoding="utf-8"), load, figures), encoding="utf-8")
        (DOCS / "sizing.svg").write_text(svg(rows(load, figures), limits(load, figures)), encoding="utf-8")


if __name__ == "__main__":
    main()
