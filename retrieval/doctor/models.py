"""Checks the model deployments. Each deployment must exist, be usable with these credentials, have quota, and accept a
strict JSON schema.

The check requests one short completion from each deployment, which costs a few tokens.
"""

import re
from collections.abc import Sequence
from typing import Final

from retrieval.doctor.services import Backend, BackendCaller, error_of, member, quoted, read
from retrieval.model.conversation import Prompt
from retrieval.model.finding import About, Finding
from retrieval.model.json_value import JsonValue
from retrieval.models.chat_completions import body, completions_path
from retrieval.outgoing.connections import HttpAnswer

MOST_TOKENS: Final = 400
"""The most tokens of the reply. They are enough for a model that reasons little."""
_SCHEMA: Final[dict[str, JsonValue]] = {
    "type": "object",
    "properties": {"queries": {"type": "array", "items": {"type": "string"}}},
    "required": ["queries"],
    "additionalProperties": False,
}
PROMPT: Final = Prompt(
    name="plan",
    instructions="Write one search query for the question.",
    data="How many days of holiday are there in a year?",
    schema=_SCHEMA,
    most_tokens=MOST_TOKENS,
)
"""A prompt in the same form as for planning."""
_JSON_SCHEMA: Final = re.compile(r"json_schema|response_format|structured output", re.IGNORECASE)
_TOKENS: Final = re.compile(r"max_completion_tokens|max_tokens", re.IGNORECASE)
_FILTER: Final = re.compile(r"content_filter|content management policy|ResponsibleAI", re.IGNORECASE)
_RETIRED: Final = re.compile(
    r"model\b.{0,200}\b(?:retired|deprecated)|Model(?:Retired|Deprecated)|not work with the specified model", re.I
)
_NEWER: Final = (
    "Deploy a model that takes strict JSON schemas, such as gpt-4o 2024-08-06 or later: azd env set MODEL_NAME"
)


async def examine(caller: BackendCaller, service: Backend, deployment: str) -> Sequence[Finding]:
    """The findings about one deployment of a resource."""
    about = About("model", f"{deployment} at {service.resource}" if "<" not in service.resource else deployment)
    path = completions_path(service.endpoint, deployment)
    reply = await caller.call(service, "POST", path, body(deployment, PROMPT))
    if isinstance(answer := await caller.answer(service, reply, about), Finding):
        return [answer]
    return [
        _completion_finding(answer, about) if answer.status == 200 else _refusal(service, answer, about, deployment)
    ]


def _completion_finding(reply: HttpAnswer, about: About) -> Finding:
    """Checks that a completion is complete, and that its text is JSON that fits the schema."""
    choices = member(read(reply), "choices")
    choice = choices[0] if isinstance(choices, list) and choices else None
    finish_reason, text = member(choice, "finish_reason"), member(choice, "message", "content")
    if choice is None:
        return about.fault(
            "What answers is no chat model: it gave something other than a chat completion.",
            "Set AZURE_OPENAI_ENDPOINT to https://<resource>.openai.azure.com",
        )
    if finish_reason == "content_filter":
        return about.warning("Its content filter stopped a harmless reply.", _LOOSER)
    if finish_reason == "length":
        return about.warning(
            f"It used more than {MOST_TOKENS} tokens for one query: it reasons long, and plans will be late.",
            "Choose a planner that does not reason long: azd env set MODEL_NAME",
        )
    queries = (
        member(read(HttpAnswer(status=200, content=text.encode("utf-8", "replace"))), "queries")
        if (isinstance(text, str))
        else None
    )
    if not isinstance(queries, list) or not all(isinstance(query, str) for query in queries):
        return about.fault("Its reply is not of the JSON schema that was asked for.", _NEWER)
    return about.ok("It answers, and keeps to a strict JSON schema.")


_LOOSER: Final = (
    "Look at the deployment's filter (https://learn.microsoft.com/azure/ai-foundry/openai/how-to/content-filters); "
    "what it stops is planned by rules."
)


def _refusal(service: Backend, reply: HttpAnswer, about: About, deployment: str) -> Finding:
    code, message = error_of(reply)
    refusal_text, why = f"{code} {message}", quoted(reply)
    group = f"--name {service.resource} --resource-group <group>"
    if reply.status == 410 or (reply.status in {400, 404} and _RETIRED.search(refusal_text)):
        return about.fault(
            f"The model of the deployment {deployment!r} is retired, and answers no more: {why}",
            "One that is served: https://learn.microsoft.com/azure/ai-foundry/openai/concepts/model-retirements\n"
            "azd env set MODEL_NAME, then azd provision",
        )
    if reply.status == 404:
        return about.fault(
            f"There is no deployment {deployment!r}: {why}",
            f'az cognitiveservices account deployment list {group} --query "[].[name,properties.model.version]"\n'
            "names those that are there: correct AZURE_OPENAI_DEPLOYMENT, ALLOWED_MODELS or the agent. "
            "A deployment made a moment ago takes five minutes; one whose model is retired may answer 404 too.",
        )
    if reply.status == 429 and "insufficient_quota" in refusal_text:
        return about.fault(f"It has no quota left: {why}", "Look at the subscription's quota and billing.")
    if reply.status == 429:
        return about.warning(
            f"It throttles, and plans are made by rules meanwhile: {why}",
            "azd env set MODEL_CAPACITY 500, then azd provision",
        )
    if _FILTER.search(refusal_text):
        return about.warning(f"Its content filter stopped a harmless question: {why}", _LOOSER)
    if _JSON_SCHEMA.search(refusal_text):
        return about.fault(f"It takes no strict JSON schema: {why}", _NEWER)
    if _TOKENS.search(refusal_text):
        return about.fault(f"It is too old for this service: {why}", _NEWER)
    return about.fault(f"It refuses a completion: {why}", "See the message.")
