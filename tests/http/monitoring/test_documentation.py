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


def test_the_lists_have_every_state_and_what_it_means() -> None:
    well, ill = (
        re.findall(r"^- `(\w+)`:", DOCS.split(f"\n{lead}:\n\n")[1].split("\n\n")[0], re.MULTILINE)
        for lead in ("These states do not cause a 503", "Each of these states causes a 503")
    )
    assert sorted([*well, *ill]) == sorted(get_args(State))
    assert set(well) == SERVING


def test_the_times_are_those_of_the_code() -> None:
    assert (KEPT_SECONDS, PROBE_SECONDS) == (5, 3)
    assert "kept for 5 seconds" in DOCS.replace("\n", " ")
    assert "within 3 seconds" in DOCS
