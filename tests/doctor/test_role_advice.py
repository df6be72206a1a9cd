"""A role that is missing is told from one that was given a moment ago, by the list of assignments."""

import json
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

import pytest

from retrieval.doctor import remote, role_advice
from retrieval.doctor.role_advice import Assignment
from retrieval.model.finding import About, Finding, Lacking

NOW: Final = datetime(2026, 11, 22, 12, 0, tzinfo=UTC)
ROLE: Final = "Search Index Data Reader"
PRINCIPAL: Final = "11111111-2222-3333-4444-555555555555"
SCOPE: Final = "az search service list --query id"
LACKING: Final = Lacking(role=ROLE, scope=SCOPE, principal=PRINCIPAL)
FAULT: Final = About("index", "atlas").fault("It is refused.", role_advice.advice(LACKING), lacking=LACKING)


def explained(*known: Assignment, finding: Finding = FAULT) -> Finding:
    return role_advice.explain(finding, lambda principal: known, now=NOW)


def given(ago: timedelta, role: str = ROLE) -> Assignment:
    return Assignment(role=role, scope="/subscriptions/s", since=NOW - ago)


def test_a_role_that_was_given_a_moment_ago_is_a_matter_of_waiting() -> None:
    found = explained(given(timedelta(minutes=3)))
    assert (found.state, found.do) == ("warning", "Wait until 12:07 UTC and examine again.")
    assert "was given 3 minutes ago" in found.said
    assert found.lacking, "waiting helps"


@pytest.mark.parametrize(
    ("seconds", "said"), [(20, "less than a minute"), (70, "a minute"), (-30, "less than a minute")]
)
def test_its_age_is_said_as_people_do(seconds: int, said: str) -> None:
    assert f"was given {said} ago" in explained(given(timedelta(seconds=seconds))).said


def test_a_role_that_is_missing_is_given_by_a_command() -> None:
    found = explained(given(timedelta(minutes=3), role="Reader"))
    assert (found.state, found.lacking) == ("fault", None)
    assert found.do == (
        f'az role assignment create --role "{ROLE}" --assignee-object-id {PRINCIPAL} '
        f'--assignee-principal-type ServicePrincipal --scope "$({SCOPE})"'
    )


def test_a_role_that_is_old_enough_is_not_the_reason() -> None:
    found = explained(given(timedelta(hours=2)))
    assert (found.state, found.lacking) == ("fault", None)
    assert "was given 2026-11-22 10:00 UTC" in found.said
    assert "authOptions" in found.do


def test_where_nobody_may_read_the_roles_the_commands_say_how_to_tell() -> None:
    found = role_advice.explain(FAULT, lambda principal: None, now=NOW)
    assert found == FAULT
    assert "az role assignment list" in found.do and "ten minutes" in found.do and "assignment create" in found.do


@pytest.mark.parametrize("principal", ["", "--help", "a; rm -rf /", "11111111"])
def test_only_an_object_id_is_looked_up(principal: str) -> None:
    def assignments(principal: str) -> Sequence[Assignment] | None:
        raise AssertionError(principal)

    lacking = Lacking(role=ROLE, scope=SCOPE, principal=principal)
    finding = About("index").fault("It is refused.", "Wait.", lacking=lacking)
    assert role_advice.explain(finding, assignments, now=NOW) is finding


def test_what_az_prints_is_read() -> None:
    one = {"roleDefinitionName": ROLE, "scope": "/s", "createdOn": "2026-11-22T11:57:00.123456+00:00"}
    assert [found.since.minute for found in role_advice.read(json.dumps([one])) or ()] == [57]


@pytest.mark.parametrize("text", ["", "{}1", "null", "[1]", '[{"scope": "/s"}]', '[{"createdOn": 1}]', "[" * 100_000])
def test_what_az_does_not_print_says_nothing(text: str) -> None:
    assert role_advice.read(text) is None


@pytest.mark.parametrize(
    ("prints", "code", "known"), [("[]", 0, ()), ("[]", 1, None), ("Please run 'az login'", 0, None)]
)
def test_az_is_asked_where_it_is_there(
    prints: str, code: int, known: Sequence[Assignment] | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    az = tmp_path / "az"
    az.write_text(f'#!/bin/sh\necho "$@" > {tmp_path}/asked\necho "{prints}"\nexit {code}\n')
    az.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert remote.assignments(PRINCIPAL) == known
    monkeypatch.undo()
    said = (tmp_path / "asked").read_text()
    assert said == f"role assignment list --all --assignee {PRINCIPAL} --output json\n"


def test_without_az_nothing_is_known(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert remote.assignments(PRINCIPAL) is None
