"""Microsoft's search clients for JavaScript, of 2025-11-01-preview and 2026-04-01, unmodified, against this service."""

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, get_args

import pytest

from tests.environments import needs_node
from tests.running import served
from tests.third_parties import KnowledgeClientForNode, knowledge_client_for_node

pytestmark = pytest.mark.slow

SCRIPT: Final = Path(__file__).with_name("knowledge_base.mjs")


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    needs_node()
    with served(environ={"AGENTS_STORE": "memory"}) as address:
        yield address


NEWEST: Final = get_args(KnowledgeClientForNode)[-1]
SPEAKING: Final = ("2026-10-01", "2026-11-01-preview", "2027-01-01")
"""Of no client that is published: set by a policy of the newest one."""


@pytest.mark.parametrize(
    ("version", "speaking"),
    [*((version, "") for version in get_args(KnowledgeClientForNode)), *((NEWEST, one) for one in SPEAKING)],
)
def test_a_base_is_made_asked_and_deleted(version: KnowledgeClientForNode, speaking: str, address: str) -> None:
    packages = knowledge_client_for_node(version)
    command = ["node", str(SCRIPT), str(packages), address, speaking]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr
    seen: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    assert seen == {
        "source": "source-js",
        "base": {"description": "second", "changed": True},
        "stale": {"name": "RestError", "status": 412},
        "listed": ["base-js", "earth-at-night"],
        "sources": ["earth_at_night", "source-js"],
        "status": "active",
        "answer": {
            "text": [0],
            "activity": ["searchIndex", "agenticReasoning"],
            "references": [{"type": "searchIndex", "docKey": "earth_at_night_508_page_105_verbalized", "scored": True}],
        },
        "left": ["earth_at_night"],
    }
