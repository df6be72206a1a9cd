"""`python -m retrieval.doctor` as people start it: lines, colours, JSON, exit codes, and no secrets."""

import asyncio
import json
import os
import re
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final

import pytest

from retrieval.doctor import remote, report
from retrieval.doctor.remote import CannotRun
from retrieval.local.server import serving
from retrieval.local.wire import WireRequest, WireResponse
from retrieval.model.finding import About
from tests.doctor.conftest import ADMIN_KEY, PRINCIPAL, SECRETS, Stage
from tests.environments import ROOT
from tests.running import served
from tests.sampling import sample
from tests.scenarios.failures.jumping_loop import standing
from tests.scripted_azure import answering, failing

KEPT: Final = re.compile("PATH|HOME|LANG|TMPDIR|PYTHON.*|SSL_.*")
"""Of the environment of the tests: a setting that another test left there would be examined."""
FOUND: Final = {"subject": "model", "name": "planner", "state": "ok", "said": "It answers.", "do": "", "lacking": None}
WELL: Final = {"status": "well", "findings": [FOUND]}


@dataclass(frozen=True, slots=True)
class Ended:
    code: int
    out: str
    err: str


async def doctor(
    *arguments: str, environ: Mapping[str, str], python: tuple[str, ...] = (sys.executable, "-m", "retrieval.doctor")
) -> Ended:
    """The command in a process of its own, while this loop serves what it asks."""
    usual = {name: value for name, value in os.environ.items() if KEPT.fullmatch(name)}
    process = await asyncio.create_subprocess_exec(
        *python,
        *arguments,
        cwd=ROOT,
        env={**usual, **environ},
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    async with standing():
        out, err = await process.communicate()
    return Ended(process.returncode or 0, out.decode(), err.decode())


def written(folder: Path, values: Mapping[str, str]) -> str:
    file = folder / "local.settings.json"
    file.write_text(json.dumps({"IsEncrypted": False, "Values": values}), encoding="utf-8")
    return str(file)


@pytest.mark.parametrize("source", sample(["settings of a file", "settings of the environment"], every=2))
async def test_a_deployment_is_examined_line_by_line(source: str, stage: Stage, tmp_path: Path) -> None:
    if source == "settings of a file":
        ended = await doctor("--settings", written(tmp_path, stage.environ), environ={})
    else:
        ended = await doctor(environ=stage.environ)
    assert (ended.code, ended.err) == (0, "")
    lines = ended.out.splitlines()
    assert [line.split()[0] for line in lines[:-1]] == ["ok", "ok", "skipped", "skipped", "ok", "ok", "ok"]
    assert lines[-1] == "No faults in 5 findings."
    assert not [secret for secret in SECRETS if secret in ended.out]


@pytest.mark.slow
async def test_with_a_fault_it_ends_with_1_and_the_last_line_says_what_to_do(stage: Stage) -> None:
    stage.azure.chat = failing(404)
    ended = await doctor(environ=stage.environ)
    assert ended.code == 1
    assert ended.out.splitlines()[-1].startswith("1 fault. Begin with model planner: az cognitiveservices account")
    assert "\x1b" not in ended.out


@pytest.mark.slow
async def test_as_json_it_prints_nothing_else(stage: Stage) -> None:
    ended = await doctor("--json", environ=stage.environ)
    assert (ended.code, json.loads(ended.out)["status"]) == (0, "well")


@pytest.mark.slow
async def test_without_a_sign_in_the_link_that_matters_is_quoted_to_its_end(stage: Stage, tmp_path: Path) -> None:
    signed_out = {"AZURE_SEARCH_API_KEY": "", "AZURE_TOKEN_CREDENTIALS": "dev", "PATH": str(tmp_path)}
    ended = await doctor(environ={**stage.environ, **signed_out})
    assert "No token for https://search.azure.com: AzureCliCredential: Azure CLI not found on path\n" in ended.out
    assert "-> Install the Azure CLI, then az login, or set AZURE_SEARCH_API_KEY for development." in ended.out


async def test_beside_make_run_it_reads_the_settings_that_make_run_reads_and_finds_no_fault() -> None:
    ended = await doctor(environ={})
    assert (ended.code, ended.out.splitlines()[-1]) == (0, "No faults in 4 findings.")
    assert ended.err == (
        "retrieval.doctor: no setting is in the environment: these are of local.settings.sample.json, as `make run` "
        "reads them\n"
    )


async def test_where_nothing_is_set_no_line_contradicts_another(tmp_path: Path) -> None:
    ended = await doctor("--settings", written(tmp_path, {}), environ={})
    assert ended.code == 1
    assert "only Model Studio" not in ended.out
    assert "callers bring tokens" not in ended.out
    assert "skipped  index: No search service was asked: AZURE_SEARCH_ENDPOINT is missing or malformed." in ended.out
    assert ended.out.splitlines()[-1] == (
        "2 faults. Begin with settings: Set AZURE_SEARCH_ENDPOINT: docs/operating/settings.md describes it."
    )


@pytest.mark.parametrize(
    ("content", "says"),
    [("", "no file of local settings"), ("[]", "no file of local settings"), ('{"Values": 1}', "no file of local")],
)
async def test_a_file_that_cannot_be_read_is_an_error(content: str, says: str, tmp_path: Path) -> None:
    file = tmp_path / "settings.json"
    file.write_text(content)
    ended = await doctor("--settings", str(file), environ={})
    assert (ended.code, ended.out) == (2, "")
    assert says in ended.err


def test_a_line_has_colours_on_a_terminal_alone() -> None:
    finding = About("model", "planner").fault("It is away.", "Wait.\nThen ask again.")
    assert report.lines(finding, colour=False) == [
        "fault    model planner: It is away.",
        "         -> Wait.",
        "         -> Then ask again.",
    ]
    assert report.lines(finding, colour=True)[0] == "\x1b[31mfault  \x1b[0m  model planner: It is away."


async def app(answer: object, *arguments: str, status: int = 200, **environ: str) -> tuple[Ended, list[WireRequest]]:
    """The command over an app that answers so, by an interpreter without any package."""
    asked: list[WireRequest] = []
    script = answering(answer, status=status)

    async def service(request: WireRequest) -> WireResponse:
        asked.append(request)
        return await script(request)

    async with serving(service) as address:
        bare = (sys.executable, "-I", "-S", "-c", _BARE)
        ended = await doctor("--app", address, *arguments, python=bare, environ=environ)
    return ended, asked


_BARE: Final = """
import runpy, sys
sys.path.insert(0, ".")
runpy.run_module("retrieval.doctor", run_name="__main__", alter_sys=True)
"""


async def test_an_app_is_asked_with_the_first_admin_key_by_a_python_without_packages() -> None:
    ended, [asked] = await app(WELL, ADMIN_API_KEYS=f"{ADMIN_KEY},other")
    assert (ended.code, ended.err) == (0, "")
    assert ended.out.splitlines() == ["ok       model planner: It answers.", "No faults in 1 finding."]
    assert (asked.method, asked.target, asked.header("api-key")) == ("GET", "/doctor", ADMIN_KEY)


@pytest.mark.parametrize(
    ("status", "says"),
    sample(
        [
            (403, "may not manage"),
            (401, "ADMIN_API_KEYS"),
            (404, "older"),
            (503, "its log"),
            (500, "500"),
            (302, "302"),
        ],
        every=6,
    ),
)
async def test_an_app_that_refuses_is_an_error(status: int, says: str) -> None:
    ended, _ = await app({}, "--key", ADMIN_KEY, status=status)
    assert (ended.code, ended.out) == (2, "")
    assert says in ended.err
    assert ADMIN_KEY not in ended.err


@pytest.mark.parametrize("status", [400, 404])
async def test_an_address_with_a_path_is_answered_with_the_address_of_the_app(status: int) -> None:
    async with serving(answering({}, status=status)) as address:
        ended = await doctor("--app", f"{address}/agents/", "--key", ADMIN_KEY, environ={})
    assert ended.code == 2
    said = f"There is no doctor beneath /agents ({status}): give --app the address of the app alone, {address}, or"
    assert said in ended.err


async def test_settings_are_not_examined_by_a_python_without_packages() -> None:
    ended = await doctor(environ={}, python=(sys.executable, "-I", "-S", "-c", _BARE))
    assert (ended.code, ended.out, len(ended.err.splitlines())) == (2, "", 1)
    assert ".venv/bin/python" in ended.err


async def test_an_app_that_does_not_answer_yet_is_waited_for() -> None:
    answers = [answering(b"", status=404), answering(WELL)]

    async def service(request: WireRequest) -> WireResponse:
        return await (answers.pop(0) if answers[1:] else answers[0])(request)

    async with serving(service) as address:
        ended = await doctor("--app", address, "--key", ADMIN_KEY, "--wait", "1", environ={})
    assert (ended.code, len(answers)) == (0, 1)
    assert "waiting, at most" in ended.err


@pytest.mark.parametrize(("age", "tries"), [(timedelta(minutes=1), 2), (timedelta(hours=1), 1), (None, 1)])
async def test_a_role_that_may_not_apply_yet_is_waited_for_and_no_other(
    age: timedelta | None, tries: int, tmp_path: Path
) -> None:
    """`az` says when it was given, or that it was not."""
    role = {"role": "Search Index Data Reader", "scope": "az x", "principal": PRINCIPAL, "kind": "User"}
    lacking = {**FOUND, "state": "fault", "lacking": role}
    since = None if age is None else (datetime.now(UTC) - age).isoformat()
    given = [{"roleDefinitionName": role["role"], "scope": "/s", "createdOn": since}] if since else []
    az = tmp_path / "az"
    az.write_text(f"#!/bin/sh\necho '{json.dumps(given)}'\n")
    az.chmod(0o755)
    answers, asked = [answering({"findings": [lacking]}), answering(WELL)], 0

    async def service(request: WireRequest) -> WireResponse:
        nonlocal asked
        asked += 1
        return await answers[min(asked, 2) - 1](request)

    async with serving(service) as address:
        path = f"{tmp_path}:{os.environ['PATH']}"
        ended = await doctor("--app", address, "--key", ADMIN_KEY, "--wait", "1", environ={"PATH": path})
    assert (asked, ended.code) == (tries, 2 - tries)


async def test_what_does_not_pass_is_not_waited_for() -> None:
    ended, asked = await app({}, "--key", ADMIN_KEY, "--wait", "600", status=403)
    assert (ended.code, len(asked)) == (2, 1)


@pytest.mark.parametrize(("audience", "code"), [("api://retrieval", 0), ("", 2), ("api://a;b", 2)])
async def test_without_a_key_the_token_of_who_is_signed_in_is_sent(audience: str, code: int, tmp_path: Path) -> None:
    az = tmp_path / "az"
    az.write_text('#!/bin/sh\n[ "$4" = "api://retrieval" ] && echo "TOKEN-OF-$2"\n')
    az.chmod(0o755)
    ended, asked = await app(WELL, PATH=f"{tmp_path}:{os.environ['PATH']}", ENTRA_AUDIENCE=audience)
    assert ended.code == code
    assert [one.header("authorization") for one in asked] == ["Bearer TOKEN-OF-get-access-token"][code:]


async def test_without_a_key_no_app_is_asked() -> None:
    ended, asked = await app(WELL)
    assert (ended.code, asked) == (2, [])
    assert "--key" in ended.err


@pytest.mark.parametrize(
    "key", sample(["akvs://sub/vault/secret", "@Microsoft.KeyVault(SecretUri=https://v/s)"], every=2)
)
async def test_a_reference_to_a_vault_is_no_key(key: str) -> None:
    ended, asked = await app(WELL, ADMIN_API_KEYS=key)
    assert (ended.code, asked) == (2, [])
    assert "Key Vault" in ended.err


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"<html>",
        b"[]",
        b'{"findings": 1}',
        b'{"findings": [1]}',
        b'{"findings": [{"subject": "a"}]}',
        b'{"findings": [{"subject":"a","name":"","state":"odd","said":"","do":""}]}',
        b'{"findings": ' + b"[" * 100_000,
        b"x" * (remote.LARGEST + 1),
    ],
)
async def test_what_is_no_doctors_answer_is_an_error(content: bytes) -> None:
    async def service(request: WireRequest) -> WireResponse:
        return WireResponse(status=200, body=content)

    async with serving(service) as address:
        with pytest.raises(CannotRun, match="What answers is no doctor"):
            await asyncio.to_thread(remote.findings, address, {})


def test_what_an_app_says_cannot_move_the_cursor() -> None:
    said: dict[str, Any] = {**FOUND, "said": "It\x1b[2J is", "do": "a\nb\x07"}
    [finding] = remote.read(json.dumps({"findings": [said]}).encode())
    assert (finding.said, finding.do) == ("It [2J is", "a\nb ")


@pytest.mark.parametrize(
    "url", ["http://app.example.org", "ftp://localhost", "app", "https://", "https://[", "https://a?b=c"]
)
def test_a_key_goes_to_no_such_address(url: str) -> None:
    with pytest.raises(CannotRun):
        remote.findings(url, {"api-key": ADMIN_KEY})


@pytest.mark.slow
def test_the_local_host_is_examined_with_its_admin_key() -> None:
    """`make run` and the command, each a process."""
    with served(Path(sys.executable), environ={"LOCAL": "1", "AGENTS_STORE": "memory"}) as address:
        command = [sys.executable, "-m", "retrieval.doctor", "--app", address, "--key"]
        well, refused = (
            subprocess.run([*command, key], cwd=ROOT, capture_output=True, text=True, check=False)
            for key in ("local-admin-key", "local-dev-key")
        )
    assert (well.returncode, well.stdout.splitlines()[-1][:9]) == (0, "No faults")
    assert (refused.returncode, refused.stdout) == (2, "")
    assert "may not manage" in refused.stderr


async def test_no_proxy_gets_the_key_of_an_app_on_this_machine() -> None:
    ended, [asked] = await app(WELL, "--key", ADMIN_KEY, http_proxy="http://127.0.0.1:9", no_proxy="")
    assert (ended.code, asked.target) == (0, "/doctor")


async def test_an_app_that_is_not_there_is_an_error() -> None:
    with pytest.raises(CannotRun, match="cannot be reached"):
        await asyncio.to_thread(remote.findings, "http://127.0.0.1:9", {})
