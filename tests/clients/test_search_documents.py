"""Microsoft's search clients, an old one that speaks https only and the newest preview, against `make search TLS=1`."""

import json
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, Literal

import pytest

from tests.running import served_over_tls
from tests.third_parties import search_client

pytestmark = pytest.mark.slow

SCRIPT = Path(__file__).with_name("search_documents.py")
OLD: Final = "11.6.0"
NEWEST: Final = "12.1.0b2"


def run(version: Literal["11.6.0", "12.1.0b2"], *arguments: str) -> dict[str, Any]:
    python = search_client(version)
    with served_over_tls("search") as (address, certificate):
        assert address.startswith("https://127.0.0.1:")
        command: list[str | Path] = [python, SCRIPT, address, *arguments]
        trusting = {**os.environ, "REQUESTS_CA_BUNDLE": certificate}
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120, env=trusting)
    assert done.returncode == 0, done.stderr
    assert not Path(certificate).exists()
    seen: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return seen


@pytest.fixture(scope="module")
def seen() -> Iterator[dict[str, dict[str, Any]]]:
    yield {OLD: run(OLD), NEWEST: run(NEWEST, "paged")}


def test_the_old_client_speaks_https_only(seen: dict[str, Any]) -> None:
    assert "non-https" in seen[OLD]["http"]
    assert seen[NEWEST]["http"] is None


@pytest.mark.parametrize("version", [OLD, NEWEST])
def test_a_client_makes_its_indexes_and_gets_its_captions(seen: dict[str, Any], version: str) -> None:
    assert seen[version]["names"] == ["barges", "boats", "crews"]
    assert seen[version]["captions"] == ["A <em>ketch</em> has two <em>masts</em>."]


@pytest.mark.parametrize("version", [OLD, NEWEST])
def test_what_a_client_found_it_writes_back(seen: dict[str, Any], version: str) -> None:
    assert {"@search.score", "@search.reranker_score", "@search.highlights"} <= set(seen[version]["members"])
    assert seen[version]["written back"] == [200]
    assert seen[version]["stored"] == {"id": "1", "story": "A ketch has two masts.", "page": "new.html"}


def test_the_newest_client_narrows_and_pages_its_lists(seen: dict[str, Any]) -> None:
    assert seen[NEWEST]["pages"] == [["barges"], ["boats"]]
    assert seen[NEWEST]["indexers ran"] == 0
    assert seen[NEWEST]["selected"] == [["boats", None]]
