"""The pages about deploying as a program: its commands in order, what they are run with, and what azd did for them."""

import asyncio
import json
import os
import re
import shutil
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

from retrieval.version import VERSION as VERSION_OF_PROJECT
from tests.infra import check, names, outside
from tests.infra.policy import ROLES
from tests.infra.tools import azd

PAGES: Final = ("deploy.md", "upkeep.md", "parameters.md")
PAGE: Final = "\n".join((outside.ROOT / "docs" / "operating" / name).read_text(encoding="utf-8") for name in PAGES)
"""The pages about deploying, in the order in which their commands are run."""
AZURE_YAML: Final = (outside.ROOT / "azure.yaml").read_text(encoding="utf-8")
VERSION: Final = (1, 32, 0)
OF_WHO_DEPLOYS: Final = frozenset({"AZURE_PRINCIPAL_ID", "AZURE_PRINCIPAL_TYPE"})
_START: Final = f"import sys; sys.path.insert(0, '{outside.ROOT}'); from tests.infra.tools import stand_in; " + (
    "sys.exit(stand_in.main(sys.argv[1:]))"
)
PROGRAMS: Final = ("az", "azd", "gh", "git")
PEOPLE: Final = frozenset(
    {
        "Contributor",
        "Key Vault Secrets User",
        "Log Analytics Contributor",
        "Log Analytics Reader",
        "Monitoring Reader",
        "Network Contributor",
        "Private DNS Zone Contributor",
        "Role Based Access Control Administrator",
        "Search Index Data Contributor",
        "Search Service Contributor",
        "Storage Table Data Contributor",
        "Storage Table Data Reader",
        "Website Contributor",
    }
)
"""Built-in roles of those who deploy: https://learn.microsoft.com/azure/role-based-access-control/built-in-roles"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """What the commands printed, how they ended, and what azd did with which environment.

    `said` are the variables set, with their values, `provisioned` the parameters that were deployed with, `deployed`
    the package and whether Azure builds it, `deleted` the resource groups.
    """

    code: int
    out: str
    err: str
    said: Sequence[tuple[str, str, str]] = ()
    provisioned: Sequence[tuple[str, Mapping[str, Any]]] = ()
    deployed: Sequence[tuple[str, str, bool]] = ()
    deleted: Sequence[tuple[str, Sequence[str]]] = ()


def blocks(page: str, language: str) -> list[str]:
    """The fenced blocks of a language."""
    return re.findall(rf"^```{language}\n(.*?)^```", page, re.MULTILINE | re.DOTALL)


def after(diff: str) -> str:
    """What a diff leaves: the new lines among those that stay."""
    return "\n".join(line[1:] for line in diff.splitlines() if not line.startswith("-"))


def before(diff: str) -> str:
    """What a diff begins with."""
    return "\n".join(line[1:] for line in diff.splitlines() if not line.startswith("+"))


def parameters() -> dict[str, str]:
    """The parameters that azd passes, by the variable that it reads for each, but those that azd says itself."""
    passed: Mapping[str, Mapping[str, str]] = json.loads(outside.sources()["main.parameters.json"])["parameters"]
    found = {azd.variables(one["value"])[0]: name for name, one in passed.items()}
    return {variable: name for variable, name in found.items() if variable not in OF_WHO_DEPLOYS}


def outputs() -> list[str]:
    return [one.name for one in check.parsed(outside.sources())["main.bicep"].of("output")]


async def run(page: str, folder: Path, answers: Mapping[str, str]) -> Run:
    """Every command of the page, pasted into a shell in an empty folder; at its end azd asks, and is answered `y`."""
    script = "".join(blocks(page, "bash"))
    asked = "y\n" if "\nazd down" in script else ""
    return await _run(("bash", "-euo", "pipefail", "-s"), script + asked, folder, answers)


async def bash(
    script: str,
    folder: Path,
    answers: Mapping[str, str] | None = None,
    environ: Mapping[str, str] | None = None,
    *,
    version: tuple[int, ...] = VERSION,
    alone: bool = False,
) -> Run:
    """A script, as a step of a workflow runs it; `alone` leaves only the stand-ins on its PATH."""
    command = (str(shutil.which("bash")), "-euo", "pipefail", "-c", script)
    return await _run(command, "", folder, answers or {}, environ, version=version, alone=alone)


async def _run(
    command: Sequence[str],
    pasted: str,
    folder: Path,
    answers: Mapping[str, str],
    environ: Mapping[str, str] | None = None,
    *,
    version: tuple[int, ...] = VERSION,
    alone: bool = False,
) -> Run:
    programs = _programs(folder)
    (folder / "facts.json").write_text(json.dumps(_facts(answers, version)))
    _checkout(folder / "work")
    path = str(programs) if alone else f"{programs}:{os.environ['PATH']}"
    process = await asyncio.create_subprocess_exec(
        *command,
        cwd=folder / "work",
        env={**(environ or {}), "PATH": path, "STAND_IN": str(folder / "facts.json"), "NO_PROXY": "*"},
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    out, err = await process.communicate(pasted.encode())
    assert process.returncode is not None
    noted = {name: _noted(folder / name) for name in ("said", "provisioned", "deployed", "deleted")}
    return Run(code=process.returncode, out=out.decode(), err=err.decode(), **noted)


def _checkout(folder: Path) -> None:
    """What the page uses of the repository: azure.yaml, the script that deploys a package, and a Python that has it."""
    for path in ("azure.yaml", ".ci/deploy"):
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(outside.ROOT / path, folder / path)
    python = folder / ".venv" / "bin" / "python"
    python.parent.mkdir(parents=True, exist_ok=True)
    python.write_text(f'#!/bin/sh\nPYTHONPATH="{outside.ROOT}" exec "{sys.executable}" "$@"\n')
    python.chmod(0o755)


def _programs(folder: Path) -> Path:
    """A folder with stand-ins for the programs that would reach Azure."""
    programs = folder / "bin"
    programs.mkdir(parents=True, exist_ok=True)
    for name in PROGRAMS:
        (programs / name).write_text(f'#!/bin/sh\nexec "{sys.executable}" -I -S -c "{_START}" {name} "$@"\n')
        (programs / name).chmod(0o755)
    return programs


def _facts(answers: Mapping[str, str], version: tuple[int, ...]) -> Mapping[str, Any]:
    sources = outside.sources()
    main = check.parsed(sources)["main.bicep"]
    asked = re.findall(r"\d+", outside.read_yaml(AZURE_YAML)["requiredVersions"]["azd"])
    return {
        "file": sources["main.parameters.json"],
        "declared": {name: asdict(one) for name, one in names.declared(main).items()},
        "outputs": outputs(),
        "roles": sorted({role.name for role in ROLES.values()} | PEOPLE),
        "answers": answers,
        "template": sources["main.bicep"],
        "asked": [int(part) for part in asked],
        "version": version,
        "release": f"v{VERSION_OF_PROJECT}",
    }


def _noted(path: Path) -> list[Any]:
    lines = path.read_text().splitlines() if path.exists() else []
    return [tuple(json.loads(line)) for line in lines]
