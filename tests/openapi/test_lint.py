"""The linters of Redocly and Stoplight, with their recommended rules, find nothing that is not meant."""

import copy
import json
import os
import subprocess
from pathlib import Path
from typing import Any, Final

import pytest

from tests.openapi.conforming import read
from tools.openapi import document

pytestmark = pytest.mark.slow
QUIET: Final = {"REDOCLY_TELEMETRY": "off", "REDOCLY_SUPPRESS_UPDATE_NOTICE": "true"}
MEANT: Final = {
    "#/paths/~1agents~1{name}~1mcp/get/responses operation-2xx-response",
    "#/paths/~1agents~1{name}~1mcp/delete/responses operation-2xx-response",
    "#/paths/~1knowledgebases~1{name}~1mcp/get/responses operation-2xx-response",
    "#/paths/~1knowledgebases~1{name}~1mcp/delete/responses operation-2xx-response",
    "#/paths/~1knowledgebases('{name}')~1mcp/get/responses operation-2xx-response",
    "#/paths/~1knowledgebases('{name}')~1mcp/delete/responses operation-2xx-response",
}
"""Warnings: MCP's streams and sessions are always refused."""

MEANT_BY_SPECTRAL: Final = {
    ("operation-success-response", "paths./agents/{name}/mcp.get.responses"),
    ("operation-success-response", "paths./agents/{name}/mcp.delete.responses"),
    ("operation-success-response", "paths./knowledgebases/{name}/mcp.get.responses"),
    ("operation-success-response", "paths./knowledgebases/{name}/mcp.delete.responses"),
    ("operation-success-response", "paths./knowledgebases('{name}')/mcp.get.responses"),
    ("operation-success-response", "paths./knowledgebases('{name}')/mcp.delete.responses"),
    ("info-contact", "info"),
}
"""The same; and the contact is whoever deploys the service."""


def problems(packages: Path, folder: Path, content: bytes) -> dict[str, str]:
    """The severity of each problem, under its place and rule."""
    (folder / "openapi.json").write_bytes(content)
    command: list[str | Path] = [
        packages / "node_modules" / ".bin" / "redocly",
        "lint",
        "--format=json",
        "openapi.json",
    ]
    done = subprocess.run(
        command,
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
        env={**os.environ, **QUIET},
        stdin=subprocess.DEVNULL,
    )
    assert "{" in done.stdout, done.stderr
    said: dict[str, Any] = json.JSONDecoder().raw_decode(done.stdout[done.stdout.index("{") :])[0]
    return {f"{one['location'][0].get('pointer')} {one['ruleId']}": one["severity"] for one in said["problems"]}


def test_it_has_no_error_and_no_warning_that_is_not_meant(packages: Path, tmp_path: Path) -> None:
    assert problems(packages, tmp_path, document()) == dict.fromkeys(MEANT, "warn")


def test_the_linter_would_find_a_header_that_is_nowhere_and_paths_of_one_address(
    packages: Path, tmp_path: Path
) -> None:
    broken = copy.deepcopy(read())
    del broken["components"]["headers"]["Allow"]
    broken["paths"]["/{workspaceId}/index/retrieve"] = broken["paths"].pop("/llm-{workspaceId}/index/retrieve")
    found = problems(packages, tmp_path, json.dumps(broken).encode())
    assert {key.rpartition(" ")[2] for key, severity in found.items() if severity == "error"} == {
        "no-unresolved-refs",
    }
    assert any(key.endswith(" no-ambiguous-paths") for key in found)


def test_spectral_finds_nothing_that_is_not_meant(packages: Path, tmp_path: Path) -> None:
    assert spectral(packages, tmp_path, document()) == MEANT_BY_SPECTRAL


def test_spectral_would_find_a_tag_that_is_nowhere(packages: Path, tmp_path: Path) -> None:
    broken = copy.deepcopy(read())
    broken["tags"].pop()
    assert "operation-tag-defined" in {rule for rule, _ in spectral(packages, tmp_path, json.dumps(broken).encode())}


def spectral(packages: Path, folder: Path, content: bytes) -> set[tuple[str, str]]:
    """The rule and the place of each problem."""
    (folder / "openapi.json").write_bytes(content)
    (folder / "rules.json").write_text('{"extends": ["spectral:oas"]}')
    program = packages / "node_modules" / ".bin" / "spectral"
    command: list[str | Path] = [program, "lint", "openapi.json", "--ruleset", "rules.json", "--format", "json"]
    done = subprocess.run([*command, "--quiet"], cwd=folder, capture_output=True, text=True, check=False, timeout=300)
    assert "[" in done.stdout, done.stderr
    problems = json.JSONDecoder().raw_decode(done.stdout[done.stdout.index("[") :])[0]
    return {(one["code"], ".".join(map(str, one["path"]))) for one in problems}
