"""Writes requirements.lock out of pyproject.toml: `make lock`, or `make lock UPGRADE=1`.

Without an upgrade what is locked stays, and only what pyproject.toml changed is resolved anew. It is one resolution for
every Python and system that is supported.
"""

import subprocess
import sys
from collections.abc import Sequence
from typing import Final

from tests.requirements import LOCK, ROOT

BETAS: Final = (
    "azure-core-tracing-opentelemetry",
    "azure-monitor-opentelemetry-exporter",
    "opentelemetry-instrumentation",
    "opentelemetry-instrumentation-asgi",
    "opentelemetry-instrumentation-dbapi",
    "opentelemetry-instrumentation-django",
    "opentelemetry-instrumentation-fastapi",
    "opentelemetry-instrumentation-flask",
    "opentelemetry-instrumentation-httpx",
    "opentelemetry-instrumentation-logging",
    "opentelemetry-instrumentation-psycopg2",
    "opentelemetry-instrumentation-requests",
    "opentelemetry-instrumentation-urllib",
    "opentelemetry-instrumentation-urllib3",
    "opentelemetry-instrumentation-wsgi",
    "opentelemetry-semantic-conventions",
    "opentelemetry-util-http",
)
"""The packages that may be a pre-release: those of azure-monitor-opentelemetry, which have no other releases."""


OPTIONS: Final = (
    "--quiet", "--all-extras", "--universal", "--python-version", "3.11", "--generate-hashes", "--no-header",
    "--annotation-style", "line", "--prerelease", "disallow",
)  # fmt: skip
"""Of this command alone: what stands in pyproject.toml is for whoever runs uv in the checkout."""


def command(*, upgrade: bool) -> list[str]:
    """What resolves."""
    betas = [option for name in BETAS for option in ("--prerelease-package", f"{name}=allow")]
    further = ["--upgrade"] if upgrade else []
    return ["pip", "compile", *OPTIONS, *betas, *further, "pyproject.toml"]


def main(arguments: Sequence[str]) -> int:
    resolving = [sys.executable, "-m", "uv", *command(upgrade="--upgrade" in arguments), "--output-file", LOCK.name]
    return subprocess.run(resolving, cwd=ROOT, stdout=subprocess.DEVNULL, check=False).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
