"""What the doctor tells of the chat server of CHAT_URL, and what to do about it."""

import json
from typing import Final

import pytest

from retrieval.doctor.__main__ import examine
from retrieval.local.wire import WireService
from retrieval.model.finding import Finding
from tests.scenarios.local_model.conftest import chat, settings
from tests.scenarios.local_model.test_ready import listing
from tests.scripted_azure import answering, cutting, failing
from tests.scripted_chat import ScriptedChat, refusing, refusing_the_form

__all__ = ["chat", "settings"]


async def examined(settings: dict[str, str], subject: str = "model") -> list[Finding]:
    """The findings about this subject."""
    findings = await examine(settings, lambda finding: None)
    return [finding for finding in findings if finding.subject == subject]


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
    assert any("CHAT_URL" in finding.said for finding in await examined(settings, "settings"))
    assert chat.requests == []
