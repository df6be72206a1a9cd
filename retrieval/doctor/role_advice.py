"""Explains a missing role. The explanation tells whether and when the role was assigned. The advice is to assign the
role, to wait, or to check its scope.

A service that refuses an identity does not tell whether a role is missing or new. A new assignment takes up to ten
minutes to apply (https://learn.microsoft.com/azure/role-based-access-control/troubleshooting). The list of assignments
shows the time of each assignment. If the list cannot be read, the advice shows commands to run.
"""

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Final, TypeAlias

from retrieval.model.finding import Finding, Lacking

_ID: Final = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
ROLES: Final[Mapping[str, str]] = {
    "search": "Search Index Data Reader",
    "model": "Cognitive Services OpenAI User",
    "storage": "Storage Table Data Contributor",
}
"""The role that this service's identity needs, by the kind of the service that it calls."""

APPLIES_AFTER: Final = timedelta(minutes=10)


@dataclass(frozen=True, slots=True, kw_only=True)
class Assignment:
    """A role that is assigned to a principal, with the scope and the time of the assignment."""

    role: str
    scope: str
    since: datetime


Assignments: TypeAlias = Callable[[str], Sequence[Assignment] | None]
"""Returns the role assignments of a principal, given its object id; None if they cannot be read."""


def give(lacking: Lacking) -> str:
    """The command that assigns the role to the principal."""
    principal = lacking.principal or '"$(azd env get-value SERVICE_PRINCIPAL_ID)"'
    return (
        f'az role assignment create --role "{lacking.role}" --assignee-object-id {principal} '
        f'--assignee-principal-type {lacking.kind} --scope "$({lacking.scope})"'
    )


def show(lacking: Lacking) -> str:
    """The command that lists the roles of the principal, with their times."""
    principal = lacking.principal or '"$(azd env get-value SERVICE_PRINCIPAL_ID)"'
    return (
        f"az role assignment list --all --assignee {principal} "
        '--query "[].{role:roleDefinitionName,since:createdOn,scope:scope}" --output table'
    )


def advice(lacking: Lacking) -> str:
    """The advice for a missing role if the role assignments cannot be read."""
    return (
        f"See whether it has the role {lacking.role!r}, and since when: {show(lacking)}\n"
        "A role takes up to ten minutes to apply: if it is younger, wait and examine again.\n"
        f"If it is not there: {give(lacking)}"
    )


def explain(finding: Finding, assignments: Assignments, *, now: datetime) -> Finding:
    """The finding, explained by the principal's role assignments. It is unchanged without a missing role, a valid
    principal id or readable assignments.

    `lacking` becomes None if waiting cannot help.
    """
    lacking = finding.lacking
    if lacking is None or not _ID.fullmatch(lacking.principal):
        return finding
    held_roles = assignments(lacking.principal)
    if held_roles is None:
        return finding
    matching = [assignment for assignment in held_roles if assignment.role == lacking.role]
    if not matching:
        return replace(finding, said=f"{finding.said} It has no role {lacking.role!r}.", do=give(lacking), lacking=None)
    return _assigned(finding, lacking, max(assignment.since for assignment in matching), now)


def _assigned(finding: Finding, lacking: Lacking, since: datetime, now: datetime) -> Finding:
    age = now - since
    if age < APPLIES_AFTER:
        until = since + APPLIES_AFTER
        return replace(
            finding,
            state="warning",
            said=f"The role {lacking.role!r} was given {_minutes(age)} ago, and a role takes up to ten to apply.",
            do=f"Wait until {until.astimezone(UTC):%H:%M} UTC and examine again.",
        )
    return replace(
        finding,
        lacking=None,
        said=f"{finding.said} The role {lacking.role!r} was given {since.astimezone(UTC):%Y-%m-%d %H:%M} UTC.",
        do=f"See whether its scope is this resource: {show(lacking)}\n"
        "A search service must accept identities beside keys: az search service show --query authOptions",
    )


def _minutes(age: timedelta) -> str:
    minutes = max(int(age.total_seconds() // 60), 0)
    return "less than a minute" if minutes == 0 else "a minute" if minutes == 1 else f"{minutes} minutes"


def read(text: str) -> Sequence[Assignment] | None:
    """The assignments in the output of `az role assignment list --output json`; None for any other text."""
    try:
        entries = json.loads(text)
        return tuple(_assignments(entries))
    except (ValueError, TypeError, KeyError, RecursionError):
        return None


def _assignments(entries: Iterable[dict[str, str]]) -> Iterable[Assignment]:
    for entry in entries:
        since = datetime.fromisoformat(entry["createdOn"])
        yield Assignment(
            role=entry["roleDefinitionName"],
            scope=entry["scope"],
            since=since if since.tzinfo else since.replace(tzinfo=UTC),
        )
