"""The api-versions that are published: those of the resource types that the Bicep compiler brings.

The compiler has no list to print. Its linter's rule `use-recent-api-versions` tells of each version that is older than
a number of days, and which ones it would take: the later ones, if the number is the age of the version. A version that
is no preview counts as the newest one where only previews are later. Source: the page of the rule,
linter-rule-use-recent-api-versions, in https://learn.microsoft.com/azure/azure-resource-manager/bicep
"""

import json
import re
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from datetime import date
from pathlib import Path
from typing import Final

RULE: Final = "use-recent-api-versions"
_USED: Final = re.compile(r"'[\w.]+(?:/\w+)+@(\d{4}-\d{2}-\d{2}(?:-\w+)?)'")
_TOLD: Final = re.compile(rf"{RULE}: [^']*'([^']+)'[^']*'(\d{{4}}-[^']+)'.*?Acceptable versions: ([\w ,-]+)")


def compiler() -> str | None:
    """The Bicep compiler of this machine: on PATH, or as `az bicep install` puts it; None where there is none."""
    return shutil.which("bicep") or shutil.which("bicep", path=Path.home() / ".azure" / "bin")


def used(sources: Mapping[str, str]) -> set[str]:
    """The api-versions of all resources in Bicep files."""
    return {version for text in sources.values() for version in _USED.findall(text)}


def later(bicep: str, sources: Mapping[str, str], folder: Path, *, today: date) -> set[str]:
    """A sentence for each resource type of which a later version is published. `folder` is empty."""
    for path, text in sources.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, encoding="utf-8")
    return {one for version in used(sources) for one in _later(bicep, version, folder, today=today)}


def _later(bicep: str, version: str, folder: Path, *, today: date) -> Iterator[str]:
    age = (today - date.fromisoformat(version[:10])).days
    rule = {"level": "warning", "maxAllowedAgeInDays": max(age - 2, 0)}  # days: the compiler's may be another one
    config = {"analyzers": {"core": {"enabled": True, "rules": {RULE: rule}}}}
    (folder / "bicepconfig.json").write_text(json.dumps(config), encoding="utf-8")
    command = [bicep, "build", str(folder / "main.bicep"), "--stdout"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return (sentence for own, sentence in told(done.stderr) if own == version)


def told(said: str) -> Iterator[tuple[str, str]]:
    """Each version of which the linter says that there is a later one, with a sentence."""
    for type_name, own, others in _TOLD.findall(said):
        newer = [one for one in others.replace(",", " ").split() if _order(one) > _order(own)]
        if newer:
            yield own, f"{type_name}@{own} has later versions: {', '.join(newer)}"


def _order(version: str) -> tuple[str, bool]:
    """A version that is no preview comes after a preview of the same day."""
    return version[:10], len(version) == 10
