"""What docs/operating/telemetry.md installs goes together with what the service needs, on every Python it supports."""

import os
import re
import shlex
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import pytest

from tests.environments import ROOT, needs
from tests.requirements import pins

pytestmark = pytest.mark.slow

PAGE: Final = (ROOT / "docs" / "operating" / "telemetry.md").read_text(encoding="utf-8")
PROVIDER: Final = "from opentelemetry import trace; print(type(trace.get_tracer_provider()).__module__)"


@pytest.mark.parametrize("version", ["3.11", "3.12", "3.13"])
def test_the_documented_install_has_no_conflicts_and_sets_up_an_sdk(version: str, tmp_path: Path) -> None:
    """It is added to what `make run` installs."""
    base, python = needs(version), tmp_path / ".venv" / "bin" / "python"
    run([str(base), "-m", "venv", "--without-pip", str(tmp_path / ".venv")])
    pip = [str(base), "-m", "pip", "--python", str(python)]
    run([*pip, "install", "--quiet", "--no-compile", *pins("local")])
    for packages in documented():
        run([*pip, "install", "--quiet", "--no-compile", *packages])
    assert run([*pip, "check"]) == "No broken requirements found."
    settings = dict(re.findall(r"\b(OTEL_\w+)=(\w+)", PAGE.partition("```bash")[2].partition("```")[0]))
    instrumented = [str(python.with_name("opentelemetry-instrument")), str(python), "-c", PROVIDER]
    assert run(instrumented, settings).splitlines()[0].startswith("opentelemetry.sdk.trace")


def documented() -> list[list[str]]:
    """What the page's commands install."""
    return list(map(shlex.split, re.findall(r"^python3 -m pip --python \S+ install (.+)$", PAGE, re.MULTILINE)))


def run(command: Sequence[str], environ: dict[str, str] | None = None) -> str:
    done = subprocess.run(
        command,
        cwd=ROOT,
        env={**os.environ, **(environ or {})},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout.strip()
