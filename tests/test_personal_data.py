"""docs/operating/personal-data.md names all that the code keeps of a caller, where, and for how long."""

import json
import logging
import re
from pathlib import Path
from typing import Final

import pytest

from retrieval import compose
from retrieval.access.credentials import MOST_KNOWN
from retrieval.access.rate_limits import MOST_CALLERS
from retrieval.definitions.table_store import TABLE
from retrieval.http.in_flight import CALLERS, HELD_AFTER, LONGEST_WAIT
from tests.conftest import KEY, RETRIEVE, Post, ask
from tests.environments import ROOT
from tests.telemetry.recording import recording

PAGE: Final = (ROOT / "docs" / "operating" / "personal-data.md").read_text(encoding="utf-8")
OURS: Final = "11111111-2222-3333-4444-555555555555"


def default(variable: str) -> str:
    """What azd passes where a variable is not set."""
    parameters = (ROOT / "infra" / "main.parameters.json").read_text(encoding="utf-8")
    return str(re.findall(rf"{variable}=([^}}]*)}}", parameters)[0])


def test_how_much_and_how_long_is_what_the_code_has() -> None:
    (exported,) = re.findall(r"retention-days: (\d+)", Path(ROOT, ".github/workflows/export.yml").read_text())
    assert f"`LOG_RETENTION_DAYS`, {default('LOG_RETENTION_DAYS')} |" in PAGE
    held = f"{LONGEST_WAIT + HELD_AFTER:.0f} seconds; in a quiet process, until it ends"
    assert f"at most {CALLERS} callers | {held} |" in PAGE
    assert f"at most {MOST_CALLERS:,} callers | until the process ends |" in PAGE
    assert f"the last {MOST_KNOWN:,} |" in PAGE
    assert f"the table `{TABLE}`" in PAGE
    assert f"| {exported} days |" in PAGE


async def test_each_attribute_that_tells_who_asked_or_what_is_on_the_page(
    post: Post, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("API_KEYS", KEY)
    monkeypatch.setenv("LOG_CONTENT", "1")
    await compose.end()
    with recording() as told, caplog.at_level(logging.INFO):
        answer = await post(ask("roads of Ruritania"), RETRIEVE, headers={"x-ms-client-request-id": OURS})
        attributes = [dict(span.attributes or {}) for span in told.spans]
    await compose.end()
    assert answer.status == 200
    telling = {
        name
        for found in attributes
        for name, value in found.items()
        if any(part in json.dumps(value, default=str) for part in ("query key 1", OURS, "Ruritania"))
    }
    assert telling, "the call leaves a trace of its caller"
    lines = [one.getMessage() for one in caplog.records if "Ruritania" in one.getMessage()]
    assert [line.partition("=")[0] for line in lines] == ["content queries"], "as the page says of log lines"
    assert {name for name in telling if f"`{name}`" not in PAGE} <= {"retrieval.steps"}, (
        "which has texts as the page says"
    )
