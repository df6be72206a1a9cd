"""The cause of a failure is in its line: why there was no answer, why a model refused, and who gave no token."""

from collections.abc import Callable, Mapping
from typing import Final

import pytest

from retrieval.local.wire import WireService
from tests.running import free_port
from tests.sampling import sample
from tests.scenarios.failures.conftest import Retrieve
from tests.scripted_azure import ScriptedAzure, answering, cutting, document, failing, found, queries, stalling
from tests.telemetry.exported import bodies, logged

Settings = dict[str, str]

HTML: Final = answering(b"<html>Maintenance</html>", content_type="text/html")
TOO_LONG: Final = "This model's maximum context length is 8192 tokens."
UNKNOWN: Final = "Unrecognized request argument supplied: max_completion_tokens"
FILTERED: Final = {
    "choices": [{"index": 0, "finish_reason": "content_filter", "message": {"role": "assistant", "content": ""}}]
}


def _at(address: Callable[[], str]) -> Callable[[ScriptedAzure, Settings], None]:
    def breaks(azure: ScriptedAzure, settings: Settings) -> None:
        settings["AZURE_SEARCH_ENDPOINT"] = address()

    return breaks


def _search(script: WireService) -> Callable[[ScriptedAzure, Settings], None]:
    def breaks(azure: ScriptedAzure, settings: Settings) -> None:
        azure.search = script

    return breaks


def _chat(script: WireService) -> Callable[[ScriptedAzure, Settings], None]:
    def breaks(azure: ScriptedAzure, settings: Settings) -> None:
        azure.chat = script

    return breaks


def _no_tokens(azure: ScriptedAzure, settings: Settings) -> None:
    settings |= {
        "AGENTS_STORE": "",
        "AZURE_SEARCH_ENDPOINT": azure.address.replace("http:", "https:"),
        "AZURE_SEARCH_API_KEY": "",
        "WEBSITE_INSTANCE_ID": "instance",
        "IDENTITY_ENDPOINT": f"http://127.0.0.1:{free_port()}/identity",
        "IDENTITY_HEADER": "from-the-platform",
    }


WITHOUT: Final = "plan is done without the model: "
CAUSES: Final[Mapping[str, tuple[Callable[[ScriptedAzure, Settings], None], str]]] = {
    "name": (_at(lambda: "https://nowhere.invalid"), "BackendUnanswered (name), Azure AI Search"),
    "token endpoint": (_no_tokens, "BackendUnanswered (refused), The token endpoint"),
    "content filter": (
        _chat(failing(400, code="content_filter")),
        f"{WITHOUT}BackendRefused 400 (content filter), The chat model",
    ),
    "refused": (
        _at(lambda: f"http://127.0.0.1:{free_port()}"),
        "BackendUnanswered (refused), Azure AI Search",
    ),
    "cut": (_search(cutting()), "BackendUnanswered (cut), Azure AI Search"),
    "HTML": (_search(HTML), "BackendUnanswered (unreadable), Azure AI Search"),
    "no answer": (_search(stalling()), "BackendTimeout, The search in 'atlas'"),
    "context length": (
        _chat(failing(400, code="context_length_exceeded")),
        f"{WITHOUT}BackendRefused 400 (context length), The chat model",
    ),
    "context length by its words": (
        _chat(failing(400, TOO_LONG, code="")),
        f"{WITHOUT}BackendRefused 400 (context length), The chat model",
    ),
    "unsupported parameter": (
        _chat(failing(400, code="unsupported_parameter")),
        f"{WITHOUT}BackendRefused 400 (unsupported parameter), The chat model",
    ),
    "unsupported parameter by its words": (
        _chat(failing(400, UNKNOWN, code="")),
        f"{WITHOUT}BackendRefused 400 (unsupported parameter), The chat model",
    ),
    "a reply that the filter ended": (_chat(answering(FILTERED)), f"{WITHOUT}BadModelReply (content filter)"),
    "a model that answers with HTML": (_chat(HTML), f"{WITHOUT}BackendUnanswered (unreadable), The chat model"),
    "a model whose connection is cut": (_chat(cutting()), f"{WITHOUT}BackendUnanswered (cut), The chat model"),
}


@pytest.mark.parametrize("cause", sample(list(CAUSES), every=3))
async def test_the_cause_is_in_the_line(
    cause: str, azure: ScriptedAzure, settings: Settings, retrieve: Retrieve
) -> None:
    breaks, line = CAUSES[cause]
    azure.chat, azure.search = queries("roads"), found(document("road", 3.1))
    breaks(azure, settings)
    with logged() as kept:
        answers = [await retrieve() for _ in range(2)]
    told = [body for body in bodies(kept) if line in body]
    assert told, bodies(kept)
    assert all("request-id=" in body and "caller='query key 1'" in body for body in told)
    assert any(answers[0].headers["request-id"] in body for body in told)
