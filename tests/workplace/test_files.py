"""The files of a working environment have the shape that their readers take, and what they name is there."""

import json
import re
import subprocess
import tomllib
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

import pytest
from jsonschema import Draft202012Validator
from pathspec import GitIgnoreSpec

from tests.deployment import package
from tests.environments import ROOT
from tests.third_parties import AZURE_PYTHON, schema_checker
from tests.workplace import schemas

FILES: Final = {
    ".devcontainer/devcontainer.json": schemas.DEV_CONTAINER,
    ".vscode/extensions.json": schemas.RECOMMENDATIONS,
    ".vscode/launch.json": schemas.LAUNCH,
    ".vscode/settings.json": schemas.SETTINGS,
    ".vscode/tasks.json": schemas.TASKS,
}
NOT_DEPLOYED: Final = re.compile(
    r"\.|SECURITY|CHANGELOG|README|CONTRIBUTING|LICENSE|Makefile|azure\.yaml|docs|infra|tests|tools"
)
FORMS: Final = {
    ".github/ISSUE_TEMPLATE/bug.yml": "github-issue-forms",
    ".github/ISSUE_TEMPLATE/feature.yml": "github-issue-forms",
    ".github/ISSUE_TEMPLATE/config.yml": "github-issue-config",
    ".github/workflows/ci.yml": "github-workflows",
    ".github/workflows/deploy.yml": "github-workflows",
}


def read(path: str) -> Any:
    return json.loads((ROOT / path).read_text(encoding="utf-8"))


@pytest.mark.parametrize("path", FILES)
def test_a_file_has_the_shape_that_its_reader_takes(path: str) -> None:
    validator = Draft202012Validator(FILES[path])
    assert [f"{fault.json_path}: {fault.message}" for fault in validator.iter_errors(read(path))] == []


@pytest.mark.parametrize(
    ("path", "fault"),
    [
        (".devcontainer/devcontainer.json", {"imag": "x"}),
        (".devcontainer/devcontainer.json", {"forwardPorts": [70_000]}),
        (".vscode/launch.json", {"configurations": [{"name": "x", "type": "debugpy", "request": "launch"}]}),
        (".vscode/tasks.json", {"tasks": [{"label": "x", "type": "shel", "command": "x"}]}),
        (".vscode/extensions.json", {"recommendations": ["ruff"]}),
    ],
)
def test_a_fault_is_found(path: str, fault: dict[str, Any]) -> None:
    assert not Draft202012Validator(FILES[path]).is_valid({**read(path), **fault})


def test_what_is_launched_is_there() -> None:
    tasks = {task["label"]: task for task in read(".vscode/tasks.json")["tasks"]}
    launched = read(".vscode/launch.json")
    for one in launched["configurations"]:
        assert one.get("preLaunchTask", "set up") in tasks
        assert "module" not in one or find_spec(one["module"]) is not None
    assert {task.get("dependsOn", "set up") for task in tasks.values()} <= tasks.keys()
    asked = set(re.findall(r"\$\{input:(\w+)\}", json.dumps(launched)))
    assert asked == {one["id"] for one in launched["inputs"]}


def test_every_target_of_make_that_is_named_exists() -> None:
    text = "".join((ROOT / path).read_text(encoding="utf-8") for path in FILES)
    targets = set(re.findall(r"^([\w./-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    named = set(re.findall(r"\bmake ([\w./-]+)", text))
    assert named and named <= targets


def test_the_commands_that_are_launched_are_commands_of_the_local_services() -> None:
    from retrieval.local.__main__ import _parser

    for one in read(".vscode/launch.json")["configurations"]:
        if one.get("module") == "retrieval.local":
            assert _parser().parse_args(one["args"]).run is not None


def test_the_container_has_azures_python_and_recommends_what_the_editor_does() -> None:
    container = read(".devcontainer/devcontainer.json")
    assert f"python:{AZURE_PYTHON}-" in container["image"]
    recommended = read(".vscode/extensions.json")["recommendations"]
    assert container["customizations"]["vscode"]["extensions"] == recommended
    assert [str(port) for port in container["forwardPorts"]] == list(container["portsAttributes"])


def test_none_of_it_is_deployed() -> None:
    assert [name for name in package.files() if NOT_DEPLOYED.match(name)] == []


def test_the_template_is_named_with_the_version_of_the_project() -> None:
    """https://learn.microsoft.com/azure/developer/azure-developer-cli/azd-schema#metadata-properties"""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    named = re.findall(
        r"^metadata:\n  template: (.+)$", (ROOT / "azure.yaml").read_text(encoding="utf-8"), re.MULTILINE
    )
    assert named == [f"{project['name']}@{project['version']}"]


def test_what_a_new_project_does_without_is_linked_from_nothing_that_it_gets() -> None:
    """`azd init --template` leaves out what `.azdignore` names, by the rules of `.gitignore`."""
    spec = GitIgnoreSpec.from_lines((ROOT / ".azdignore").read_text(encoding="utf-8").splitlines())
    names = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split()
    left_out = {name for name in names if spec.match_file(name)}
    assert {Path(name).name for name in left_out} >= {"CHANGELOG.md", "SECURITY.md"}
    assert {"azure.yaml", "infra/main.bicep", "function_app.py", "LICENSE", "tests/clients/smoke.py"}.isdisjoint(
        left_out
    )
    pages = [name for name in names if name.endswith(".md") and name not in left_out]
    links = {
        (page, (ROOT / page).parent.joinpath(link).resolve().relative_to(ROOT).as_posix())
        for page in pages
        for link in re.findall(r"\]\(((?!https?:|#|\.\./\.\./)[^)#]+)", (ROOT / page).read_text(encoding="utf-8"))
    }
    assert [(page, link) for page, link in links if link in left_out] == []


@pytest.mark.slow
@pytest.mark.parametrize("path", FORMS)
def test_github_takes_the_file(path: str) -> None:
    """By the schemas of SchemaStore, which check-jsonschema brings."""
    command = [schema_checker(), "-m", "check_jsonschema", "--builtin-schema", f"vendor.{FORMS[path]}", ROOT / path]
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
