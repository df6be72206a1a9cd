"""docs/operating/monitoring.md tells the truth."""

import re
from typing import Final, get_args

from retrieval.telemetry.readiness import KEPT_SECONDS, PROBE_SECONDS, SERVING, State
from tests.conftest import Post
from tests.environments import ROOT

DOCS: Final = (ROOT / "docs" / "operating" / "monitoring.md").read_text(encoding="utf-8")


async def test_the_answers_that_are_shown_are_given(post: Post) -> None:
    ready = re.search(r"```json\n(.*)\n```", DOCS)
    assert ready is not None
    assert (await post(b"", "/ready", method="GET", key=None)).body.decode() == ready[1]
    assert f"`{(await post(b'', '/health', method='GET', key=None)).body.decode()}`" in DOCS


def test_the_table_has_every_state_and_what_it_means() -> None:
    rows = dict(re.findall(r"^\| `(\w+)` \| (yes|no) \|", DOCS, re.MULTILINE))
    assert set(rows) == set(get_args(State))
    assert {state for state, makes_it_a_503 in rows.items() if makes_it_a_503 == "no"} == SERVING


def test_the_times_are_those_of_the_code() -> None:
    assert (KEPT_SECONDS, PROBE_SECONDS) == (5, 3)
    assert "kept for 5 seconds" in DOCS.replace("\n", " ")
    assert "for at most 3 seconds" in DOCS
