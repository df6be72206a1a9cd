"""CPU time to import `function_app` in a fresh interpreter, over that of the three Azure packages it cannot spare.

With the bytecode of both, as it is from the second start on a machine.
"""

import os
import subprocess
import sys
from collections.abc import Sequence
from statistics import median
from tempfile import TemporaryDirectory
from typing import Final

from tests.benchmarks.deployment import ROOT
from tests.benchmarks.table import Row, show

OURS: Final = "import function_app"
BARE: Final = "import azure.functions, azure.identity.aio, azure.search.documents.aio"
UNWANTED: Final = ("openai", "tantivy", "starlette", "uvicorn", "lark", "aiohttp", "pytest")
ROUNDS: Final = 11


def milliseconds(statement: str, bytecode: str) -> float:
    """What the statement takes, without the interpreter's own start."""
    code = f"from time import process_time as now; start = now(); {statement}; print((now() - start) * 1000)"
    return float(run(["-c", code], bytecode))


def loaded(bytecode: str) -> list[str]:
    """The packages that should not be there and are."""
    return [name for name in UNWANTED if name in run(["-c", f"{OURS}, sys; print(*sys.modules)"], bytecode).split()]


def run(arguments: Sequence[str], bytecode: str) -> str:
    """What Python prints, with its bytecode in that folder."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    environment["PYTHONPYCACHEPREFIX"] = bytecode
    command = [sys.executable, *arguments]
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=True).stdout


def main() -> None:
    with TemporaryDirectory() as bytecode:
        milliseconds(OURS, bytecode), milliseconds(BARE, bytecode)
        rounds = [(milliseconds(OURS, bytecode), milliseconds(BARE, bytecode)) for _ in range(ROUNDS)]
        unwanted = ", ".join(loaded(bytecode)) or "none of " + ", ".join(UNWANTED)
    ours, bare = median(one for one, _ in rounds), median(other for _, other in rounds)
    note = f"{ours:.0f} ms, {bare:.0f} ms for {BARE.removeprefix('import ')}"
    show(
        f"import of function_app; loaded too: {unwanted}",
        [Row(name="import", value=ours / bare, target=1.15, note=note)],
    )


if __name__ == "__main__":
    main()
