"""All benchmarks, one after the other, each in a fresh process."""

import subprocess
import sys
from typing import Final

NAMES: Final = (
    "wall",
    "cpu",
    "versions",
    "imports",
    "first",
    "local",
    "agents",
    "access",
    "model_studio",
    "mcp",
    "workflow",
    "evidence",
    "citations",
    "follow_up",
    "retrieve",
    "ranking",
    "local_search",
    "telemetry",
    "sizing",
    "streaming",
)


def main() -> int:
    """Exit code 0 unless a benchmark broke."""
    codes = [
        subprocess.run([sys.executable, "-m", f"tests.benchmarks.{name}"], check=False).returncode for name in NAMES
    ]
    return max(map(abs, codes))


if __name__ == "__main__":
    sys.exit(main())
