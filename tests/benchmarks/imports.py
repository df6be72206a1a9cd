"""Time to import `function_app` in a fresh interpreter, over that of the three Azure packages it cannot spare."""

import subprocess
import sys
from statistics import median
from typing import Final

from tests.benchmarks.deployment import ROOT
from tests.benchmarks.table import Row, show

OURS: Final = "import function_app"
BARE: Final = "import azure.functions, azure.identity.aio, azure.search.documents.aio"
UNWANTED: Final = ("openai", "tantivy", "starlette", "uvicorn", "lark", "aiohttp", "pytest")
ROUNDS: Final = 11


def milliseconds(statement: str) -> float:
    """What the statement takes, without the interpreter's own start."""
    code = f"from time import perf_counter as now; start = now(); {statement}; print((now() - start) * 1000)"
    return float(_run(code))


def loaded() -> list[str]:
    """The packages that should not be there and are."""
    return [name for name in UNWANTED if name in _run(f"{OURS}, sys; print(*sys.modules)").split()]


def _run(code: str) -> str:
    return subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True).stdout


def main() -> None:
    milliseconds(OURS), milliseconds(BARE)
    rounds = [(milliseconds(OURS), milliseconds(BARE)) for _ in range(ROUNDS)]
    ours, bare = median(one for one, _ in rounds), median(other for _, other in rounds)
    note = f"{ours:.0f} ms, {bare:.0f} ms for {BARE.removeprefix('import ')}"
    unwanted = ", ".join(loaded()) or "none of " + ", ".join(UNWANTED)
    show(
        f"import of function_app; loaded too: {unwanted}",
        [Row(name="import", value=ours / bare, target=1.2, note=note)],
    )


if __name__ == "__main__":
    main()
