"""Microsoft's own clients of knowledge sources, five versions, unmodified, each in an environment of its own."""

import json
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, get_args

import pytest

from tests.running import served_over_tls
from tests.third_parties import KnowledgeClient, knowledge_client, knowledge_client_in_process

SCRIPT: Final = Path(__file__).with_name("knowledge_base.py")
VERSIONS: Final = get_args(KnowledgeClient)
OLDEST, NEWEST = VERSIONS[0], VERSIONS[-1]
KEY: Final = "earth_at_night_508_page_105_verbalized"


@pytest.fixture(scope="module")
def service() -> Iterator[tuple[str, str]]:
    with served_over_tls() as (address, certificate):
        yield address, str(certificate)


SPEAKING: Final = ("2026-10-01", "2026-11-01-preview", "2027-01-01", "2027-01-01-preview")
"""Of no client that is published, and the last two of none that there is: set by a policy of the newest client."""

WAYS: Final = [
    *((way, version, "") for way in ("over TLS", "in process") for version in VERSIONS),
    *(("over TLS", NEWEST, speaking) for speaking in SPEAKING),
]
OFTEN: Final = {("over TLS", OLDEST, ""), ("over TLS", NEWEST, ""), ("over TLS", NEWEST, SPEAKING[0])}


@pytest.fixture(
    scope="module",
    params=[pytest.param(one, marks=[] if one in OFTEN else [pytest.mark.slow], id=" ".join(one)) for one in WAYS],
)
def seen(request: pytest.FixtureRequest, service: tuple[str, str]) -> dict[str, Any]:
    way, version, speaking = request.param
    in_process = way == "in process"
    python = knowledge_client_in_process(version) if in_process else knowledge_client(version)
    environ = {**os.environ, "LOCAL": "1", "AGENTS_STORE": "memory", "SPEAKING": speaking}
    command: list[str] = [str(python), str(SCRIPT), *(() if in_process else service)]
    done = subprocess.run(command, env=environ, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr
    return {"version": version, **json.loads(done.stdout.splitlines()[-1])}


@pytest.mark.parametrize("kind", ["sync", "async"])
def test_a_source_and_a_base_are_made_listed_updated_and_deleted(seen: dict[str, Any], kind: str) -> None:
    saw = seen[kind]
    assert saw["source"] == {"name": f"source-{kind}", "index": "earth_at_night"}
    assert saw["base"] == {"name": f"base-{kind}", "description": "second", "models": []}
    assert saw["got"]
    assert saw["listed"] == [f"base-{kind}", "earth-at-night"]
    assert saw["sources"] == ["earth_at_night", f"source-{kind}"]
    assert saw["left"] == ["earth_at_night"]
    assert saw.get("status", "active") == "active"


@pytest.mark.parametrize("kind", ["sync", "async"])
def test_conflicts_raise_what_the_client_promises(seen: dict[str, Any], kind: str) -> None:
    saw = seen[kind]
    assert saw["stale"] == {"class": "ResourceModifiedError", "status": 412}
    assert saw["in use"]["status"] == 409
    assert saw["missing"] == {"class": "ResourceNotFoundError", "status": 404}


@pytest.mark.parametrize("kind", ["sync", "async"])
def test_a_retrieve_gives_typed_activity_and_references(seen: dict[str, Any], kind: str) -> None:
    answer = seen[kind]["answer"]
    assert [one["ref_id"] for one in answer["text"]] == [0]
    (reference,) = answer["references"]
    assert reference["key"] == KEY and reference["score"] > 1.0
    assert reference["class"].endswith("SearchIndexReference")
    types = [one["type"] for one in answer["activity"]]
    assert types == ["searchIndex", "semanticReranker" if seen["version"] == OLDEST else "agenticReasoning"]
    assert all(one["class"].endswith("ActivityRecord") for one in answer["activity"])


def test_events_come_in_their_order_to_the_newest_client(seen: dict[str, Any]) -> None:
    if seen["version"] != NEWEST:
        assert "events" not in seen["sync"] or seen["version"].startswith("12.1")
        return
    for kind in ("sync", "async"):
        assert seen[kind]["events"] == [
            "retrieval.started",
            "activity.started",
            "activity.completed",
            "activity.started",
            "activity.completed",
            "references.completed",
            "response.completed",
        ]
