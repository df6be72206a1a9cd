"""What the checks tell of the chat server of CHAT_URL: whether it lists the model, and what to do where it does not."""

import json
from typing import Final

import pytest

from retrieval import compose
from retrieval.local.wire import WireService
from retrieval.model.finding import Finding
from tests.scenarios.local_model.conftest import Retrieve
from tests.scripted_azure import answering, cutting, failing
from tests.scripted_chat import ScriptedChat, refusing, refusing_the_form


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


async def examined(settings: dict[str, str]) -> list[Finding]:
    """The findings about models."""
    findings = await compose.examine(settings, lambda finding: None)
    return [finding for finding in findings if finding.subject == "model"]


async def test_the_doctor_asks_one_short_completion(chat: ScriptedChat, settings: dict[str, str]) -> None:
    (finding,) = await examined(settings)
    assert (finding.name, finding.state) == ("qwen2.5:3b", "ok")
    assert "lists it, and it answered in" in finding.said
    (asked,) = chat.asked
    assert asked["max_tokens"] == 400
    assert [message["role"] for message in asked["messages"]] == ["system", "user"]


async def test_the_doctor_tells_each_difference_with_its_remedy(chat: ScriptedChat, settings: dict[str, str]) -> None:
    chat.traits = (refusing_the_form(body={"error": "'response_format.type' must be 'text'"}),)
    answered, difference = await examined(settings)
    assert answered.state == "ok"
    assert difference.state == "warning" and "takes no response_format" in difference.said
    assert "newer server" in difference.do


FAULTS: Final[dict[str, tuple[dict[str, WireService], str, str]]] = {
    "the model is not there": ({"models": listing("llama3.2")}, "fault", "ollama pull qwen2.5:3b"),
    "the address is wrong": (
        {"models": failing(404, "page not found")},
        "fault",
        "CHAT_URL, which usually ends in /v1",
    ),
    "the key is wrong": ({"models": failing(401, "no key")}, "fault", "CHAT_API_KEY"),
    "nothing listens": ({"models": cutting()}, "fault", "http://localhost:11434/v1"),
    "the context is too small": (
        {"chat": refusing({"error": {"message": "the request exceeds the available context size"}})},
        "fault",
        "OLLAMA_CONTEXT_LENGTH",
    ),
    "the reply is prose": ({"chat": answering({"choices": [{"message": {"content": "Sure!"}}]})}, "warning", "larger"),
}


@pytest.mark.parametrize("fault", FAULTS)
async def test_the_doctor_tells_what_to_do_where(fault: str, chat: ScriptedChat, settings: dict[str, str]) -> None:
    scripts, state, advice = FAULTS[fault]
    for name, script in scripts.items():
        setattr(chat, name, script)
    findings = await examined(settings)
    assert findings[-1].state == state or findings[0].state == state
    told = " ".join(finding.do for finding in findings)
    assert advice in told
    assert "azd" not in told and "az cognitiveservices" not in told


async def test_the_doctor_never_tells_the_key(chat: ScriptedChat, settings: dict[str, str]) -> None:
    settings["CHAT_API_KEY"] = "a-secret-key-91"
    chat.models = failing(401, "The key a-secret-key-91 is not known.")
    assert "a-secret-key-91" not in json.dumps([[one.said, one.do] for one in await examined(settings)])


async def test_the_doctor_of_a_deployment_never_asks_the_server(chat: ScriptedChat, settings: dict[str, str]) -> None:
    settings["LOCAL"] = "0"
    findings = await compose.examine(settings, lambda finding: None)
    assert any("CHAT_URL" in finding.said for finding in findings if finding.subject == "settings")
    assert chat.requests == []
