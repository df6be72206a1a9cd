"""The golden files by their names."""

from pathlib import Path
from typing import Final

from tests.infra import outside
from tests.infra.evaluated import pipelines, scenarios

FOLDER: Final = Path(__file__).parent
WORKFLOWS: Final = outside.ROOT / ".github" / "workflows"


def texts() -> dict[str, str]:
    """Those of the project as it is now."""
    return {**scenarios.texts(), "workflows": _workflows()}


def _workflows() -> str:
    """Situations of one workflow that say the same line say it once."""
    told: dict[str, list[str]] = {}
    for name, (file, _) in pipelines.SITUATIONS.items():
        for line in pipelines.lines(name, (WORKFLOWS / file).read_text(encoding="utf-8")):
            told.setdefault(f"{file} {line}", []).append(name)
    return "".join(f"{line}  [{', '.join(names)}]\n" for line, names in told.items())
