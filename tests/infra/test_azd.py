"""What azd does with this project, by its stand-in: what it refuses, what it asks, what it skips, what it deletes."""

import asyncio
import json
import os
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import pytest
from pathspec import GitIgnoreSpec

from retrieval.local.server import serving
from tests.deployment import package
from tests.infra import check, names, outside
from tests.infra.deploying import Run, bash, outputs, parameters, run
from tests.infra.test_template import AZURE_YAML, deployed, of
from tests.infra.tools.azd import Refused
from tests.rooms import NEEDS_DOCTOR
from tests.scripted_azure import answering

SETTINGS: Final = "Microsoft.Web/sites/config/appsettings"
NEW: Final = "azd env new this --location there --no-prompt"
FIELDS: Final = json.loads(
    (outside.ROOT / "docs" / "operating" / "settings.md")
    .read_text(encoding="utf-8")
    .split("```json\n")[1]
    .split("```")[0]
)
FINDING: Final = {"subject": "index", "name": "handbook", "said": "It is not there.", "lacking": None}
SWITCHES: Final = {
    "PUBLIC_APP": "publicApp",
    "PRIVATE_NETWORK": "privateNetwork",
    "SEARCH_LOCAL_AUTH": "searchLocalAuth",
    "DEPLOYER_ROLES": "deployerRoles",
    "EXISTING_RESOURCE_GROUP": "existingResourceGroup",
    "MONITOR_PRIVATE_LINK": "monitorPrivateLink",
    "DIAGNOSTIC_SETTINGS": "diagnosticSettings",
}


def passed(**said: str) -> dict[str, Any]:
    """The parameters that azd deploys with when it is told this."""
    sources = outside.sources()
    return names.passed(check.parsed(sources)["main.bicep"], sources["main.parameters.json"], said)


@pytest.mark.parametrize("variable", SWITCHES)
@pytest.mark.parametrize("value", ["yes", "no", "on", "maybe"])
def test_a_switch_that_azd_cannot_read_is_refused_by_its_variable(variable: str, value: str) -> None:
    with pytest.raises(Refused, match=rf"missing required inputs: {SWITCHES[variable]} \({variable}\)"):
        passed(**{variable: value})


@pytest.mark.parametrize("value", ["five", "5 GB", "5.0"])
def test_a_number_that_azd_cannot_read_is_refused_by_its_variable(value: str) -> None:
    with pytest.raises(Refused, match=r"logDailyCapGB \(LOG_DAILY_CAP_GB\)"):
        passed(LOG_DAILY_CAP_GB=value)


def test_a_switch_with_a_default_in_the_template_would_stay_open_without_a_word() -> None:
    """Why there is none."""
    sources = outside.sources()
    with_default = sources["main.bicep"].replace("param publicApp bool\n", "param publicApp bool = true\n")
    main = check.parsed({**sources, "main.bicep": with_default})["main.bicep"]
    given = names.passed(main, sources["main.parameters.json"], {"PUBLIC_APP": "no"})
    assert "publicApp" not in given


def test_what_is_not_said_or_empty_has_its_default() -> None:
    usual = passed()
    assert (usual["publicApp"], usual["privateNetwork"], usual["logDailyCapGB"]) == (True, False, 5)
    empty = dict.fromkeys(
        names.variables(outside.sources()["main.parameters.json"]) - names.SAID_BY_AZD - {*names.ADMITTED}, ""
    )
    assert passed(**empty) == usual
    assert len(empty) >= 50


def test_switches_and_numbers_are_what_they_say() -> None:
    given = passed(PUBLIC_APP="false", PRIVATE_NETWORK="true", LOG_DAILY_CAP_GB="-1")
    assert (given["publicApp"], given["privateNetwork"], given["logDailyCapGB"]) == (False, True, -1)


def test_the_fields_of_indexes_are_the_json_that_the_readme_shows() -> None:
    settings = of(deployed(**passed(INDEX_FIELDS=json.dumps(FIELDS))), SETTINGS).properties
    assert json.loads(settings["INDEX_FIELDS"]) == FIELDS
    assert of(deployed(**passed(INDEX_FIELDS="")), SETTINGS).properties["INDEX_FIELDS"] == ""


@pytest.mark.parametrize("said", ["", "null", "{}"])
def test_no_further_settings_are_none(said: str) -> None:
    assert of(deployed(**passed(MORE_SETTINGS=said)), SETTINGS).properties == of(deployed(), SETTINGS).properties


@pytest.mark.parametrize(
    "variable", ["INDEX_FIELDS", "MORE_SETTINGS", "TAGS", "RESOURCE_NAMES", "AUTH_ALLOWED_APPLICATIONS"]
)
def test_an_object_that_is_no_json_is_refused(variable: str) -> None:
    with pytest.raises(Refused, match="is not valid JSON"):
        passed(**{variable: "{'handbook': {}}"})


def test_a_landing_zone_in_the_words_of_azd_is_the_scenario_that_is_checked() -> None:
    variables = {name: variable for variable, name in parameters().items()}
    words = {name: json.dumps(value) for name, value in check.LANDING_ZONE.items() if not isinstance(value, str)}
    said = {variables[name]: words.get(name, value) for name, value in check.LANDING_ZONE.items()}
    assert passed(**said) == {**passed(), **check.LANDING_ZONE}
    assert [one.body for one in deployed(**passed(**said))] == [one.body for one in deployed(**check.LANDING_ZONE)]


@pytest.mark.parametrize(
    ("said", "sentence"),
    [
        ({"API_KEYS": ""}, "Nobody is admitted"),
        ({"MORE_SETTINGS": '{"LOCAL": "1"}'}, "MORE_SETTINGS has a setting for a developer machine"),
        ({"LOG_DAILY_CAP_GB": "0"}, "LOG_DAILY_CAP_GB=0 keeps no log"),
        ({"PER_INSTANCE_CONCURRENCY": "65"}, "PER_INSTANCE_CONCURRENCY is over MAX_CONCURRENT_REQUESTS"),
        ({"EXISTING_MODEL_RESOURCE": "theirs"}, "EXISTING_MODEL_RESOURCE needs PLANNER=existing"),
        ({"EXISTING_APP_SUBNET_ID": "/subnets/a"}, "need PRIVATE_NETWORK=true"),
        ({"RESOURCE_NAMES": '{"function": "a"}'}, "RESOURCE_NAMES has a key that names no resource"),
    ],
)
def test_a_wrong_value_is_refused_by_its_variable_before_it_costs(said: Mapping[str, str], sentence: str) -> None:
    sources = outside.sources()
    problems = check.deploy_with(check.parsed(sources), sources, passed(**said)).problems
    assert any(": groupName: " in problem and sentence in problem for problem in problems)


@pytest.mark.parametrize("key", ['a"b', "a\\q", "a\nb"])
def test_a_key_that_json_cannot_hold_as_it_stands_is_refused(key: str) -> None:
    with pytest.raises(Refused, match="is not valid JSON"):
        passed(API_KEYS=key)
    assert passed(API_KEYS="a\\tb")["apiKeys"] == "a\tb", "a backslash may also become something else, without a word"
    assert passed(API_KEYS="a'b$c")["apiKeys"] == "a'b$c"


@pytest.mark.parametrize("variable", ["AUTH_TENANT_ID", "EXISTING_SEARCH_SUBSCRIPTION", "EXISTING_MODEL_SUBSCRIPTION"])
def test_an_empty_tenant_or_subscription_is_the_one_that_is_deployed_to(variable: str) -> None:
    theirs = {"EXISTING_SEARCH_NAME": "theirs", "ENTRA_AUDIENCE": "api://retrieval"}
    usual, empty = (deployed(**passed(**theirs, **said)) for said in ({}, {variable: ""}))
    assert [one.body for one in usual] == [one.body for one in empty]


async def test_what_the_shell_has_is_taken_where_the_environment_lacks_it(tmp_path: Path) -> None:
    shell = {"PLANNER": "none", "SEARCH_SKU": "standard"}
    done = await bash(f"{NEW}\nazd env set SEARCH_SKU basic\nazd provision", tmp_path, environ=shell)
    (_, given) = done.provisioned[0]
    assert (given["planner"], given["searchSku"]) == ("none", "basic")


async def test_a_value_that_begins_with_a_dash_stands_after_two(tmp_path: Path) -> None:
    done = await bash(f"{NEW}\nazd env set LOG_DAILY_CAP_GB -1", tmp_path / "without")
    assert (done.code, list(done.said)) == (1, [])
    done = await bash(f"{NEW}\nazd env set LOG_DAILY_CAP_GB -- -1\nazd provision", tmp_path / "with")
    assert done.provisioned[0][1]["logDailyCapGB"] == -1


async def test_from_the_third_time_on_azd_skips_what_has_not_changed_unless_it_is_told_not_to(tmp_path: Path) -> None:
    done = await bash("\n".join([NEW, *["azd provision"] * 4, "azd provision --no-state"]), tmp_path)
    said = ["Skipped" in line for line in done.out.splitlines()]
    assert said == [False, False, True, True, False]


async def test_a_change_is_not_skipped(tmp_path: Path) -> None:
    done = await bash("\n".join([NEW, *["azd provision"] * 3, "azd env set PLANNER none", "azd provision"]), tmp_path)
    assert [given["planner"] for _, given in done.provisioned] == ["new", "new", "none"]


async def test_a_second_environment_asks_and_eats_what_was_pasted_after_it(tmp_path: Path) -> None:
    lines = ["{}", "azd env new that --location there{}", "azd env set PLANNER none", "azd env set SEARCH_SKU basic"]
    pasted = "\n".join(["```bash", *lines, "```", ""])
    asked = await run(pasted.format(NEW, ""), tmp_path / "asked", {})
    silent = await run(pasted.format(NEW, " --no-prompt"), tmp_path / "silent", {})
    assert "Set new environment 'that' as default environment?" in asked.out
    assert list(asked.said) == [("this", "SEARCH_SKU", "basic")]
    assert list(silent.said) == [("that", "PLANNER", "none"), ("that", "SEARCH_SKU", "basic")]


async def test_a_complaint_is_exported_with_status_0_and_assigned_with_another(tmp_path: Path) -> None:
    exported = await bash(f'{NEW}\nexport X="$(azd env get-value NOTHING)"\necho "it is $X"', tmp_path / "exported")
    assert exported.code == 0
    assert exported.out.startswith("it is ERROR: ")
    assigned = await bash(f'{NEW}\nX="$(azd env get-value NOTHING)"\nexport X\necho "it is $X"', tmp_path / "assigned")
    assert (assigned.code, assigned.out) == (1, "")


async def test_an_output_is_known_once_there_is_something(tmp_path: Path) -> None:
    answers = {"RETRIEVAL_ENDPOINT": "https://there"}
    done = await bash(f"{NEW}\nazd env get-value RETRIEVAL_ENDPOINT", tmp_path / "before", answers)
    assert done.code == 1
    done = await bash(f"{NEW}\nazd up\nazd env get-value RETRIEVAL_ENDPOINT", tmp_path / "after", answers)
    assert done.out.splitlines()[-1] == "https://there"


@pytest.mark.parametrize("command", ["azd package", "azd up", "azd deploy"])
async def test_without_python_nothing_is_packaged(command: str, tmp_path: Path) -> None:
    done = await bash(f"{NEW}\n{command}", tmp_path, alone=True)
    assert (done.code, "Python" in done.out) == (1, True)


async def test_an_azd_that_does_not_read_objects_from_json_is_refused(tmp_path: Path) -> None:
    old = await bash(NEW, tmp_path / "old", version=(1, 23, 3))
    assert (old.code, "later version of azd" in old.out) == (1, True)
    assert (await bash(NEW, tmp_path / "first", version=(1, 23, 4))).code == 0


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('azd: ">= 1.23.4"', 'azd: ">= 1.20.0"'),
        ('requiredVersions:\n  azd: ">= 1.23.4"\n', ""),
        ("    remoteBuild: true\n", ""),
        ("remoteBuild: true", "remoteBuild: false"),
        ("host: function", "host: appservice"),
    ],
)
def test_a_fault_in_azure_yaml_is_found(old: str, new: str) -> None:
    assert old in AZURE_YAML
    sources = outside.sources()
    made = check.deploy(check.parsed(sources), sources, {}).resources
    assert list(names.service(made, AZURE_YAML)) == []
    assert list(names.service(made, AZURE_YAML.replace(old, new)))


def test_azd_up_ends_with_the_doctor_on_every_system() -> None:
    assert list(names.hooks(AZURE_YAML)) == []
    assert "RETRIEVAL_ENDPOINT" in outputs()


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("continueOnError: true", "continueOnError: false"),
        ("postup:", "postdeploy:"),
        ("$env:RETRIEVAL_ENDPOINT", "$RETRIEVAL_ENDPOINT"),
        ("shell: pwsh", "shell: sh"),
    ],
)
def test_a_fault_in_the_hook_is_found(old: str, new: str) -> None:
    assert old in AZURE_YAML
    assert list(names.hooks(AZURE_YAML.replace(old, new)))


@NEEDS_DOCTOR
async def test_the_hook_of_azd_up_says_what_to_do_in_its_last_line() -> None:
    """By the shell that azd runs it with, in an environment as azd makes it of its own."""
    said = {"status": "faults", "findings": [{**FINDING, "state": "fault", "do": "Make it."}]}
    async with serving(answering(said)) as address:
        environ = {"PATH": os.environ["PATH"], "RETRIEVAL_ENDPOINT": address, "ADMIN_API_KEYS": "key-one,key-two"}
        hook = outside.read_yaml(AZURE_YAML)["hooks"]["postup"]["posix"]
        process = await asyncio.create_subprocess_exec(
            hook["shell"], "-c", hook["run"], cwd=outside.ROOT, env=environ, stdout=asyncio.subprocess.PIPE
        )
        out, _ = await process.communicate()
    assert process.returncode == 1
    assert out.decode().splitlines()[-1] == "1 fault. Begin with index handbook: Make it."


async def test_after_a_restore_the_package_holds_no_virtual_environment(tmp_path: Path) -> None:
    done = await bash("azd restore", tmp_path)
    folder = tmp_path / "work"
    (folder / "agents.json").write_text("[]")
    for stray in ("venv", "env"):
        shutil.copytree(folder / "work_env", folder / stray)
    for stray in ("handbook.jsonl", "main.json"):
        (folder / stray).write_text("")
    assert (done.code, (folder / "work_env" / "pyvenv.cfg").exists()) == (0, True)
    assert package.files(folder) == ["agents.json"]


@pytest.mark.parametrize(
    "path", ["main_env/pyvenv.cfg", "venv/pyvenv.cfg", "env/pyvenv.cfg", "corpus.jsonl", "main.json"]
)
def test_what_azd_and_people_leave_about_is_not_committed(path: str) -> None:
    lines = (outside.ROOT / ".gitignore").read_text(encoding="utf-8").splitlines()
    assert GitIgnoreSpec.from_lines(lines).match_file(path)
    assert not GitIgnoreSpec.from_lines(lines).match_file("retrieval/local/corpus/earth_at_night.jsonl")


THEIRS: Final[Mapping[str, str]] = {"EXISTING_SEARCH_NAME": "theirs", "EXISTING_SEARCH_RESOURCE_GROUP": "rg-search"}


async def test_force_deletes_the_group_of_what_was_there_before(tmp_path: Path) -> None:
    """Why the page does not have it."""

    async def down(how: str) -> Run:
        return await bash(f"{NEW}\nazd up\nazd down --purge {how}", tmp_path / how[:2], environ=THEIRS)

    assert list((await down("<<< y")).deleted) == [("this", ["rg-this"])]
    assert list((await down("--force")).deleted) == [("this", ["rg-search", "rg-this"])]
    assert (await down("<<< n")).code == 1
