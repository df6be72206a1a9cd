"""What the checks tell of the chat server of CHAT_URL: whether it lists the model, and what to do where it does not."""

from typing import Final

import pytest

from retrieval.local.wire import WireService
from tests.scenarios.local_model.conftest import Retrieve
from tests.scripted_azure import answering, cutting, failing
from tests.scripted_chat import ScriptedChat


def listing(*names: str) -> WireService:
    return answering({"object": "list", "data": [{"id": name, "object": "model"} for name in names]})


READY: Final[dict[str, tuple[WireService, int, str]]] = {
    "lists the model": (listing("llama3.2", "qwen2.5:3b"), 200, "reachable"),
    "lists another": (listing("llama3.2"), 503, "deploymentMissing"),
    "lists none": (listing(), 503, "deploymentMissing"),
    "has another address": (failing(404, "Not Found"), 503, "addressUnknown"),
    "wants a key": (failing(401, "Invalid key"), 503, "forbidden"),
    "closes the connection": (cutting(), 503, "unavailable"),
    "answers with no list": (answering({"models": 7}), 200, "reachable"),
}


@pytest.mark.parametrize("way", READY)
async def test_ready_says_whether_the_server_lists_the_model(
    way: str, chat: ScriptedChat, retrieve: Retrieve, caplog: pytest.LogCaptureFixture
) -> None:
    script, status, state = READY[way]
    chat.models = script
    answer = await retrieve(target="/ready", method="GET")
    assert (answer.status, answer.json["model"]) == (status, state)
    assert chat.asked == []
    if state == "deploymentMissing":
        assert "ollama pull qwen2.5:3b" in caplog.text


async def test_a_model_without_a_tag_is_listed_as_latest(
    chat: ScriptedChat, settings: dict[str, str], retrieve: Retrieve
) -> None:
    settings["CHAT_MODEL"], chat.models = "llama3.2", listing("llama3.2:latest")
    assert (await retrieve(target="/ready", method="GET")).json["model"] == "reachable"
