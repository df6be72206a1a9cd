"""Keys and tokens are in no answer and in no log, whatever goes wrong."""

import logging
from collections.abc import Mapping
from typing import Final

import pytest

from retrieval.local.wire import WireService
from tests.scenarios.failures.conftest import CALLER_KEY, MODEL_KEY, SEARCH_KEY, Retrieve
from tests.scripted_azure import ScriptedAzure, answering, cutting, document, failing, found, queries, stalling

USER_TOKEN: Final = "user-token-90aa"
SECRETS: Final = (CALLER_KEY, SEARCH_KEY, MODEL_KEY, USER_TOKEN)

SCRIPTS: Final[Mapping[str, WireService]] = {
    "all is well": found(document("road", 3.1)),
    "it fails": failing(500),
    "it is forbidden": failing(403),
    "it is refused": failing(400),
    "it is throttled": failing(429, retry_after=60),
    "it stalls": stalling(),
    "the connection is cut": cutting(),
    "the answer is nonsense": answering(b"<html>"),
}


@pytest.mark.parametrize("way", SCRIPTS)
async def test_no_secret_is_told_when(
    way: str, azure: ScriptedAzure, retrieve: Retrieve, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    azure.search = SCRIPTS[way]
    azure.chat = queries("roads") if way == "all is well" else SCRIPTS[way]
    answer = await retrieve(headers={"x-ms-query-source-authorization": USER_TOKEN})
    told = (answer.body.decode(), str(answer.headers), caplog.text)
    assert [secret for secret in SECRETS for text in told if secret in text] == []
    assert azure.searches[0].request.header("api-key") == SEARCH_KEY
    assert azure.chats[0].request.header("api-key") == MODEL_KEY


async def test_settings_show_no_secret(settings: dict[str, str]) -> None:
    from retrieval.settings.settings import read

    shown = repr(read(settings))
    assert [secret for secret in (CALLER_KEY, SEARCH_KEY) if secret in shown] == []
