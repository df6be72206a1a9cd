"""What is answered when something goes wrong fits what the document says, too."""

from collections.abc import Mapping
from typing import Final

import pytest

from retrieval.local.wire import WireService
from tests.openapi.conforming import answer_faults
from tests.scenarios.failures.conftest import Retrieve
from tests.scripted_azure import ScriptedAzure, by_search, document, failing, found, queries, replying

FOUND: Final = found(document("road", 3.1))
SCRIPTS: Final[Mapping[str, tuple[WireService, WireService]]] = {
    "a plan by the model": (queries("roads", "rivers"), FOUND),
    "the model is away": (failing(500), FOUND),
    "the model replies nonsense": (replying("?"), FOUND),
    "one sub-query fails": (queries("roads", "rivers"), by_search({"rivers": failing(503)}, otherwise=FOUND)),
    "every sub-query fails": (queries("roads", "rivers"), failing(503)),
    "search throttles": (queries("roads", "rivers"), failing(429, retry_after=60)),
    "ranking gives up": (queries("roads"), found(document("road", 3.1), partial="capacityOverloaded")),
}


@pytest.mark.parametrize("way", SCRIPTS)
async def test_the_answer_is_as_described_when(way: str, azure: ScriptedAzure, retrieve: Retrieve) -> None:
    azure.chat, azure.search = SCRIPTS[way]
    assert answer_faults("POST", "/agents('{name}')/retrieve", await retrieve()) == []
