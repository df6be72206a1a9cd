"""Microsoft's search client for JavaScript 13.0.0, unmodified, against the local search service over loopback."""

import asyncio
import json
from pathlib import Path
from typing import Any, Final

import pytest

from retrieval.local.search_service import SearchService
from retrieval.local.server import serving
from tests.environments import needs_node
from tests.third_parties import knowledge_client_for_node

pytestmark = pytest.mark.slow

SCRIPT: Final = Path(__file__).with_name("search_documents.mjs")
FILLED: Final = {"key": False, "hidden": False, "stored": True, "synonymMapNames": []}


async def drive() -> dict[str, Any]:
    needs_node()
    packages = knowledge_client_for_node("13.0.0")
    async with serving(SearchService(admin_keys=["manage"])) as address:
        node = await asyncio.create_subprocess_exec(
            "node",
            SCRIPT,
            packages,
            address,
            "manage",
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
        out, err = await node.communicate()
    assert node.returncode == 0, err.decode()
    seen: dict[str, Any] = json.loads(out.splitlines()[-1])
    return seen


async def test_every_operation_on_indexes_and_documents_is_served(caplog: pytest.LogCaptureFixture) -> None:
    seen = await drive()
    created = seen.pop("created")
    assert seen.pop("same") == created
    vectors = created["vectorSearch"]
    assert vectors["algorithms"][0]["parameters"] == {
        "m": 4,
        "efConstruction": 400,
        "efSearch": 500,
        "metric": "cosine",
    }
    assert vectors["vectorizers"][0]["parameters"]["apiKey"] == "<redacted>"
    assert created["fields"][1] | FILLED == created["fields"][1]
    assert seen == {
        "names": ["boats"],
        "listed": ["boats"],
        "maps": ["words"],
        "aliases": ["fleet"],
        "statistics": 2,
        "counted": [2, 1],
        "found": ["1"],
        "suggested": ["A <b>ket</b>ch has two masts."],
        "completed": [{"text": "ketch", "queryPlusText": "<b>ketch</b>"}],
        # It asked for `id` alone, by a name that Azure does not know either.
        "document": {"id": "1", "story": "A ketch has two masts.", "vector": [1, 0, 0]},
        "count": 2,
        "analyzed": 2,
        "left": [],
    }
    assert [message.partition("(")[2] for message in caplog.messages] == ["lookup): '%24select'."]
