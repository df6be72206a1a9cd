"""Formats findings as lines or as a JSON document, and summarizes them."""

from collections.abc import Iterable, Sequence
from dataclasses import asdict
from typing import Final

from retrieval.model.finding import Finding, State
from retrieval.text.counted_noun import how_many

COLOURS: Final[dict[State, str]] = {"ok": "32", "warning": "33", "fault": "31", "skipped": "2"}
LONGEST_STATE: Final = len("warning")


def lines(finding: Finding, *, colour: bool) -> Sequence[str]:
    """The line of a finding, followed by lines with the steps to take."""
    state = finding.state.ljust(LONGEST_STATE)
    state_text = f"\x1b[{COLOURS[finding.state]}m{state}\x1b[0m" if colour else state
    indent = " " * (LONGEST_STATE + 2)
    return [
        f"{state_text}  {_subject(finding)}: {finding.said}",
        *(f"{indent}-> {line}" for line in finding.do.splitlines()),
    ]


def _subject(finding: Finding) -> str:
    return f"{finding.subject} {finding.name}" if finding.name else finding.subject


def has_faults(findings: Iterable[Finding]) -> bool:
    """Whether there is a fault."""
    return any(finding.state == "fault" for finding in findings)


def summary(findings: Sequence[Finding]) -> str:
    """The number of faults and the first step. Without faults, the numbers of warnings and of findings, except skipped
    ones."""
    faults = [finding for finding in findings if finding.state == "fault"]
    warnings = sum(finding.state == "warning" for finding in findings)
    checked_count = sum(finding.state != "skipped" for finding in findings)
    if not faults:
        warning_text = f", {how_many(warnings, 'warning')}" if warnings else ""
        return f"No faults{warning_text} in {how_many(checked_count, 'finding')}."
    first = faults[0]
    do = first.do.splitlines()[0] if first.do else first.said
    return f"{how_many(len(faults), 'fault')}. Begin with {_subject(first)}: {do}"


def document(findings: Sequence[Finding]) -> dict[str, object]:
    """The findings in the form of an answer to `GET doctor`."""
    return {
        "status": "faults" if has_faults(findings) else "well",
        "findings": [asdict(finding) for finding in findings],
    }
