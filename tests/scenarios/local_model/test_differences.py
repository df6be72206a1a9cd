"""What chat servers do differently: handled once, remembered for the process, and told in one line with its remedy."""

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

import pytest

from tests.conftest import Post
from tests.scenarios.failures.answer import planning, searched
from tests.scenarios.local_model.conftest import PLAN, Retrieve, replies
from tests.scripted_azure import ScriptedAzure
from tests.scripted_chat import (
    ScriptedChat,
    Trait,
    failing_in_the_stream_over,
    loading,
    not_streaming,
    refusing,
    refusing_bounds,
    refusing_the_form,
    refusing_the_member,
    thinking,
    without_usage,
)

LM_STUDIO: Final = {"error": "'response_format.type' must be 'json_schema' or 'text'"}
OLD_LM_STUDIO: Final = {"error": "'response_format.type' must be 'json_object'"}
BOUNDS: Final = {"error": {"message": "Invalid schema for response_format: 'maxLength' is not permitted."}}
UNSUPPORTED: Final = "Unsupported parameter: '{}' is not supported with this model. Use '{}' instead."
FORBIDDEN: Final = {
    "detail": [{"type": "extra_forbidden", "loc": ["body", "seed"], "msg": "Extra inputs are forbidden"}]
}


def form_of(asked: Mapping[str, Any]) -> str:
    return str(asked.get("response_format", {"type": "none"})["type"])


async def test_the_first_request_has_all_that_a_server_may_take(chat: ScriptedChat, retrieve: Retrieve) -> None:
    answer = await retrieve()
    assert searched(answer) == ["roads"]
    (asked,) = chat.asked
    assert asked["model"] == "qwen2.5:3b"
    assert form_of(asked) == "json_schema"
    assert asked["max_tokens"] == asked["max_completion_tokens"] == 2_000
    assert (asked["temperature"], asked["seed"], asked["reasoning_effort"]) == (0, 1, "none")
    assert asked["stream"] is True and asked["stream_options"] == {"include_usage": True}


async def test_no_credential_is_sent_without_a_key(chat: ScriptedChat, retrieve: Retrieve) -> None:
    await retrieve()
    assert {name.lower() for name, _ in chat.requests[0].headers}.isdisjoint({"authorization", "api-key"})


async def test_a_key_is_sent_as_a_bearer_token(
    chat: ScriptedChat, settings: dict[str, str], retrieve: Retrieve
) -> None:
    settings["CHAT_API_KEY"] = "k-1"
    await retrieve()
    assert [value for name, value in chat.requests[0].headers if name.lower() == "authorization"] == ["Bearer k-1"]


async def test_the_model_of_a_definition_is_replaced_and_the_record_says_so(
    chat: ScriptedChat, retrieve: Retrieve
) -> None:
    answer = await retrieve(agent="own", target="/agents/own/answer")
    notes = [note for record in answer.json["activity"] for note in record["notes"]]
    assert "qwen2.5:3b answered, which CHAT_URL has, in place of the definition's gpt-4o." in notes
    assert {asked["model"] for asked in chat.asked} == {"qwen2.5:3b"}


async def test_a_definition_may_name_a_model_that_only_a_deployment_has(
    chat: ScriptedChat, retrieve: Retrieve, post: Post
) -> None:
    await retrieve()
    parameters = {"resourceUri": "https://other.example", "deploymentId": "gpt-5", "modelName": "gpt-5"}
    body = {
        "name": "mine",
        "targetIndexes": [{"indexName": "atlas"}],
        "models": [{"kind": "azureOpenAI", "azureOpenAIParameters": parameters}],
    }
    made = await post(body, "/agents('mine')?api-version=2025-05-01-preview", method="PUT", key="local-admin-key")
    assert made.status == 201
    answer = await retrieve(agent="mine")
    assert "error" not in planning(answer) and len(chat.asked) == 2


REFUSED: Final[dict[str, tuple[Trait, Mapping[str, object]]]] = {
    "json_schema": (refusing_the_form("json_object", body=OLD_LM_STUDIO), {"form": "json_object"}),
    "json_schema and json_object": (refusing_the_form(body=LM_STUDIO), {"form": "none"}),
    "maxLength and maxItems": (refusing_bounds(body=BOUNDS), {"form": "json_schema", "max_tokens": 2_000}),
    "json_schema with a 500": (
        refusing_the_form("json_object", body={"error": {"message": "failed to parse grammar"}}, status=500),
        {"form": "json_object"},
    ),
    "max_tokens beside max_completion_tokens": (
        refusing_the_member(
            "max_tokens",
            {
                "error": {
                    "message": "Setting 'max_tokens' and 'max_completion_tokens' at the same time is not supported."
                }
            },
            beside=("max_completion_tokens",),
        ),
        {"max_tokens": None, "max_completion_tokens": 2_000},
    ),
    "max_completion_tokens": (
        refusing_the_member(
            "max_completion_tokens",
            {"error": {"message": UNSUPPORTED.format("max_completion_tokens", "max_tokens")}},
        ),
        {"max_tokens": 2_000, "max_completion_tokens": None},
    ),
    "temperature": (
        refusing_the_member(
            "temperature", {"error": {"message": "Unsupported value.", "param": "temperature", "code": None}}
        ),
        {"temperature": None, "seed": 1},
    ),
    "seed, as an extra member": (refusing_the_member("seed", FORBIDDEN, status=422), {"seed": None, "temperature": 0}),
    "reasoning_effort": (
        refusing_the_member("reasoning_effort", {"error": {"message": '"qwen2.5:3b" does not support thinking'}}),
        {"reasoning_effort": None},
    ),
    "stream_options": (
        refusing_the_member("stream_options", {"error": {"message": "Unknown field: stream_options"}}),
        {"stream_options": None, "stream": True},
    ),
    "stream": (
        refusing_the_member("stream", {"error": {"message": "Streaming is not supported."}}),
        {"stream": None, "stream_options": None},
    ),
    "a member that it does not name": (
        refusing_the_member("seed", {"error": {"message": "Bad request"}}),
        {"seed": None, "max_tokens": 2_000},
    ),
}


@pytest.mark.parametrize("difference", REFUSED)
async def test_what_a_server_refuses_is_left_out_once_and_for_all(
    difference: str, chat: ScriptedChat, retrieve: Retrieve
) -> None:
    trait, taken = REFUSED[difference]
    chat.traits = (trait,)
    answer = await retrieve()
    assert "error" not in planning(answer)
    tries = len(chat.asked)
    assert 2 <= tries <= 3
    again = await retrieve("Rivers")
    assert "error" not in planning(again)
    assert len(chat.asked) == tries + 1
    last = {"form": form_of(chat.asked[-1]), **chat.asked[-1]}
    assert {name: last.get(name) for name in taken} == taken


async def test_texts_and_lists_of_a_reply_are_bounded_where_the_server_takes_it(
    chat: ScriptedChat, retrieve: Retrieve
) -> None:
    await retrieve()
    schema = chat.asked[0]["response_format"]["json_schema"]["schema"]
    assert bounds(schema) == {"string": {800}, "array": {40}}
    chat.traits = (refusing_bounds(body=BOUNDS),)
    await retrieve("Rivers")
    assert bounds(chat.asked[-1]["response_format"]["json_schema"]["schema"]) == {"string": {None}, "array": {None}}


def bounds(schema: Any) -> dict[str, set[int | None]]:
    """The bounds of the texts and lists of a schema; None where one has none."""
    found: dict[str, set[int | None]] = {"string": set(), "array": set()}
    inner = schema.values() if isinstance(schema, dict) else schema if isinstance(schema, list) else ()
    for value in inner:
        found = {name: found[name] | more for name, more in bounds(value).items()}
    if isinstance(schema, dict) and schema.get("type") in found and "enum" not in schema:
        found[schema["type"]].add(schema.get("maxLength", schema.get("maxItems")))
    return found


def unbounded(schema: Any) -> Any:
    if isinstance(schema, dict):
        return {name: unbounded(value) for name, value in schema.items() if name not in ("maxLength", "maxItems")}
    return [*map(unbounded, schema)] if isinstance(schema, list) else schema


@pytest.mark.parametrize("trait", [REFUSED["json_schema"][0], REFUSED["json_schema and json_object"][0]])
async def test_without_a_schema_the_prompt_has_it(trait: Trait, chat: ScriptedChat, retrieve: Retrieve) -> None:
    await retrieve()
    schema = chat.asked[0]["response_format"]["json_schema"]["schema"]
    before = chat.asked[0]["messages"][0]["content"]
    assert json.dumps(schema) not in before
    chat.traits = (trait,)
    await retrieve()
    after = chat.asked[-1]["messages"][0]["content"]
    assert after.startswith(before) and json.loads(after.splitlines()[-1]) == unbounded(schema)


async def test_a_difference_is_logged_once_with_its_remedy(
    chat: ScriptedChat, retrieve: Retrieve, caplog: pytest.LogCaptureFixture
) -> None:
    chat.traits = (REFUSED["json_schema"][0], REFUSED["stream_options"][0])
    await retrieve()
    await retrieve()
    told = [record.getMessage() for record in caplog.records if "The chat model at" in record.getMessage()]
    assert len(told) == 2
    assert all("newer server" in line.lower() and chat.url in line for line in told)


async def test_a_refusal_for_another_reason_has_the_servers_words_in_the_record(
    chat: ScriptedChat, retrieve: Retrieve
) -> None:
    chat.chat = refusing({"error": {"message": "The template of this model has no system role."}}, status=409)
    error = planning(await retrieve())["error"]
    assert error["code"] == "BackendRefused"
    assert "The template of this model has no system role." in error["message"]


LACKING: Final = {
    "Ollama": ({"error": {"message": 'model "qwen2.5:3b" not found, try pulling it first'}}, 404, "ollama pull"),
    "LM Studio": ({"error": {"message": "No models loaded. Please load a model."}}, 404, "CHAT_MODEL"),
    "nothing at the address": ("404 page not found", 404, "CHAT_URL, which usually ends in /v1"),
    "a gateway": ({"error": {"message": "Invalid API key"}}, 401, "CHAT_API_KEY"),
}


@pytest.mark.parametrize("server", LACKING)
async def test_the_remedy_is_told_of_what_a_server_lacks(server: str, chat: ScriptedChat, retrieve: Retrieve) -> None:
    body, status, remedy = LACKING[server]
    chat.chat = refusing(body, status=status)
    message = planning(await retrieve())["error"]["message"]
    assert remedy in message
    assert "azd" not in message and "AZURE" not in message


async def test_a_server_that_loads_its_model_is_waited_for(chat: ScriptedChat, retrieve: Retrieve) -> None:
    chat.traits = (loading(7, {"error": {"code": 503, "message": "Loading model", "type": "unavailable_error"}}),)
    record = planning(await retrieve())
    assert "error" not in record
    assert 7_000 <= record["elapsedMs"] < 8_000


async def test_without_usage_the_tokens_are_estimated_and_marked(chat: ScriptedChat, retrieve: Retrieve) -> None:
    chat.traits = (without_usage,)
    answer = await retrieve(target="/agents/planner/answer")
    asked = [record for record in answer.json["activity"] if record.get("prompt")]
    assert asked
    for record in asked:
        assert record["input_tokens"] > 200 and record["output_tokens"] > 0
        assert "The server counted no tokens, so they are estimated." in record["notes"]


THOUGHTS: Final = {
    "in a member of its own": thinking("Roads, then?", within=False),
    "in the text": thinking('<think>\nIs it {"queries": ["wrong"]}?\n</think>\n\n', within=True),
    "in the text, begun by the template": thinking("Is it roads?\n</think>\n", within=True),
    "in prose": lambda asked, spoken: replace(spoken, text=f"Sure, here it is: {spoken.text} Does this help?"),
    "in a fence": lambda asked, spoken: thinking("```json\n", within=True)(
        asked, type(spoken)(text=spoken.text + "\n```", usage=spoken.usage, streams=spoken.streams)
    ),
}


@pytest.mark.parametrize("place", THOUGHTS)
@pytest.mark.parametrize("streams", [True, False])
async def test_thinking_is_no_text(
    place: str, streams: bool, chat: ScriptedChat, azure: ScriptedAzure, retrieve: Retrieve
) -> None:
    chat.traits = (THOUGHTS[place],) if streams else (THOUGHTS[place], not_streaming)
    answer = await retrieve()
    assert "error" not in planning(answer)
    assert searched(answer) == ["roads"]


async def test_a_server_that_takes_a_schema_and_keeps_to_none_has_it_in_the_prompt(
    chat: ScriptedChat, retrieve: Retrieve
) -> None:
    chat.traits = (THOUGHTS["in prose"],)
    forms = [form_of(chat.asked[-1]) for _ in range(3) if (await retrieve()).status == 200]
    assert forms == ["json_schema", "json_object", "none"]


async def test_a_form_that_fails_in_the_reply_is_left_out_too(chat: ScriptedChat, retrieve: Retrieve) -> None:
    failed = failing_in_the_stream_over(0, {"message": "Failed to compile the grammar of response_format."})
    chat.traits = (lambda asked, spoken: failed(asked, spoken) if form_of(asked) == "json_schema" else spoken,)
    assert "error" not in planning(await retrieve())
    assert [form_of(asked) for asked in chat.asked] == ["json_schema", "json_object"]


async def test_a_server_that_counts_only_new_tokens_did_not_cut_the_prompt(
    chat: ScriptedChat, retrieve: Retrieve
) -> None:
    chat.text = replies
    chat.traits = (lambda asked, spoken: replace(spoken, usage=(40, 20)),)
    answer = await retrieve(target="/agents/planner/answer")
    assert [record for record in answer.json["activity"] if "error" in record] == []


async def test_a_reply_that_reaches_its_most_tokens_is_told_as_cut(chat: ScriptedChat, retrieve: Retrieve) -> None:
    def at_the_end(asked: Mapping[str, Any], spoken: Any) -> Any:
        return type(spoken)(text=PLAN[:-2], usage=(400, asked["max_tokens"]))

    chat.traits = (at_the_end,)
    error = planning(await retrieve())["error"]
    assert "cut off at the most tokens" in error["message"]
