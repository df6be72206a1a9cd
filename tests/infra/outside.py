"""The tools that the check is built on, in an environment of their own: the extra `infra` of the project."""

import json
import subprocess
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, Final

from tests.third_parties import bicep_tools

ROOT: Final = Path(__file__).resolve().parents[2]
INFRA: Final = ROOT / "infra"
_PARSED: Final[dict[str, Any]] = {}
_TOOLS: Final = Path(__file__).with_name("tools")


def sources() -> dict[str, str]:
    """Every Bicep file by its path from `infra`, and the JSON files that they load."""
    found = sorted([*INFRA.rglob("*.bicep"), *INFRA.glob("*.json")])
    return {path.relative_to(INFRA).as_posix(): path.read_text(encoding="utf-8") for path in found}


def trees(files: Mapping[str, str]) -> dict[str, Any]:
    """Syntax trees of Bicep sources, as `tools/trees.py` writes them; of each text once in a process."""
    new = {text: text for text in files.values() if text not in _PARSED}
    if new:
        _PARSED.update(json.loads(_tool("trees", json.dumps(new))))
    return {path: _PARSED[text] for path, text in files.items()}


@cache
def shapes(asked: tuple[tuple[str, str, str], ...]) -> Mapping[str, Any]:
    """Shapes of management models: (name, module, class) each."""
    found: Mapping[str, Any] = json.loads(_tool("shapes", json.dumps({name: rest for name, *rest in asked})))
    return found


def read_yaml(text: str) -> Any:
    """YAML as JSON values."""
    return json.loads(_tool("yaml_as_json", text))


def _tool(name: str, sent: str) -> str:
    python = bicep_tools()
    done = subprocess.run([python, _TOOLS / f"{name}.py"], input=sent, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout
