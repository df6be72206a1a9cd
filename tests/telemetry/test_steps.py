"""The queries about steps ask for all of them: those in the table of spans, which a test holds against real calls."""

import json
import re
from typing import Final

import pytest

from tests.telemetry.test_docs import PAGE, WORKBOOK, table

SPANS: Final = {name.partition("{")[0] for name in table("Spans")} - {"request", "count"}
"""Calls that ask for documents, and their steps: `count` is no step of theirs."""

CALLS: Final = frozenset({"retrieve", "answer", "tools"})
HOLDING: Final = frozenset({"round", "chat "})
"""A round holds searches; a chat is all of the step that holds it."""


def query(page: str, question: str) -> str:
    return page.split(f"\n{question}")[1].split("```kusto\n")[1].split("```")[0]


def asked(query: str) -> set[str]:
    listed = re.findall(r"\bname in \(([^)]*)\)", query)
    return {name for one in listed for name in re.findall('"([^"]+)"', one)} | set(
        re.findall(r'\bname startswith "([^"]+)"', query)
    )


def problems(page: str, workbook: str) -> set[str]:
    """Steps that a query leaves out, and what it takes for one."""
    (tile,) = [item["content"]["query"] for item in json.loads(workbook)["items"] if item["name"] == "steps"]
    calls, _, steps = query(page, "Which step makes slow answers slow?").partition(";")
    return (
        (asked(tile) ^ SPANS)
        | (asked(query(page, "How long do the steps take?")) ^ SPANS)
        | (asked(calls) ^ CALLS)
        | (asked(steps) ^ (SPANS - CALLS - HOLDING))
    )


def test_the_queries_ask_for_every_step() -> None:
    assert problems(PAGE, json.dumps(WORKBOOK)) == set()


@pytest.mark.parametrize("step", sorted(SPANS))
def test_a_step_that_is_left_out_is_found(step: str) -> None:
    workbook = json.dumps(WORKBOOK)
    quoted, escaped = f'"{step}"', json.dumps(f'"{step}"')[1:-1]
    assert problems(PAGE.replace(quoted, '"other"'), workbook) == {step, "other"}
    assert problems(PAGE, workbook.replace(escaped, escaped.replace(step, "other"))) == {step, "other"}
