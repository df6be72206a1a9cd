"""No key, no token and no text of anybody's is in a span or a metric, whatever goes wrong."""

from collections.abc import Mapping
from typing import Final

import pytest

from retrieval.local.wire import WireService
from tests.rooms import NEEDS_BASES_OF_STUDIO
from tests.scenarios.federation.conftest import ACCESS_KEY_ID, ACCESS_KEY_SECRET, CALLER_KEY, SEARCH_KEY, Retrieve
from tests.scripted_azure import ScriptedAzure, answering, cutting, document, failing, found, queries, stalling
from tests.scripted_model_studio import ScriptedModelStudio, chunk, chunks
from tests.telemetry.recording import Recording

pytestmark = NEEDS_BASES_OF_STUDIO

USER_TOKEN: Final = "user-token-90aa"
SECRETS: Final = (CALLER_KEY, SEARCH_KEY, "model-key", USER_TOKEN, ACCESS_KEY_ID, ACCESS_KEY_SECRET)
TEXTS: Final = ("zinnia", "quokka", "marimba", "ocelot")
"""Words of the question, the plan, the documents and the errors."""

SCRIPTS: Final[Mapping[str, WireService]] = {
    "all is well": found(document("ocelot-1", 3.1, title="Ocelot", content="An ocelot in a marimba")),
    "it fails": failing(500, "ocelot"),
    "it is forbidden": failing(403, "ocelot"),
    "it is refused": failing(400, "No field ocelot near 'zinnia'."),
    "it is throttled": failing(429, "ocelot", retry_after=60),
    "it stalls": stalling(),
    "the connection is cut": cutting(),
    "the answer is nonsense": answering(b"<html>ocelot"),
}


@pytest.mark.parametrize("content", ["0", "1"])
@pytest.mark.parametrize("way", SCRIPTS)
async def test_nothing_secret_is_told_when(
    way: str,
    content: str,
    settings: dict[str, str],
    azure: ScriptedAzure,
    studio: ScriptedModelStudio,
    retrieve: Retrieve,
    told: Recording,
) -> None:
    settings["LOG_CONTENT"] = content
    well = way == "all is well"
    azure.search = SCRIPTS[way]
    azure.chat = queries("quokka and zinnia") if well else SCRIPTS[way]
    studio.script = chunks(chunk("ocelot-2", 0.5, text="A marimba"), chunk(3, "ocelot")) if well else SCRIPTS[way]
    for headers in ({}, {"x-ms-query-source-authorization": USER_TOKEN}):
        await retrieve("Where do zinnia grow?", agent="planner", headers=headers)
    everything = told.everything().lower()
    assert "retrieval.request.duration" in everything and "search atlas" in everything
    assert [secret for secret in SECRETS if secret in everything] == []
    texts = ("marimba", "ocelot") if content == "1" else TEXTS
    assert [text for text in texts if text in everything] == []
