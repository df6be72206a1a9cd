"""docs/deploy.md as a program: its commands in order, what they are run with, and what they said to azd."""

import asyncio
import json
import os
import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from tests.infra import outside
from tests.infra.policy import ROLES
from tests.infra.tree import read

PAGE: Final = (outside.ROOT / "docs" / "deploy.md").read_text(encoding="utf-8")
STAND_IN: Final = Path(__file__).with_name("tools") / "stand_in.py"
PROGRAMS: Final = ("az", "azd", "git")
PEOPLE: Final = frozenset(
    {
        "Contributor",
        "Key Vault Secrets User",
        "Log Analytics Reader",
        "Monitoring Reader",
        "Role Based Access Control Administrator",
        "Search Index Data Contributor",
        "Search Service Contributor",
        "Website Contributor",
    }
)
"""Built-in roles of those who deploy: https://learn.microsoft.com/azure/role-based-access-control/built-in-roles"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """What the commands printed, how they ended, and each `azd env set`: the environment, the variable, the value."""

    code: int
    out: str
    err: str
    said: Sequence[tuple[str, str, str]]


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
    """The parameters that azd passes, by the variable that it reads for each."""
    passed: Mapping[str, Mapping[str, str]] = json.loads(outside.sources()["main.parameters.json"])["parameters"]
    return {re.split("[=}]", one["value"].removeprefix("${"))[0]: name for name, one in passed.items()}


def outputs() -> list[str]:
    main = outside.trees({"main.bicep": outside.sources()["main.bicep"]})["main.bicep"]
    return [one.name for one in read("main.bicep", main).of("output")]


def typed(variable: str, value: str) -> Any:
    """A value as azd passes it: an object from its JSON; a text as it stands within JSON; true, false and numbers."""
    if variable == "MORE_SETTINGS":
        return json.loads(value)
    text = json.loads(f'"{value}"')
    return json.loads(text) if text in {"true", "false"} or text.isdigit() else text


async def run(page: str, folder: Path, answers: Mapping[str, str]) -> Run:
    """Every command of the page by bash, in an empty folder. `answers` is what the stand-ins print."""
    return await bash("\n".join(blocks(page, "bash")), folder, answers)


async def bash(script: str, folder: Path, answers: Mapping[str, str], environ: Mapping[str, str] | None = None) -> Run:
    """A script, in an empty folder, with stand-ins for the programs that would reach Azure."""
    programs = folder / "bin"
    programs.mkdir(parents=True)
    for name in PROGRAMS:
        (programs / name).write_text(f'#!/bin/sh\nexec "{sys.executable}" -I -S "{STAND_IN}" {name} "$@"\n')
        (programs / name).chmod(0o755)
    facts = {
        "variables": list(parameters()),
        "outputs": outputs(),
        "roles": sorted({role.name for role in ROLES.values()} | PEOPLE),
        "answers": answers,
    }
    (folder / "facts.json").write_text(json.dumps(facts))
    (folder / "work").mkdir()
    own = {"PATH": f"{programs}:{os.environ['PATH']}", "STAND_IN": str(folder / "facts.json"), "NO_PROXY": "*"}
    process = await asyncio.create_subprocess_exec(
        *("bash", "-euo", "pipefail", "-c", script),
        cwd=folder / "work",
        env={**(environ or {}), **own},
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    out, err = await process.communicate()
    assert process.returncode is not None
    said = folder / "said"
    lines = said.read_text().splitlines() if said.exists() else []
    found = [(one[0], one[1], one[2]) for one in map(json.loads, lines)]
    return Run(code=process.returncode, out=out.decode(), err=err.decode(), said=found)
