"""docs/operating/doctor.md shows what the doctor prints, and the audiences that it knows."""

import re
from typing import Final

from retrieval.doctor import identity, report
from tests.doctor.conftest import Stage
from tests.environments import ROOT
from tests.scripted_azure import answering, by_index, failing

PAGE: Final = (ROOT / "docs" / "operating" / "doctor.md").read_text(encoding="utf-8")


async def test_the_page_shows_a_real_output(stage: Stage) -> None:
    stage.by_token()
    stage.define([{"name": name, "targetIndexes": [{"indexName": name}]} for name in ("handbook", "travel")])
    stage.azure.count = by_index({"handbook": failing(403, "Forbidden")}, otherwise=failing(404))
    stage.azure.chat = answering({"error": {"code": "429", "message": "Rate limit is exceeded."}}, status=429)
    found = await stage.examine()
    lines = [line for finding in found for line in report.lines(finding, colour=False)]
    [shown] = re.findall(r"^```text\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
    printed = iter([*lines, *report.summary(found).splitlines()])
    assert [line for line in shown.splitlines() if line not in printed] == [], "the page has some lines, in their order"


def test_the_page_has_every_cloud() -> None:
    for cloud in identity.CLOUDS:
        audiences = f"`{cloud.audience('search')}` | `{cloud.audience('model')}`"
        assert f"| {cloud.title} | {audiences} | `https://{cloud.authority}` |" in PAGE


def test_the_page_names_every_subject() -> None:
    for subject in ("settings", "access", "identity", "definitions", "index", "model", "model studio"):
        assert f"\n- `{subject}`: " in PAGE
