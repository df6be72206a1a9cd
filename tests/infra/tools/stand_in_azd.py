"""What azd does, as azd 1.32 was seen to do it: environments, questions, what it deploys with, what it skips."""

import hashlib
import json
import os
import shutil
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.infra.tools import azd
from tests.infra.tools.azd import Refused

COMMANDS: Mapping[str, Sequence[str]] = {
    "auth token": ("output", "scope"),
    "auth login": ("client-id", "tenant-id", "federated-credential-provider"),
    "env new": ("location", "subscription", "no-prompt"),
    "env select": (),
    "env set": (),
    "env set-secret": (),
    "env get-value": (),
    "restore": (),
    "package": (),
    "up": ("no-prompt",),
    "provision": ("preview", "no-state", "no-prompt"),
    "deploy": ("from-package", "no-prompt"),
    "down": ("purge", "force"),
    "pipeline config": (),
}
VALUES = {"env new": 1, "env select": 1, "env set": 2, "env set-secret": 1, "env get-value": 1}
BUILT = frozenset({"restore", "package", "up", "deploy"})
"""Commands that look at the code, for which azd runs Python."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """Of the project and of Azure. `asked` is the least version in azure.yaml, `version` that of azd,
    `release` the one tag."""

    file: str
    declared: Mapping[str, azd.Parameter]
    outputs: Sequence[str]
    roles: Sequence[str]
    answers: Mapping[str, str]
    template: str
    asked: tuple[int, ...]
    version: tuple[int, ...]
    release: str = ""


def facts_of(raw: Mapping[str, Any]) -> Facts:
    """From JSON."""
    declared = {name: azd.Parameter(**one) for name, one in raw["declared"].items()}
    versions = {name: tuple(raw[name]) for name in ("asked", "version")}
    return Facts(**{**raw, **versions, "declared": declared})


@dataclass(slots=True, kw_only=True)
class State:
    """The environments with their variables, the one that is meant, and what each was last deployed with."""

    environments: dict[str, dict[str, str]] = field(default_factory=dict)
    meant: str = ""
    deployed: dict[str, str] = field(default_factory=dict)


class Azd:
    """One command, over what the ones before have left in the folder."""

    def __init__(self, folder: Path, facts: Facts) -> None:
        self.folder, self.facts = folder, facts
        place = folder / "azd.json"
        self.state = State(**json.loads(place.read_text())) if place.exists() else State()

    def run(self, command: str, options: Mapping[str, str], values: Sequence[str]) -> str:
        """What it prints. Refused with what azd would say."""
        if self.facts.version < self.facts.asked:
            raise Refused("this project requires a later version of azd")
        if len(values) != VALUES.get(command, 0):
            raise Refused(f"it takes {VALUES.get(command, 0)} values, not {len(values)}")
        if command in BUILT and not (shutil.which("python3") or shutil.which("python")):
            raise Refused("required external tools are missing: Python")
        printed = getattr(self, f"_{command.replace(' ', '_').replace('-', '_')}")(options, *values)
        kept = {"environments": self.state.environments, "meant": self.state.meant, "deployed": self.state.deployed}
        (self.folder / "azd.json").write_text(json.dumps(kept))
        return str(printed)

    @property
    def values(self) -> dict[str, str]:
        """The variables of the environment that is meant."""
        if self.state.meant not in self.state.environments:
            raise Refused("no environment is selected")
        return self.state.environments[self.state.meant]

    def look_up(self, name: str) -> str | None:
        """Of the environment; the shell's where that lacks it; who deploys is azd's to say."""
        known = {"AZURE_PRINCIPAL_ID": "00000000-0000-0000-0000-00000000000e", "AZURE_PRINCIPAL_TYPE": "User"}
        return known.get(name) or self.values.get(name, os.environ.get(name))

    def _note(self, file: str, *what: Any) -> None:
        with (self.folder / file).open("a") as noted:
            noted.write(json.dumps([self.state.meant, *what]) + "\n")

    def _ask(self, question: str) -> str:
        """The next line of what was pasted, whatever it is."""
        print(question, flush=True)
        answer = b""
        while not answer.endswith(b"\n"):
            read = os.read(sys.stdin.fileno(), 1)
            if not read:
                raise Refused("nobody answers")
            answer += read
        return answer.decode().strip()

    def _auth_login(self, options: Mapping[str, str]) -> str:
        return "Logged in to Azure."

    def _env_new(self, options: Mapping[str, str], name: str) -> str:
        if name in self.state.environments:
            raise Refused(f"environment {name!r} already exists")
        others = list(self.state.environments)
        location = {"AZURE_LOCATION": options["location"]} if "location" in options else {}
        self.state.environments[name] = {"AZURE_ENV_NAME": name, **location}
        asked = bool(others) and "no-prompt" not in options
        if not asked or self._ask(f"Set new environment '{name}' as default environment? (Y/n)") in {"", "y", "Y"}:
            self.state.meant = name
        return ""

    def _env_select(self, options: Mapping[str, str], name: str) -> str:
        if name not in self.state.environments:
            raise Refused(f"environment {name!r} does not exist")
        self.state.meant = name
        return ""

    def _env_set(self, options: Mapping[str, str], name: str, value: str) -> str:
        """The real one takes any name: what main.parameters.json does not read is a slip of the page."""
        if name not in {one for entry in self.facts.declared for one in self._read_by(entry)}:
            raise Refused(f"main.parameters.json reads no variable {name}")
        self.values[name] = value
        self._note("said", name, value)
        return ""

    def _env_set_secret(self, options: Mapping[str, str], name: str) -> str:
        self.values[name] = f"akvs://subscription/{self._ask('Select the Key Vault')}/{name}"
        return ""

    def _read_by(self, parameter: str) -> list[str]:
        entries = json.loads(self.facts.file)["parameters"]
        return azd.variables(entries.get(parameter, {}).get("value"))

    def _env_get_value(self, options: Mapping[str, str], name: str) -> str:
        if name not in self.values:
            raise Refused(f"key '{name}' not found in the environment values")
        of_environment = f"{self.state.meant} {name}"
        return self.facts.answers.get(of_environment, self.facts.answers.get(name, self.values[name]))

    def _pipeline_config(self, options: Mapping[str, str]) -> str:
        raise Refused("its identity is for a branch, and that of deploy.yml for an environment")

    def _restore(self, options: Mapping[str, str]) -> str:
        """The virtual environment is named after the folder."""
        made = Path.cwd() / f"{Path.cwd().name}_env"
        made.mkdir(exist_ok=True)
        (made / "pyvenv.cfg").write_text("")
        return ""

    def _package(self, options: Mapping[str, str]) -> str:
        return ""

    def _given(self) -> dict[str, Any]:
        return azd.given(self.facts.file, self.facts.declared, self.look_up)

    def _provision(self, options: Mapping[str, str]) -> str:
        """Skipped where template and parameters are those of the last time, whatever was changed in Azure since."""
        given = self._given()
        if "preview" in options:
            return "Previewed"
        seen = hashlib.sha256(json.dumps([self.facts.template, given], sort_keys=True).encode()).hexdigest()
        if self.state.deployed.get(self.state.meant) == seen and "no-state" not in options:
            return "(-) Skipped: Didn't find new changes."
        self.state.deployed[self.state.meant] = seen
        self._note("provisioned", given)
        group = given.get("resourceGroupName") or f"rg-{self.state.meant}"
        told = {name: self.facts.answers.get(name, "") for name in self.facts.outputs}
        self.values.update({**told, "AZURE_RESOURCE_GROUP": group})
        return "Provisioned"

    def _up(self, options: Mapping[str, str]) -> str:
        return "\n".join((self._provision({}), self._deploy({})))

    def _deploy(self, options: Mapping[str, str]) -> str:
        if self.state.meant not in self.state.deployed:
            raise Refused("nothing is provisioned")
        package, project = options.get("from-package", ""), Path("azure.yaml")
        if package and not Path(package).is_file():
            raise Refused(f"there is no package {package}")
        builds = not project.exists() or "remoteBuild: true" in project.read_text()
        self._note("deployed", Path(package).name, builds)
        return "Deployed"

    def _down(self, options: Mapping[str, str]) -> str:
        """Asked, it deletes the groups that it has made; with --force, all that the deployment has touched."""
        groups = sorted(self._groups(forced="force" in options))
        if "force" not in options and self._ask(f"Delete resource group of {self.state.meant}? (y/N)") != "y":
            raise Refused("the user cancelled")
        self.state.deployed.pop(self.state.meant, None)
        self._note("deleted", groups)
        return ""

    def _groups(self, *, forced: bool) -> set[str]:
        own, given = {self.values.get("AZURE_RESOURCE_GROUP", "")}, self._given()
        theirs = {str(given.get(name, "")) for name in ("existingSearchResourceGroup", "existingModelResourceGroup")}
        return own | (theirs - {""} if forced else set())
