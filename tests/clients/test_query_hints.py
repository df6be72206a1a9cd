"""Query hints by Microsoft's newest client, unmodified, over the local search service, with a scripted model."""

import asyncio
import json
from pathlib import Path
from typing import Any, Final

import pytest

from retrieval.local.wire import WireRequest, WireResponse
from tests.running import served_over_tls
from tests.scripted_azure import ScriptedAzure, replying
from tests.third_parties import knowledge_client

SCRIPT: Final = Path(__file__).with_name("query_hints.py")
PAGE: Final = "earth_at_night_508_page_{}_verbalized"
ENTRY: Final = {
    "source": "hinted",
    "filters": [{"field": "page_number", "operator": "eq", "values": ["105"]}],
    "boosts": [{"id": 0, "values": ["Phoenix"]}],
}


async def plan(request: WireRequest) -> WireResponse:
    """Makes of the hints what they offer."""
    told = json.loads(json.loads(request.body)["messages"][-1]["content"]).get("hints", [])
    made = [{**ENTRY, "filters": ENTRY["filters"] if one["filters"] else []} for one in told]
    said = {"queries": ["street grid of a desert city"], **({"hints": made} if told else {})}
    return await replying(json.dumps(said))(request)


@pytest.fixture(scope="module")
def seen() -> Any:
    return asyncio.run(_driven(knowledge_client("12.1.0b2")))


async def _driven(python: Path) -> Any:
    azure = ScriptedAzure(chat=plan)
    async with azure.listening():
        model = {"AZURE_OPENAI_ENDPOINT": azure.address, "AZURE_OPENAI_DEPLOYMENT": "p", "AZURE_OPENAI_API_KEY": "k"}
        with served_over_tls(environ={**model, "AGENTS_STORE": "memory"}) as (address, certificate):
            done = await asyncio.create_subprocess_exec(
                python, SCRIPT, address, certificate, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE
            )
            out, err = await asyncio.wait_for(done.communicate(), timeout=100)
    assert done.returncode == 0, err.decode()
    return json.loads(out.splitlines()[-1])


def test_the_hints_come_back_as_they_were_sent(seen: Any) -> None:
    assert seen["kept"] == [
        ["page_number", ["105"], "The page that the user names."],
        ["SearchIndexKnowledgeSourceFieldValueBoost", "terms", ["Phoenix"], 2.0],
    ]


def test_stored_hints_narrow_the_search_and_change_its_order(seen: Any) -> None:
    stored = seen["stored"]
    assert stored["keys"] == [PAGE.format(105)]
    assert (stored["filter"], stored["boost"]) == ("page_number eq '105'", "terms:(Phoenix)^2")
    assert stored["arguments"] == [
        "+(street grid of a desert city) terms:(Phoenix)^2",
        "page_number ne '104' and page_number eq '105'",
        "full",
    ]


def test_the_hints_of_a_call_replace_those_that_are_stored(seen: Any) -> None:
    own, none = seen["own"], seen["none"]
    assert (own["filter"], own["boost"]) == (None, "terms:(Phoenix)^2")
    assert own["arguments"][1:] == ["page_number ne '104'", "full"]
    assert len(own["keys"]) > 1 and PAGE.format(104) not in own["keys"]
    assert (none["filter"], none["boost"]) == (None, None)
    assert none["arguments"] == ["street grid of a desert city", "page_number ne '104'", "semantic"]
