"""Findings for people, a line each, and what they come to."""

from collections.abc import Iterable, Sequence
from dataclasses import asdict
from typing import Final

from retrieval.model.finding import Finding, State

COLOURS: Final[dict[State, str]] = {"ok": "32", "warning": "33", "fault": "31", "skipped": "2"}
LONGEST_STATE: Final = len("warning")


def lines(finding: Finding, *, colour: bool) -> Sequence[str]:
    """The finding, and beneath it what to do."""
    subject = finding.subject if not finding.name else f"{finding.subject} {finding.name}"
    state = finding.state.ljust(LONGEST_STATE)
    shown = f"\x1b[{COLOURS[finding.state]}m{state}\x1b[0m" if colour else state
    indent = " " * (LONGEST_STATE + 2)
    return [f"{shown}  {subject}: {finding.said}", *(f"{indent}-> {line}" for line in finding.do.splitlines())]


def failed(findings: Iterable[Finding]) -> bool:
    """Whether there is a fault."""
    return any(finding.state == "fault" for finding in findings)


def summary(findings: Sequence[Finding]) -> str:
    """What they come to, and what to do first."""
    faults = [one for one in findings if one.state == "fault"]
    warnings = sum(one.state == "warning" for one in findings)
    looked = sum(one.state != "skipped" for one in findings)
    if not faults:
        beside = f", {_counted(warnings, 'warning')}" if warnings else ""
        return f"No faults{beside} in {_counted(looked, 'finding')}."
    first = faults[0]
    subject = first.subject if not first.name else f"{first.subject} {first.name}"
    do = first.do.splitlines()[0] if first.do else first.said
    return f"{_counted(len(faults), 'fault')}. Begin with {subject}: {do}"


def _counted(number: int, noun: str) -> str:
    return f"1 {noun}" if number == 1 else f"{number} {noun}s"


def document(findings: Sequence[Finding]) -> dict[str, object]:
    """As `GET doctor` answers."""
    return {"status": "faults" if failed(findings) else "well", "findings": [asdict(one) for one in findings]}
