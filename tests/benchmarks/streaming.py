"""Two ways to answer with events in Azure: all in one body, or Microsoft's HTTP-streams extension.

Python 3.13, Microsoft's worker code, each in environments of their own: what the extension adds to the import of the
app and to its packages, and the CPU time of a call each way.
docs/calling/streaming.md says what follows from the figures.
"""

import json
import os
import subprocess
from pathlib import Path
from statistics import median
from typing import Final

from tests.environments import ROOT, environment
from tests.third_parties import served_by

PYTHON: Final = "3.13"
RUNTIME: Final = "azure-functions-runtime>=1.3,<1.4"
EXTENSION: Final = "azurefunctions-extensions-http-fastapi>=1.0.1,<2"
ROUNDS: Final = 9
WORKERS: Final = 3

IMPORT: Final = """
from time import perf_counter as now
start = now()
import function_app
middle = now()
import azurefunctions.extensions.http.fastapi
print((middle - start) * 1000, (now() - middle) * 1000)
"""
PACKAGES: Final = """
import json, zlib
from importlib.metadata import distributions
def size(one):
    files = [one.locate_file(file) for file in one.files or () if file.suffix != ".pyc"]
    return sum(len(zlib.compress(file.read_bytes())) for file in files if file.is_file())
print(json.dumps({one.name: size(one) for one in distributions()}))
"""


def said(python: Path, *arguments: str) -> str:
    environ = {**os.environ, "PYTHONPATH": str(ROOT), "AGENTS_STORE": "memory"}
    done = subprocess.run([python, *arguments], cwd=ROOT, env=environ, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(done.stderr[-2000:])
    return done.stdout


def cpu(python: Path, way: str) -> dict[str, float]:
    """Microseconds of CPU a call, by what is answered."""
    rounds = [json.loads(said(python, "-m", "tests.benchmarks.streaming_apps.worker", way)) for _ in range(WORKERS)]
    return {target: median(one[target] for one in rounds) for target in rounds[0]}


def main() -> None:
    without = environment("worker", [*served_by(), RUNTIME], PYTHON)
    with_it = environment("streaming", [*served_by(), RUNTIME, EXTENSION], PYTHON)
    rounds = [[float(one) for one in said(with_it, "-c", IMPORT).split()] for _ in range(ROUNDS + 1)][1:]
    app, extension = median(one for one, _ in rounds), median(other for _, other in rounds)
    usual, sizes = json.loads(said(without, "-c", PACKAGES)), json.loads(said(with_it, "-c", PACKAGES))
    added = {name: size for name, size in sizes.items() if name not in usual}
    buffered, streamed = cpu(without, "buffered"), cpu(with_it, "extension")
    print("Events in Azure: what the HTTP-streams extension adds, beside events in one body")
    print(f"  import      {extension:6.0f} ms   after the {app:.0f} ms of function_app")
    print(f"  packages    {sum(added.values()) / 1000:6.0f} kB   compressed: {', '.join(sorted(added))}")
    for target, what in (("whole", "one JSON document"), ("events", "ten events")):
        more = streamed[target] - buffered[target]
        print(f"  {what:<20}{more:6.0f} µs   of CPU a call, after {buffered[target]:.0f} µs in one body")
    print("  With the extension a body that came in chunks reached the function.", flush=True)


if __name__ == "__main__":
    main()
